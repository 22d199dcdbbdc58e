// Every store keeps states so that of two writers one wins, and texts as they are.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Guard, StandfastError } from "standfast";
import { IndexedDbStore, MemoryStore, unstorageStore } from "standfast/store";
import "fake-indexeddb/auto";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import lruDriver from "unstorage/drivers/lru-cache";
import memoryDriver from "unstorage/drivers/memory";
import redisDriver from "unstorage/drivers/redis";
import { freePort, started } from "./processes.mjs";
import { worker } from "./stores-worker.mjs";

const binary = [process.env.REDIS_SERVER, ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "redis-server"))].find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});
const withoutRedis = binary === undefined && process.env.CI !== "true" ? "no redis-server found; set REDIS_SERVER to its path" : false;

const folder = mkdtempSync(join(tmpdir(), "standfast-store-"));
let redisServer;
let redisUrl;
const storages = [];

before(async () => {
  if (binary === undefined) return;
  const port = await freePort();
  redisServer = await started(binary, ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder], { ready: "Ready to accept connections" });
  redisUrl = `redis://127.0.0.1:${port}`;
});
after(async () => {
  await Promise.all(storages.map((storage) => storage.dispose()));
  redisServer?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const storage = (driver) => {
  const made = createStorage({ driver });
  storages.push(made);
  return made;
};
let count = 0;
const KINDS = {
  memory: () => new MemoryStore(),
  indexeddb: () => new IndexedDbStore(`t${count++}`),
  "unstorage memory": () => unstorageStore(storage(memoryDriver())),
  "unstorage fs": () => unstorageStore(storage(fsDriver({ base: join(folder, `fs${count++}`) }))),
  "unstorage fs, mounted": () => {
    const made = storage(memoryDriver());
    made.mount("kept", fsDriver({ base: join(folder, `fs${count++}`) }));
    return unstorageStore(made, { prefix: "kept:chats" });
  },
  "unstorage redis": () => unstorageStore(storage(redisDriver({ url: redisUrl, base: `t${count++}:` }))),
  "unstorage, by the host": () => {
    const driver = memoryDriver();
    const entries = driver.getInstance();
    return unstorageStore(storage(driver), {
      compareAndSet: async (key, value, expected) => {
        if ((entries.get(key) ?? null) !== expected) return false;
        entries.set(key, value);
        return true;
      },
    });
  },
};
const skip = (kind) => kind.includes("redis") && withoutRedis;

for (const [kind, open] of Object.entries(KINDS)) {
  test(`${kind}: a state is what was saved, and a loser is told`, { skip: skip(kind) }, async () => {
    const store = open();
    const id = "customer/7: ünïcode ../..";
    assert.equal(await store.load(id), null);
    assert.equal(await store.save(id, "{}", "1"), null, "there is no version 1");
    const first = await store.save(id, '{"a":1}\nline', null);
    assert.deepEqual(await store.load(id), { state: '{"a":1}\nline', version: first });
    assert.equal(await store.save(id, "other", null), null);
    const second = await store.save(id, "second", first);
    assert.notEqual(second, first);
    assert.equal(await store.save(id, "late", first), null);
    assert.deepEqual(await store.load(id), { state: "second", version: second });
    assert.equal(await store.load("another"), null);
    const long = "x".repeat(2_000);
    await store.save(long, "long", null);
    assert.equal((await store.load(long)).state, "long");
  });

  test(`${kind}: texts come back as they were, whatever they look like`, { skip: skip(kind) }, async () => {
    const store = open();
    const texts = new Map(["true", "12", '{"a":1}', "", "null", "[1]", '"x"', "=", "a\r\nb\u2028"].map((text, i) => [String(i).padStart(64, "0"), text]));
    await store.putMany(texts);
    assert.deepEqual(await store.getMany([...texts.keys(), "f".repeat(64)]), texts);
    assert.deepEqual(await store.getMany([]), new Map());
  });

  test(`${kind}: of many writers each success is a version of its own`, { skip: skip(kind) }, async () => {
    const store = open();
    const write = async (who) => {
      let won = 0;
      while (won < 5) {
        const saved = await store.load("shared");
        const counted = JSON.parse(saved?.state ?? "[]");
        if ((await store.save("shared", JSON.stringify([...counted, who]), saved?.version ?? null)) !== null) won++;
      }
    };
    await Promise.all([..."abcdef"].map(write));
    const state = JSON.parse((await store.load("shared")).state);
    assert.equal(state.length, 30, "no write is lost");
    for (const who of "abcdef") assert.equal(state.filter((by) => by === who).length, 5);
  });

  test(`${kind}: a guard's snapshot and its texts`, { skip: skip(kind) }, async () => {
    const store = open();
    const guard = new Guard({ windowTokens: 4_000, store: asynchronous(store) });
    guard.declare("Never deploy on a Friday.");
    guard.sync(Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `Step ${i}: ${"work ".repeat(60)}` })));
    await guard.compact();
    await store.save("g", await guard.snapshotAsync(), null);
    const restored = await Guard.restoreAsync((await store.load("g")).state, { store: asynchronous(store) });
    assert.equal(restored.rules[0].text, "Never deploy on a Friday.");
    assert.equal(restored.segments[0].text, guard.segments[0].text);
  });
}

/** A store as the guard may use it whether it answers at once or later. */
function asynchronous(store) {
  return { getMany: async (digests) => store.getMany(digests), putMany: async (texts) => store.putMany(texts) };
}

test("two processes on one folder lose no write", async () => {
  const base = join(folder, "processes");
  const runs = await Promise.all([..."abc"].map((who) => worker(base, who, 20)));
  assert.deepEqual(runs, [0, 0, 0]);
  const state = JSON.parse((await unstorageStore(storage(fsDriver({ base }))).load("shared")).state);
  assert.equal(state.length, 60);
  const [place] = readdirSync(join(base, "standfast", "state"));
  const left = readdirSync(join(base, "standfast", "state", place)).map(Number).sort();
  assert.deepEqual(left, [57, 58, 59, 60], "older versions and drafts are cleared away");
});

test("a driver that lets entries go, or cannot compare and set, is refused", () => {
  const refused = (driver, code) =>
    assert.throws(() => unstorageStore(storage(driver)), (error) => error instanceof StandfastError && error.code === code);
  refused(lruDriver({ max: 10 }), "log_expired");
  refused(redisDriver({ url: "redis://127.0.0.1:1", lazyConnect: true, ttl: 60 }), "log_expired");
  refused({ ...memoryDriver(), name: "cloudflare-kv-binding" }, "invalid_argument");
});

test("a full quota is an error that leaves the state as it was", async () => {
  const store = new IndexedDbStore("full");
  const version = await store.save("id", "before", null);
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function () {
    throw new DOMException("the quota is full", "QuotaExceededError");
  };
  try {
    await assert.rejects(store.save("id", "after", version), { name: "QuotaExceededError" });
    await assert.rejects(store.putMany(new Map([["a".repeat(64), "text"]])), { name: "QuotaExceededError" });
  } finally {
    IDBObjectStore.prototype.put = put;
  }
  assert.equal((await store.load("id")).state, "before");
  assert.notEqual(await store.save("id", "after", version), null);
  await store.close();
  assert.equal((await store.load("id")).state, "after", "it opens again");
});
