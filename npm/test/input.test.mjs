import { test } from "node:test";
import assert from "node:assert/strict";
import { Guard, StandfastError } from "standfast";

const guard = (options) => new Guard({ windowTokens: 100_000, ...options });
const user = (content, more) => ({ role: "user", content, ...more });
const nested = (levels) => { let value = "x"; for (let i = 0; i < levels; i++) value = [value]; return value; };

/** The call throws this code, as a real error of ours, and the guard goes on. */
function refused(use, code) {
  const g = guard();
  g.observe(user("before"));
  assert.throws(() => use(g), (error) => {
    assert.ok(error instanceof StandfastError && error instanceof Error, `not ours: ${error?.stack ?? error}`);
    assert.equal(error.code, code, error.message);
    assert.ok(error.hint.length > 5 && error.name !== "Error" && typeof error.details === "object" && error.stack);
    return true;
  });
  assert.equal(g.observe(user("after")).seq, 1);
}

test("no usable policy", () => {
  for (const [options, code] of [
    [{}, "window_unknown"],
    [{ windowTokens: 8_000, qualityFraction: 0 }, "invalid_policy"],
    [{ windowTokens: 8_000, qualityFraction: 1.5 }, "invalid_policy"],
    [{ windowTokens: 8_000, softFloorFraction: 0.9 }, "invalid_policy"],
    [{ windowTokens: 8_000, pinnedTokens: 8_000 }, "invalid_policy"],
    [{ windowTokens: 8_000, bogus: 1 }, "invalid_policy"],
    [{ window_tokens: 8_000 }, "invalid_policy"],
    [{ windowTokens: "8000" }, "invalid_policy"],
    [{ windowTokens: 8_000.5 }, "invalid_policy"],
    [{ windowTokens: -1 }, "invalid_policy"],
    [{ windowTokens: NaN }, "invalid_number"],
    [{ windowTokens: 8_000, shape: "cobol" }, "invalid_argument"],
    [{ windowTokens: 8_000, shape: 5 }, "invalid_argument"],
    [{ windowTokens: 8_000, store: {} }, "invalid_argument"],
    [undefined, "window_unknown"],
    [null, "window_unknown"],
    ["x", "invalid_argument"],
    [[], "invalid_argument"],
  ]) {
    assert.throws(() => new Guard(options), (error) => error instanceof StandfastError && error.code === code && error.name === "PolicyError", JSON.stringify(options));
  }
});

test("rules that cannot stand", () => {
  refused((g) => g.declare(""), "rule_empty");
  refused((g) => g.declare(" \n\t"), "rule_empty");
  refused((g) => g.declare("Go"), "rule_too_short");
  refused((g) => g.declare("Never do this.\0"), "rule_control_characters");
  refused((g) => g.declare("Never.\n## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)\nx"), "rule_imitates_block");
  refused((g) => g.declare("Never do \ud800 this."), "rule_not_text");
  refused((g) => g.setRules("policy_loader", ["Never do \udc00 this."]), "rule_not_text");
  refused((g) => g.declare("Never do this again. ".repeat(20_000)), "budget_exceeded");
  refused((g) => g.declare("Never do this.", { source: "tool:search" }), "untrusted_source");
  refused((g) => g.declare(5), "invalid_argument");
  refused((g) => g.declare(), "invalid_argument");
  refused((g) => g.declare("Never do this.", { sorce: "x" }), "invalid_argument");
  refused((g) => g.declare("Never do this.", { source: 5 }), "invalid_argument");
  refused((g) => g.declare("Never do this.", "policy_loader"), "invalid_argument");
  refused((g) => g.setRules("policy_loader", "Never do this."), "invalid_argument");
  refused((g) => g.setRules("policy_loader", ["Never do this.", 5]), "invalid_argument");
});

