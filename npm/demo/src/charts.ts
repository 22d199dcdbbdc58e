// The two charts: rules standing after each round, and how full the window was.

import uPlot from "uplot";
import { byId, count, fill, h, percent } from "./dom.js";
import type { Compared, Played } from "./protocol.js";
import { SUMMARIZERS } from "./summarizer-names.js";

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const FONT = "12px system-ui, sans-serif";
const made = new Map<string, { plot: uPlot; again: () => void; watch: ResizeObserver }>();

/** A chart in an element, drawn anew where the size or the colors change. */
function chart(id: string, label: string, options: () => Omit<uPlot.Options, "width" | "height">, data: uPlot.AlignedData): () => uPlot {
  const element = byId(id);
  made.get(id)?.watch.disconnect();
  const draw = (): void => {
    made.get(id)?.plot.destroy();
    const plot = new uPlot({ ...options(), width: element.clientWidth, height: element.clientHeight }, data, element);
    made.set(id, { plot, again: draw, watch });
  };
  const watch = new ResizeObserver(() => {
    const { plot } = made.get(id) ?? {};
    if (plot !== undefined && element.clientWidth > 0 && plot.width !== element.clientWidth) plot.setSize({ width: element.clientWidth, height: element.clientHeight });
  });
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label);
  draw();
  watch.observe(element);
  return () => made.get(id)!.plot;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.forEach(({ again }) => again()));

const axis = (values: (plot: uPlot, splits: number[]) => string[], more: Partial<uPlot.Axis> = {}): uPlot.Axis => ({
  stroke: color("soft"),
  font: FONT,
  grid: { show: false },
  ticks: { stroke: color("line"), width: 1, size: 5 },
  values,
  ...more,
});

/** A word beside a line, in its color: behind its last point, or above its beginning. */
function label(plot: uPlot, series: number, text: string, stroke: string, where: "end" | "start"): void {
  const [xs, ys] = [plot.data[0], plot.data[series]!];
  const at = where === "end" ? xs.length - 1 : 0;
  const { ctx } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `600 ${12 * scale}px system-ui, sans-serif`;
  ctx.fillStyle = stroke;
  ctx.textAlign = "left";
  const [left, top] = [plot.valToPos(xs[at]!, "x", true), plot.valToPos(ys[at]!, "y", true)];
  ctx.fillText(text, left + (where === "end" ? 10 : 6) * scale, top + (where === "end" ? 4 : -6) * scale);
  ctx.restore();
}

/** Shares of rules that stand after each round. */
export function showSurvival(played: Played): void {
  const share = (arm: "plain" | "ours"): number[] =>
    played.rounds.map((round) => {
      const { fates } = round[arm];
      return fates.length === 0 ? 1 : fates.filter(({ kept }) => kept).length / fates.length;
    });
  const [plain, ours] = [[1, ...share("plain")], [1, ...share("ours")]];
  const rounds = plain.map((_, i) => i);
  const told = `Rules standing. Plain: ${plain.map(percent).join(", ")}. standfast: ${ours.map(percent).join(", ")}.`;
  const points = { show: true, size: 7 };
  chart(
    "survival",
    told,
    () => ({
      cursor: { show: false },
      legend: { show: false },
      padding: [12, 84, 0, 0],
      scales: { x: { time: false, range: [0, Math.max(rounds.length - 1, 1)] }, y: { range: [-0.03, 1.04] } },
      axes: [axis((_, splits) => splits.map((value) => (Number.isInteger(value) ? String(value) : "")), { splits: () => rounds }), axis((_, splits) => splits.map(percent), { splits: () => [0, 0.5, 1], size: 52 })],
      series: [
        {},
        { stroke: color("lost"), width: 2.5, points: { ...points, fill: color("paper"), stroke: color("lost") } },
        { stroke: color("stand"), width: 2.5, points: { ...points, fill: color("stand"), stroke: color("stand") } },
      ],
      hooks: {
        draw: [
          (plot) => {
            label(plot, 2, "standfast", color("stand"), "end");
            label(plot, 1, "plain", color("lost"), "end");
          },
        ],
      },
    }),
    [rounds, plain, ours],
  );
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
  const plot = chart(
    "gauge",
    `Tokens of the window over ${count(xs.at(-1) ?? 0)} messages. Compacted at ${compacted.map(({ message }) => `message ${message}`).join(", ") || "no message"}. Soft floor ${count(softFloor)}, backstop ${count(backstop)} of ${count(windowTokens)} tokens.`,
    () => ({
      cursor: { show: false },
      legend: { show: false },
      padding: [18, 12, 0, 0],
      scales: { x: { time: false }, y: { range: [0, Math.max(...used, backstop) * 1.15] } },
      axes: [axis((_, splits) => splits.map(count)), axis((_, splits) => splits.map((value) => (value >= 10_000 ? `${Math.round(value / 1_000)}k` : count(value))), { size: 56 })],
      series: [{}, { stroke: color("ink"), width: 1.5, fill: color("faint"), points: { show: false } }, { stroke: color("t2"), width: 1.5, dash: [6, 5], points: { show: false } }, { stroke: color("lost"), width: 1.5, points: { show: false } }],
      hooks: {
        draw: [
          (plot) => {
            label(plot, 2, "soft floor", color("t2"), "start");
            label(plot, 3, "backstop", color("lost"), "start");
            mark(plot, xs[now] ?? 0, used[now] ?? 0);
          },
        ],
      },
    }),
    [xs, used, line(softFloor), line(backstop)],
  );
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
    plot().redraw(false, false);
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

function mark(plot: uPlot, x: number, y: number): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const [left, top] = [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
  ctx.save();
  ctx.strokeStyle = color("stand");
  ctx.fillStyle = color("stand");
  ctx.lineWidth = scale;
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(left, top, 4 * scale, 0, 7);
  ctx.fill();
  ctx.restore();
}
