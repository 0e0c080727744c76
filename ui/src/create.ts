// A new document, by its name. Never writes over one that is there: the server refuses that.

import { createDocument, linkTo } from "./api";
import { ICONS, h, icon } from "./dom";
import { pathOf } from "./paths";

export interface Creation {
  open(): void;
}

export function createDialog(): Creation {
  const name = h("input", { id: "new-name", autocomplete: "off", spellcheck: "false", placeholder: "notes/friday" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const form = h(
    "form",
    { method: "dialog" },
    h("label", { for: "new-name", class: "about" }, "Its name in this folder"),
    h("div", { class: "row" }, name, h("button", { class: "main", type: "submit" }, "Create")),
    problem,
  );
  const dialog = h(
    "dialog",
    { class: "help share", "aria-labelledby": "new-title" },
    h("header", {}, h("h2", { id: "new-title" }, "New document"), h("button", { class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, icon(ICONS.close))),
    form,
  );
  document.body.append(dialog);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void create(pathOf(name.value));
  });

  async function create(path: string): Promise<void> {
    if (!path) return;
    const title = (path.split("/").at(-1) ?? path).replace(/\.md$/i, "").replaceAll(/[-_]+/g, " ");
    try {
      await createDocument({ path, text: `# ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n` });
      location.assign(linkTo(path));
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : "The server did not answer.";
      problem.hidden = false;
    }
  }

  return {
    open() {
      problem.hidden = true;
      dialog.showModal();
      name.focus();
    },
  };
}
