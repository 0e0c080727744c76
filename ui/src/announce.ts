// What is said to those who listen instead of looking. Never more often than it can be heard, never what is no longer so, and never
// what a person does themselves: they know it.

/** How long one thing is left alone before the next is said, in milliseconds. */
export const PAUSE = 3000;
/** How many things may wait to be said. */
const WAITING_MAX = 12;

export interface Announcer {
  /** Says something about a thing: what was to be said about the same one is out of date. Urgent things go before the others. */
  say(text: string, about: string, urgent: boolean): void;
}

/** An announcer that speaks by `speak`; the clock and the wait are the caller's. */
export function announcer(speak: (text: string) => void, now: () => number, later: (work: () => void, milliseconds: number) => void): Announcer {
  const waiting = new Map<string, string>();
  let last = -Infinity;
  let isWaiting = false;

  function next(): void {
    const first = waiting.entries().next().value;
    if (!first || isWaiting) return;
    const rest = last + PAUSE - now();
    if (rest > 0) {
      isWaiting = true;
      later(() => {
        isWaiting = false;
        next();
      }, rest);
      return;
    }
    waiting.delete(first[0]);
    last = now();
    speak(first[1]);
    next();
  }

  return {
    say(text, about, urgent) {
      if (urgent) {
        waiting.delete(about);
        last = now();
        speak(text);
        return;
      }
      // The place in the queue stays, so that one who writes all the time does not keep the others from being heard.
      if (waiting.has(about) || waiting.size < WAITING_MAX) waiting.set(about, text);
      next();
    },
  };
}
