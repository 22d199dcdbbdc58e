// What the lines of a document are. All logic is in the engine.

import { engine, fault, json } from "./engine.js";
import { record, take, text as textArgument } from "./input.js";
import type { Explanation, Given, Item as Typed, OperatingPoint, Trust } from "./wire.js";

/** A text with its type. `explain()` says why: its contributions sum to the scores. */
export type Item = Typed & { explain(options?: { point?: OperatingPoint }): Explanation };

/** A text to be typed: only `text` is needed. */
export type ItemInput = Pick<Given, "text"> & Partial<Omit<Given, "text" | "headingPath">> & { headingPath?: readonly string[] | null };

/** The five types of knowledge, each with what a compaction may do to it. */
export const KNOWLEDGE_TYPES: Readonly<Record<Typed["knowledge"], string>> = {
  constraint: "stands word for word",
  procedural: "may be reworded if the same is executed",
  belief: "may be shortened within a bounded distance in meaning",
  preference: "may be merged and summarized",
  episodic: "may be dropped",
};

/** The types of texts that were cut by somebody else, in their order. */
export function classifyItems(items: readonly ItemInput[], options: { point?: OperatingPoint } = {}): Item[] {
  const { point } = record("options", options);
  return ask<Typed[]>("classify_items", { items: items.map(given), point: point ?? "balanced" }).map(explained);
}

/** The items of a document with their types. `source` names where it comes from, `trust` whose words it is. */
export function triage(document: string, options: { source: string; trust?: Trust; point?: OperatingPoint }): Item[] {
  const { source, trust, point } = record("options", options);
  const args = { document: textArgument("document", document), source, trust: trust ?? "external", point: point ?? "balanced" };
  return ask<Typed[]>("triage", args).map(explained);
}

function explained(item: Typed): Item {
  const explain = ({ point }: { point?: OperatingPoint } = {}) => ask<Explanation>("explain_item", { item: given(item), point: point ?? "balanced" });
  return Object.defineProperty(item, "explain", { value: explain }) as Item;
}

/** What an item has beyond what it is typed by. */
const TYPED = new Set(["knowledge", "tier", "line", "polarity", "confidence", "pConstraint", "suspected", "declared", "scope", "source", "trust"]);

/** The fields in their stored spelling. */
function given(item: ItemInput): Record<string, unknown> {
  const { text, headingPath, leadIn, kind, ...others } = record("items", item);
  // an item that was typed before has more fields; what neither has is a mistake
  const unknown = Object.keys(others).find((name) => !TYPED.has(name));
  if (unknown !== undefined) throw fault("invalid_argument", `\`items\`: field \`${unknown.slice(0, 40)}\` is not known`);
  return { text, heading_path: headingPath ?? [], lead_in: leadIn ?? null, kind: kind ?? null };
}

function ask<T>(name: string, args: Record<string, unknown>): T {
  return json(() => engine().triaged(name, JSON.stringify(take(args).copy)));
}