test("messages that are none", () => {
  refused((g) => g.observe({ content: "x" }), "unknown_shape");
  refused((g) => g.observe({ role: "nobody", content: "x" }), "unknown_role");
  refused((g) => g.observe({ role: "user", content: 5 }), "invalid_message");
  for (const value of [undefined, () => 1, Symbol("x"), new Map(), new Set(), new Date(), /x/, Promise.resolve(), new Uint8Array(2), new ArrayBuffer(2), new Error("x"), new String("x"), new WeakMap()]) {
    if (value !== undefined) refused((g) => g.observe(user("x", { extra: value })), "invalid_argument");
    refused((g) => g.observe(value), "invalid_argument");
  }
  refused((g) => g.observeAll("x"), "invalid_argument");
  refused((g) => g.sync({ 0: user("x"), length: 1 }), "invalid_argument");
  refused((g) => g.observe(user("x"), { trust: "king" }), "invalid_argument");
  refused((g) => g.observe(user("x"), { turst: "user" }), "invalid_argument");
});

test("numbers JSON cannot say", () => {
  refused((g) => g.observe(user("x", { n: NaN })), "invalid_number");
  refused((g) => g.observe(user("x", { n: [-Infinity] })), "invalid_number");
  refused((g) => g.usage(NaN), "invalid_number");
  refused((g) => g.usage(-1), "invalid_argument");
  refused((g) => g.usage(1.5), "invalid_argument");
  refused((g) => g.usage("5"), "invalid_argument");
  refused((g) => g.usage(2 ** 32), "invalid_argument");
  refused((g) => g.pageOut(-1), "invalid_argument");
  refused((g) => g.forget([0.5]), "invalid_argument");
  refused((g) => g.forget([99]), "unknown_event");
  refused((g) => g.recall({ span: [0, 99] }), "unknown_event");
  refused((g) => g.recall({ span: [0] }), "invalid_argument");
  refused((g) => g.recall(), "invalid_argument");
});

test("depth is capped, cycles included", () => {
  refused((g) => g.observe(user("x", { deep: nested(10_000) })), "too_deep");
  refused((g) => g.observe(user("x", { deep: nested(128) })), "too_deep");
  guard().observe(user("x", { deep: nested(127) }));
  guard().sync([user("x", { deep: nested(127) })]);
  const loop = user("x");
  loop.self = loop;
  refused((g) => g.observe(loop), "too_deep");
  refused((g) => g.sync([loop]), "too_deep");
  refused((g) => g.assertWindow([loop]), "too_deep");
});

test("the host's code cannot break a guard", () => {
  const g = guard();
  const reentrant = { role: "user", get content() { return `seen ${g.observe(user("inner")).seq}`; } };
  assert.equal(g.observe(reentrant).seq, 1);
  refused((g) => g.observe({ role: "user", get content() { throw new Error("CANARY"); } }), "invalid_argument");
  refused((g) => g.observe(new Proxy({}, { ownKeys() { throw new Error("CANARY"); } })), "invalid_argument");
  refused((g) => g.observe(user("x", { list: new Array(2 ** 32 - 1) })), "too_large");
});

test("own properties only, and __proto__ is a key like any other", () => {
  const g = guard();
  const hostile = JSON.parse('{"role": "user", "content": "x", "__proto__": {"polluted": true}, "meta": {"__proto__": {"polluted": true}}}');
  g.sync([hostile]);
  assert.equal({}.polluted, undefined);
  assert.equal(g.sync([hostile]).edited, 0);
  const changed = JSON.parse('{"role": "user", "content": "x", "__proto__": {"polluted": false}, "meta": {"__proto__": {"polluted": true}}}');
  assert.equal(g.sync([changed]).edited, 1);
  class Message { constructor() { this.role = "user"; this.content = "own"; } get hidden() { return NaN; } }
  assert.equal(g.observe(Object.assign(Object.create({ content: 5 }), { role: "user", content: "own" })).seq, 1);
  assert.equal(g.observe(new Message()).seq, 2);
  assert.throws(() => g.observe(Object.create({ role: "user", content: "inherited" })), { code: "unknown_shape" });
});

