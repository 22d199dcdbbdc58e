// Session files of Claude Code and Codex for the page, made from the project's own transcripts: compacted twice, the plain way, by
// the drifting summarizer. Run when the page is built.

import { readScript, speaker, textOf, type Message, type Script } from "./src/script.js";
import { drifting } from "./src/summarizers.js";

interface Step {
  readonly at: number;
  readonly message: Message;
}

/** The conversation with its rules where they were given, and the summaries of compactions after so many messages. */
async function told(script: Script, cuts: readonly number[]): Promise<(Step | { readonly summary: string; readonly stays: readonly Message[] })[]> {
  const steps: Awaited<ReturnType<typeof told>> = [];
  let [since, summary]: [Step[], string] = [[], ""];
  for (const [at, message] of script.messages.entries()) {
    for (const rule of script.rules) if (rule.message === at && !rule.said) since.push({ at, message: { role: "user", content: rule.text } });
    since.push({ at, message });
    if (!cuts.includes(at)) continue;
    const lines = since.map((step) => JSON.stringify({ role: speaker(step.message) === "user" ? "user" : "assistant", text: textOf(step.message) }));
    summary = await drifting({ text: [JSON.stringify({ role: "user", text: summary }), ...lines].join("\n"), budgetTokens: 1_500 });
    steps.push(...since, { summary, stays: since.slice(-1).map((step) => step.message) });
    since = [];
  }
  return [...steps, ...since];
}

const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const CUTS = [120, 250];

/** As Claude Code writes a session. */
export async function claudeCode(transcript: string): Promise<string> {
  const script = readScript(transcript, "", []);
  let id = 0;
  let parent: string | null = null;
  const line = (fields: object): object => {
    const uuid = `00000000-0000-4000-8000-${String(++id).padStart(12, "0")}`;
    const made = { parentUuid: parent, isSidechain: false, userType: "external", cwd: "/home/ines/lantern", sessionId: "5a3c0d1e-7f42-4b6a-9d10-2f8e6c4b7a91", version: "2.1.0", ...fields, uuid, timestamp: new Date(Date.UTC(2026, 8, 14, 8, 0, id * 20)).toISOString() };
    parent = uuid;
    return made;
  };
  const all = (await told(script, CUTS)).flatMap((step) => {
    if ("summary" in step) {
      const content = `This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\n${step.summary}`;
      return [
        line({ type: "system", subtype: "compact_boundary", content: "Conversation compacted", level: "info", compactMetadata: { trigger: "auto", preTokens: 14_800 } }),
        line({ type: "user", isCompactSummary: true, isVisibleInTranscriptOnly: true, message: { role: "user", content } }),
      ];
    }
    const { message } = step;
    if (message["role"] === "system") return [];
    const calls = (message["tool_calls"] ?? []) as { id: string; function: { name: string; arguments: string } }[];
    const uses = calls.map(({ id: call, function: { name, arguments: args } }) => ({ type: "tool_use", id: call, name, input: JSON.parse(args) as unknown }));
    if (message["role"] === "tool") return [line({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: message["tool_call_id"], content: textOf(message) }] } })];
    if (message["role"] === "user") return [line({ type: "user", message: { role: "user", content: textOf(message) } })];
    const said = typeof message["content"] === "string" && message["content"] !== "" ? [{ type: "text", text: message["content"] }] : [];
    const answer = `msg_${step.at}`;
    return [...said, ...uses].map((block) => line({ type: "assistant", message: { id: answer, type: "message", role: "assistant", model: "sample", content: [block] } }));
  });
  return lines(all);
}

/** As Codex writes a session. */
export async function codex(transcript: string): Promise<string> {
  const script = readScript(transcript, "", []);
  let seconds = 0;
  const line = (type: string, payload: object): object => ({ timestamp: new Date(Date.UTC(2026, 8, 14, 8, 0, ++seconds * 20)).toISOString(), type, payload });
  const words = (role: string, text: string): object => ({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
  const all = (await told(script, CUTS)).flatMap((step) => {
    if ("summary" in step) {
      const summary = `Another language model started to solve this problem and produced a summary of its thinking process.\n${step.summary}`;
      return [line("compacted", { message: step.summary, replacement_history: [words("user", summary)] }), line("event_msg", { type: "context_compacted" })];
    }
    const { message } = step;
    const calls = (message["tool_calls"] ?? []) as { id: string; function: { name: string; arguments: string } }[];
    if (message["role"] === "system") return [];
    if (message["role"] === "tool") return [line("response_item", { type: "function_call_output", call_id: message["tool_call_id"], output: textOf(message) })];
    const said = typeof message["content"] === "string" && message["content"] !== "" ? [line("response_item", words(String(message["role"]), message["content"]))] : [];
    return [...said, ...calls.map(({ id, function: { name, arguments: args } }) => line("response_item", { type: "function_call", name, arguments: args, call_id: id }))];
  });
  return lines([line("session_meta", { id: "0199f3a2-5b7c-7d31-8e44-6a1f0c9b2d57", cwd: "/home/temi/recon", originator: "codex_cli_rs", cli_version: "0.150.0" }), ...all]);
}
