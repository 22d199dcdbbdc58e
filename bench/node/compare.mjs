// Prints what is left after 1, 5 and 10 rounds of compaction by four ways, on the transcripts of bench/transcripts, with one
// summarizer that writes "Work went on.": node bench/node/compare.mjs (after `npm ci && npm run build` in npm/).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const npm = createRequire(new URL("../../npm/package.json", import.meta.url));
const from = (name) => import(pathToFileURL(npm.resolve(name)).href);
const { pruneMessages } = await from("ai");
const { summarizationMiddleware } = await from("langchain");
const { FakeListChatModel } = await from("@langchain/core/utils/testing");
const { AIMessage, HumanMessage, ToolMessage } = await from("@langchain/core/messages");
const { MemoryStore } = await from("standfast");
const { standfast } = await from("standfast/ai-sdk");

const SUMMARY = "Work went on.";
const ROUNDS = 10;
const KEEP = 20;

/** A transcript's message in the AI SDK's form. */
function toAi(message, names) {
  if (message.role === "tool") {
    return { role: "tool", content: [{ type: "tool-result", toolCallId: message.tool_call_id, toolName: names.get(message.tool_call_id) ?? "tool", output: { type: "text", value: message.content } }] };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  const content = message.content ? [{ type: "text", text: message.content }] : [];
  for (const call of message.tool_calls ?? []) {
    names.set(call.id, call.function.name);
    content.push({ type: "tool-call", toolCallId: call.id, toolName: call.function.name, input: JSON.parse(call.function.arguments || "{}") });
  }
  return { role: "assistant", content };
}

function toLangChain(message) {
  if (message.role === "user") return new HumanMessage(message.content);
  if (message.role === "tool") return new ToolMessage({ content: message.content[0].output.value, tool_call_id: message.content[0].toolCallId });
  const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const calls = parts.filter(({ type }) => type === "tool-call");
  return new AIMessage({
    content: parts.filter(({ type }) => type === "text").map(({ text }) => text).join("\n"),
    tool_calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, args: input, type: "tool_call" })),
  });
}

/** A request of any of the four in one form. */
function seen(message) {
  if (typeof message.getType === "function") {
    const role = { human: "user", ai: "assistant", tool: "tool" }[message.getType()];
    return { role, text: message.text, calls: (message.tool_calls ?? []).map(({ id }) => id), results: message.tool_call_id ? [message.tool_call_id] : [] };
  }
  const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const ids = (type) => parts.filter((part) => part.type === type).map(({ toolCallId }) => toolCallId);
  return { role: message.role, text: parts.map((part) => part.text ?? part.output?.value ?? "").join("\n"), calls: ids("tool-call"), results: ids("tool-result") };
}

function valid(list) {
  const open = new Set();
  for (const { role, calls, results } of list) {
    if (role !== "tool" && open.size > 0) return false;
    for (const id of results) if (!open.delete(id)) return false;
    for (const id of calls) open.add(id);
  }
  return open.size === 0;
}

const alive = (request, rules) => rules.filter(({ text }) => [request.system, ...request.list.filter(({ role }) => role === "user").map(({ text: said }) => said)].some((said) => said.includes(text))).length;

/**
 * The four ways: each takes the whole history of the moment and gives the request. A rule of the operator is a message of its own
 * where it was given; for standfast it is declared there.
 */