test("what JSON says in several ways is one message", () => {
  const g = guard();
  g.sync([user("x", { n: 3, big: 9007199254740994n, gone: undefined, list: [undefined] })]);
  for (const same of [{ n: 3n, big: 9007199254740994, list: [null] }, { list: [null], big: "9007199254740994", n: 3.0 }]) {
    const synced = g.sync([user("x", same)]);
    assert.deepEqual([synced.appended, synced.edited, synced.removed], [0, 0, 0]);
  }
  assert.equal(g.sync([user("x", { n: 4, big: 9007199254740994n, list: [null] })]).edited, 1);
  g.observe(user("x", { n: 1e21, m: 1e308, k: 12345678901234567890123n, z: -0 }));
});

test("lone surrogates in messages are replaced and flagged", () => {
  const g = guard();
  const message = user("a \ud800 b", { "key\udfff": "x" });
  assert.ok(g.observe(message).flags.length > 0);
  assert.deepEqual(g.observe(user("whole 😀 pair")).flags.filter((f) => f.includes("surrogate")), []);
  assert.ok(g.window().messages.includes(message));
  const h = guard();
  h.sync([message]);
  const synced = h.sync([message]);
  assert.deepEqual([synced.appended, synced.edited], [0, 0]);
});

test("odd text is taken as it is", () => {
  const g = guard();
  for (const text of ["", "\0", "a\r\nb", "\u202eRTL\u202c", "zero\u200bwidth", "e\u0301", "\u2028\u2029"]) g.observe(user(text));
  g.observe(user("x".repeat(20 << 20)));
  assert.equal(g.observe({ role: "assistant", content: null }).seq, 8);
});

test("errors, receipts and snapshots carry no text (O2)", async () => {
  const canary = "CANARY-7f3a";
  const g = guard({ windowTokens: 8_000 });
  const sinks = [];
  const attempt = async (use) => {
    try {
      sinks.push(JSON.stringify((await use())?.receipt ?? null));
    } catch (error) {
      sinks.push([error.message, error.hint, error.name, error.code, JSON.stringify(error.details), String(error)].join("\n"));
    }
  };
  for (let i = 0; i < 60; i++) g.observe({ role: i % 2 ? "assistant" : "user", content: `${canary} step ${i} ` + "work ".repeat(60) });
  await attempt(() => g.declare(canary, { source: `tool:${canary}` }));
  await attempt(() => g.declare(`${canary}\0`));
  await attempt(() => g.declare("Never do this.", { source: [canary] }));
  await attempt(() => g.observe({ role: "user", content: { [canary]: 1 } }));
  await attempt(() => g.observe(user("x"), { trust: canary }));
  await attempt(() => g.observe(user("x", { n: NaN, m: canary })));
  await attempt(() => new Guard({ windowTokens: canary }));
  await attempt(() => new Guard({ windowTokens: 8_000, shape: canary }));
  await attempt(() => new Guard({ windowTokens: 8_000, onDegraded: canary }));
  await attempt(() => g.boundary(canary));
  await attempt(() => g.revoke(canary, { by: canary }));
  await attempt(() => g.plan({ asked: canary }));
  await attempt(() => g.commit(canary, {}));
  await attempt(() => g.commit(`{"id":"${canary}"}`, {}));
  await attempt(() => g.compact(() => { throw new Error(canary); }, { onError: "raise" }));
  await attempt(() => g.compact(() => ({ text: [canary] })));
  await attempt(() => g.assertWindow([user(canary)]));
  await attempt(() => Guard.restore(canary));
  await attempt(() => g.compact(() => canary));
  sinks.push(g.receipt.toJson(), String(g), `${Object.prototype.toString.call(g)}`, JSON.stringify(g));
  assert.ok(sinks.length >= 20);
  for (const sink of sinks) assert.ok(!sink.includes(canary), sink);
});
