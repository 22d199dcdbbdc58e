// standfast/langchain in agents of LangChain.js, with a model that is a function.

import { test } from "node:test";
import assert from "node:assert/strict";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { MemoryStore } from "standfast";
import { standfast } from "standfast/langchain";

const RULES = ["Never issue a refund above GBP 500 without a human approver.", "Patient is allergic to penicillin."];
const HEAD = "You are a settlements agent.";

/** Calls the tool for each message of a person, then answers; keeps what it was sent. */
class Model extends BaseChatModel {
  seen = [];
  bound = [];
  _llmType() {
    return "fake";
  }
  bindTools(tools) {
    this.bound = tools;
    return this;
  }
  async _generate(messages) {
    this.seen.push(messages);
    const n = this.seen.length;
    const message = messages.at(-1).getType() === "human"
      ? new AIMessage({ content: "", tool_calls: ["a", "b"].map((half) => ({ id: `c${n}${half}`, name: "get_batch", args: { n }, type: "tool_call" })) })
      : new AIMessage(`Batch looked at, request ${n}. Nothing unusual in this one.`);
    return { generations: [{ text: "", message }] };
  }
}
const getBatch = tool(async ({ n }) => `batch ${n}: ${"row 412 FAILED NSF; ".repeat(60)}`, {
  name: "get_batch",
  description: "Rows of one batch.",
  schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
});
const options = (more) => ({ rules: RULES, windowTokens: 12_000, summarizer: async () => "Work went on.", ...more });
const agentOf = (model, middleware, more) => createAgent({ model, tools: [getBatch], systemPrompt: HEAD, middleware, checkpointer: new MemorySaver(), ...more });
const thread = (id, more) => ({ configurable: { thread_id: id }, ...more });

function checked(messages) {
  const [system] = messages;
  assert.equal(system.getType(), "system");
  assert.ok(system.text.startsWith(HEAD));
  for (const rule of RULES) assert.equal(system.text.split(rule).length, 2);
  const open = new Set();
  for (const message of messages) {
    if (message.getType() === "tool") assert.ok(open.delete(message.tool_call_id), "a result without its call");
    else assert.equal(open.size, 0, "a call without its result");
    for (const { id } of message.tool_calls ?? []) open.add(id);
  }
}

async function talk(agent, times, id = "t1", more) {
  let state;
  for (let i = 0; i < times; i++) state = await agent.invoke({ messages: [new HumanMessage(`Look at batch ${i}.`)] }, thread(id, more));
  return state;
}

for (const [kind, store] of [["in this process", undefined], ["in a store", new MemoryStore()]]) {
  test(`many turns, states ${kind}: rules in every request, the agent's state untouched`, async () => {
    const plainModel = new Model({});
    const plain = await talk(agentOf(plainModel, []), 20);
    const model = new Model({});
    const rounds = [];
    const sf = standfast(options({ store, onReceipt: ({ round }) => rounds.push(round) }));
    const state = await talk(agentOf(model, [sf]), 20, "t1", { callbacks: [sf.check] });
    assert.ok(rounds.length >= 2);
    assert.deepEqual(rounds, rounds.map((_, i) => i + 1));
    model.seen.forEach(checked);
    assert.equal(model.seen.length, 40);
    assert.ok(model.seen.some((messages) => String(messages[1].content).startsWith("<standfast-memory>")));
    assert.ok(Math.max(...model.seen.map((messages) => JSON.stringify(messages).length)) < 70_000);
    const plainly = (messages) => messages.map((message) => [message.getType(), message.content, message.tool_calls?.map(({ id }) => id)]);
    assert.deepEqual(plainly(state.messages), plainly(plain.messages));
  });
}

test("without a thread each run is its own, and a summary is not paid for twice", async () => {
  const asked = [];
  const sf = standfast(options({ summarizer: async (request) => (asked.push(request.id), "Work went on.") }));
  const messages = Array.from({ length: 40 }, (_, i) => (i % 2 ? new AIMessage(`Done ${i}. ${"work ".repeat(200)}`) : new HumanMessage(`Step ${i}. ${"work ".repeat(200)}`)));
  const model = new Model({});
  const agent = createAgent({ model, tools: [getBatch], systemPrompt: HEAD, middleware: [sf] });
  await agent.invoke({ messages: [...messages, new HumanMessage("Go on.")] });
  const once = asked.length;
  assert.ok(once > 0);
  await agent.invoke({ messages: [...messages, new HumanMessage("Go on.")] });
  assert.equal(asked.length, once);
  model.seen.forEach(checked);
});

