/**
 * Where texts live outside the snapshot, keyed by the digest of the text (64 hexadecimal digits), never by position.
 *
 * Both methods may return a promise; then `snapshotAsync` and `restoreAsync` are to be used. What was put must stay until every
 * guard that refers to it is closed.
 */
export interface LogStore {
  /** The texts that are there; what is missing is left out. */
  getMany(digests: readonly string[]): Map<string, string> | Promise<Map<string, string>>;
  /** Puts texts. The same digest always comes with the same text. */
  putMany(texts: ReadonlyMap<string, string>): void | Promise<void>;
}

/** A saved state, and the version it was saved as. */
export interface Saved {
  readonly state: string;
  readonly version: string;
}

/**
 * A store that keeps the states of guards by id too. `save` compares and sets in one step, so of two writers that loaded the same
 * version one wins, and the other is told and looks again.
 */
export interface StateStore extends LogStore {
  /** The state of an id; null where there is none. */
  load(id: string): Saved | null | Promise<Saved | null>;
  /** Saves if `version` is still the one that is there (null: none). Gives the new version, or null where it is not. */
  save(id: string, state: string, version: string | null): string | null | Promise<string | null>;
}

/** A store in memory, for tests and for one process. */
export class MemoryStore implements StateStore {
  readonly #texts = new Map<string, string>();
  readonly #states = new Map<string, Saved>();

  getMany(digests: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const digest of digests) {
      const text = this.#texts.get(digest);
      if (text !== undefined) found.set(digest, text);
    }
    return found;
  }

  putMany(texts: ReadonlyMap<string, string>): void {
    for (const [digest, text] of texts) this.#texts.set(digest, text);
  }

  load(id: string): Saved | null {
    return this.#states.get(id) ?? null;
  }

  save(id: string, state: string, version: string | null): string | null {
    const before = this.#states.get(id)?.version ?? null;
    if (before !== version) return null;
    const next = String(Number(before ?? 0) + 1);
    this.#states.set(id, { state, version: next });
    return next;
  }

  /** How many texts are there. */
  get size(): number {
    return this.#texts.size;
  }
}
