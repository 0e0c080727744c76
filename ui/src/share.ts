// Links for others, and the end of all links. Never shows the secret of the person's own link.

import { giveKey, linkTo, renewKeys, useToken } from "./api";
import { ICONS, announce, h, icon } from "./dom";

export interface Share {
  open(): void;
}

/** A dialog that gives a link to read, and can end every link there is. */
export function shareDialog(path: string | null): Share {
  const link = h("input", { readonly: true, "aria-label": "Link to read", onfocus: () => link.select() });
  const words = h("p", { class: "about" }, "Whoever has this link, on this machine, can read all documents of this folder as they grow, and change nothing. It opens this one first.");
  const copy = h("button", { class: "main", onclick: () => void copied() }, "Copy");
  const renew = h("button", { class: "plain", onclick: () => void renewed() }, "End all links");
  const dialog = h(
    "dialog",
    { class: "help share", "aria-labelledby": "share-title" },
    h("header", {}, h("h2", { id: "share-title" }, "Share"), h("button", { class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, icon(ICONS.close))),
    words,
    h("div", { class: "row" }, link, copy),
    h("p", { class: "about" }, "Ending all links closes every other page at once. This one stays open."),
    renew,
  );
  document.body.append(dialog);

  async function fill(): Promise<void> {
    try {
      const { token } = await giveKey({ role: { kind: "reader" } });
      link.value = `${location.origin}${linkTo(path, token)}`;
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
    }
  }

  async function copied(): Promise<void> {
    link.select();
    try {
      await navigator.clipboard.writeText(link.value);
      announce("Copied", true);
    } catch {
      // Where the clipboard is closed to pages, the link is selected and can be copied by hand.
    }
  }

  async function renewed(): Promise<void> {
    try {
      const { token } = await renewKeys();
      useToken(token);
      // The page comes back with the new secret.
      location.replace(linkTo(path));
      location.reload();
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
    }
  }

  return {
    open() {
      dialog.showModal();
      void fill();
    },
  };
}
