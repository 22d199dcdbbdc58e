import { test } from "node:test";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { run } from "./processes.mjs";
import { Guard, StandfastError, countTokens, extract, init } from "standfast";

const RULE = "Never issue a refund above GBP 500 without a human approver.";
const guard = (options) => new Guard({ windowTokens: 8_000, ...options });

/** A history of `n` messages: a user, an assistant with a call, its result, an assistant. */
export function history(n) {
  return Array.from({ length: n }, (_, i) => {
    const turn = Math.floor(i / 4);
    switch (i % 4) {
      case 0: return { role: "user", content: `Look at batch ${turn}.` };
      case 1: return { role: "assistant", content: null, tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "get_batch", arguments: `{"n":${turn}}` } }] };
      case 2: return { role: "tool", tool_call_id: `c${turn}`, content: `batch ${turn}: ` + "row 412 FAILED NSF; ".repeat(20) };
      default: return { role: "assistant", content: `Batch ${turn} holds failed rows; going on.` };
    }
  });
}

test("init resolves in Node and changes nothing", async () => {
  assert.equal(await init(), undefined);
});

test("the window carries the host's very objects and the rule", () => {
  const g = guard();
  g.declare(RULE);
  const messages = history(40);
  for (const message of messages) g.observe(message);
  const window = g.window();
  const ours = window.messages.filter((m) => !messages.includes(m));
  assert.deepEqual(window.messages.filter((m) => messages.includes(m)), messages);
  window.messages.filter((m) => messages.includes(m)).forEach((m, i) => assert.ok(m === messages[i]));
  assert.ok(window.pinned.includes(RULE));
  assert.equal(ours.filter((m) => JSON.stringify(m).includes(RULE)).length, 1);
});

test("rules live through rounds with a summarizer that returns one character", async () => {
  const g = guard();
  const { fingerprint } = g.declare(RULE);
  const messages = [];
  for (let round = 1; round <= 5; round++) {
    for (const message of history(40)) {
      const own = structuredClone(message);
      if (own.tool_call_id) own.tool_call_id += `r${round}`;
      if (own.tool_calls) own.tool_calls[0].id += `r${round}`;
      messages.push(own);
      g.observe(own);
    }
    const window = await g.compact(() => "x");
    assert.ok(["compacted", "nothing_to_do"].includes(window.receipt.outcome));
    assert.ok(window.pinned.includes(`- [${fingerprint}] ${RULE}`));
    assert.deepEqual(g.assertWindow(window.messages, { system: window.system }).filter((f) => f.kind === "invariant_lost"), []);
    assert.ok(window.messages.length < messages.length);
    assert.deepEqual(messages.filter((m) => window.messages.includes(m)), messages.slice(-messages.filter((m) => window.messages.includes(m)).length));
  }
  assert.ok(g.segments.length > 0);
  assert.equal(JSON.parse(g.receipt.toJson()).outcome, "compacted");
});

test("the summarizer never sees an active rule", async () => {
  const g = guard();
  const messages = history(40);
  messages[0] = { role: "user", content: `${RULE} Now look at batch 0.` };
  g.declare(RULE);
  g.sync(messages);
  await g.compact((request) => {
    assert.ok(!request.prompt.includes(RULE) && !request.text.includes(RULE));
    assert.deepEqual(Object.keys(request).sort(), ["budgetTokens", "id", "prompt", "span", "text"]);
    return "Went on.";
  });
});

test("results have camelCase fields, stored text has snake_case, data keys stay", () => {
  const g = guard();
  g.declare(RULE);
  g.sync(history(40));
  const plan = g.plan({ asked: "requested" });
  assert.ok(plan.requests.every((r) => r.budgetTokens > 0));
  const stored = JSON.parse(plan.toJson());
  assert.equal(stored.requests[0].budget_tokens, plan.requests[0].budgetTokens);
  assert.deepEqual(JSON.parse(JSON.stringify(plan)), stored);
  const verdict = g.shouldCompact();
  assert.deepEqual(Object.keys(verdict).sort(), ["compact", "reason", "threshold", "used"]);
  const { receipt } = g.window();
  assert.equal(JSON.parse(receipt.toJson()).messages_in, receipt.messagesIn);
  assert.deepEqual(Object.keys(JSON.parse(receipt.toJson()).undeclared), Object.keys(receipt.undeclared));
});

test("a plan is committed by any guard that stands where its maker stood", () => {
  const [maker, other] = [guard(), guard()];
  for (const g of [maker, other]) g.sync(history(40));
  const plan = maker.plan({ asked: "requested" });
  maker.plan({ asked: "overflow" }); // the engine now keeps another one
  const summaries = Object.fromEntries(plan.requests.map((r) => [r.id, "Went on."]));
  assert.equal(other.commit(plan, summaries).receipt.outcome, "compacted");
  assert.equal(maker.commit(plan, summaries).receipt.outcome, "compacted");
  const tampered = JSON.parse(plan.toJson());
  tampered.cut += 1;
  const third = guard();
  third.sync(history(40));
  assert.throws(() => third.commit(tampered, summaries), { name: "StalePlan" });
});

