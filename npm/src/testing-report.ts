// What the assertions measured: kept until somebody takes it, for the comment of a pull request and for a baseline.

import { broken } from "./testing-error.js";

export type ResultKind = "survival" | "retention" | "obedience" | "amplification" | "structure";

/** One measurement. */
export interface Result {
  readonly kind: ResultKind;
  readonly name: string;
  readonly passed: boolean;
  /** Shares by name and by round or depth, from 1 on. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
  /** The first round or depth at which something was lost. */
  readonly cliff: number | null;
}

const TITLES: Readonly<Record<ResultKind, string>> = {
  survival: "Rules, round by round",
  retention: "Facts, depth by depth",
  obedience: "Obedience after a compaction",
  amplification: "Injections",
  structure: "Structure",
};
/** Results that are kept where nobody takes them. */
const KEPT = 10_000;

const log: Result[] = [];

/** Keeps a result. */
export function note(kind: ResultKind, name: string, passed: boolean, rates: Result["rates"] = {}, cliff: number | null = null): void {
  log.push({ kind, name, passed, rates, cliff });
  if (log.length > KEPT) log.shift();
}

/** Keeps whether a check of the structure holds, and passes its error on. */
export async function noted<T>(kind: ResultKind, name: string, check: () => Promise<T>): Promise<T> {
  try {
    const result = await check();
    note(kind, name, true);
    return result;
  } catch (error) {
    note(kind, name, false);
    throw error;
  }
}

/** All results since the last call, in order. */
export function takeResults(): Result[] {
  return log.splice(0);
}

/** Figures by name, of which more is better: what a baseline keeps. */
export function metrics(results: readonly Result[]): Record<string, number> {
  const flat: [string, number][] = [];
  for (const { kind, name, passed, rates } of results) {
    flat.push([`${kind}.${name}.passed`, Number(passed)]);
    for (const [what, shares] of Object.entries(rates)) shares.forEach((share, i) => flat.push([`${kind}.${name}.${what}.${i + 1}`, share]));
  }
  return Object.fromEntries(flat);
}

/** A figure that is worse than it was. */
export interface Regression {
  readonly name: string;
  readonly was: number;
  readonly now: number;
}

/** What is worse than in `baseline`: the figures of an earlier run, as `metrics` gives them. What was not measured now is no regression. */
export function regressions(results: readonly Result[], baseline: Readonly<Record<string, number>>): Regression[] {
  const now = Object.entries(metrics(results));
  return now.flatMap(([name, value]) => {
    const was = Object.hasOwn(baseline, name) ? baseline[name] : undefined;
    return was !== undefined && value < was ? [{ name, was, now: value }] : [];
  });
}

/** Throws `worse_than_baseline` where a figure is worse than in `baseline`. */
export function assertNotWorse(results: readonly Result[], baseline: Readonly<Record<string, number>>): void {
  const worse = regressions(results, baseline);
  if (worse.length > 0) throw broken("worse_than_baseline", `worse than the baseline: ${worse.map(told).join("; ")}`, { worse });
}

/** A run in Markdown, for the comment of a pull request. JUnit files are the test runner's own: `--test-reporter=junit`, `--reporter=junit`. */
export function markdown(results: readonly Result[], baseline: Readonly<Record<string, number>> = {}): string {
  const passed = results.filter((result) => result.passed).length;
  const lines = ["## standfast", "", results.length === 0 ? "Nothing was measured." : `${passed} of ${results.length} checks passed.`];
  for (const worse of regressions(results, baseline)) lines.push(`- **worse than the baseline**: ${told(worse)}`);
  for (const [kind, title] of Object.entries(TITLES)) {
    const ofKind = results.filter((result) => result.kind === kind);
    if (ofKind.length > 0) lines.push("", `### ${title}`, "", ...table(ofKind));
  }
  return `${lines.join("\n")}\n`;
}

function table(results: readonly Result[]): string[] {
  const deepest = Math.max(0, ...results.flatMap(({ rates }) => Object.values(rates).map(({ length }) => length)));
  const heads = ["", ...Array.from({ length: deepest }, (_, i) => String(i + 1)), "cliff", ""];
  const lines = [`| ${heads.join(" | ")} |`, `|${" --- |".repeat(heads.length)}`];
  for (const { name, passed, rates, cliff } of results) {
    const rows = Object.entries(rates);
    for (const [what, shares] of rows.length > 0 ? rows : [["", []] as const]) {
      const cells = [...shares.map(percent), ...Array<string>(deepest - shares.length).fill("")];
      lines.push(`| ${[cell(rows.length < 2 ? name : `${name}: ${what}`), ...cells, cliff ?? "none", passed ? "✅" : "❌"].join(" | ")} |`);
    }
  }
  return lines;
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;
const told = ({ name, was, now }: Regression): string => `${cell(name)}: ${percent(was)} → ${percent(now)}`;

/** A text that cannot leave its cell. */
function cell(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("`", "'").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");
}
