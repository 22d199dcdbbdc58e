// The two charts: rules standing after each round, and how full the window was.

import { byId, count, fill, h, percent } from "./dom.js";
import { plot } from "./plot.js";
import type { Compared, Played } from "./protocol.js";
import { SUMMARIZERS } from "./summarizer-names.js";

/** Shares of rules that stand after each round. */
export function showSurvival(played: Played): void {
  const share = (arm: "plain" | "ours"): number[] =>
    played.rounds.map((round) => {
      const { fates } = round[arm];
      return fates.length === 0 ? 1 : fates.filter(({ kept }) => kept).length / fates.length;
    });
  const [plain, ours] = [[1, ...share("plain")], [1, ...share("ours")]];
  const rounds = plain.map((_, i) => i);
  const same = plain.at(-1) === ours.at(-1);
  plot("survival", {
    about: `Rules standing. Plain: ${plain.map(percent).join(", ")}. standfast: ${ours.map(percent).join(", ")}.`,
    xs: rounds,
    x: { from: 0, to: Math.max(rounds.length - 1, 1), ticks: rounds, format: String },
    y: { from: -0.03, to: 1.04, ticks: [0, 0.5, 1], format: percent },
    right: 84,
    lines: [
      { kind: "plain", values: plain, points: true, ...(same ? {} : { word: { text: "plain", at: "end" } }) },
      { kind: "ours", values: ours, points: true, word: { text: same ? "both" : "standfast", at: "end" } },
    ],
  });
}

/** The figures of each round. */
export function showRounds(played: Played): void {
  const head = h("thead", {}, h("tr", {}, ...["Round", "Plain", "Tokens", "standfast", "Tokens", "Block"].map((text) => h("th", { scope: "col" }, text))));
  const body = h("tbody");
  played.rounds.forEach(({ plain, ours, digest, reason, message }, i) => {
    const [lost, kept] = [plain, ours].map(({ fates }) => fates.filter((fate) => fate.kept).length) as [number, number];
    const all = plain.fates.length;
    body.append(
      h(
        "tr",
        { title: `at message ${message}: ${reason}` },
        h("th", { scope: "row" }, i + 1),
        h(lost < all ? "td.bad" : "td.good", {}, `${lost} of ${all}`),
        h("td", {}, `${count(plain.tokensBefore)} → ${count(plain.tokens)}`),
        h(kept < all ? "td.bad" : "td.good", {}, `${kept} of ${all}`),
        h("td", {}, `${count(ours.tokensBefore)} → ${count(ours.tokens)}`),
        h("td", {}, h("code", {}, digest.slice(0, 8))),
      ),
    );
  });
  fill(byId("rounds"), h("table", {}, h("caption", {}, "Rules that stand, tokens before → after, digest of the block"), head, body));
}

/** What every summarizer left, side by side. */
export function showCompared(all: readonly Compared[]): void {
  const rounds = Math.max(...all.map(({ rules }) => rules.length));
  const head = h("tr", {}, h("th", { scope: "col" }, "Summarizer"), h("th", { scope: "col" }, "Kept"), ...Array.from({ length: rounds }, (_, i) => h("th", { scope: "col" }, `Round ${i + 1}`)));
  const rows = all.flatMap(({ summarizer, rules, plain, ours }) =>
    (["plain", "standfast"] as const).map((arm) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, SUMMARIZERS[summarizer].label),
        h("td", {}, arm === "plain" ? "plain" : "with standfast"),
        ...rules.map((due, i) => {
          const kept = (arm === "plain" ? plain : ours)[i]!;
          return h(kept < due ? "td.bad" : "td.good", {}, `${kept} of ${due}`);
        }),
      ),
    ),
  );
  fill(byId("compared"), h("table", {}, h("caption", {}, "Rules that stand after each round"), h("thead", {}, head), h("tbody", {}, ...rows)));
}

const REASONS: Readonly<Record<string, string>> = { headroom_backstop: "at the backstop", "boundary:turn_closed": "at a seam: a turn was closed", "boundary:task_completed": "at a seam: a task was done" };

/** How full the window was, with the two thresholds; can be played and scrubbed. */
export function showGauge(played: Played): void {
  const { points, softFloor, backstop, windowTokens } = played;
  const xs = points.map(({ message }) => message);
  const used = points.map((point) => point.used);
  const line = (value: number): number[] => xs.map(() => value);
  let now = points.length - 1;
  const compacted = points.filter(({ reason }) => reason !== undefined);
  const mark = plot("gauge", {
    about: `Tokens of the window over ${count(xs.at(-1) ?? 0)} messages. Compacted at ${compacted.map(({ message }) => `message ${message}`).join(", ") || "no message"}. Soft floor ${count(softFloor)}, backstop ${count(backstop)} of ${count(windowTokens)} tokens.`,
    xs,
    x: { from: xs[0] ?? 0, to: xs.at(-1) ?? 1, format: count },
    y: { from: 0, to: Math.max(...used, backstop) * 1.15, format: (value) => (value >= 10_000 ? `${Math.round(value / 1_000)}k` : count(value)) },
    right: 12,
    lines: [
      { kind: "used", values: used, filled: true },
      { kind: "soft", values: line(softFloor), word: { text: "soft floor", at: "start" } },
      { kind: "hard", values: line(backstop), word: { text: "backstop", at: "start" } },
    ],
  });
  const output = h("output");
  const slider = h("input", { type: "range", min: 0, max: points.length - 1, value: now, "aria-label": "Message" });
  const button = h("button.button", { type: "button" }, "Play the run");
  const show = (at: number): void => {
    now = at;
    const point = points[at]!;
    const how = point.reason === undefined ? "" : `, compacted ${REASONS[point.reason] ?? point.reason}`;
    const text = `Message ${count(point.message)}: ${count(point.used)} of ${count(windowTokens)} tokens (${percent(point.used / windowTokens)})${how}`;
    output.textContent = text;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", text);
    mark(at);
  };
  let playing = 0;
  const stop = (): void => {
    cancelAnimationFrame(playing);
    playing = 0;
    button.textContent = "Play the run";
  };
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  button.addEventListener("click", () => {
    if (playing !== 0) return stop();
    button.textContent = "Stop";
    const [start, from] = [performance.now(), now >= points.length - 1 ? 0 : now];
    const step = (time: number): void => {
      const at = Math.min(points.length - 1, from + Math.floor(((time - start) / 8_000) * points.length));
      show(at);
      if (at < points.length - 1 && button.isConnected) playing = requestAnimationFrame(step);
      else stop();
    };
    playing = requestAnimationFrame(step);
  });
  fill(byId("scrub"), button, slider, output);
  show(now);
}
