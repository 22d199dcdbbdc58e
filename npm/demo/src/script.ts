// A conversation as the page plays it: messages, and the rules that were given beside them.

import { countTokens, readSession, type Session } from "standfast";

export type Message = Readonly<Record<string, unknown>>;

/** A rule, and the message before which it is declared or in which it is said. */
export interface Given {
  readonly text: string;
  readonly message: number;
  readonly source: string;
  readonly said: boolean;
}

export interface Script {
  readonly name: string;
  readonly format: Session["format"];
  /** The system slot beside the list. */
  readonly system: unknown;
  readonly messages: readonly Message[];
  readonly rules: readonly Given[];
  readonly windowTokens: number;
  readonly tokens: number;
  /** Lines of the file that could not be read. */
  readonly unread: number;
  readonly compactions: Session["compactions"];
}

const record = (value: unknown): Message => (typeof value === "object" && value !== null ? (value as Message) : {});

/** Everything a model reads of a message, as one text. */
export function textOf(message: unknown): string {
  const { content, parts: pieces, tool_calls: calls, reasoning_content: reasoning } = record(message);
  const parts = [typeof reasoning === "string" ? reasoning : "", contentText(content ?? pieces)];
  for (const call of Array.isArray(calls) ? calls : []) {
    const { name, arguments: args } = record(record(call)["function"]);
    parts.push(`${typeof name === "string" ? name : ""}(${typeof args === "string" ? args : ""})`);
  }
  return parts.filter((part) => part !== "").join("\n");
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(blockText).filter((text) => text !== "").join("\n");
}

function blockText(given: unknown): string {
  const block = record(given);
  const { type, content, name, toolName, input, output, functionCall, functionResponse } = block;
  if (functionCall !== undefined || functionResponse !== undefined) return JSON.stringify(functionCall ?? functionResponse);
  if (type === "tool_use" || type === "tool-call") return `${String(name ?? toolName ?? "")}(${JSON.stringify(input ?? null)})`;
  if (type === "tool_result") return contentText(content);
  if (type === "tool-result") {
    const { value } = record(output);
    return typeof value === "string" ? value : JSON.stringify(value ?? "");
  }
  const text = block["text"] ?? block["thinking"];
  return typeof text === "string" ? text : "";
}

/** Whose words a message is. */
export function speaker(message: Message): "operator" | "user" | "agent" | "external" {
  const { role, content } = message;
  if (role === "system" || role === "developer") return "operator";
  if (role === "assistant" || role === "model") return "agent";
  const blocks = content ?? message["parts"];
  const result = Array.isArray(blocks) && blocks.length > 0 && blocks.every((block) => record(block)["type"] === "tool_result" || record(block)["functionResponse"] !== undefined);
  return role === "user" && !result ? "user" : "external";
}

/** A message of ours among those of a conversation. Gemini has its texts in parts, and no system messages. */
export function added(role: "system" | "user", text: string, among: readonly Message[]): Message {
  return Array.isArray(among[0]?.["parts"]) ? { role: "user", parts: [{ text }] } : { role, content: text };
}

/** How many leading system messages there are. */
export function headOf(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return first < 0 ? messages.length : first;
}

/** Tokens of a list with its system slot. */
export function tokensOf(system: unknown, messages: readonly unknown[]): number {
  return messages.reduce((sum: number, message) => sum + countTokens(textOf(message)) + 4, countTokens(contentText(system)));
}

/** Reads the text of a file. `declared` are rules of other files; its own are left out where they are not `wanted`. */
export function readScript(text: string, name: string, declared: readonly string[], wanted = true): Script {
  const session = readSession(text);
  const messages = session.messages as Message[];
  const head = headOf(messages);
  const own = beside(text, messages.length);
  const rules = [...declared.map((rule) => ({ text: rule, message: head, source: "policy_loader", said: false })), ...(wanted ? own.rules : [])];
  const tokens = tokensOf(session.system, messages);
  const fixed = tokensOf(session.system, messages.slice(0, head));
  // without a window of its own: one that is filled about five times
  const windowTokens = own.windowTokens ?? Math.max(2_000, 2 * fixed + Math.floor(((tokens - fixed) * 5) / 11));
  return { name: own.name ?? name, format: session.format, system: session.system ?? undefined, messages, rules, windowTokens, tokens, unread: session.unread, compactions: session.compactions };
}

/** What the project's own transcripts tell beside their messages. */
function beside(text: string, length: number): { name?: string; windowTokens?: number; rules: Given[] } {
  if (!text.trimStart().startsWith("{")) return { rules: [] };
  let found: Message = {};
  try {
    found = record(JSON.parse(text));
  } catch {
    return { rules: [] };
  }
  const rules: Given[] = [];
  for (const given of Array.isArray(found["rules"]) ? (found["rules"] as unknown[]) : []) {
    const { text: rule, message = 0, source = "policy_loader", given: how } = typeof given === "string" ? { text: given } : (record(given) as Record<string, unknown>);
    if (typeof rule !== "string" || typeof message !== "number" || message < 0 || message >= length) continue;
    rules.push({ text: rule, message, source: String(source), said: how === "said" });
  }
  const { name, window_tokens: window } = found;
  return {
    rules,
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof window === "number" && Number.isInteger(window) && window >= 1_000 ? { windowTokens: window } : {}),
  };
}
