import { test } from "node:test";
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Guard, StandfastError } from "standfast";

const message = (i) => ({ role: i % 2 ? "assistant" : "user", content: `Step ${i}: ` + "some work was done here. ".repeat(20) });
function full(n = 80) {
  const g = new Guard({ windowTokens: 8_000, summarizerWindowTokens: 3_000 });
  g.declare("Never deploy on a Friday.");
  for (let i = 0; i < n; i++) g.observe(message(i));
  return g;
}
const state = (g) => [g.segments, g.window().messages.length, g.rules];

test("requests run concurrently, up to the limit", async () => {
  const g = full();
  const asked = g.plan().requests.length;
  assert.ok(asked > 1, "the history makes several requests");
  let now = 0;
  let most = 0;
  await g.compact(async () => {
    most = Math.max(most, ++now);
    await sleep(5);
    now--;
    return "Went on.";
  }, { concurrency: 2 });
  assert.equal(most, 2);
  const all = full();
  most = now = 0;
  await all.compact(async () => ((most = Math.max(most, ++now)), await sleep(5), now--, "Went on."), { concurrency: 100 });
  assert.equal(most, asked);
});

test("the event loop and the guard stay usable meanwhile", async () => {
  const g = full();
  const compacting = g.compact(async () => (await sleep(10), "Went on."));
  const late = { role: "user", content: "A late message." };
  g.observe(late);
  const window = await compacting;
  assert.ok(window.messages.at(-1) === late);
});

test("of two compactions at once the second is stale, and nothing is lost", async () => {
  const g = full();
  const [first, second] = await Promise.allSettled([g.compact(async () => (await sleep(5), "a1")), g.compact(async () => (await sleep(10), "b2"))]);
  assert.equal(first.status, "fulfilled");
  assert.equal(second.reason.code, "stale_plan");
  assert.equal(g.rules.length, 1);
});

test("a failing call falls back to the built-in summary", async () => {
  const g = full();
  let calls = 0;
  const window = await g.compact(async () => {
    if (++calls % 2) throw new Error("CANARY provider down");
    return "Went on.";
  });
  assert.equal(window.receipt.outcome, "compacted");
  assert.ok(window.receipt.findings.some((f) => f.kind === "summarizer_failed"));
  assert.ok(!window.receipt.toJson().includes("CANARY"));
});

test("onError raise refuses with the cause and changes nothing", async () => {
  const g = full();
  const before = state(g);
  const cause = new Error("CANARY provider down");
  await assert.rejects(g.compact(() => Promise.reject(cause), { onError: "raise" }), (error) => {
    assert.ok(error instanceof StandfastError && error.name === "CommitRefused" && error.code === "summarizer_failed");
    assert.ok(error.cause === cause && !error.message.includes("CANARY"));
    return true;
  });
  assert.throws(() => g.compactSync(() => { throw cause; }, { onError: "raise" }), { code: "summarizer_failed" });
  assert.deepEqual(state(g), before);
  await assert.rejects(g.compact(() => null, { onError: "sometimes" }), { code: "invalid_argument" });
});

test("aborting rejects at once, with the reason, and changes nothing", async () => {
  const g = full();
  const before = state(g);
  const controller = new AbortController();
  let seen;
  const hanging = g.compact((_, { signal }) => ((seen = signal), new Promise(() => {})), { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("stopped by the host")), 5);
  await assert.rejects(hanging, /stopped by the host/);
  assert.ok(seen === controller.signal);
  await assert.rejects(g.compact(() => assert.fail("not called"), { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(g.compact(null, { signal: AbortSignal.abort() }), { name: "AbortError" });
  const awake = setInterval(() => {}, 1_000); // the timer of a signal does not keep the process alive
  await assert.rejects(g.compact(() => new Promise(() => {}), { signal: AbortSignal.timeout(5) }), { name: "TimeoutError" });
  clearInterval(awake);
  assert.deepEqual(state(g), before);
});

test("an abort that makes the summarizer throw is an abort, not a fallback", async () => {
  const g = full();
  const before = state(g);
  const controller = new AbortController();
  const compacting = g.compact(async (_, { signal }) => sleep(10_000, "x", { signal }), { signal: controller.signal });
  controller.abort();
  await assert.rejects(compacting, { name: "AbortError" });
  assert.deepEqual(state(g), before);
});

test("what is not a summary is refused by code", async () => {
  for (const bad of [undefined, 5, true, {}, { text: 5 }, { text: "x", finishReason: 3 }, ["x"], Symbol("x")]) {
    const g = full();
    const before = state(g);
    await assert.rejects(g.compact(async () => bad), { code: "summary_not_text", name: "CommitRefused" });
    assert.throws(() => g.compactSync(() => bad), { code: "summary_not_text" });
    assert.deepEqual(state(g), before);
  }
});

test("null says that the call failed", async () => {
  const window = await full().compact(() => null);
  assert.ok(window.receipt.findings.some((f) => f.kind === "summarizer_failed"));
});

test("compactSync takes the built-in summarizer or one that answers at once", () => {
  assert.equal(full().compactSync().receipt.outcome, "compacted");
  assert.equal(full().compactSync(() => "Went on.").receipt.outcome, "compacted");
  assert.throws(() => full().compactSync(async () => { throw new Error("late"); }), { code: "invalid_argument" });
  assert.throws(() => full().compactSync("x"), { code: "invalid_argument" });
});

test("summaries must answer exactly the plan", () => {
  const g = full();
  const plan = g.plan();
  const summaries = Object.fromEntries(plan.requests.map((r) => [r.id, "Went on."]));
  const { [plan.requests[0].id]: _, ...missing } = summaries;
  assert.throws(() => g.commit(plan, missing), { code: "missing_summary" });
  assert.throws(() => g.commit(plan, { ...summaries, other: "x" }), { code: "unknown_request" });
  assert.throws(() => g.commit(plan, JSON.parse(`{"__proto__": "x"}`)), { code: "unknown_request" });
  assert.throws(() => g.commit(plan, "x"), { code: "invalid_argument" });
  assert.throws(() => g.commit({ ...plan }, summaries), { code: "invalid_argument" });
  assert.throws(() => g.commit("{}", summaries), { code: "invalid_argument" });
  assert.throws(() => g.commit("[".repeat(10_000), summaries), { code: "invalid_argument" });
  assert.throws(() => full(60).commit(plan, summaries), (e) => ["stale_plan", "unknown_request"].includes(e.code));
  assert.equal(g.commit(plan, summaries).receipt.outcome, "compacted");
  assert.throws(() => g.commit(plan, summaries), { code: "stale_plan" });
});

test("a lone surrogate in a summary is replaced", async () => {
  const window = await full().compact(() => "Went on \ud800 well.");
  assert.ok(window.messages.some((m) => JSON.stringify(m).includes("Went on \ufffd well.")));
});
