// A store that fails at one call and works again: the same guard goes on, nothing is lost and nothing is paid for again.

import { test } from "node:test";
import assert from "node:assert/strict";
import { Guard } from "standfast";

const RULE = "Never deploy on a Friday.";
const AUDIT = { role: "user", content: "Never ship before the audit is signed." };
const talk = (n, from) => Array.from({ length: n }, (_, i) => ({ role: (from + i) % 2 ? "assistant" : "user", content: `Step ${from + i}: ` + "work ".repeat(60) }));

/** A store that fails at call `failsAt`, before or after its work; `later`: it answers with promises. */
function flaky({ failsAt = -1, done = false, later = false } = {}) {
  const texts = new Map();
  const state = { texts, calls: 0 };
  const call = (work) => {
    const fails = state.calls++ === failsAt;
    const result = fails && !done ? undefined : work();
    if (fails) throw new Error("store down");
    return result;
  };
  const got = (digests) => call(() => new Map(digests.filter((key) => texts.has(key)).map((key) => [key, texts.get(key)])));
  const put = (given) => call(() => given.forEach((text, key) => texts.set(key, text)));
  const store = later ? { getMany: async (digests) => got(digests), putMany: async (given) => put(given) } : { getMany: got, putMany: put };
  return { state, store };
}

/** The documented order of effects; a call whose store failed is made again, on the same guard. */
async function live({ state, store }, later) {
  const host = { list: [], paid: [], failures: 0 };
  const g = new Guard({ windowTokens: 8_000, store, summarizerWindowTokens: 1_500 });
  g.setRules("policy_loader", [RULE]);
  const again = async (work) => {
    try {
      return await work();
    } catch (error) {
      if (error.message !== "store down" && error.cause?.message !== "store down") throw error;
      host.failures += 1;
      return work();
    }
  };
  const summarizer = (request) => (host.paid.push(request.prompt), "Looked at the steps.");
  for (let round = 0; round < 3; round++) {
    host.list.push(...(round === 0 ? [AUDIT, { role: "assistant", content: "Understood." }, ...talk(40, 0)] : talk(42, host.list.length)));
    g.sync(host.list);
    await again(() => (later ? g.compact(summarizer, { concurrency: 1 }) : g.compactSync(summarizer)));
    await again(() => (later ? g.pageOutAsync(host.list.length) : g.pageOut(host.list.length)));
    const [first] = await again(() => (later ? g.recallAsync({ span: [0, 0] }) : g.recall({ span: [0, 0] })));
    assert.equal(first.text, AUDIT.content);
  }
  return { g, host, calls: state.calls };
}

for (const later of [false, true]) {
  for (const done of [false, true]) {
    test(`a store may fail at any call and work again (later: ${later}, done: ${done})`, async () => {
      const whole = await live(flaky({ later }), later);
      assert.ok(whole.calls > 12, String(whole.calls));
      const texts = whole.g.segments.map((segment) => segment.text);
      for (let failsAt = 0; failsAt < whole.calls; failsAt++) {
        const { g, host } = await live(flaky({ failsAt, done, later }), later);
        assert.equal(host.failures, 1, String(failsAt));
        assert.deepEqual(g.segments.map((segment) => segment.text), texts);
        const rules = g.rules.map((rule) => rule.text);
        assert.ok(rules.includes(RULE) && rules.includes(AUDIT.content));
        const window = g.window();
        g.assertWindow(window.messages);
        assert.deepEqual(g.degraded, []);
        const shown = new Set(window.messages);
        const spans = g.segments.map((segment) => segment.span);
        host.list.forEach((message, at) => assert.equal(Number(shown.has(message)) + spans.filter(([a, b]) => a <= at && at <= b).length, 1, `${failsAt}: ${at}`));
        // an answer that was there and could not be stored is asked for once more
        assert.ok(host.paid.length - new Set(host.paid).size <= (done ? 0 : 1), `${failsAt}: ${host.paid.length} paid, ${new Set(host.paid).size} needed`);
      }
    });
  }
}

test("a snapshot of another key is not read", () => {
  const g = new Guard({ windowTokens: 8_000 });
  g.declare(RULE);
  const [plain, mine, theirs] = [g.snapshot(), g.snapshot({ key: "mine" }), g.snapshot({ key: "theirs" })];
  assert.deepEqual(Guard.restore(mine, { key: "mine" }).rules, g.rules);
  for (const [text, key] of [[mine, "theirs"], [theirs, "mine"], [mine, undefined], [plain, "mine"], [mine, "mine "]]) {
    assert.throws(() => Guard.restore(text, key === undefined ? {} : { key }), { code: "snapshot_key" });
  }
  const parts = [mine, theirs].map((text) => JSON.parse(text));
  for (const name of Object.keys(parts[0]).filter((name) => JSON.stringify(parts[0][name]) !== JSON.stringify(parts[1][name]))) {
    assert.throws(() => Guard.restore(JSON.stringify({ ...parts[0], [name]: parts[1][name] }), { key: "mine" }), { name: "SnapshotError" }, name);
  }
});
