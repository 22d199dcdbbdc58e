// Which texts a store is asked for, and what it gives back.

import { checkedStore, isPromise } from "./arguments.js";
import { ask, askSync, type Answer, type Answers, type CompactOptions, type CompactSyncOptions, type Summarizer, type SyncSummarizer } from "./cycle.js";
import { engine, fault, json } from "./engine.js";
import { StandfastError } from "./errors.js";
import { record, take, text } from "./input.js";
import type { Plan } from "./options.js";
import type { LogStore } from "./store.js";
import type { Need, Recalled, Request } from "./wire.js";

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

/** A plan, or why there is none, and the originals it lacks: their digests by seq. */
export interface Attempt {
  needs: Map<number, string>;
  /** The plan as it is: what it lacks waits. Or the refusal. */
  settled: () => Plan;
}

/** Makes a plan, and sees what it lacks. */
export function attempt(plan: () => Plan): Attempt {
  const digests = (needs: readonly Need[]): Map<number, string> =>
    new Map(needs.flatMap(({ seq, digest }) => (digest === null ? [] : [[seq, digest] as [number, string]])));
  try {
    const made = plan();
    return { needs: digests(made.needs), settled: () => made };
  } catch (error) {
    if (!(error instanceof StandfastError) || error.code !== "originals_unavailable") throw error;
    return {
      needs: digests(error.details["needs"] as Need[]),
      settled: () => {
        throw error;
      },
    };
  }
}

/** The messages that a store still has of those a plan lacks. What is not the text that was put there counts as not there. */
export function stillThere<M extends object>(needs: ReadonlyMap<number, string>, texts: ReadonlyMap<string, string>): Map<number, M> {
  const messages = new Map<number, M>();
  for (const [seq, digest] of needs) {
    const message = parsed(texts.get(digest));
    if (typeof message === "object" && message !== null && digestOf(message) === digest) messages.set(seq, message as M);
  }
  return messages;
}

function digestOf(value: object): string {
  return json(() => engine().published("message_digest", JSON.stringify({ message: take(value).copy })));
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The summaries of a plan's requests that a store has, and the place for new ones. A summary is kept under the digest of its
 * request as soon as it is there, before anything is changed: a process that dies before its snapshot is written, a fork, another
 * worker on the same history find it, and nobody pays for it again.
 */
class Paid {
  readonly #keys: Map<string, string>;
  /** Digests to ask the store for, by request. */
  readonly open: Map<string, string>;

  readonly #asked: Set<string>;

  /** `asked` holds what this guard had answered before: it was not taken then, or it would not be asked for again. */
  constructor(asked: Set<string>, requests: readonly Request[]) {
    // A request that repeats another one is there to be answered anew.
    this.#keys = new Map(requests.filter(({ repeats }) => repeats === null).map(({ id, prompt }) => [id, digestOf({ request: prompt })]));
    this.open = new Map([...this.#keys].filter(([, key]) => !asked.has(key)));
    this.#asked = asked;
  }

  /** All answers are there, and will be tried. Where a call of the store failed before that, they are looked up again. */
  answered(made: Answers): Answers {
    for (const key of this.#keys.values()) this.#asked.add(key);
    return made;
  }

  /** The answers among the store's texts. */
  found(texts: ReadonlyMap<string, string>): Answers {
    const answers: Answers = new Map();
    for (const [id, key] of this.open) {
      const { text: summary, finish_reason: end = null } = (parsed(texts.get(key)) ?? {}) as { text?: unknown; finish_reason?: unknown };
      if (typeof summary === "string" && (end === null || typeof end === "string")) answers.set(id, { text: summary, finish_reason: end });
    }
    return answers;
  }

  /** Puts a new answer into the store. */
  keep(store: LogStore, request: Request, given: Answer): void | Promise<void> {
    const key = this.#keys.get(request.id);
    if (key !== undefined && given !== null) return store.putMany(new Map([[key, JSON.stringify(given)]]));
  }
}

/** The answers to a plan's requests: the store's where it has them, else the summarizer's. */
export async function answers(store: LogStore | undefined, asked: Set<string>, requests: readonly Request[], summarizer: Summarizer, options: CompactOptions): Promise<Answers> {
  if (store === undefined) return ask(requests, summarizer, options);
  const paid = new Paid(asked, requests);
  const found = paid.found(await store.getMany([...paid.open.values()]));
  const rest = requests.filter(({ id }) => !found.has(id));
  return paid.answered(new Map([...found, ...(await ask(rest, summarizer, options, (request, given) => paid.keep(store, request, given)))]));
}

/** `answers` at once. A store that answers later is not asked: it only costs a call. */
export function answersSync(store: LogStore | undefined, asked: Set<string>, requests: readonly Request[], summarizer: SyncSummarizer, options: CompactSyncOptions): Answers {
  const paid = new Paid(asked, store === undefined ? [] : requests);
  const texts = store && atOnce(store, [...paid.open.values()]);
  if (store === undefined || texts === undefined) return askSync(requests, summarizer, options);
  const found = paid.found(texts);
  const rest = requests.filter(({ id }) => !found.has(id));
  return paid.answered(new Map([...found, ...askSync(rest, summarizer, options, (request, given) => paid.keep(store, request, given))]));
}

/** What a store answers at once; one that answers later is not asked in a synchronous call. */
export function atOnce(store: LogStore, digests: readonly string[]): ReadonlyMap<string, string> | undefined {
  const found = store.getMany(digests);
  if (!isPromise(found)) return found;
  Promise.resolve(found).catch(() => undefined);
  return undefined;
}
