// standfast/ai-sdk in agents of the AI SDK. Runs with version 6, and in packaging with version 7.

import { test } from "node:test";
import assert from "node:assert/strict";
import { convertToModelMessages, generateText, jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent, wrapLanguageModel } from "ai";
import * as testing from "ai/test";
import { Guard, MemoryStore, StandfastError } from "standfast";
import { errorText, standfast, summarize } from "standfast/ai-sdk";

export const major = testing.MockLanguageModelV4 === undefined ? 6 : 7;
const Mock = testing.MockLanguageModelV4 ?? testing.MockLanguageModelV3;
const RULES = ["Never issue a refund above GBP 500 without a human approver.", "Patient is allergic to penicillin."];
const HEAD = "You are a settlements agent.";
const usage = (total) => ({ inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } });
const text = (said) => [{ type: "text", text: said }];
const call = (id, toolName, input) => [{ type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input) }];
const finished = (content) => {
  const unified = content.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
  return { unified, raw: unified };
};

/** A model that answers with what `answer` gives for a prompt; keeps the prompts. */
function model(answer, tokens = 0) {
  const seen = [];
  const given = (options) => {
    seen.push(options.prompt);
    return answer(options.prompt, seen.length, options);
  };
  const mock = new Mock({
    doGenerate: async (options) => {
      const content = given(options);
      return { content, finishReason: finished(content), usage: usage(tokens), warnings: [] };
    },
    doStream: async (options) => {
      const content = given(options);
      const parts = [{ type: "stream-start", warnings: [] }];
      for (const [i, part] of content.entries()) {
        if (part.type === "text") parts.push({ type: "text-start", id: `${i}` }, { type: "text-delta", id: `${i}`, delta: part.text }, { type: "text-end", id: `${i}` });
        else parts.push(part);
      }
      parts.push({ type: "finish", finishReason: finished(content), usage: usage(tokens) });
      return { stream: new ReadableStream({ start: (controller) => (parts.forEach((part) => controller.enqueue(part)), controller.close()) }) };
    },
  });
  return { mock, seen };
}

const worker = () => model((prompt, n) => (prompt.at(-1).role === "user" ? call(`c${n}`, "getBatch", { n }) : text(`Batch ${n} looked at. Nothing unusual.`)));
const tools = {
  getBatch: tool({
    description: "Rows of one batch.",
    inputSchema: jsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
    execute: async ({ n }) => `batch ${n}: ${"row 412 FAILED NSF; ".repeat(120)}`,
  }),
};
const system = (prompt) => prompt.filter(({ role }) => role === "system").map(({ content }) => content).join("\n");
/** What a run added. In version 7 `response` is the last step's alone (`finalStep.response`), and `responseMessages` holds all. */
const responses = (result) => result.responseMessages ?? result.response.messages;
/** `system` in version 6, `instructions` from 7 on. */
const head = (instructions) => (major === 6 ? { system: instructions } : { instructions });
const standing = (prompt, rules = RULES) => rules.every((rule) => system(prompt).split(rule).length === 2);

function paired(prompt) {
  let open = [];
  for (const message of prompt) {
    if (message.role === "tool") {
      for (const part of message.content.filter(({ type }) => type === "tool-result")) {
        assert.ok(open.includes(part.toolCallId), "a result without its call");
        open = open.filter((id) => id !== part.toolCallId);
      }
    } else {
      assert.deepEqual(open, [], "a call without its result");
      open = message.role === "assistant" ? message.content.filter(({ type }) => type === "tool-call").map(({ toolCallId }) => toolCallId) : [];
    }
  }
}

/** A talk of `n` turns with tool calls, as it would come from a database. */
const talk = (n) =>
  Array.from({ length: n }, (_, i) => [
    { role: "user", content: `Look at batch ${i}.` },
    { role: "assistant", content: [{ type: "reasoning", text: `Batch ${i} next.` }, { type: "tool-call", toolCallId: `t${i}`, toolName: "getBatch", input: { n: i } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: `t${i}`, toolName: "getBatch", output: { type: "text", value: `batch ${i}: ${"row 412 FAILED NSF; ".repeat(120)}` } }] },
    { role: "assistant", content: [{ type: "text", text: `Batch ${i} holds failed rows.` }] },
  ]).flat();