const WAYS = {
  "summarize and keep 20": ({ system }) => {
    let kept = [];
    let known = 0;
    return (history) => {
      kept = [{ role: "user", content: `Summary of the conversation so far: ${SUMMARY}` }, ...[...kept, ...history.slice(known)].slice(-KEEP)];
      known = history.length;
      return { system, list: kept };
    };
  },
  "AI SDK pruneMessages": ({ system }) => (history) => ({ system, list: pruneMessages({ messages: history, reasoning: "all", toolCalls: `before-last-${KEEP}-messages`, emptyMessages: "remove" }) }),
  "LangChain.js summarizationMiddleware": ({ system }) => {
    const middleware = summarizationMiddleware({ model: new FakeListChatModel({ responses: [SUMMARY] }), trigger: { messages: KEEP + 1 }, keep: { messages: KEEP } });
    const hook = middleware.beforeModel.hook ?? middleware.beforeModel;
    let kept = [];
    let known = 0;
    return async (history) => {
      const state = { messages: [...kept, ...history.slice(known).map(toLangChain)] };
      known = history.length;
      const update = await hook(state, { context: {} });
      kept = (update?.messages ?? state.messages).filter((message) => message.getType() !== "remove");
      return { system, list: kept };
    };
  },
  standfast: async ({ system, windowTokens }) => {
    const sf = await standfast({ id: "bench", store: new MemoryStore(), windowTokens, instructions: system, summarizer: async () => SUMMARY });
    return async (all, declared) => {
      const history = all.filter((message) => !declared.has(message));
      await sf.update((guard) => guard.setRules("policy_loader", [...declared.values()]));
      await sf.ready({ messages: history, instructions: system });
      // each way compacts at the same points
      await sf.guard.compact(async () => SUMMARY, { asked: "requested" });
      const { messages, system: slot } = await sf.prepareStep({ steps: [], stepNumber: 0, messages: history });
      return { system: slot, list: messages };
    };
  },
};

const prefix = (a, b) => {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i / a.length;
};
const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
const totals = {};

for (const name of ["settlements", "medical", "coding"]) {
  const { messages, rules, window_tokens: windowTokens } = JSON.parse(readFileSync(new URL(`../transcripts/${name}.json`, import.meta.url), "utf8"));
  const [{ content: system }] = messages;
  const names = new Map();
  const history = [];
  const operators = new Map();
  let waiting = [];
  const said = new Map();
  for (const [at, message] of messages.entries()) {
    if (at === 0) continue;
    waiting.push(...rules.filter((rule) => rule.message === at && rule.given === "declared"));
    if (message.role === "user") {
      for (const rule of waiting) {
        const given = { role: "user", content: rule.text };
        operators.set(given, rule.text);
        said.set(rule, history.length);
        history.push(given);
      }
      waiting = [];
    }
    for (const rule of rules) if (rule.message === at && rule.given === "said") said.set(rule, history.length);
    history.push(toAi(message, names));
  }
  for (const [way, make] of Object.entries(WAYS)) {
    const request = await make({ system, windowTokens });
    const total = (totals[way] ??= { alive: { 1: 0, 5: 0, 10: 0 }, due: { 1: 0, 5: 0, 10: 0 }, valid: 0, prompts: 0, stable: [], sizes: [] });
    let before;
    for (let round = 1; round <= ROUNDS; round++) {
      // the end of a turn: what follows is a user's message
      let end = Math.floor((history.length * round) / ROUNDS);
      while (end < history.length && history[end].role !== "user") end++;
      const now = history.slice(0, end);
      const given = await request(now, new Map(now.filter((message) => operators.has(message)).map((message) => [message, operators.get(message)])));
      const view = { system: typeof given.system === "string" ? given.system : given.system.map(({ content }) => content).join("\n"), list: given.list.map(seen) };
      const due = rules.filter((rule) => said.get(rule) < end);
      if (round in total.alive) {
        total.alive[round] += alive(view, due);
        total.due[round] += due.length;
      }
      total.valid += valid(view.list) ? 1 : 0;
      total.prompts += 1;
      const text = JSON.stringify([view.system, ...view.list]);
      total.sizes.push(text.length);
      if (before !== undefined) total.stable.push(prefix(before, text));
      before = text;
    }
  }
}

