// Turns for the browser between the pieces of long work, so that it draws and hears keys. Never waits for a frame that nobody sees.

/** A page that is not shown gets no frames. After this many milliseconds its work goes on without one. */
const UNSEEN = 100;

/** Goes on after the next frame was drawn. */
export function nextFrame(): Promise<void> {
  return new Promise((answer) => {
    const timer = window.setTimeout(answer, UNSEEN);
    requestAnimationFrame(() => {
      window.clearTimeout(timer);
      // A frame's own work comes before it is drawn; what follows comes behind.
      window.setTimeout(answer);
    });
  });
}