const options = (more) => ({ id: "t1", rules: RULES, windowTokens: 12_000, ...more });

test("the host's system prompt stays, the rules stand behind it, and steps share their beginning", async () => {
  const { mock, seen } = worker();
  const sf = await standfast(options());
  await generateText({ model: sf.model(mock), ...head(HEAD), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  assert.equal(seen.length, 2);
  for (const prompt of seen) {
    assert.ok(system(prompt).startsWith(HEAD));
    assert.ok(standing(prompt));
  }
  const beginning = (prompt) => JSON.stringify(prompt.filter(({ role }) => role === "system"));
  assert.equal(beginning(seen[0]), beginning(seen[1]));
  sf.close();
});

test("a system prompt as messages keeps its options", async () => {
  const { mock, seen } = worker();
  const sf = await standfast(options());
  const cached = { role: "system", content: HEAD, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
  await generateText({ model: sf.model(mock), ...head(cached), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  for (const prompt of seen) {
    assert.deepEqual(prompt[0], cached);
    assert.ok(standing(prompt));
  }
});

test("without a system prompt the rules are the system prompt", async () => {
  const { mock, seen } = worker();
  const sf = await standfast(options());
  await generateText({ model: sf.model(mock), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  assert.ok(seen.length === 2 && seen.every((prompt) => standing(prompt)));
});

test("a request per turn: state by id, few compactions, no rule in a request, the host's list untouched", async () => {
  const { mock, seen } = worker();
  const store = new MemoryStore();
  const asked = [];
  const receipts = [];
  const messages = [];
  for (let i = 0; i < 12; i++) {
    const sf = await standfast(options({ store, summarizer: async (request) => (asked.push(request.text), "Work went on."), onReceipt: (receipt) => receipts.push(receipt) }));
    messages.push({ role: "user", content: `Look at batch ${i}.` });
    const result = await generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
    messages.push(...responses(result));
    sf.close();
  }
  assert.equal(messages.length, 48);
  assert.ok(receipts.length >= 2 && receipts.length <= 5, `${receipts.length} compactions`);
  assert.ok(receipts.every((receipt, i) => receipt.outcome === "compacted" && receipt.round === i + 1), "a later request goes on where the one before was saved");
  for (const prompt of seen) {
    assert.ok(standing(prompt));
    paired(prompt);
  }
  for (const rule of RULES) assert.ok(!asked.some((request) => request.includes(rule)));
});

test("two tabs: the loser takes the winner's state and pays nothing twice", async () => {
  const store = new MemoryStore();
  const messages = [...talk(8), { role: "user", content: "Go on." }];
  let asked = 0;
  const open = () => standfast(options({ store, summarizer: async () => (asked++, new Promise((resolve) => setTimeout(resolve, 20, "Work went on."))) }));
  const tabs = [await open(), await open()];
  await Promise.all(tabs.map((sf) => sf.ready({ messages, instructions: HEAD })));
  const saved = JSON.parse(store.load("t1").state);
  assert.equal(store.load("t1").version, "1", "one of two saves went through");
  assert.deepEqual(tabs.map((sf) => sf.guard.segments.length), [1, 1]);
  assert.equal(tabs[0].guard.segments[0].id, tabs[1].guard.segments[0].id);
  const before = asked;
  const third = await open();
  await third.ready({ messages, instructions: HEAD });
  assert.equal(asked, before);
  assert.ok(saved);
});

test("rules of an earlier state can be changed by id, and an unsaved change is made again on a newer state", async () => {
  const store = new MemoryStore();
  const messages = [{ role: "user", content: "Never email customers." }, { role: "assistant", content: "I will not." }, { role: "user", content: "Go on." }];
  const first = await standfast(options({ store }));
  await first.ready({ messages, instructions: HEAD });
  const host = await standfast(options({ store }));
  const other = await standfast(options({ store }));
  const rule = host.guard.rules.find((known) => known.text === "Never email customers.");
  await other.update((guard) => guard.setGoal("Settle March."));
  await host.update((guard) => guard.revoke(rule.fingerprint, { by: "ann" }));
  const last = await standfast(options({ store }));
  await last.ready({ messages, instructions: HEAD });
  assert.deepEqual(last.guard.rules.map((known) => known.text).toSorted(), RULES.toSorted());
  assert.equal(last.guard.task.goal.text ?? last.guard.task.goal, "Settle March.");
});

test("a stripped prompt, a model without prepareStep, and a stripped stream do not go out", async () => {
  const { mock, seen } = worker();
  const sf = await standfast(options());
  const messages = talk(1).slice(0, 1);
  const lost = (error) => (error.code ?? error.cause?.code) === "invariant_lost";
  await assert.rejects(generateText({ model: sf.model(mock), ...head(HEAD), messages }), lost);
  await generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  const sent = seen.length;
  const stripping = async (step) => ({ ...(await sf.prepareStep(step)), system: "stripped", instructions: "stripped" });
  await assert.rejects(generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, prepareStep: stripping }), lost);
  const errors = [];
  const stream = streamText({ model: sf.model(mock), ...head(HEAD), messages, tools, prepareStep: stripping, onError: ({ error }) => errors.push(error) });
  await stream.consumeStream();
  assert.ok(errors.some(lost));
  assert.equal(seen.length, sent, "nothing went out");
  assert.equal(sf.receipt.outcome, "invariant_lost");
  await generateText({ model: mock, prompt: "Give this chat a title." });
  assert.equal(seen.length, sent + 1, "a call without the guard is left alone");
});

test("another middleware around the guarded model that cuts the prompt is found out", async () => {
  const { mock } = worker();
  const sf = await standfast(options());
  const cutting = { specificationVersion: "v3", transformParams: async ({ params }) => ({ ...params, prompt: params.prompt.filter(({ role }) => role !== "system") }) };
  if (major === 7) delete cutting.specificationVersion;
  const outer = wrapLanguageModel({ model: sf.model(mock), middleware: cutting });
  const run = () => generateText({ model: outer, ...head(HEAD), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  // in version 6 the block is set behind what is left of the system prompt at the first step, and missed at the second
  await assert.rejects(run(), { code: "invariant_lost" });
});

test("a stream: the rules go out, and the usage is told", async () => {
  const { mock, seen } = model((prompt, n) => (prompt.at(-1).role === "user" ? call(`c${n}`, "getBatch", { n }) : text("Done.")), 900);
  const sf = await standfast(options());
  await sf.ready({ messages: talk(1).slice(0, 1), instructions: HEAD });
  const stream = streamText({ model: sf.model(mock), ...head(HEAD), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  assert.equal(await stream.text, "Done.");
  assert.equal(seen.length, 2);
  assert.ok(seen.every((prompt) => standing(prompt)));
  assert.ok(sf.guard.shouldCompact().used >= 900, "what the provider counted is known");
});

test("messages of a chat's UI are taken by ready, and the stream finds the same history", async () => {
  const chat = talk(20).flatMap(({ role, content }, i) =>
    role === "tool" ? [] : [{ id: `${i}`, role, parts: typeof content === "string" ? [{ type: "text", text: content }] : content.map((part) => (part.type === "tool-call" ? { type: "tool-getBatch", toolCallId: part.toolCallId, state: "output-available", input: part.input, output: `batch ${i}: ${"row 412 FAILED NSF; ".repeat(120)}` } : part)) }],
  );
  const { mock, seen } = model(() => text("ok"));
  const receipts = [];
  const sf = await standfast(options({ summarizer: async () => "Work went on.", onReceipt: (receipt) => receipts.push(receipt) }));
  await sf.ready({ messages: chat, instructions: HEAD });
  assert.equal(receipts.length, 1);
  const stream = streamText({ model: sf.model(mock), ...head(HEAD), messages: await convertToModelMessages(chat), prepareStep: sf.prepareStep });
  assert.equal(await stream.text, "ok");
  assert.ok(standing(seen[0]));
  paired(seen[0]);
  assert.equal(receipts.length, 1, "the history was taken for another one");
  assert.ok(JSON.stringify(seen[0]).includes("Work went on."));
  sf.close();
});

test("errorText tells what happened and no text of the conversation", async () => {
  const sf = await standfast(options());
  const stripped = new StandfastError("rule `Never pay Ann` is missing", { code: "invariant_lost", className: "InvariantLost", hint: "put the window back", details: {} });
  const wrapped = new Error("outer", { cause: stripped });
  assert.equal(errorText(wrapped), "The request was stopped (invariant_lost): put the window back");
  assert.equal(sf.errorText(new Error("secret of the conversation")), "An error occurred.");
  assert.equal(sf.errorText("text"), "An error occurred.");
});

test("approvals: nothing is folded while one is open, and a denied call keeps its request", async () => {
  const asked = [];
  const sf = await standfast(options({ summarizer: async (request) => (asked.push(request), "Work went on."), windowTokens: 14_000 }));
  const pay = tool({ description: "Pays.", inputSchema: jsonSchema({ type: "object", properties: { amount: { type: "number" } } }), needsApproval: true, execute: async () => "paid" });
  const { mock, seen } = model((prompt, n) => (prompt.at(-1).role === "user" ? call(`p${n}`, "pay", { amount: 900 }) : text("Not paid.")));
  const messages = [...talk(7), { role: "user", content: "Pay batch 9 back." }];
  const run = () => generateText({ model: sf.model(mock), ...head(HEAD), messages, tools: { ...tools, pay }, stopWhen: stepCountIs(4), prepareStep: sf.prepareStep });
  const first = await run();
  messages.push(...responses(first));
  const request = messages.at(-1).content.find((part) => part.type === "tool-approval-request");
  assert.ok(request, "the SDK asks for an approval");
  messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: false, reason: "Too much." }] });
  const second = await run();
  assert.equal(second.text, "Not paid.");
  paired(seen.at(-1));
  assert.ok(JSON.stringify(seen.at(-1)).includes("pay"));
  sf.guard.assertWindow(seen.at(-1).filter(({ role }) => role === "system"));
});

test("reasoning and images stay with the host, byte for byte", async () => {
  const { mock, seen } = worker();
  const sf = await standfast(options());
  const image = new Uint8Array([137, 80, 78, 71, 1, 2, 3]);
  const messages = [
    { role: "user", content: [{ type: "text", text: "Look at this." }, { type: "image", image, mediaType: "image/png" }, { type: "file", data: new URL("data:text/plain;base64,eA=="), mediaType: "text/plain" }] },
  ];
  await sf.ready({ messages, instructions: HEAD });
  await sf.ready({ messages, instructions: HEAD });
  const step = { steps: [], stepNumber: 0, model: mock, messages, ...(major === 7 ? { initialMessages: messages, responseMessages: [], initialInstructions: HEAD } : {}) };
  const prepared = await sf.prepareStep(step);
  assert.equal(prepared.messages[0], messages[0], "the host's own object");
  await generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, stopWhen: stepCountIs(2), prepareStep: sf.prepareStep });
  const part = seen[0].find(({ role }) => role === "user").content.find(({ type }) => type === "file");
  assert.deepEqual(part.data?.data ?? part.data, image);
});

test("a summarizer that never settles, throws or gives nothing costs its time and no rule", async () => {
  const messages = [...talk(10), { role: "user", content: "Go on." }];
  for (const summarizer of [() => new Promise(() => undefined), async () => { throw new Error("down"); }, () => { throw new Error("down"); }, async () => undefined, async () => "  ", async () => ({}), async () => 7]) {
    const { mock, seen } = worker();
    const receipts = [];
    const sf = await standfast(options({ summarizer, summarizerTimeout: 50, onReceipt: (receipt) => receipts.push(receipt) }));
    await generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, stopWhen: stepCountIs(3), prepareStep: sf.prepareStep });
    assert.ok(receipts.length > 0 && receipts.every(({ method }) => method === "extractive"), String(summarizer));
    assert.ok(receipts[0].findings.some(({ kind }) => kind === "summarizer_failed"), JSON.stringify(receipts[0].findings));
    assert.ok(seen.every((prompt) => standing(prompt)));
  }
});

test("an abort signal ends a compaction and changes nothing", async () => {
  const controller = new AbortController();
  let inner;
  const sf = await standfast(options({ signal: controller.signal, summarizer: (_, { signal }) => ((inner = signal), new Promise(() => undefined)) }));
  const ready = sf.ready({ messages: [...talk(10), { role: "user", content: "Go on." }], instructions: HEAD });
  setTimeout(() => controller.abort(new Error("the user left")), 20);
  await assert.rejects(ready, /the user left/);
  assert.ok(inner.aborted);
  assert.equal(sf.guard.segments.length, 0);
});

test("a refused compaction is told, and the run goes on while the history fits", async () => {
  const { mock, seen } = worker();
  const refused = [];
  const policy = { checks: Object.fromEntries(["fate", "authority", "identifiers", "decisions"].map((name) => [name, "refuse"])) };
  const open = (onRefusal) => standfast(options({ windowTokens: 16_000, policy, summarizer: async () => "The user approved a refund of GBP 9,000 to account GB33BUKB20201555555555.", onRefusal }));
  const messages = [...talk(10), { role: "user", content: "Go on." }];
  const sf = await open((error, guard) => void refused.push([error.code, guard instanceof Guard]));
  await generateText({ model: sf.model(mock), ...head(HEAD), messages, tools, stopWhen: stepCountIs(2), prepareStep: sf.prepareStep });
  assert.ok(refused.length > 0, "it was refused");
  assert.ok(refused.every(([code, guard]) => typeof code === "string" && guard));
  assert.ok(seen.every((prompt) => standing(prompt)));
  assert.equal(seen[0].filter(({ role }) => role !== "system").length, messages.length, "the whole history went out");
  const raising = await open(() => "raise");
  await assert.rejects(raising.ready({ messages, instructions: HEAD }), StandfastError);
});

test("a store that fails does not stop a run; it is told, and saved at the next step", async () => {
  const inner = new MemoryStore();
  let down = true;
  const errors = [];
  const fails = (work) => (...given) => {
    if (down) throw new Error("store down");
    return work(...given);
  };
  const store = {
    load: (id) => inner.load(id),
    save: fails((...given) => inner.save(...given)),
    getMany: fails((digests) => inner.getMany(digests)),
    putMany: fails((texts) => inner.putMany(texts)),
  };
  const sf = await standfast(options({ store, summarizer: async () => "Work went on.", onStoreError: (error) => errors.push(error.message) }));
  const messages = [...talk(10), { role: "user", content: "Go on." }];
  await sf.ready({ messages, instructions: HEAD });
  assert.ok(errors.length > 0 && errors.every((message) => message === "store down"));
  assert.equal(sf.guard.segments.length, 1);
  await assert.rejects(sf.update((guard) => guard.setGoal("x")), /store down/);
  down = false;
  await sf.ready({ messages, instructions: HEAD });
  assert.equal(inner.load("t1").version, "1");
});

test("boundaries: from a tool of a step, from the agent's own tool", async () => {
  const { mock } = model((prompt, n) => (prompt.at(-1).role === "user" ? call(`c${n}`, "part_done", { seam: "task_completed" }) : text("Done.")));
  const receipts = [];
  const sf = await standfast(options({ windowTokens: 20_000, summarizer: async () => "Work went on.", onReceipt: (receipt) => receipts.push(receipt.reason) }));
  await generateText({ model: sf.model(mock), ...head(HEAD), messages: [...talk(9), { role: "user", content: "Finish." }], tools: { ...tools, part_done: sf.boundaryTool }, stopWhen: stepCountIs(3), prepareStep: sf.prepareStep });
  const bySteps = await standfast(options({ id: "t2", windowTokens: 20_000, boundaries: { getBatch: "tool_phase_change" }, summarizer: async () => "Work went on.", onReceipt: (receipt) => receipts.push(receipt.reason) }));
  const { mock: second } = worker();
  await generateText({ model: bySteps.model(second), ...head(HEAD), messages: [...talk(9).slice(0, -1), { role: "assistant", content: "ok" }, { role: "user", content: "x" }].slice(4), tools, stopWhen: stepCountIs(3), prepareStep: bySteps.prepareStep });
  assert.ok(receipts.some((reason) => reason.startsWith("boundary:")), receipts.join());
});

test("the recall tool reads originals again", async () => {
  const sf = await standfast(options({ summarizer: async () => "Work went on." }));
  const run = (input) => sf.recallTool.execute(input, { toolCallId: "r", messages: [] });
  assert.match(await run({}), /Nothing was summarized/);
  await sf.ready({ messages: [...talk(10), { role: "user", content: "Go on." }], instructions: HEAD });
  assert.match(await run({ from: 2, to: 2 }), /^\[turn 2\] /m);
  assert.match(await run({ query: "batch 3 holds" }), /Batch 3 holds failed rows\./);
  assert.equal(await run({ query: "unicorn" }), "No such message.");
  assert.ok((await run({})).length < 13_000);
});

test("ToolLoopAgent, and a summarizer that is a model", async () => {
  const { mock, seen } = worker();
  const { mock: writer, seen: asked } = model(() => text("Work went on."));
  const sf = await standfast(options({ summarizer: summarize(writer) }));
  const agent = new ToolLoopAgent({ model: sf.model(mock), instructions: HEAD, tools, stopWhen: stepCountIs(3), prepareStep: sf.prepareStep });
  await agent.generate({ messages: [...talk(10), { role: "user", content: "Go on." }] });
  assert.ok(seen.length === 2 && seen.every((prompt) => standing(prompt) && system(prompt).startsWith(HEAD)));
  assert.ok(asked.length > 0);
  for (const rule of RULES) assert.ok(!JSON.stringify(asked).includes(rule));
  assert.throws(() => sf.summarize(sf.model(mock)), { code: "invalid_argument" });
  assert.throws(() => sf.model(sf.model(mock)), { code: "invalid_argument" });
});

test("bad options are typed errors", async () => {
  const bad = (given, code) => assert.rejects(standfast(given), (error) => error instanceof StandfastError && error.code === code);
  await bad({}, "invalid_argument");
  await bad(options({ id: "" }), "invalid_argument");
  await bad(options({ store: {} }), "invalid_argument");
  await bad(options({ summarizer: "gpt" }), "invalid_argument");
  await bad({ id: "a" }, "window_unknown");
  await assert.rejects(standfast(options({ rules: ["Never pay. ".repeat(9_000)] })), { name: "BudgetExceeded" });
});

test("steering messages of version 7 stand where they came in", { skip: major === 6 }, async () => {
  const { experimental_createSteering: createSteering } = await import("ai");
  const steering = createSteering();
  const { mock, seen } = model((prompt, n) => {
    if (n === 1) void steering.steer("Be brief.");
    return n < 3 ? call(`c${n}`, "getBatch", { n }) : text("Done.");
  });
  const sf = await standfast(options());
  await generateText({ model: sf.model(mock), ...head(HEAD), messages: talk(1).slice(0, 1), tools, stopWhen: stepCountIs(5), prepareStep: sf.prepareStep, experimental_steering: steering });
  const roles = (prompt) => prompt.filter(({ role }) => role !== "system").map(({ role, content }) => (role === "user" ? content[0].text : role));
  assert.deepEqual(roles(seen[1]), ["Look at batch 0.", "assistant", "tool", "Be brief."]);
  assert.deepEqual(roles(seen[2]), ["Look at batch 0.", "assistant", "tool", "Be brief.", "assistant", "tool"]);
  seen.forEach((prompt) => (paired(prompt), assert.ok(standing(prompt))));
});

test("version 7 carries a window forward, and the next step still sees the whole list", { skip: major === 6 }, async () => {
  const { mock, seen } = model((prompt, n) => (n < 4 ? call(`c${n}`, "getBatch", { n }) : text("Done.")));
  const rounds = [];
  const sf = await standfast(options({ summarizer: async () => "Work went on.", onReceipt: ({ round }) => rounds.push(round) }));
  const result = await generateText({ model: sf.model(mock), ...head(HEAD), messages: [...talk(12), { role: "user", content: "Go on." }], tools, stopWhen: stepCountIs(6), prepareStep: sf.prepareStep });
  assert.ok(rounds.length >= 1);
  // a host that appends `result.response.messages` loses every step but the last: nothing that a wrapped model or `prepareStep` could mend
  assert.deepEqual([result.response.messages.length, result.responseMessages.length], [1, 7]);
  seen.forEach((prompt) => {
    paired(prompt);
    assert.ok(standing(prompt));
    assert.equal(system(prompt).split("NON-NEGOTIABLE").length, 2, "the block stands once, not once per step");
    assert.equal(JSON.stringify(prompt).split("<standfast-memory>").length, 2, "one memory message");
  });
});
