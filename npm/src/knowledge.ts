// Knowledge bases: within a budget, in parts, and asked. All logic is in the engine; it asks for counts, the caller's counter gives them.

import { call, engine, fault, json } from "./engine.js";
import { record, take, text as textArgument, whole } from "./input.js";
import type { CompactMode, Compacted, Decomposition, Item, Retrieved } from "./wire.js";

/** A document, or its items: texts, objects with at least `text` (types that are given count as declared), or items as triage gives them. */
export type Knowledgeable = string | readonly (string | ({ text: string } & Partial<Item>))[];

/** Vectors of a model of your own: the query's, and one for each item. */
export interface Vectors {
  query: readonly number[];
  items: readonly (readonly number[])[];
}

/** What counts: any function from a text to a whole number. */
type Count = (text: string) => number;

/**
 * A knowledge base within a budget, in units of `count`, or within a part (`ratio`) of its size. Every rule stands word for word,
 * first; then what is worth most of the rest, in its order. Where the rules alone do not fit, the result is `unsafe` and has no text;
 * with `mode: "over_budget"` it has all rules, with `"rank"` as many likely rules as fit.
 */
export function compactKnowledge(
  documentOrItems: Knowledgeable,
  options: { budget?: number; ratio?: number; count?: Count; mode?: CompactMode },
): Compacted {
  const { budget, ratio, count, mode } = record("options", options);
  return worked("compact_knowledge", { items: items(documentOrItems), budget, ratio, mode }, count);
}

/**
 * A knowledge base in parts of at most `maxTokens`, in units of `count`, each read behind the shared preamble, which counts in. Rules
 * that hold everywhere are the preamble, others stand in every part that has something they hold for.
 */
export function decomposeKnowledge(documentOrItems: Knowledgeable, options: { maxTokens: number; count?: Count }): Decomposition {
  const { maxTokens, count } = record("options", options);
  return worked("decompose_knowledge", { items: items(documentOrItems), max_tokens: maxTokens }, count);
}

/** Rules and knowledge that can be asked. */
export class KnowledgeIndex {
  readonly #core: InstanceType<ReturnType<typeof engine>["KnowledgeIndex"]>;

  constructor(documentOrItems: Knowledgeable) {
    const given = JSON.stringify(items(documentOrItems));
    this.#core = call(() => new (engine().KnowledgeIndex)(given));
  }

  /**
   * The `k` best items: rules in scope, the nearest first, then what fits the query. `scope` is what you know of the situation: paths,
   * tools, sections, names.
   */
  retrieve(query: string, options: { k?: number; scope?: string | readonly string[] | Record<string, unknown>; vectors?: Vectors } = {}): Retrieved {
    const { k, scope, vectors } = record("options", options);
    const given = take({ query: textArgument("query", query), k, scope, vectors }).copy;
    return json(() => this.#core.retrieve(JSON.stringify(given)));
  }
}

function worked<T>(name: string, args: Record<string, unknown>, count: unknown): T {
  if (count !== undefined && count !== null && typeof count !== "function") throw fault("invalid_argument", "`count` must be a function");
  const given = JSON.stringify(take(args).copy);
  const work = call(() => new (engine().KnowledgeWork)(name, given));
  try {
    while (typeof count === "function") {
      const texts = JSON.parse(work.asks()) as string[];
      if (texts.length === 0) break;
      const counts = Uint32Array.from(texts, (text) => whole("count", (count as Count)(text)));
      call(() => work.answer(counts));
    }
    return json(() => work.finish());
  } finally {
    work.free();
  }
}

/** Items in their stored spelling. */
function items(given: unknown): unknown {
  if (!Array.isArray(given)) return take(given).copy;
  return Array.from(given as unknown[], (item) => {
    if (typeof item === "string") return { text: item };
    const fields = Object.entries(take(record("items", item)).copy as Record<string, unknown>);
    return Object.fromEntries(fields.map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
  });
}
