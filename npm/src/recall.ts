// Original messages for an agent that asks for them: by turns, as the memory names them, or by words.

import type { Guard, Recalled } from "standfast";

/** What an agent may ask for. */
export interface RecallInput {
  /** First turn, as the memory names it. */
  from?: number;
  /** Last turn. */
  to?: number;
  /** Words that stand in the message. */
  query?: string;
}

export const RECALL_ABOUT =
  "Reads earlier messages of this conversation again, word for word, that the memory only has as notes. Give the turns, as in [turns 3-9], or words that stand in them.";

/** The schema of `RecallInput`. */
export const RECALL_SCHEMA = {
  type: "object",
  properties: {
    from: { type: "integer", minimum: 0, description: "first turn" },
    to: { type: "integer", minimum: 0, description: "last turn" },
    query: { type: "string", description: "words that stand in the message" },
  },
  additionalProperties: false,
} as const;

/** Most characters that are given at once, and of one message. */
const WHOLE = 12_000;
const ONE = 4_000;

/** The messages asked for, as one text; data for the agent, never instructions. */
export async function recallText(guard: Guard, { from = 0, to = Number.MAX_SAFE_INTEGER, query }: RecallInput): Promise<string> {
  const last = guard.segments.reduce((most, { span }) => Math.max(most, span[1]), -1);
  if (last < 0) return "Nothing was summarized: all messages are in the conversation.";
  const words = (query ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const asked = (event: Recalled): boolean =>
    event.turn >= from && event.turn <= to && words.every((word) => (event.text ?? "").toLowerCase().includes(word));
  const found = (await guard.recallAsync({ span: [0, last] })).filter((event) => event.text !== null && asked(event));
  if (found.length === 0) return "No such message.";
  let text = "";
  for (const [at, event] of found.entries()) {
    const line = `[turn ${event.turn}] ${event.role}: ${clipped(event.text ?? "")}\n`;
    if (text.length + line.length > WHOLE) return `${text}(${found.length - at} more; ask for fewer turns)`;
    text += line;
  }
  return text.trimEnd();
}

function clipped(text: string): string {
  return text.length > ONE ? `${text.slice(0, ONE)}… (${text.length - ONE} more characters)` : text;
}
