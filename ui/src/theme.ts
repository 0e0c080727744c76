// Light, dark or high contrast, by the system or by choice. Never asks the system when a choice was made.

import { ICONS } from "./dom";

const KEPT = "agent-doc-theme";
export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES: Record<Theme, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  contrast: "High contrast",
};

/** What the button shows while a theme is on. */
export const THEME_ICONS: Record<Theme, string> = { system: ICONS.themeSystem, light: ICONS.themeLight, dark: ICONS.themeDark, contrast: ICONS.themeContrast };

/** Light and dark follow the system by the style sheet; more contrast is a theme of its own. */
const wantsContrast = window.matchMedia("(prefers-contrast: more)");
wantsContrast.addEventListener("change", () => show(theme()));

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((known) => known === kept) ?? "system";
}

export function setTheme(chosen: Theme): void {
  localStorage.setItem(KEPT, chosen);
  show(chosen);
}

function show(chosen: Theme): void {
  document.documentElement.dataset["theme"] = chosen === "system" && wantsContrast.matches ? "contrast" : chosen;
}

/** The next one in the round, which is chosen. */
export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? "system";
  setTheme(next);
  return next;
}
