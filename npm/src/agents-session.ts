// A session that gives and stores the host's own items, whatever a filter made of them.

import type { AgentInputItem, Session } from "@openai/agents";
import type { Item } from "./agents-items.js";

/** How our memory message begins. */
const MEMORY = "<standfast-memory>";

const key = (item: unknown): string => JSON.stringify(item);

function isOurs(item: Item): boolean {
  return item.role === "user" && typeof item["content"] === "string" && item["content"].startsWith(MEMORY);
}

/** A host's session behind a wrapper. */
export class RawSession {
  /** To be given to the SDK. */
  readonly session: Session;
  /** What the SDK was given at its last look. */
  #given: Item[] | undefined;
  /** The run's own input: what the filter was handed beyond what was stored. */
  #input: Item[] = [];
  /** Items of the input that a filter left out. */
  readonly #left = new Set<Item>();

  constructor(session: Session) {
    const get = (items: AgentInputItem[]): AgentInputItem[] => {
      const own = (items as unknown as Item[]).filter((item) => !isOurs(item));
      this.#given = own;
      this.#input = [];
      this.#left.clear();
      return own as unknown as AgentInputItem[];
    };
    const put = (items: readonly AgentInputItem[]): AgentInputItem[] => this.#restored(items as unknown as Item[]) as unknown as AgentInputItem[];
    const wrapped = {
      getItems: async (...rest: unknown[]) => get(await (session as unknown as Owned).getItems(...rest)),
      addItems: async (items: AgentInputItem[], ...rest: unknown[]) => (session as unknown as Owned).addItems(put(items), ...rest),
      getItemsWithCompactionOwnership: async (...rest: unknown[]) => {
        const owned = await (session as unknown as Owned).getItemsWithCompactionOwnership(...rest);
        return { ...owned, items: get(owned.items) };
      },
      addItemsWithCompactionOwnership: async (items: AgentInputItem[], ...rest: unknown[]) => (session as unknown as Owned).addItemsWithCompactionOwnership(put(items), ...rest),
      applyHistoryTransaction: async (args: Transaction, ...rest: unknown[]) => {
        const { transaction } = args;
        const own = transaction.type === "append_items" ? { ...transaction, items: put(transaction.items ?? []) } : transaction;
        return (session as unknown as Owned).applyHistoryTransaction({ ...args, transaction: own }, ...rest);
      },
    };
    this.session = new Proxy(session, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return Object.hasOwn(wrapped, name) ? wrapped[name as keyof typeof wrapped] : (value.bind(target) as unknown);
      },
    });
  }

  /** Takes note of a request: what the filter was handed, and what it gave. */
  sent(handed: readonly Item[], kept: readonly Item[]): void {
    const given = this.#given;
    if (given !== undefined) {
      this.#given = undefined;
      const begins = given.length <= handed.length && given.every((item, i) => key(item) === key(handed[i]));
      this.#input = begins ? handed.slice(given.length).map((item) => structuredClone(item)) : [];
    }
    const still = new Set(kept.map(key));
    for (const item of this.#input) if (!still.has(key(item))) this.#left.add(item);
  }

  /** The items to store: without ours, and with the run's own input that a filter left out in its place. */
  #restored(items: readonly Item[]): Item[] {
    const rest = items.filter((item) => !isOurs(item));
    const stored: Item[] = [];
    for (const raw of this.#input) {
      const at = rest.findIndex((item) => key(item) === key(raw));
      if (at >= 0) stored.push(...rest.splice(at, 1));
      else if (this.#left.has(raw)) stored.push(raw);
      else stored.push(...rest.splice(0, 1));
    }
    this.#input = [];
    this.#left.clear();
    return [...stored, ...rest];
  }
}

/** A session's methods with whatever the SDK hands to them; some sessions have all of them. */
interface Owned {
  getItems(...given: unknown[]): Promise<AgentInputItem[]>;
  addItems(...given: unknown[]): Promise<void>;
  getItemsWithCompactionOwnership(...given: unknown[]): Promise<{ items: AgentInputItem[]; ownership: object }>;
  addItemsWithCompactionOwnership(...given: unknown[]): Promise<void>;
  applyHistoryTransaction(...given: unknown[]): Promise<void>;
}

interface Transaction {
  operationId: string;
  transaction: { type: string; items?: AgentInputItem[] };
}
