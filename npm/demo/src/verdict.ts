// The top line, and each rule with what became of it.

import { byId, count, counted, fill, h } from "./dom.js";
import type { Opened, Played } from "./protocol.js";

/** A rule, as the page tells of it. */
export interface ToldRule {
  readonly text: string;
  /** The round it died in, from 1; null where it stands. */
  readonly lost: number | null;
  readonly unknown: boolean;
  readonly kind: string;
  readonly evidence: string;
  /** Round by round: stands, gone, not yet said, or nobody can say. */
  readonly track: readonly ("kept" | "gone" | "none" | "dim")[];
}

/** What is said of a file as a whole. */
export interface Verdict {
  readonly before: string;
  readonly bad: string;
  readonly after: string;
  readonly subline: string;
  readonly source: string;
  readonly rules: readonly ToldRule[];
  readonly lost: number;
  readonly judged: number;
  readonly rounds: number;
  /** How many rules stand with standfast. */
  readonly ours: string;
}

const FORMATS = { claude_code: "Claude Code session", codex: "Codex session", messages: "Messages", document: "Rules" } as const;
/** Rules shown before the rest is asked for. */
const FIRST = 40;

/** From the file's own compactions where it has some, else from a replay. */
export function verdictOf(opened: Opened, played: Played): Verdict {
  const source = [
    opened.name,
    FORMATS[opened.kind],
    opened.messages > 0 && counted(opened.messages, "message"),
    `${count(opened.tokens)} tokens`,
    opened.unread > 0 && `${counted(opened.unread, "line")} could not be read`,
  ]
    .filter((part) => part !== false)
    .join(" · ");
  return opened.session === null ? replayed(opened, played, source) : own(opened, played, source);
}

/** "9 of 9", with standfast after the last round. */
function standing({ rounds }: Played): string {
  const fates = rounds.at(-1)?.ours.fates ?? [];
  return `${count(fates.filter(({ kept }) => kept).length)} of ${count(fates.length)}`;
}

function own({ session }: Opened, played: Played, source: string): Verdict {
  const { lost, judged, rounds, rules } = session!;
  const sealed = rounds.some((round) => round.sealed);
  const ours = played.rounds.length === 0 ? "" : ` The same messages replayed with standfast: ${standing(played)} rules stand after ${counted(played.rounds.length, "round")}.`;
  return {
    before: "Your agent lost ",
    bad: `${count(lost)} of ${counted(judged, "rule")}`,
    after: ` in ${counted(rounds.length, "compaction")}`,
    subline: `These compactions stand in the file. Each rule is held against the window that came of them.${sealed ? " Parts of it only the provider can read; what may stand there is not counted as lost." : ""}${ours}`,
    source,
    lost,
    judged,
    rounds: rounds.length,
    ours: standing(played),
    rules: rules.map((rule) => ({
      text: rule.rule,
      lost: rule.lost === null ? null : rule.lost + 1,
      unknown: rule.kind === "unverifiable",
      kind: rule.kind,
      evidence: rule.evidence,
      track: rounds.map((round) => {
        const fate = round.report.fates.find(({ fingerprint }) => fingerprint === rule.fingerprint);
        return fate === undefined ? "none" : fate.kept || fate.detail === "contradicted_elsewhere" ? "kept" : fate.kind === "unverifiable" ? "dim" : "gone";
      }),
    })),
  };
}

