// How each driver keeps a state so that of two writers one wins.

import type { Driver, Storage } from "unstorage";
import type { Saved } from "standfast";

/** Keeps states by key. */
export interface Keeper {
  load(key: string): Promise<Saved | null>;
  save(key: string, state: string, version: string | null): Promise<string | null>;
}

/** Before the text, so that none is taken for JSON. */
const MARK = "=";
/** A module of Node, which bundles for browsers are to leave alone. */
const node = (name: string): Promise<any> => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
const following = (version: string | null): string => String(Number(version ?? 0) + 1);

/** One process is the only writer: its calls wait for each other. */
export function inProcess(storage: Storage): Keeper {
  const load = async (key: string): Promise<Saved | null> => {
    const text = await storage.getItem<string>(key);
    if (typeof text !== "string") return null;
    const end = text.indexOf("\n");
    return { version: text.slice(MARK.length, end), state: text.slice(end + 1) };
  };
  const queues = queuesOf(storage);
  return {
    load,
    save(key, state, version) {
      const work = async (): Promise<string | null> => {
        if (((await load(key))?.version ?? null) !== version) return null;
        const next = following(version);
        await storage.setItem(key, `${MARK}${next}\n${state}`);
        return next;
      };
      const result = (queues.get(key) ?? Promise.resolve()).then(work, work);
      queues.set(key, result);
      const done = (): boolean => queues.get(key) === result && queues.delete(key);
      result.then(done, done);
      return result;
    },
  };
}

const all = new WeakMap<object, Map<string, Promise<unknown>>>();

/** The calls under way, shared by all stores of one storage. */
function queuesOf(storage: Storage): Map<string, Promise<unknown>> {
  const known = all.get(storage) ?? new Map<string, Promise<unknown>>();
  all.set(storage, known);
  return known;
}

/** Versions of a state that stay on the disk. While the last ones do, nobody can write one of them again, and who wrote one
 *  knows it even where others have gone on from it meanwhile. */
const KEPT = 4;

/**
 * On the file system each version is a file of its own, which appears whole and only if it is not there: a hard link to a finished
 * file. All but the last ones are cleared away.
 */
export function fileSystem(_storage: Storage, driver: Driver, mounted: string): Keeper {
  const base = (driver.options as { base: string }).base;
  const folder = async (key: string): Promise<string> => {
    const { join } = await node("path");
    return join(base, ...key.slice(mounted.length).split(":"));
  };
  const versions = async (place: string): Promise<number[]> => {
    const { readdir } = await node("fs/promises");
    const names: string[] = await readdir(place).catch((error: { code?: string }) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
    return names.filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => b - a);
  };
  return {
    async load(key) {
      const { readFile } = await node("fs/promises");
      const place = await folder(key);
      for (;;) {
        const [newest] = await versions(place);
        if (newest === undefined) return null;
        try {
          return { version: String(newest), state: await readFile(`${place}/${newest}`, "utf8") };
        } catch (error) {
          // a newer one came, and this one was cleared away
          if ((error as { code?: string }).code !== "ENOENT") throw error;
        }
      }
    },
    async save(key, state, version) {
      const { link, mkdir, rm, writeFile } = await node("fs/promises");
      const place = await folder(key);
      await mkdir(place, { recursive: true });
      const [newest] = await versions(place);
      if ((newest === undefined ? null : String(newest)) !== version) return null;
      const next = following(version);
      const draft = `${place}/draft-${crypto.randomUUID()}`;
      await writeFile(draft, state, { flush: true });
      try {
        await link(draft, `${place}/${next}`);
      } catch (error) {
        if ((error as { code?: string }).code === "EEXIST") return null;
        throw error;
      } finally {
        await rm(draft, { force: true });
      }
      const after = await versions(place);
      // so far ahead are others only where this version had been written and cleared away before
      if ((after[0] ?? 0) >= Number(next) + KEPT) {
        await rm(`${place}/${next}`, { force: true });
        return null;
      }
      await Promise.all(after.slice(KEPT).map((old) => rm(`${place}/${old}`, { force: true })));
      return next;
    },
  };
}

/** What is used of an ioredis client. */
interface Client {
  get(key: string): Promise<string | null>;
  eval(script: string, keys: number, ...given: string[]): Promise<unknown>;
}

const COMPARE_AND_SET = `
local now = redis.call('GET', KEYS[1])
local version = now and string.match(now, '^(%d+)\\n') or ''
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** In Redis a script compares and sets. */
export function redis(_storage: Storage, driver: Driver, mounted: string): Keeper {
  const client = (): Client => (driver as { getInstance?: () => unknown }).getInstance?.() as Client;
  const base = (driver.options as { base?: string } | undefined)?.base?.replace(/:$/, "");
  const full = (key: string): string => [base, key.slice(mounted.length)].filter(Boolean).join(":");
  return {
    async load(key) {
      const text = await client().get(full(key));
      if (text === null) return null;
      const end = text.indexOf("\n");
      return { version: text.slice(0, end), state: text.slice(end + 1) };
    },
    async save(key, state, version) {
      const next = following(version);
      const done = await client().eval(COMPARE_AND_SET, 1, full(key), version ?? "", `${next}\n${state}`);
      return done === 1 ? next : null;
    },
  };
}
