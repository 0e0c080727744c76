// Who is here: the pages that have the document open, and the agents that write in it. Never draws anew what it shows already.

import type { WireVisitor } from "../wire/wire";
import { h } from "./dom";
import type { Replica } from "./link";
import { badge } from "./people";

export interface Present {
  readonly element: HTMLElement;
  show(visitors: ReadonlyMap<number, WireVisitor>, replica: Replica | null): void;
}

export function openPresent(): Present {
  const element = h("ul", { class: "present", "aria-label": "Who is here" });
  let shown = "";
  return {
    element,
    show(visitors, replica) {
      const own = replica?.doc.clientID ?? 0;
      const here = new Set(replica?.awareness.getStates().keys() ?? []);
      const seen = new Map<string, { visitor: WireVisitor; isOwn: boolean; count: number }>();
      for (const client of new Set([own, ...here])) {
        const visitor = visitors.get(client) ?? { client, name: client === own ? "You" : "Someone", agent: false };
        const isOwn = client === own;
        const sign = isOwn ? "own" : `person ${visitor.name}`;
        if (client !== 0) seen.set(sign, { visitor, isOwn, count: (seen.get(sign)?.count ?? 0) + 1 });
      }
      for (const visitor of visitors.values()) if (visitor.agent) seen.set(`agent ${visitor.name}`, { visitor, isOwn: false, count: 1 });
      const key = JSON.stringify([...seen].map(([sign, { visitor, count }]) => [sign, visitor.name, count]));
      if (key === shown) return;
      shown = key;
      element.replaceChildren(...[...seen.values()].map(({ visitor, isOwn, count }) => badge(visitor, isOwn, count)));
    },
  };
}
