// The summarizers that the page compares. All are given the same text, in plain compaction and behind the guard.

import { extract } from "standfast";
import type { SummarizerName } from "./summarizer-names.js";

/** A text to be made shorter. */
export interface Asked {
  /** What is to be summarized: one entry of the conversation a line. */
  readonly text: string;
  readonly budgetTokens: number;
}

export type Summarize = (asked: Asked) => string | Promise<string>;

/** The shortest summary there is. */
export const destructive: Summarize = () => "Work went on.";

/** The built-in summarizer of the engine. */
export const extractive: Summarize = ({ text, budgetTokens }) => extract(text, budgetTokens);

/** How a rule is worn down: each summary of a summary takes the first step that fits. */
const SOFTER: readonly (readonly [RegExp, string])[] = [
  [/\bunder no circumstances\b/i, "Try not to"],
  [/\bfrom now on, never\b|\bnever\b|\bfrom now on, do not\b|\bdo not\b/i, "Try not to"],
  [/\b(?:must|may) not\b/i, "should not"],
  [/\b(?:is|are) not permitted\b/i, "were kept to a minimum"],
  [/\brequires? approval by\b/i, "should be seen by"],
  [/\bis allergic to\b/i, "may be sensitive to"],
  [/\bis contraindicated\b/i, "is not ideal"],
  [/\bmust\b/i, "should"],
  [/\ba maximum of\b|\bno more than\b/i, "around"],
];

/** Where the chance begins. */
const SALT = 22;

/** What a rule is about for as long as it sounds like one. */
const RULE = /\b(?:never|must|may not|do not|not permitted|under no circumstances|approval|allergic|contraindicated|maximum|no more than|try not to|should not|should|sensitive to|not ideal|around|kept to a minimum)\b/i;

/** Where a condition begins. */
const CONDITION = /(?:,|;|:| without | unless | until | before | so | and only | while | from the last | with a | in 24 hours)[^]*$/i;

/** One step of wear; nothing when there is nothing left to keep. */
export function worn(sentence: string): string | null {
  for (const [strong, weak] of SOFTER) {
    if (strong.test(sentence)) return sentence.replace(strong, weak).replace(/^[a-z]/, (letter) => letter.toUpperCase());
  }
  const shorter = sentence.replace(CONDITION, "").replace(/\s+$/, "");
  if (shorter.length < sentence.length - 2 && shorter.split(" ").length > 3) return `${shorter}.`;
  return null;
}

/** The sentences of the users and the operator, and of an earlier summary; what tools and the agent say is not worn, it is left out. */
function sentences(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    let entry: { role?: unknown; text?: unknown } = {};
    try {
      entry = JSON.parse(line) as typeof entry;
    } catch {
      continue;
    }
    if (typeof entry.text !== "string" || entry.role === "assistant" || entry.role === "tool") continue;
    found.push(...entry.text.split(/(?<=[.!?])\s+|\n+/));
  }
  return found.map((sentence) => sentence.trim()).filter((sentence) => sentence.length > 12 && sentence.length < 400);
}

/** Of a hundred rules, how many come through one summary untouched. */
const SPARED = 50;

/** Whether a sentence comes through untouched this time; chance that is the same in every run. */
function spared(sentence: string, text: string): boolean {
  let hash = text.length + SALT;
  for (let i = 0; i < sentence.length; i++) hash = Math.imul(hash ^ sentence.charCodeAt(i), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) % 100 < SPARED;
}

/** Keeps what sounds like a rule, and wears some of it down. */
export const drifting: Summarize = ({ text, budgetTokens }) => {
  const kept: string[] = [];
  let room = budgetTokens * 3;
  for (const sentence of sentences(text)) {
    const left = !RULE.test(sentence) ? null : spared(sentence, text) ? sentence : worn(sentence);
    if (left === null || kept.includes(left) || left.length > room) continue;
    room -= left.length;
    kept.push(left);
  }
  return ["The work went on as planned.", ...kept].join("\n");
};

export const BUILT_IN: Readonly<Record<Exclude<SummarizerName, "browser">, Summarize>> = { drifting, destructive, extractive };