test("a plan may be committed as its object, its text or its stored form", () => {
  for (const form of [(p) => p, (p) => p.toJson(), (p) => JSON.parse(p.toJson())]) {
    const g = guard();
    g.sync(history(40));
    const plan = g.plan({ asked: "requested" });
    const window = g.commit(form(plan), Object.fromEntries(plan.requests.map((r) => [r.id, { text: "Went on.", finishReason: "stop" }])));
    assert.equal(window.receipt.outcome, "compacted");
    assert.throws(() => g.commit(form(plan), new Map(plan.requests.map((r) => [r.id, "x"]))), { code: "stale_plan", name: "StalePlan" });
  }
});

test("sync sees additions, edits in place and cuts", () => {
  const g = guard();
  const messages = history(40);
  assert.equal(g.sync(messages).appended, 40);
  assert.deepEqual({ ...g.sync(messages), seqs: [] }, { appended: 0, edited: 0, removed: 0, firstDivergence: null, seqs: [], observed: [] });
  messages.push({ role: "user", content: "And one more." });
  assert.equal(g.sync(messages).appended, 1);
  messages[38].content += " (edited)";
  const edited = g.sync(messages);
  assert.equal(edited.firstDivergence, 38);
  assert.ok(edited.edited > 0);
  messages.length = 20;
  assert.ok(g.sync(messages).removed > 0);
  const window = g.window();
  assert.equal(window.messages.filter((m) => messages.includes(m)).length, 20);
});

test("sync takes the host's new objects where only their identity changed", () => {
  const g = guard();
  const messages = history(8);
  g.sync(messages);
  const again = structuredClone(messages);
  const synced = g.sync(again);
  assert.equal(synced.appended + synced.edited + synced.removed, 0);
  const window = g.window();
  assert.equal(window.messages.filter((m) => again.includes(m)).length, 8);
});

test("a sync that fails changes nothing", () => {
  const g = guard();
  const messages = history(8);
  g.sync(messages);
  const before = g.window().messages;
  assert.throws(() => g.sync([...messages, { role: "nobody", content: "x" }]), { code: "unknown_role", name: "ShapeError" });
  assert.throws(() => g.sync([...messages, { role: "user", content: NaN }]), { code: "invalid_number" });
  assert.deepEqual(g.window().messages, before);
  assert.equal(g.sync([...messages, { role: "user", content: "x" }]).appended, 1);
});

test("the task state is kept", () => {
  const g = guard();
  g.setGoal("Reconcile the batches.");
  g.setPlan(["Read the batches.", "Report."]);
  g.recordDecision("Skip batch 3", "it was settled by hand", "rejected");
  const id = g.openQuestion("Who approves?");
  assert.equal(g.closeQuestion(id), true);
  assert.equal(g.closeQuestion("Who approves?"), false);
  assert.equal(JSON.parse(g.task.toJson()).decisions.length, 1);
  assert.throws(() => g.recordDecision("x", " "), { code: "decision_reason" });
  assert.throws(() => g.recordDecision("x", "y", "perhaps"), { code: "decision_polarity" });
});

test("usage, overhead and boundaries steer the verdict", () => {
  const g = guard();
  g.sync(history(8));
  assert.equal(g.shouldCompact().compact, false);
  assert.ok(g.overhead({ system: "You are an agent.", tools: [{ name: "get_batch", inputSchema: { type: "object" } }] }) > 0);
  g.usage(7_900);
  assert.equal(g.shouldCompact().compact, true);
  g.boundary("task_completed");
  assert.throws(() => g.boundary("lunch"), { code: "invalid_argument" });
});

test("maybeCompact waits until it is time", async () => {
  const g = guard();
  g.sync(history(40));
  const used = g.shouldCompact();
  if (!used.compact) assert.equal(await g.maybeCompact(() => "x"), null);
  g.usage(7_900);
  assert.equal((await g.maybeCompact(() => "x")).receipt.outcome, "compacted");
});

test("originals go out and come back by digest", () => {
  const g = guard();
  const messages = history(40);
  g.sync(messages);
  g.usage(7_900);
  g.compactSync();
  const recalled = g.recall({ span: [0, 3] });
  assert.deepEqual(recalled.map((r) => r.seq), [0, 1, 2, 3]);
  const out = g.pageOut(4);
  assert.deepEqual(out, [0, 1, 2, 3]);
  assert.ok(g.recall({ span: [0, 3] }).every((r) => r.text === null && r.presence === "paged_out"));
  assert.throws(() => g.pageIn({ 0: messages[4] }), { code: "digest_mismatch" });
  assert.deepEqual(g.pageIn(new Map([[0, messages[0]], [1, messages[1]]])), [0, 1]);
  assert.deepEqual(g.pageIn({ 2: messages[2], 3: messages[3] }), [2, 3]);
  assert.deepEqual(g.forget([0]), [0]);
});

