// Whether facts can still be answered from what a compaction left.

import { broken } from "./testing-error.js";
import { note } from "./testing-report.js";
import { filler, texts, type Compacted, type Compaction } from "./testing-rounds.js";

export interface RetentionCase {
  readonly kind: "constraint" | "identity" | "commitment" | "state";
  readonly question: string;
  readonly expected: string;
  readonly must_survive?: boolean;
}

export interface RetentionOptions {
  messages: readonly object[];
  cases: readonly RetentionCase[];
  compact: Compaction;
  /** Answers a prompt. Without one the notes are searched for the expected answer. */
  probe?: (prompt: string) => string | Promise<string>;
  /** How often the result is compacted again. Default 3. */
  depths?: number;
  /** How often each question is asked. Default 3. */
  repetitions?: number;
  /** The compaction reads the whole list each time and does not rewrite it. */
  overlay?: boolean;
  /** What the report calls it. */
  name?: string;
}

export interface RetentionReport {
  /** The share of questions that were answered, by depth from 1 on. */
  readonly rates: readonly number[];
  /** Shares by kind, at each depth. */
  readonly byKind: readonly Readonly<Record<string, number>>[];
  /** Questions of `must_survive` that failed at depths 1 and 2. */
  readonly failed: readonly { depth: number; question: string }[];
}

/** Cases from the text of a YAML (or JSON) file. Needs the package `yaml`. */
export async function readCases(text: string): Promise<RetentionCase[]> {
  const { parse } = await import("yaml");
  const given = parse(text) as unknown;
  const list = Array.isArray(given) ? given : (given as { cases?: unknown } | null)?.cases;
  if (!Array.isArray(list)) throw broken("bad_case", "a file of cases is a list, or has a list `cases`", {});
  return list.map((entry: Partial<RetentionCase>, at) => {
    const { kind, question, expected } = entry ?? {};
    if (!["constraint", "identity", "commitment", "state"].includes(kind ?? "") || typeof question !== "string" || (typeof expected !== "string" && typeof expected !== "number")) {
      throw broken("bad_case", `case ${at} needs \`kind\`, \`question\` and \`expected\``, { at });
    }
    return { ...entry, expected: String(expected) } as RetentionCase;
  });
}

/** Asks every question at each depth. */
export async function retention({ messages, cases, compact, probe, depths = 3, repetitions = 3, overlay = false }: RetentionOptions): Promise<RetentionReport> {
  const rates: number[] = [];
  const byKind: Record<string, number>[] = [];
  const failed: { depth: number; question: string }[] = [];
  let list = [...messages];
  for (let depth = 1; depth <= depths; depth++) {
    const after = await compact(list, depth);
    const kinds: Record<string, { asked: number; known: number }> = {};
    for (const one of cases) {
      const answers = await Promise.all(Array.from({ length: repetitions }, () => answered(one, after, probe)));
      const known = answers.filter(Boolean).length;
      const kind = (kinds[one.kind] ??= { asked: 0, known: 0 });
      kind.asked += repetitions;
      kind.known += known;
      if (one.must_survive === true && known < repetitions && depth <= 2) failed.push({ depth, question: one.question });
    }
    const all = Object.values(kinds);
    rates.push(share(all.reduce((sum, { known }) => sum + known, 0), all.reduce((sum, { asked }) => sum + asked, 0)));
    byKind.push(Object.fromEntries(Object.entries(kinds).map(([kind, { known, asked }]) => [kind, share(known, asked)])));
    list = [...(overlay ? list : Array.isArray(after) ? after : (after as { messages: readonly object[] }).messages), ...filler(depth)] as object[];
  }
  return { rates, byKind, failed };
}

/** `retention`, and throws `not_retained` where a must fails, a threshold or a baseline of its depth is not met. */
export async function assertRetained(options: RetentionOptions & { thresholds?: readonly number[]; baseline?: readonly number[] }): Promise<RetentionReport> {
  const report = await retention(options);
  const least = (i: number): number => Math.max(options.thresholds?.[i] ?? 0, options.baseline?.[i] ?? 0);
  const [first] = report.failed;
  const under = report.rates.findIndex((rate, i) => rate < least(i));
  const cliff = report.rates.findIndex((rate) => rate < 1);
  note("retention", options.name ?? "facts", first === undefined && under < 0, ratesOf(report), cliff < 0 ? null : cliff + 1);
  if (first !== undefined) throw broken("not_retained", `depth ${first.depth}: not answered any more: ${first.question}`, { depth: first.depth });
  if (under >= 0) throw broken("not_retained", `depth ${under + 1}: ${report.rates[under]} of the questions are answered, ${least(under)} is the least`, { depth: under + 1, rate: report.rates[under] });
  return report;
}

/** Shares over the depths, of all questions and of each kind. */
function ratesOf({ rates, byKind }: RetentionReport): Record<string, readonly number[]> {
  const kinds = [...new Set(byKind.flatMap((shares) => Object.keys(shares)))];
  return { all: rates, ...Object.fromEntries(kinds.map((kind) => [kind, byKind.map((shares) => shares[kind] ?? 1)])) };
}

async function answered({ question, expected }: RetentionCase, after: Compacted, probe: RetentionOptions["probe"]): Promise<boolean> {
  const notes = texts(after);
  if (probe === undefined) return onBorders(notes, expected);
  const prompt = `Answer from these notes only, in a few words. If they do not say, answer UNKNOWN.\n\nNotes:\n${notes}\n\nQuestion: ${question}`;
  const answer = await probe(prompt);
  return !/\bUNKNOWN\b/.test(answer) && onBorders(answer, expected);
}

/** Whether `expected` stands in a text between borders of words, ignoring case. */
function onBorders(text: string, expected: string): boolean {
  const escaped = expected.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "iu").test(text);
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : Math.round((1_000 * part) / whole) / 1_000);