const percent = (part) => `${(100 * part).toFixed(0)} %`;
console.log(`| after 10 compactions of 3 transcripts, same summarizer | alive after 1 | 5 | 10 | valid prompts | stable prefix | characters, mean |\n|---|---|---|---|---|---|---|`);
for (const [way, { alive: kept, due, valid: good, prompts, stable, sizes }] of Object.entries(totals)) {
  console.log(`| ${way} | ${[1, 5, 10].map((round) => percent(kept[round] / due[round])).join(" | ")} | ${percent(good / prompts)} | ${percent(mean(stable))} | ${Math.round(mean(sizes))} |`);
}

/** A call at 1,000 messages that are known. */
async function warm() {
  const history = Array.from({ length: 250 }, (_, i) => [
    { role: "user", content: `Look at batch ${i}.` },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `t${i}`, toolName: "getBatch", input: { n: i } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: `t${i}`, toolName: "getBatch", output: { type: "text", value: `batch ${i}: ${"row 412 FAILED NSF; ".repeat(20)}` } }] },
    { role: "assistant", content: [{ type: "text", text: `Batch ${i} holds failed rows.` }] },
  ]).flat();
  const sf = await standfast({ id: "warm", rules: ["Never deploy on a Friday."], windowTokens: 400_000, instructions: "You are an agent." });
  const answer = { content: [{ type: "text", text: "ok" }], finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens: { total: 0 }, outputTokens: { total: 1 } }, warnings: [] };
  const model = sf.model({ specificationVersion: "v3", provider: "bench", modelId: "none", supportedUrls: {}, doGenerate: async () => answer });
  const times = [];
  // processor time of the process, so that other work on the machine does not count
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  for (let i = 0; i < 101; i++) {
    const start = spent();
    const { messages, system } = await sf.prepareStep({ steps: [], stepNumber: 0, messages: history });
    const made = spent();
    const prompt = [{ role: "system", content: system }, ...messages.map((message) => (typeof message.content === "string" ? { ...message, content: [{ type: "text", text: message.content }] } : message))];
    const asked = spent();
    await model.doGenerate({ prompt });
    times.push(made - start + spent() - asked);
  }
  return times.slice(1).sort((a, b) => a - b)[50];
}

/** What a page ships for it: minified, gzip -9. */
async function shipped(code) {
  const { build } = await from("esbuild");
  const { outputFiles } = await build({ stdin: { contents: code, resolveDir: fileURLToPath(new URL("../../npm/test", import.meta.url)) }, bundle: true, minify: true, write: false, format: "esm", platform: "browser", logLevel: "silent", external: ["node:*"], tsconfigRaw: "{}" });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

console.log(`\noverhead of a call at 1,000 known messages, check included: ${(await warm()).toFixed(2)} ms of processor time (median of 100)`);

console.log("\n| shipped to a page, minified, gzip -9 | bytes |\n|---|---|");
const wasm = gzipSync(readFileSync(new URL("../../npm/dist/standfast_bg.wasm", import.meta.url)), { level: 9 }).length;
const generate = await shipped('import { generateText } from "ai"; console.log(generateText);');
for (const [what, code, more] of [
  ["AI SDK pruneMessages", 'import { pruneMessages } from "ai"; console.log(pruneMessages);', 0],
  ["LangChain.js summarizationMiddleware", 'import { summarizationMiddleware } from "langchain"; console.log(summarizationMiddleware);', 0],
  ["standfast, the engine's script", 'import { Guard, init } from "standfast"; console.log(Guard, init);', 0],
  ["standfast, the wasm", undefined, wasm],
]) {
  const bytes = code === undefined ? 0 : await shipped(code).catch(() => NaN);
  console.log(`| ${what} | ${Number.isNaN(bytes) ? "does not bundle for a page" : bytes + more} |`);
}
console.log(`| what standfast/ai-sdk adds to generateText | ${(await shipped('import { generateText } from "ai"; import { standfast } from "standfast/ai-sdk"; console.log(generateText, standfast);')) - generate + wasm} |`);
