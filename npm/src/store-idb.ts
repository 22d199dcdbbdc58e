import type { DBSchema, IDBPDatabase } from "idb";
import type { Saved, StateStore } from "standfast";

interface Tables extends DBSchema {
  texts: { key: string; value: string };
  states: { key: string; value: Saved };
}

/** A store in the browser's IndexedDB. One database serves all tabs of an origin. */
export class IndexedDbStore implements StateStore {
  readonly #name: string;
  #opened: Promise<IDBPDatabase<Tables>> | undefined;

  constructor(name = "standfast") {
    this.#name = name;
  }

  async getMany(digests: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const table = (await this.#database()).transaction("texts").store;
    await Promise.all(
      digests.map(async (digest) => {
        const text = await table.get(digest);
        if (text !== undefined) found.set(digest, text);
      }),
    );
    return found;
  }

  async putMany(texts: ReadonlyMap<string, string>): Promise<void> {
    const work = (await this.#database()).transaction("texts", "readwrite");
    await settled(work.done, [...texts].map(([digest, text]) => work.store.put(text, digest)));
  }

  async load(id: string): Promise<Saved | null> {
    return (await (await this.#database()).get("states", id)) ?? null;
  }

  async save(id: string, state: string, version: string | null): Promise<string | null> {
    // one transaction: nobody else writes between the look and the write
    const work = (await this.#database()).transaction("states", "readwrite");
    const before = (await work.store.get(id))?.version ?? null;
    if (before !== version) {
      await work.done;
      return null;
    }
    const next = String(Number(before ?? 0) + 1);
    await settled(work.done, [work.store.put({ state, version: next }, id)]);
    return next;
  }

  /** Closes the database; the next call opens it again. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened)?.close();
  }

  #database(): Promise<IDBPDatabase<Tables>> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<IDBPDatabase<Tables>> {
    const { openDB } = await import("idb");
    const forget = (): void => {
      this.#opened = undefined;
    };
    const database = await openDB<Tables>(this.#name, 1, {
      upgrade(made) {
        made.createObjectStore("texts");
        made.createObjectStore("states");
      },
      // another tab has a newer version of the page
      blocking: () => {
        database.close();
        forget();
      },
      terminated: forget,
    });
    return database;
  }
}

/** Waits for a transaction and its requests. A full quota aborts it: the first reason is thrown, the others are heard. */
async function settled(done: Promise<void>, requests: Promise<unknown>[]): Promise<void> {
  done.catch(() => undefined);
  const results = await Promise.allSettled(requests);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  await done;
}
