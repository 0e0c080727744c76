// Decides which page this is.

import { need } from "./dom";
import { nextFrame } from "./frames";
import { setTheme, theme } from "./theme";

setTheme(theme());
const page = need("page");
const path = new URLSearchParams(location.search).get("path");
if (location.pathname === "/write" && path) {
  // What the Writer is made of is fetched at once and evaluated one by one, so that the page lives between them.
  void import("./link");
  void import("./editor");
  void import("./writer").then(async ({ openWriter }) => {
    // Reading a long script and building the page are two pieces of work.
    await nextFrame();
    openWriter(page, path);
  });
} else {
  void import("./home").then(({ openHome }) => openHome(page));
}
