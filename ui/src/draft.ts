// Words that the file may lack, kept in the tab over a reload or a crash, for this tab alone: another one has words of its own. Never kept longer than until the file has them.

export interface Draft {
  /** The last text that the server is known to have had. */
  readonly base: string;
  readonly text: string;
}

const key = (path: string): string => `agent-doc-draft:${path}`;

export function keepDraft(path: string, base: string, text: string): void {
  if (base === text) return;
  try {
    sessionStorage.setItem(key(path), JSON.stringify({ base, text }));
  } catch {
    // No room. The page still has the words, and asks before it is closed.
  }
}

export function readDraft(path: string): Draft | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key(path)) ?? "null") as Partial<Draft> | null;
    return draft && typeof draft.base === "string" && typeof draft.text === "string"
      ? { base: draft.base, text: draft.text }
      : null;
  } catch {
    return null;
  }
}

export function forgetDraft(path: string): void {
  sessionStorage.removeItem(key(path));
}
