// LangChain messages as the engine reads them.

import type { BaseMessage } from "@langchain/core/messages";

type Block = Readonly<Record<string, unknown>> & { readonly type?: string };

const text = (value: unknown): string => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));

/** Blocks that say again what the message's calls say. */
const CALLS: ReadonlySet<string> = new Set(["tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "input_json_delta", "function_call"]);
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", developer: "system", tool: "tool", function: "tool" };

interface Fields {
  additional_kwargs?: Readonly<Record<string, unknown>>;
  tool_calls?: readonly { id?: string; name: string; args: unknown }[];
  invalid_tool_calls?: readonly { id?: string; name?: string; args?: string }[];
  tool_call_id?: string;
  status?: string;
  name?: string;
  role?: string;
}

/** A message of the engine's AI SDK shape. */
export function wire(message: BaseMessage): object {
  const fields = message as unknown as Fields;
  const type = message.getType();
  const role = ROLES[type] ?? (fields.role === "assistant" || fields.role === "system" ? fields.role : "user");
  const extra = fields.additional_kwargs ?? {};
  // how LangChain's own summaries name themselves
  const marked = extra["lc_source"] === undefined ? {} : { additional_kwargs: { lc_source: extra["lc_source"] } };
  if (role === "tool") return { role, content: [result(message, fields)], ...marked };
  const parts = content(message.content).map(part);
  if (role !== "assistant") return { role, content: typeof message.content === "string" ? message.content : parts, ...marked };
  if (typeof extra["reasoning_content"] === "string") parts.unshift({ type: "reasoning", text: extra["reasoning_content"] });
  for (const { id, name, args } of [...(fields.tool_calls ?? []), ...(fields.invalid_tool_calls ?? [])]) {
    // a call without an id has no result that could lose it
    if (id !== undefined) parts.push({ type: "tool-call", toolCallId: id, toolName: name ?? "tool", input: args });
  }
  return { role, content: parts, ...marked };
}

function content(given: unknown): Block[] {
  if (typeof given === "string") return given === "" ? [] : [{ type: "text", text: given }];
  const blocks = Array.isArray(given) ? (given as (Block | string)[]) : [];
  return blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)).filter((block) => !CALLS.has(block.type ?? ""));
}

function part(block: Block): object {
  switch (block.type) {
    case "text":
      return { type: "text", text: text(block["text"]) };
    case "reasoning":
    case "thinking":
    case "redacted_thinking":
      return { ...block, type: "reasoning", text: text(block["reasoning"] ?? block["thinking"] ?? block["text"]) };
    case "image":
    case "image_url":
      return { type: "image", image: text(block["url"] ?? block["data"] ?? block["image_url"] ?? block["source"]) };
    default:
      return block;
  }
}

function result(message: BaseMessage, { tool_call_id: id, name, status }: Fields): object {
  const failed = status === "error";
  const value = message.content;
  const output = typeof value === "string" ? { type: failed ? "error-text" : "text", value } : failed ? { type: "error-json", value } : { type: "content", value: content(value).map(part) };
  return { type: "tool-result", toolCallId: id ?? `function:${name}`, toolName: name ?? "tool", output };
}
