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

/** A store in memory, for tests and for one process. */
export class MemoryStore implements LogStore {
  readonly #texts = new Map<string, string>();

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

  /** How many texts are there. */
  get size(): number {
    return this.#texts.size;
  }
}
