// standfast/openai-agents in runs of the SDK, with a model that is a function.

import { test } from "node:test";
import assert from "node:assert/strict";
import { Agent, MemorySession, Runner, setTracingDisabled, tool } from "@openai/agents";
import { MemoryStore, StandfastError } from "standfast";
import { standfast } from "standfast/openai-agents";

setTracingDisabled(true);
const RULES = ["Never issue a refund above GBP 500 without a human approver.", "Patient is allergic to penicillin."];
const HEAD = "You are a settlements agent.";

/** Calls the tool for each user message, twice in parallel, then answers. Keeps what it was sent. */
function model() {
  const seen = [];
  let n = 0;
  const answer = (request) => {
    seen.push(structuredClone({ input: request.input, systemInstructions: request.systemInstructions }));
    n += 1;
    const last = request.input.at(-1);
    const output = last.role === "user"
      ? [
          { type: "reasoning", id: `r${n}`, content: [{ type: "input_text", text: `Batch ${n} next.` }] },
          ...["a", "b"].map((half) => ({ type: "function_call", id: `f${n}${half}`, callId: `c${n}${half}`, name: "get_batch", arguments: JSON.stringify({ n }), status: "completed" })),
        ]
      : [{ type: "message", role: "assistant", id: `m${n}`, status: "completed", content: [{ type: "output_text", text: `Batch looked at, request ${n}. Nothing unusual.` }] }];
    return { usage: { requests: 1, inputTokens: 0, outputTokens: 5, totalTokens: 5 }, output, responseId: `resp${n}` };
  };
  return {
    seen,
    getResponse: async (request) => answer(request),
    async *getStreamedResponse(request) {
      const { output, usage, responseId } = answer(request);
      yield { type: "response_started" };
      yield { type: "response_done", response: { id: responseId, usage, output } };
    },
  };
}

const getBatch = tool({
  name: "get_batch",
  description: "Rows of one batch.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false },
  strict: true,
  execute: async ({ n }) => `batch ${n}: ${"row 412 FAILED NSF; ".repeat(60)}`,
});
const agentOf = (served) => new Agent({ name: "settler", instructions: HEAD, model: served, tools: [getBatch] });
const options = (more) => ({ id: "t1", rules: RULES, windowTokens: 12_000, summarizer: async () => "Work went on.", ...more });

function checked({ input, systemInstructions }) {
  assert.ok(systemInstructions.startsWith(HEAD));
  for (const rule of RULES) assert.equal(systemInstructions.split(rule).length, 2);
  const open = new Set();
  for (const [at, item] of input.entries()) {
    if (item.type === "function_call") open.add(item.callId);
    if (item.type === "function_call_result") assert.ok(open.delete(item.callId), "a result without its call");
    if (item.type === "reasoning") assert.ok(["function_call", "message"].includes(input[at + 1]?.type), "reasoning without what it belongs to");
  }
  assert.equal(open.size, 0, "a call without its result");
}

async function runs(times, session, wrap, stream = false) {
  const served = model();
  const agent = agentOf(wrap?.model ? wrap.model(served) : served);
  const runner = new Runner({ tracingDisabled: true });
  for (let i = 0; i < times; i++) {
    const given = { session, stream };
    const result = await runner.run(agent, `Look at batch ${i}.`, wrap ? wrap.options(given) : given);
    if (stream) await result.completed;
  }
  return served.seen;
}

for (const stream of [false, true]) {
  test(`many ${stream ? "streamed " : ""}runs: the session holds the raw history, every request the rules`, async () => {
    const plain = new MemorySession();
    await runs(20, plain, undefined, stream);
    const session = new MemorySession();
    const receipts = [];
    const sf = await standfast(options({ onReceipt: (receipt) => receipts.push(receipt) }));
    const seen = await runs(20, session, sf, stream);
    assert.ok(receipts.length >= 2, `${receipts.length} compactions`);
    assert.deepEqual(await session.getItems(), await plain.getItems());
    assert.equal(seen.length, 40);
    seen.forEach(checked);
    assert.ok(Math.max(...seen.map((request) => JSON.stringify(request).length)) < 60_000);
    assert.ok(seen.some(({ input }) => JSON.stringify(input[0]).includes("standfast-memory")));
  });
}

test("three runs, a guard for each: items equal the raw history, the state goes on", async () => {
  const plain = new MemorySession();
  await runs(12, plain);
  const session = new MemorySession();
  const store = new MemoryStore();
  const served = model();
  const rounds = [];
  for (let i = 0; i < 12; i++) {
    const sf = await standfast(options({ store, onReceipt: ({ round }) => rounds.push(round) }));
    await new Runner({ tracingDisabled: true }).run(agentOf(sf.model(served)), `Look at batch ${i}.`, sf.options({ session }));
    sf.close();
  }
  assert.deepEqual(await session.getItems(), await plain.getItems());
  assert.deepEqual(rounds, rounds.map((_, i) => i + 1));
  assert.ok(rounds.length >= 1);
  served.seen.forEach(checked);
});

