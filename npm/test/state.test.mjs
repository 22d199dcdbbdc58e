import { test } from "node:test";
import assert from "node:assert/strict";
import { Guard, MemoryStore } from "standfast";

const RULES = ["Never deploy on a Friday.", "Patient is allergic to penicillin."];
const messages = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `Step ${i}: ` + "work ".repeat(60) }));

function lived(options) {
  const g = new Guard({ windowTokens: 8_000, ...options });
  for (const rule of RULES) g.declare(rule);
  g.sync(messages);
  g.usage(7_900);
  g.compactSync();
  return g;
}

test("a snapshot restores with the host's messages attached", () => {
  const g = lived();
  const back = Guard.restore(g.snapshot(), { messages, policy: { windowTokens: 8_000 }, rules: { policy_loader: RULES } });
  assert.equal(back.restored.outcome, "attached");
  assert.deepEqual(back.rules.map((r) => r.text), g.rules.map((r) => r.text));
  const tail = back.window().messages.filter((m) => messages.includes(m));
  assert.ok(tail.length > 0 && tail.at(-1) === messages.at(-1));
  const synced = back.sync([...messages, { role: "user", content: "More." }]);
  assert.deepEqual([synced.appended, synced.edited, synced.removed], [1, 0, 0]);
});

test("texts live in a store where one is given", async () => {
  const store = new MemoryStore();
  const g = lived({ store });
  const snapshot = g.snapshot();
  assert.ok(store.size >= 2);
  assert.ok(!snapshot.includes(RULES[0]));
  assert.deepEqual(Guard.restore(snapshot, { store, messages }).rules.map((r) => r.text), g.rules.map((r) => r.text));

  const slow = { getMany: async (d) => store.getMany(d), putMany: async (t) => store.putMany(t) };
  const h = lived({ store: slow });
  assert.throws(() => h.snapshot(), { code: "invalid_argument" });
  const later = await h.snapshotAsync();
  assert.throws(() => Guard.restore(later, { store: slow }), { code: "invalid_argument" });
  assert.equal((await Guard.restoreAsync(later, { store: slow, messages })).rules.length, 2);
});

test("paged-out originals go to the store and come back by recall", async () => {
  const store = new MemoryStore();
  const g = lived({ store });
  const out = g.pageOut(1_000);
  assert.ok(out.length > 0 && store.size >= out.length);
  const recalled = g.recall({ span: [out[0], out.at(-1)] });
  assert.ok(recalled.every((event) => event.presence === "here"));
  assert.equal(recalled[0].text, messages[out[0]].content);

  const empty = { getMany: () => new Map(), putMany: () => {} };
  const h = lived({ store: empty });
  const [first] = h.pageOut(1_000);
  assert.throws(() => h.recall({ span: [first, first] }), { code: "log_expired" });

  const slow = { getMany: async (d) => store.getMany(d), putMany: async (t) => store.putMany(t) };
  const k = lived({ store: slow });
  assert.throws(() => k.pageOut(1_000), { code: "invalid_argument" });
  const [later] = await k.pageOutAsync(1_000);
  assert.throws(() => k.recall({ span: [later, later] }), { code: "invalid_argument" });
  assert.equal((await k.recallAsync({ span: [later, later] }))[0].presence, "here");
});

test("snapshots that cannot be trusted", () => {
  const snapshot = lived().snapshot();
  const bad = (text, options, code) => assert.throws(() => Guard.restore(text, options), (e) => e.code === code && e.name === "SnapshotError", code);
  bad("", {}, "snapshot_unreadable");
  bad(snapshot.slice(0, -20), {}, "snapshot_unreadable");
  bad(snapshot.replace('"schema_version":1', '"schema_version":99'), {}, "snapshot_version");
  bad(snapshot, { minGeneration: 1_000 }, "stale_snapshot");
  bad(lived().snapshot({ key: "secret" }), {}, "snapshot_key");
  assert.equal(Guard.restore(lived().snapshot({ key: "secret" }), { key: "secret" }).rules.length, 2);
  assert.equal(Guard.restore(lived().snapshot({ key: new TextEncoder().encode("secret") }), { key: new TextEncoder().encode("secret") }).rules.length, 2);
  for (const options of [{ minGeneration: -1 }, { bogus: 1 }, { messages: "x" }, { store: {} }, { key: 5 }, "x"]) {
    assert.throws(() => Guard.restore(snapshot, options), { code: "invalid_argument" }, JSON.stringify(options));
  }
  assert.throws(() => Guard.restore(snapshot, { policy: { windowTokens: 8_000, bogus: 1 } }), { name: "PolicyError" });
  assert.throws(() => Guard.restore(5), { code: "invalid_argument" });
});
