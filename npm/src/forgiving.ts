import type { LogStore } from "standfast";

/**
 * A store as a guard gets it. While a compaction runs, a call that fails is told and counts as a store that has nothing: what is
 * summarized is then summarized anew, and the run goes on.
 */
export class Forgiving implements LogStore {
  readonly #store: LogStore;
  readonly #tell: (error: unknown) => void;
  #forgives = false;

  constructor(store: LogStore, tell: (error: unknown) => void) {
    this.#store = store;
    this.#tell = tell;
  }

  forgive(forgives: boolean): void {
    this.#forgives = forgives;
  }

  async getMany(digests: readonly string[]): Promise<Map<string, string>> {
    return this.#tried(() => this.#store.getMany(digests), new Map<string, string>());
  }

  async putMany(texts: ReadonlyMap<string, string>): Promise<void> {
    return this.#tried(() => this.#store.putMany(texts), undefined);
  }

  async #tried<T>(work: () => T | Promise<T>, nothing: T): Promise<T> {
    const forgives = this.#forgives;
    try {
      return await work();
    } catch (error) {
      if (!forgives) throw error;
      this.#tell(error);
      return nothing;
    }
  }
}