test("a run whose own input is the whole history keeps what was folded", async () => {
  const history = [];
  for (let i = 0; i < 30; i++) history.push({ type: "message", role: "user", content: `Step ${i}: ${"work ".repeat(80)}` }, { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: `Done ${i}. ${"work ".repeat(80)}` }] });
  history.push({ type: "message", role: "user", content: "Go on." });
  const plain = new MemorySession();
  await new Runner({ tracingDisabled: true }).run(agentOf(model()), history, { session: plain, sessionInputCallback: (before, now) => [...before, ...now] });
  const session = new MemorySession();
  const sf = await standfast(options());
  const served = model();
  await new Runner({ tracingDisabled: true }).run(agentOf(sf.model(served)), history, sf.options({ session, sessionInputCallback: (before, now) => [...before, ...now] }));
  assert.ok(JSON.stringify(served.seen[0].input[0]).includes("standfast-memory"), "it was compacted");
  assert.deepEqual(await session.getItems(), await plain.getItems());
});

test("a history that the server keeps is refused", async () => {
  const sf = await standfast(options());
  const refused = (error) => error instanceof StandfastError && error.code === "server_side_history";
  assert.throws(() => sf.options({ conversationId: "conv_1" }), refused);
  assert.throws(() => sf.options({ previousResponseId: "resp_1" }), refused);
  class OpenAIConversationsSession extends MemorySession {}
  assert.throws(() => sf.options({ session: new OpenAIConversationsSession() }), refused);
  const { callModelInputFilter } = sf.options();
  await assert.rejects(callModelInputFilter({ modelData: { input: [{ type: "function_call_result", callId: "c", name: "x", status: "completed", output: "y" }], instructions: HEAD } }), refused);
});

test("the host's filter runs first, and a model that gets a stripped request is not asked", async () => {
  const served = model();
  const sf = await standfast(options());
  const given = sf.options({ callModelInputFilter: ({ modelData }) => ({ ...modelData, input: [...modelData.input, { type: "message", role: "user", content: "Be brief." }] }) });
  await new Runner({ tracingDisabled: true }).run(agentOf(sf.model(served)), "Look at batch 1.", { ...given, maxTurns: 1 }).catch(() => undefined);
  assert.equal(served.seen[0].input.at(-1).content, "Be brief.");
  const sent = served.seen.length;
  const stripping = { ...given, callModelInputFilter: async (call) => ({ ...(await given.callModelInputFilter(call)), instructions: "stripped" }) };
  await assert.rejects(new Runner({ tracingDisabled: true }).run(agentOf(sf.model(served)), "Look at batch 2.", stripping), { code: "invariant_lost" });
  assert.equal(served.seen.length, sent);
  assert.equal(sf.receipt.outcome, "invariant_lost");
  assert.throws(() => sf.model(sf.model(served)), { code: "invalid_argument" });
});

test("approvals of tools and of servers hold their calls; provider compactions are foreign", async () => {
  const sf = await standfast(options());
  const filter = (input) => sf.options().callModelInputFilter({ modelData: { input, instructions: HEAD } });
  const items = [
    { type: "message", role: "user", content: [{ type: "input_text", text: "Search." }, { type: "input_image", image: "https://x.example/a.png" }] },
    { type: "hosted_tool_call", id: "mcpr_1", name: "mcp_approval_request", arguments: "{}", status: "completed", providerData: { type: "mcp_approval_request", id: "mcpr_1" } },
  ];
  await filter(items);
  assert.equal(sf.guard.shouldCompact().reason, "in_flight");
  items.push({ type: "hosted_tool_call", name: "mcp_approval_response", providerData: { approve: true, approval_request_id: "mcpr_1", type: "mcp_approval_response" } });
  const { input } = await filter(items);
  assert.notEqual(sf.guard.shouldCompact().reason, "in_flight");
  assert.deepEqual(input, items);
  assert.ok(input.every((item, i) => item === items[i]), "the host's own objects");
  const compacted = [{ type: "compaction", encrypted_content: "c2VhbGVk" }, ...items, { type: "computer_call", callId: "s1", status: "completed", action: { type: "screenshot" } }, { type: "computer_call_result", callId: "s1", output: { type: "computer_screenshot", data: "data:image/png;base64,AAAA" } }];
  assert.deepEqual((await filter(compacted)).input, compacted);
});

test("the recall tool works as a tool of the SDK", async () => {
  const sf = await standfast(options());
  const recall = tool(sf.recall);
  assert.equal(recall.name, "recall");
  const session = new MemorySession();
  await runs(12, session, sf);
  assert.match(await sf.recall.execute({ from: 2, to: 2 }), /\[turn 2\]/);
});