function replayed(opened: Opened, played: Played, source: string): Verdict {
  const rounds = played.rounds.length;
  const rules = played.rules.map((text, at): ToldRule => {
    const fates = played.rounds.map(({ plain }) => plain.fates[at]);
    // dead for good: where the last run of losses begins
    let from = rounds;
    while (from > 0 && fates[from - 1] !== undefined && !fates[from - 1]!.kept) from--;
    const fate = from < rounds ? fates[from] : fates.at(-1);
    return {
      text,
      lost: from < rounds ? from + 1 : null,
      unknown: false,
      kind: fate?.kind ?? "preserved",
      evidence: fate?.evidence ?? "",
      track: fates.map((one) => (one === undefined ? "none" : one.kept ? "kept" : "gone")),
    };
  });
  const judged = played.rounds.at(-1)?.plain.fates.length ?? 0;
  const lost = rules.filter((rule) => rule.lost !== null).length;
  const stand = played.rounds.at(-1)?.ours.fates.filter(({ kept }) => kept).length ?? 0;
  const whose = opened.kind === "document" ? "These rules were played in a long coding session of ours, since a file of rules has no conversation. " : "The file has no compaction of its own, so it was played here. ";
  if (judged === 0) {
    const never = rounds === 0;
    return { before: never ? "Nothing was compacted" : "No rules were found", bad: "", after: "", subline: never ? "The conversation does not fill its window." : "Nobody said anything that sounds like a rule in their own words: “never …”, “must not …”, “requires approval”.", source, rules, lost: 0, judged: 0, rounds, ours: "" };
  }
  return {
    before: "Plain compaction lost ",
    bad: `${count(lost)} of ${counted(judged, "rule")}`,
    after: ` in ${counted(rounds, "round")}`,
    subline: `${whose}With standfast, under the same summarizer, ${stand === judged ? `all ${count(judged)} stand, word for word` : `${count(stand)} stand`}.`,
    source,
    rules,
    lost,
    judged,
    rounds,
    ours: standing(played),
  };
}

/** Shows it. */
export function showVerdict(verdict: Verdict): void {
  byId("source").textContent = verdict.source;
  fill(byId("headline"), verdict.before, verdict.bad !== "" && h(verdict.lost > 0 ? "span.bad" : "span.good", {}, verdict.bad), verdict.after);
  byId("subline").textContent = verdict.subline;
  const list = byId("rules");
  fill(list, ...verdict.rules.slice(0, FIRST).map((rule) => ruleRow(rule)));
  const rest = verdict.rules.slice(FIRST);
  if (rest.length === 0) return;
  const more = h("button.button", { type: "button", onclick: () => item.replaceWith(...rest.map((rule) => ruleRow(rule))) }, `${counted(rest.length, "more rule")}`);
  const item = h("li.rule", {}, h("span"), h("p", {}, more));
  list.append(item);
}

/** One rule with its evidence. */
export function ruleRow(rule: ToldRule): HTMLLIElement {
  const gone = rule.lost !== null;
  const when = gone ? `Round ${rule.lost}` : rule.unknown ? "Unknown" : rule.track.every((one) => one === "none") ? "Later" : "Stands";
  const what = gone ? (rule.kind === "dropped" ? "gone" : rule.kind) : rule.unknown ? "sealed by the provider" : when === "Later" ? "said after the last round" : "";
  const body = h("div", {}, h("p.rule-text", {}, gone ? h("del", {}, rule.text) : rule.text));
  if (gone && rule.evidence !== "" && rule.evidence !== rule.text) body.append(h("p.evidence", {}, "The window then said: ", h("q", {}, rule.evidence)));
  else if (gone && rule.evidence === "") body.append(h("p.evidence", {}, "Nothing in the window said it any more."));
  if (rule.track.length > 0) body.append(track(rule));
  return h(gone ? "li.rule.lost" : rule.unknown ? "li.rule.unknown" : "li.rule", {}, h("p.rule-when", {}, h("strong", {}, when), what), body);
}

function track({ track: rounds }: ToldRule): HTMLElement {
  const words = { kept: "stands", gone: "lost", none: "not yet said", dim: "unknown" };
  const label = rounds.map((one, i) => `round ${i + 1} ${words[one]}`).join(", ");
  const marks = rounds.slice(0, 40).map((one) => h(one === "kept" ? "i" : one === "gone" ? "i.gone" : one === "dim" ? "i.dim" : "i.none"));
  return h("span.track", { role: "img", "aria-label": label }, ...marks);
}
