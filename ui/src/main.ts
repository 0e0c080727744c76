// Decides which page this is.

import { need } from "./dom";
import { setTheme, theme } from "./theme";

setTheme(theme());
const page = need("page");
const path = new URLSearchParams(location.search).get("path");
if (location.pathname === "/write" && path) {
  void import("./writer").then(({ openWriter }) => openWriter(page, path));
} else {
  void import("./home").then(({ openHome }) => openHome(page));
}
