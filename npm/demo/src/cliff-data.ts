// What the page opens with: two rules of two transcripts through five compactions, as the engine played them when the page was built.

import { replay, type RuleFate } from "./replay.js";
import { readScript } from "./script.js";
import { drifting } from "./summarizers.js";

export interface CliffRound {
  readonly fate: RuleFate;
  /** Share of the window that is full before and after. */
  readonly plain: readonly [before: number, after: number];
  readonly ours: readonly [before: number, after: number];
  readonly kept: boolean;
}

export interface Cliff {
  readonly rule: string;
  readonly who: string;
  readonly rounds: readonly CliffRound[];
  readonly digests: readonly string[];
}

/** Plays one transcript and follows one of its rules. */
export async function cliff(transcript: string, word: string, who: string): Promise<Cliff> {
  const script = readScript(transcript, "", []);
  const { rules, rounds, guard } = await replay(script, drifting);
  guard.close();
  const at = rules.findIndex((rule) => rule.includes(word));
  const share = (tokens: number): number => Math.round((tokens / script.windowTokens) * 1_000) / 1_000;
  return {
    rule: rules[at] ?? "",
    who,
    rounds: rounds.map(({ plain, ours }) => ({
      fate: plain.fates[at]!,
      plain: [share(plain.tokensBefore), share(plain.tokens)],
      ours: [share(ours.tokensBefore), share(ours.tokens)],
      kept: ours.fates[at]!.kept,
    })),
    digests: rounds.map(({ digest }) => digest.slice(0, 12)),
  };
}
