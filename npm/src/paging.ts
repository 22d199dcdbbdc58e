// Which texts a store is asked for, and what it gives back.

import { checkedStore } from "./arguments.js";
import { engine, fault } from "./engine.js";
import { record, text } from "./input.js";
import type { LogStore } from "./store.js";
import type { Recalled } from "./wire.js";

/** The store and the digests of recalled events whose text is there. */
export function pagedOut(store: LogStore | undefined, recalled: readonly Recalled[]): { store: LogStore; digests: Map<number, string> } | undefined {
  const digests = new Map(recalled.filter((event) => event.presence === "paged_out").map((event) => [event.seq, event.digest]));
  return store === undefined || digests.size === 0 ? undefined : { store, digests };
}

/** The messages of a store's texts; one that is not there any more is `log_expired`. */
export function originals<M extends object>(digests: ReadonlyMap<number, string>, texts: ReadonlyMap<string, string>): Map<number, M> {
  const messages = new Map<number, M>();
  for (const [seq, digest] of digests) {
    const found = texts.get(digest);
    if (found === undefined) throw fault("log_expired", `the store no longer has event ${seq}`);
    messages.set(seq, JSON.parse(found) as M);
  }
  return messages;
}

/** Digests of the texts that a snapshot has in a store. */
export function neededTexts(state: unknown, options: object): string[] | undefined {
  const store = checkedStore(record("options", options)["store"]);
  const snapshot = text("text", state);
  if (store === undefined) return undefined;
  try {
    return engine().Guard.textsNeeded(snapshot);
  } catch {
    // `restore` reads the same text next and says what is wrong with it, or rebuilds.
    return undefined;
  }
}
