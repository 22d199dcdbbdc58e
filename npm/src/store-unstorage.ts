// Any `unstorage` driver that can compare and set: memory, the file system, Redis; others with a function of the host's.

import type { Driver, Storage } from "unstorage";
import { StandfastError, type Saved, type StateStore } from "standfast";
import { fileSystem, inProcess, redis, type Keeper } from "./store-keepers.js";

export interface UnstorageOptions {
  /** Beginning of all keys. Default `standfast`. */
  prefix?: string;
  /**
   * For drivers that are not known here: puts `value` if the key still has `expected` (null: nothing), in one step; whether it did.
   * Both are texts as the driver has them.
   */
  compareAndSet?: (key: string, value: string, expected: string | null) => Promise<boolean>;
}

/** Options by which drivers let entries go. */
const EXPIRING = ["ttl", "maxAge", "max", "maxSize", "expires", "expirationTtl"];
/** Drivers that let entries go by themselves. */
const FORGETTING = ["lru-cache", "session-storage", "null"];
/** Before each text, so that none is taken for JSON. */
const MARK = "=";

/** A store in `storage`. A driver whose entries expire, or that cannot compare and set, is refused. */
export function unstorageStore(storage: Storage, options: UnstorageOptions = {}): StateStore {
  const prefix = options.prefix ?? "standfast";
  const { driver, base } = storage.getMount(`${prefix}:state`);
  refuseExpiry(driver);
  const states = options.compareAndSet ? byHost(storage, options.compareAndSet) : keeperOf(storage, driver, base);
  const stateKey = async (id: string): Promise<string> => `${prefix}:state:${await named(id)}`;
  const textKey = (digest: string): string => `${prefix}:text:${digest}`;
  return {
    async getMany(digests) {
      const found = new Map<string, string>();
      if (digests.length === 0) return found;
      const items = await storage.getItems<string>(digests.map(textKey));
      const texts = new Map(items.map(({ key, value }) => [key, value]));
      for (const digest of digests) {
        const text = texts.get(textKey(digest));
        if (typeof text === "string" && text.startsWith(MARK)) found.set(digest, text.slice(MARK.length));
      }
      return found;
    },
    async putMany(texts) {
      await Promise.all([...texts].map(([digest, text]) => storage.setItem(textKey(digest), MARK + text)));
    },
    load: async (id) => states.load(await stateKey(id)),
    save: async (id, state, version) => states.save(await stateKey(id), state, version),
  };
}

/** Longest id, in bytes, that is spelled out in a key: names of files have their limit. */
const SPELLED = 60;

/** An id as part of a key: drivers give characters like `/` and `:` a meaning. */
async function named(id: string): Promise<string> {
  const bytes = new TextEncoder().encode(id);
  if (bytes.length <= SPELLED) return hex(bytes);
  return `sha256-${hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))}`;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function refuseExpiry(driver: Driver): void {
  const options = (driver.options ?? {}) as Record<string, unknown>;
  const option = EXPIRING.find((name) => options[name] !== undefined && options[name] !== 0);
  if (option !== undefined || FORGETTING.includes(driver.name ?? "")) {
    throw refused("log_expired", `the driver \`${driver.name}\` lets entries go${option === undefined ? "" : ` (\`${option}\`)`}; the log of a conversation must stay until it is closed`);
  }
}

function keeperOf(storage: Storage, driver: Driver, base: string): Keeper {
  const keeper = { memory: inProcess, fs: fileSystem, "fs-lite": fileSystem, redis }[driver.name ?? ""];
  if (keeper === undefined) throw refused("invalid_argument", `the driver \`${driver.name}\` is not known to compare and set; pass \`compareAndSet\``);
  return keeper(storage, driver, base);
}

function byHost(storage: Storage, compareAndSet: NonNullable<UnstorageOptions["compareAndSet"]>): Keeper {
  const read = async (key: string): Promise<{ raw: string | null; saved: Saved | null }> => {
    const raw = await storage.getItem<unknown>(key);
    if (raw === null || raw === undefined) return { raw: null, saved: null };
    const text = String(raw);
    const end = text.indexOf("\n");
    return { raw: text, saved: { version: text.slice(MARK.length, end), state: text.slice(end + 1) } };
  };
  return {
    load: async (key) => (await read(key)).saved,
    async save(key, state, version) {
      const { raw, saved } = await read(key);
      if ((saved?.version ?? null) !== version) return null;
      const next = String(Number(version ?? 0) + 1);
      return (await compareAndSet(key, `${MARK}${next}\n${state}`, raw)) ? next : null;
    },
  };
}

function refused(code: string, message: string): StandfastError {
  return new StandfastError(message, { code, className: "PolicyError", hint: "use memory, the file system, Redis without expiry, or pass `compareAndSet`", details: {} });
}
