// Whether a key or a click can be meant for what has just appeared. Pure: the clock is the caller's.

/** How long something must have stood there, and nothing been typed elsewhere, before it listens. */
export const GUARD = 400;

export interface Guard {
  /** Something new stands there since now. */
  appeared(now: number): void;
  /** A key was pressed that was meant for something else. */
  typed(now: number): void;
  isOpen(now: number): boolean;
}

export function guard(): Guard {
  let since = -Infinity;
  const later = (now: number): void => void (since = Math.max(since, now));
  return { appeared: later, typed: later, isOpen: (now) => now - since >= GUARD };
}
