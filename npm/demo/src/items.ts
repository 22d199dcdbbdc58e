// Every item of what was opened, colored by tier and type; the reasons of one are asked for when it is chosen.

import type { Client } from "./client.js";
import { byId, fill, h } from "./dom.js";
import type { Explained, ItemGroup, ShownItem, Tier } from "./protocol.js";

const TIERS: Readonly<Record<Tier, { name: string; about: string }>> = {
  invariant: { name: "Must stand", about: "word for word, outside of what is summarized" },
  task_state: { name: "Task state", about: "kept in its structure" },
  episodic: { name: "Episode", about: "may be summarized" },
  discardable: { name: "Noise", about: "may go before anything is summarized" },
};
const POLARITY: Readonly<Record<string, string>> = { prohibit: "prohibits", require: "requires", limit: "limits", permit: "permits" };

/** Shows the items from the beginning. */
export function showItems(client: Client, fail: (error: unknown) => void): void {
  const [list, more, filters] = [byId("items"), byId<HTMLButtonElement>("items-more"), byId("items-filter")];
  fill(list);
  let next: number | null = 0;
  let only: Tier | null = null;

  const apply = (): void => {
    for (const item of list.querySelectorAll<HTMLElement>(".item")) item.hidden = only !== null && item.dataset["tier"] !== only;
    for (const group of list.querySelectorAll<HTMLElement>(".group")) group.hidden = group.querySelector(".item:not([hidden])") === null;
  };
  const buttons = ([null, ...Object.keys(TIERS)] as (Tier | null)[]).map((tier) => {
    const button = h("button.button", { type: "button", "aria-pressed": tier === only ? "true" : "false" });
    if (tier === null) button.append("Everything");
    else {
      button.classList.add(`t-${tier}`);
      button.title = TIERS[tier].about;
      button.append(h("span.swatch", { "aria-hidden": "true" }), TIERS[tier].name);
    }
    button.addEventListener("click", () => {
      only = tier;
      buttons.forEach((one) => one.setAttribute("aria-pressed", one === button ? "true" : "false"));
      apply();
    });
    return button;
  });
  fill(filters, ...buttons);

  async function load(): Promise<void> {
    if (next === null) return;
    more.disabled = true;
    try {
      const page = await client.call("items", { from: next });
      next = page.next;
      list.append(...page.groups.map((group) => groupElement(group, client, fail)));
      apply();
    } catch (error) {
      fail(error);
    }
    more.disabled = false;
    more.hidden = next === null;
  }
  more.onclick = () => void load();
  void load();
}

function groupElement({ message, role, trust, items }: ItemGroup, client: Client, fail: (error: unknown) => void): HTMLElement {
  const whose = { operator: "the operator’s words", user: "the user’s words", agent: "the agent’s words", external: "a tool’s words, or somebody else’s" }[trust];
  const title = message < 0 ? role : `Message ${message}, ${role}: ${whose}`;
  return h("section.group", {}, h("h3", {}, title), h("ul", { role: "list" }, ...items.map((item, i) => itemElement(item, i, message, kindOf(item, trust), client, fail))));
}

/** Tier and type in words. What nobody with authority says makes no rule, whatever its shape. */
function kindOf({ tier, knowledge, polarity }: ShownItem, trust: ItemGroup["trust"]): string {
  if (tier === "invariant" && trust === "external") return "Rule-shaped · held, no authority";
  if (tier === "invariant" && trust === "agent") return "Rule-shaped · the agent makes no rule";
  const binds = knowledge === "constraint" ? POLARITY[polarity] : undefined;
  return [TIERS[tier].name, knowledge, binds].filter((word) => word !== undefined).join(" · ");
}

function itemElement(item: ShownItem, at: number, message: number, kind: string, client: Client, fail: (error: unknown) => void): HTMLLIElement {
  const button = h("button", { type: "button", "aria-expanded": "false" }, h("span.item-text", {}, item.text), h("span.item-kind", {}, kind));
  const element = h("li.item", { "data-tier": item.tier }, button);
  element.classList.add(`t-${item.tier}`);
  let why: HTMLElement | undefined;
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    if (why !== undefined) why.hidden = !open;
    else {
      why = h("div.why", {}, "…");
      element.append(why);
      client.call("explain", { message, item: at }).then((explained) => explain(why!, item, explained), fail);
    }
  });
  return element;
}

function explain(element: HTMLElement, item: ShownItem, { contributions, pConstraint }: Explained): void {
  const list = h("dl");
  const found = contributions.map(({ name, evidence, scores }) => ({ name, evidence, score: scores[item.knowledge] })).filter(({ score }) => score !== 0);
  for (const { name, evidence, score } of found.sort((a, b) => Math.abs(b.score) - Math.abs(a.score)).slice(0, 8)) {
    list.append(h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, `${score > 0 ? "+" : "−"}${Math.abs(score)}`), h("dd.words", {}, evidence));
  }
  fill(element, `${item.knowledge} with ${(item.confidence / 10).toFixed(0)} %; a constraint with ${(pConstraint / 10).toFixed(0)} %. ${TIERS[item.tier].name}: ${TIERS[item.tier].about}. What speaks for and against ${item.knowledge}, and where it was read:`, list);
}