test("middleware behind ours that strips the rules stops the call", async () => {
  const stripping = createMiddleware({ name: "stripping", wrapModelCall: (request, handler) => handler({ ...request, systemMessage: new SystemMessage("stripped") }) });
  const model = new Model({});
  const sf = standfast(options());
  const agent = agentOf(model, [sf, stripping]);
  await assert.rejects(talk(agent, 1, "t1", { callbacks: [sf.check] }), (error) => {
    while (error.code === undefined && error.cause !== undefined) error = error.cause;
    return error.code === "invariant_lost";
  });
  assert.equal(model.seen.length, 0);
});

test("middleware before ours may trim messages, and no rule is lost", async () => {
  const trimming = createMiddleware({ name: "trimming", wrapModelCall: (request, handler) => handler({ ...request, messages: request.messages.slice(-1) }) });
  const model = new Model({});
  const sf = standfast(options());
  await talk(agentOf(model, [trimming, sf]), 2, "t1", { callbacks: [sf.check] }).catch((error) => assert.fail(error));
  for (const [system] of model.seen) for (const rule of RULES) assert.ok(system.text.includes(rule));
});

test("rules can be changed by the thread's id", async () => {
  const store = new MemoryStore();
  const model = new Model({});
  const sf = standfast(options({ store }));
  const agent = agentOf(model, [sf]);
  await agent.invoke({ messages: [new HumanMessage("Never email customers.")] }, thread("t9"));
  await sf.update("t9", (guard) => {
    const rule = guard.rules.find(({ text }) => text === "Never email customers.");
    guard.revoke(rule.fingerprint, { by: "ann" });
  });
  await agent.invoke({ messages: [new HumanMessage("Go on.")] }, thread("t9"));
  await sf.update("t9", (guard) => assert.deepEqual(guard.rules.map(({ text }) => text).toSorted(), RULES.toSorted()));
});

test("the recall tool is bound and reads originals", async () => {
  for (const store of [undefined, new MemoryStore()]) {
    class Recalling extends Model {
      async _generate(messages) {
        const last = messages.at(-1);
        if (last.getType() === "human" && String(last.content).startsWith("Recall")) {
          this.seen.push(messages);
          return { generations: [{ text: "", message: new AIMessage({ content: "", tool_calls: [{ id: "r1", name: "recall", args: { from: 1, to: 1 }, type: "tool_call" }] }) }] };
        }
        return super._generate(messages);
      }
    }
    const model = new Recalling({});
    const sf = standfast(options({ recall: true, store }));
    const agent = agentOf(model, [sf]);
    await talk(agent, 12);
    const state = await agent.invoke({ messages: [new HumanMessage("Recall turn 1.")] }, thread("t1"));
    const answer = state.messages.find((message) => message.getType() === "tool" && message.tool_call_id === "r1");
    assert.match(String(answer.content), /^\[turn 1\] /);
  }
});

test("streamed runs, blocks in the system message, failed tools and images", async () => {
  const model = new Model({});
  const sf = standfast(options());
  const agent = agentOf(model, [sf], { systemPrompt: new SystemMessage({ content: [{ type: "text", text: HEAD, cache_control: { type: "ephemeral" } }] }) });
  const messages = [
    new HumanMessage({ content: [{ type: "text", text: "Look." }, { type: "image_url", image_url: { url: "https://x.example/a.png" } }] }),
    new AIMessage({ content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }, { type: "tool_use", id: "x1", name: "get_batch", input: {} }], tool_calls: [{ id: "x1", name: "get_batch", args: {}, type: "tool_call" }] }),
    new ToolMessage({ content: "boom", tool_call_id: "x1", status: "error" }),
    new HumanMessage("Go on."),
  ];
  for await (const _ of await agent.stream({ messages }, { ...thread("t3"), streamMode: "values" }));
  const [system, ...rest] = model.seen[0];
  assert.equal(system.content.length, 2);
  assert.deepEqual(system.content[0].cache_control, { type: "ephemeral" });
  for (const rule of RULES) assert.ok(system.text.includes(rule));
  assert.equal(rest.length, 4);
  assert.deepEqual(rest[1].content, messages[1].content, "the host's own messages");
});
