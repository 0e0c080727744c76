// Buttons that are signs, with their names where the pointer or the keyboard is. Never a sign without a name.

import { announce, h, icon } from "./dom";
import { THEME_ICONS, THEME_NAMES, nextTheme, theme } from "./theme";

export function tool(words: string, path: string, run: () => void, more: Record<string, string> = {}): HTMLButtonElement {
  return h("button", { class: "quiet tool", "aria-label": words, "data-tip": words, onclick: run, ...more }, icon(path));
}

/** The button for the next theme. Its sign and its tip say which one is on. */
export function themeTool(): HTMLButtonElement {
  const button = tool("Next theme", THEME_ICONS[theme()], () => {
    const chosen = nextTheme();
    button.replaceChildren(icon(THEME_ICONS[chosen]));
    name();
    announce(`Theme: ${THEME_NAMES[chosen]}`, true);
  });
  const name = (): void => button.setAttribute("data-tip", `Theme: ${THEME_NAMES[theme()]}`);
  name();
  return button;
}
