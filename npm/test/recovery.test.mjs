import { test } from "node:test";
import assert from "node:assert/strict";
import { Guard, MemoryStore } from "standfast";

const RULE = "Never deploy on a Friday.";
const NOTICE = "are known only through a lossy summary";
const talk = (n, from = 0) => Array.from({ length: n }, (_, i) => ({ role: (from + i) % 2 ? "assistant" : "user", content: `Step ${from + i}: ` + "work ".repeat(60) }));
const messages = [{ role: "user", content: "Never ship before the audit is signed." }, { role: "assistant", content: "Understood." }, ...talk(40)];
const slowly = (store) => ({ getMany: async (digests) => store.getMany(digests), putMany: async (texts) => store.putMany(texts) });

/** A guard with folded events, and a rule of the user's in one of them that is revoked: its segment is to be made anew. */
async function folded(store, options) {
  const g = new Guard({ windowTokens: 8_000, store, ...options });
  g.declare(RULE);
  g.sync(messages);
  await g.compact(() => "Looked at the steps.");
  return g;
}
const revoke = (g) => g.revoke(g.rules.find((rule) => rule.text.includes("audit")).fingerprint, { by: "ann" });
const shown = (window) => JSON.stringify(window.messages);

test("compact fetches what it needs from the store", async () => {
  for (const wrap of [(store) => store, slowly]) {
    const g = await folded(wrap(new MemoryStore()));
    const gone = new Set(await g.pageOutAsync(1_000));
    revoke(g);
    const { needs } = g.plan();
    assert.ok(needs.length > 0 && needs.every(({ seq, digest }) => gone.has(seq) && digest.length === 64));
    if (wrap === slowly) assert.throws(() => g.compactSync(), { code: "invalid_argument" });
    const { receipt, messages: window } = await g.compact(() => "Looked again.");
    assert.ok(receipt.segments.remade >= 1);
    assert.deepEqual(g.degraded, []);
    assert.ok(!JSON.stringify(window).includes(NOTICE));
  }
});

test("what the store has lost waits until it is paged in", async () => {
  for (const store of [{ getMany: () => new Map(), putMany: () => {} }, { getMany: (d) => new Map(d.map((key) => [key, '{"role":"user","content":"x"}'])), putMany: () => {} }]) {
    const g = await folded(store);
    const gone = g.pageOut(1_000);
    revoke(g);
    assert.ok(shown(g.compactSync()).includes(NOTICE));
    assert.equal(g.degraded.length, 1);
    assert.throws(() => g.pageIn({ [gone[0]]: { role: "user", content: "Something else." } }), { code: "digest_mismatch" });
    assert.equal(g.degraded.length, 1);
    g.pageIn(new Map(gone.map((seq) => [seq, messages[seq]])));
    assert.deepEqual(g.degraded, []);
    assert.ok(!shown(g.window()).includes(NOTICE));
    assert.ok(g.compactSync().receipt.segments.remade >= 1);
  }
});

test("onDegraded refuse refuses only what the store does not have", async () => {
  const g = await folded(new MemoryStore(), { onDegraded: "refuse" });
  g.pageOut(1_000);
  revoke(g);
  assert.throws(() => g.plan(), (e) => e.code === "originals_unavailable" && e.name === "PlanRefused" && e.details.needs[0].digest.length === 64);
  assert.ok(g.compactSync().receipt.segments.remade >= 1);
  const lost = await folded({ getMany: () => new Map(), putMany: () => {} }, { onDegraded: "refuse" });
  lost.pageOut(1_000);
  revoke(lost);
  await assert.rejects(lost.compact(), { code: "originals_unavailable" });
});

test("no summary is paid for twice where a store is", async () => {
  const store = new MemoryStore();
  const paid = [];
  const summarizer = (request) => (paid.push(request.prompt), "Looked at the steps.");
  for (const made of ["async", "sync", "slow"]) {
    const g = new Guard({ windowTokens: 8_000, store: made === "slow" ? slowly(store) : store, summarizerWindowTokens: 1_500 });
    g.sync(messages);
    const window = made === "sync" ? g.compactSync(summarizer) : await g.compact(summarizer);
    assert.equal(window.receipt.method, "model");
  }
  assert.ok(paid.length >= 1 && new Set(paid).size === paid.length);
});

test("a restart on a trimmed list finds the originals in the store", async () => {
  const store = new MemoryStore();
  const g = await folded(store);
  const end = g.segments.at(-1).span[1] + 1;
  g.pageOut(end);
  const again = Guard.restore(g.snapshot(), { store, messages: messages.slice(end) });
  assert.equal(again.restored.outcome, "trimmed");
  assert.equal(again.recall({ span: [0, 0] })[0].text, messages[0].content);
});

test("a process may die between any two effects", async () => {
  const live = async (disk, left) => {
    const effect = () => {
      if (left-- === 0) throw new Error("killed");
    };
    const store = {
      getMany: (digests) => (effect(), new Map(digests.filter((key) => disk.texts.has(key)).map((key) => [key, disk.texts.get(key)]))),
      putMany: (texts) => texts.forEach((text, key) => (effect(), disk.texts.set(key, text))),
    };
    const summarizer = (request) => (disk.paid.push(request.prompt), "Looked at the steps.");
    const options = { store, messages: disk.list, rules: { policy_loader: [RULE] } };
    const g = disk.snapshot === null ? new Guard({ windowTokens: 8_000, store, summarizerWindowTokens: 1_500 }) : Guard.restore(disk.snapshot, options);
    g.setRules("policy_loader", [RULE]);
    g.sync(disk.list);
    while (disk.list.length < 3 * 42) {
      disk.list.push(...(disk.list.length === 0 ? messages : talk(42, disk.list.length)));
      g.sync(disk.list);
      await g.compact(summarizer);
      const snapshot = g.snapshot();
      effect();
      disk.snapshot = snapshot;
      g.pageOut(disk.list.length);
    }
    return { g, left };
  };
  const fresh = () => ({ list: [], texts: new Map(), snapshot: null, paid: [] });
  const effects = -1 - (await live(fresh(), -1)).left;
  assert.ok(effects > 30, String(effects));
  for (let left = 0; left < effects; left++) {
    const disk = fresh();
    await assert.rejects(live(disk, left), { message: "killed" });
    const { g } = await live(disk, -1);
    const texts = g.rules.map((rule) => rule.text);
    assert.ok(texts.includes(RULE) && texts.some((text) => text.includes("audit")), String(left));
    g.assertWindow(g.window().messages);
    assert.deepEqual(g.degraded, []);
    assert.ok(disk.paid.length - new Set(disk.paid).size <= 1, String(left)); // the one that was there and not yet stored
    const shown = new Set(g.window().messages);
    const spans = g.segments.map((segment) => segment.span);
    disk.list.forEach((message, at) => assert.equal(Number(shown.has(message)) + spans.filter(([a, b]) => a <= at && at <= b).length, 1, `${left}: ${at}`));
  }
});

test("a key is taken as restore could take it", () => {
  const g = new Guard({ windowTokens: 8_000 });
  assert.throws(() => g.snapshot({ key: new Uint8Array([0xff, 0xfe]) }), { code: "invalid_argument" });
  assert.throws(() => g.snapshot({ key: "" }), { code: "invalid_argument" });
});
