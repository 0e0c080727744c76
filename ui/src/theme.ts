// Light, dark or high contrast, by the system or by choice. Never asks the system when a choice was made.

const KEPT = "agent-doc-theme";
export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES: Record<Theme, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  contrast: "High contrast",
};

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return THEMES.find((known) => known === kept) ?? "system";
}

export function setTheme(chosen: Theme): void {
  localStorage.setItem(KEPT, chosen);
  document.documentElement.dataset["theme"] = chosen;
}

/** The next one in the round, which is chosen. */
export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? "system";
  setTheme(next);
  return next;
}