test("a fork has the rules and its own life", () => {
  const g = guard();
  g.declare(RULE);
  g.sync(history(8));
  const child = g.fork({ scope: "research" });
  assert.deepEqual(child.rules.map((r) => r.text), [RULE]);
  child.observe({ role: "user", content: "Only here." });
  assert.deepEqual(child.window().messages.filter((m) => m.role === "user").map((m) => m.content), ["Only here."]);
  child.close();
  assert.equal(g.rules.length, 1);
  assert.equal(g.window().messages.length, 9);
});

test("a closed guard says so and lets its memory go", () => {
  const g = guard();
  g.sync(history(8));
  g.close();
  g.close();
  for (const use of [() => g.rules, () => g.window(), () => g.observe({ role: "user", content: "x" }), () => g.snapshot()]) {
    assert.throws(use, { code: "guard_closed", name: "PolicyError" });
  }
});

test("a call that is torn off in the middle is told with a code; other guards, and one restored, go on", () => {
  const other = guard();
  other.declare(RULE);
  for (const use of [(g) => g.window(), (g) => g.observe({ role: "user", content: "x" }), (g) => g.compactSync(null, { asked: "requested" })]) {
    const g = guard();
    g.declare(RULE);
    const messages = history(40);
    g.sync(messages);
    const saved = g.snapshot();
    // the stack ends inside the engine, at every depth that there is room for less than the call
    const deeper = () => {
      try {
        deeper();
      } catch (error) {
        if (error instanceof RangeError) use(g);
        throw error;
      }
    };
    assert.throws(deeper, (error) => error instanceof RangeError || (error instanceof StandfastError && error.code === "guard_closed"));
    try {
      assert.equal(g.rules.length, 1);
    } catch (error) {
      assert.deepEqual([error.name, error.code], ["PolicyError", "guard_closed"]);
    }
    const again = Guard.restore(saved, { messages });
    assert.deepEqual([again.rules.length, other.rules.length], [1, 1]);
    again.compactSync(null, { asked: "requested" });
    other.observe({ role: "user", content: "Go on." });
    again.close();
  }
  other.close();
});

test("a trap in a call closes its guard for good; it can be closed, and other guards of the same engine go on", () => {
  const seen = JSON.parse(run(process.execPath, [fileURLToPath(new URL("torn.mjs", import.meta.url))]));
  const closed = "PolicyError guard_closed";
  assert.deepEqual(seen, { torn: closed, after: [closed, closed, closed, closed], closed: "done", others: "done" });
});

test("using closes", () => {
  let g;
  {
    g = guard();
    g[Symbol.dispose]();
  }
  assert.throws(() => g.rules, { code: "guard_closed" });
});

test("closed guards give their memory back to the engine", () => {
  const text = "x".repeat(1 << 20);
  const rss = [];
  for (let i = 0; i < 120; i++) {
    const g = guard({ windowTokens: 1_000_000 });
    for (let n = 0; n < 4; n++) g.observe({ role: "user", content: `${n}${text}` });
    g.close();
    if (i === 20 || i === 119) rss.push(process.memoryUsage().rss);
  }
  assert.ok(rss[1] - rss[0] < 100 << 20, `grew by ${(rss[1] - rss[0]) >> 20} MB over 100 guards of 4 MB`);
});

test("rules are changed by handle", () => {
  const g = guard();
  const rule = g.declare(RULE);
  const next = g.supersede(rule.fingerprint, "Never issue a refund above GBP 300 without a human approver.", { by: "ops" });
  assert.deepEqual(g.rules.map((r) => r.fingerprint), [next.fingerprint]);
  g.revoke(next.fingerprint, { by: "ops" });
  assert.deepEqual(g.rules, []);
  const diff = g.setRules("policy_loader", [RULE, "Never email customers directly."]);
  assert.equal(g.rules.length, diff.declared.length + diff.kept.length);
  assert.throws(() => g.revoke("0000000000000000", { by: "ops" }), { code: "unknown_rule", name: "RegistryError" });
  assert.throws(() => g.revoke(rule.fingerprint, {}), { code: "invalid_argument" });
  assert.deepEqual(g.held, []);
  assert.deepEqual(g.reviewQueue, []);
  assert.ok(Array.isArray(g.changes) && g.allRules.length >= 2 && Array.isArray(g.degraded));
});

test("an outgoing request without the rules is stopped", () => {
  const g = guard();
  g.declare(RULE);
  g.sync(history(8));
  const window = g.window();
  assert.deepEqual(g.assertWindow(window.messages, { system: window.system }), []);
  const stripped = window.messages.filter((m) => m.role !== "system");
  assert.throws(() => g.assertWindow(stripped), (error) => error instanceof StandfastError && error.code === "invariant_lost" && error.name === "InvariantLost");
});

test("free functions", () => {
  assert.ok(countTokens("Never issue a refund.") > 0);
  assert.equal(typeof extract("One sentence. Another one.", 100), "string");
  assert.throws(() => countTokens(5), { code: "invalid_argument" });
  assert.throws(() => extract("x", -1), { code: "invalid_argument" });
});
