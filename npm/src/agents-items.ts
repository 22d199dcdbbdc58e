// Items of the OpenAI Agents SDK as the engine reads them: grouped into messages that are never torn, each with the items it
// stands for.

/** An item, as far as it is read here. */
export type Item = { readonly type?: string; readonly role?: string } & Readonly<Record<string, unknown>>;

/** A message for the engine and the host's items that it stands for. */
export interface Group {
  readonly wire: object;
  readonly items: readonly Item[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));

/** The list in groups. Reasoning stays with the item that follows it; calls and results find each other by their ids. */
export function grouped(items: readonly Item[]): Group[] {
  const groups: Group[] = [];
  let reasoning: Item[] = [];
  for (const item of items) {
    if (item.type === "reasoning") {
      reasoning.push(item);
      continue;
    }
    const wire = other(item);
    if (wire !== undefined) {
      if (reasoning.length > 0) groups.push(said(reasoning));
      groups.push({ wire, items: [item] });
    } else {
      groups.push(said([...reasoning, item]));
    }
    reasoning = [];
  }
  if (reasoning.length > 0) groups.push(said(reasoning));
  return groups;
}

/** What an assistant said or called. */
function said(items: readonly Item[]): Group {
  return { wire: { role: "assistant", content: items.flatMap(parts) }, items };
}

/** The message of an item that is not the assistant's. */
function other(item: Item): object | undefined {
  const { role, type = "" } = item;
  if (role === "user" || role === "system") return { role, content: content(item["content"]) };
  if (type === "compaction") return { type, encrypted_content: text(item["encrypted_content"]) };
  if (isApproval(item, "response")) {
    const id = provider(item)["approval_request_id"] ?? item["id"];
    return { role: "tool", content: [{ type: "tool-approval-response", approvalId: text(id), approved: provider(item)["approve"] === true }] };
  }
  if (/_(result|output)$/.test(type) && callId(item) !== undefined) {
    return { role: "tool", content: [{ type: "tool-result", toolCallId: callId(item), toolName: text(item["name"] ?? type), output: output(item["output"] ?? item["tools"]) }] };
  }
  return undefined;
}

function parts(item: Item): object[] {
  const { type = "" } = item;
  if (type === "reasoning") return [{ type: "reasoning", text: [...texts(item["content"]), ...texts(item["rawContent"])].join("\n") }];
  if (item.role === "assistant") return content(item["content"]) as object[];
  if (isApproval(item, "request")) return [{ type: "tool-approval-request", approvalId: text(item["id"] ?? provider(item)["id"]) }];
  if (type === "hosted_tool_call") {
    const call = { toolCallId: text(item["id"] ?? item["name"]), toolName: text(item["name"]) };
    return [
      { type: "tool-call", ...call, input: item["arguments"] },
      { type: "tool-result", ...call, output: output(item["output"]) },
    ];
  }
  const id = callId(item);
  if (id !== undefined) {
    const input = item["arguments"] ?? item["action"] ?? item["actions"] ?? item["operation"] ?? item["code"];
    return [{ type: "tool-call", toolCallId: id, toolName: text(item["name"] ?? type), input }];
  }
  return [{ type: "text", text: text(item) }];
}

function callId(item: Item): string | undefined {
  const id = item["callId"] ?? item["call_id"];
  return typeof id === "string" ? id : undefined;
}

const provider = (item: Item): Record<string, unknown> => (item["providerData"] ?? {}) as Record<string, unknown>;

function isApproval(item: Item, end: "request" | "response"): boolean {
  const name = `mcp_approval_${end}`;
  return item.type === name || (item.type === "hosted_tool_call" && (item["name"] === name || provider(item)["type"] === name));
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.map((entry: Item) => text(entry["text"])).filter((found) => found !== "") : [];
}

/** A message's content in parts. */
function content(given: unknown): string | object[] {
  if (!Array.isArray(given)) return [{ type: "text", text: text(given) }];
  return given.map((entry: Item) => part(entry));
}

function part(entry: Item): object {
  const { type = "" } = entry;
  if (type.endsWith("text")) return { type: "text", text: text(entry["text"]) };
  if (type === "refusal") return { type: "text", text: text(entry["refusal"]) };
  if (type.endsWith("image")) return { type: "image", image: text(entry["image"]) };
  return { type: "file", mediaType: "application/octet-stream", data: text(entry["file"] ?? entry["audio"]) };
}

function output(given: unknown): object {
  if (typeof given === "string") return { type: "text", value: given };
  const list = Array.isArray(given) ? given : [given];
  if (list.every((entry) => typeof (entry as Item | undefined)?.type === "string")) return { type: "content", value: list.map((entry: Item) => part(entry)) };
  return { type: "json", value: given ?? null };
}
