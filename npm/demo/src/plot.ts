// A chart of lines as SVG: D3 makes the paths and the axes, the page's style colors them. Its versions are fixed: the next ones come
// as one file each, of which a bundler keeps what nobody uses.

import { ticks } from "d3-array";
import { axisBottom, axisLeft } from "d3-axis";
import { select, type Selection } from "d3-selection";
import { area, line } from "d3-shape";
import { byId } from "./dom.js";

export interface Line {
  /** Its class: the style has its color. */
  readonly kind: string;
  readonly values: readonly number[];
  /** A word behind its last point, or above its first one. */
  readonly word?: { readonly text: string; readonly at: "end" | "start" };
  readonly points?: boolean;
  readonly filled?: boolean;
}

export interface Axis {
  readonly from: number;
  readonly to: number;
  /** Where it is marked; else where it is round. */
  readonly ticks?: readonly number[];
  readonly format: (value: number) => string;
}

export interface Plot {
  /** What the chart says, for who does not see it. */
  readonly about: string;
  readonly xs: readonly number[];
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
  /** Room at the right, for words behind the lines. */
  readonly right: number;
}

const [TOP, BOTTOM, LEFT] = [20, 26, 52];
const watches = new Map<string, ResizeObserver>();

interface Scale {
  (value: number): number;
  domain(): number[];
  range(): number[];
  copy(): this;
}

function scale({ from, to }: Axis, start: number, end: number): Scale {
  const at = (value: number): number => start + ((value - from) / (to - from || 1)) * (end - start);
  return Object.assign(at, { domain: () => [from, to], range: () => [start, end], copy: () => at as Scale });
}

/** Draws it in an element, anew where its width changes. Gives what sets a mark at one of the points. */
export function plot(id: string, given: Plot): (at: number) => void {
  const element = byId(id);
  let [width, marked] = [0, -1];
  let mark = (_at: number): void => undefined;
  const draw = (): void => {
    if (element.clientWidth === 0 || element.clientWidth === width) return;
    width = element.clientWidth;
    mark = drawn(element, given);
    if (marked >= 0) mark(marked);
  };
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", given.about);
  watches.get(id)?.disconnect();
  const watch = new ResizeObserver(draw);
  watches.set(id, watch);
  draw();
  watch.observe(element);
  return (at) => {
    marked = at;
    mark(at);
  };
}

function drawn(element: HTMLElement, { xs, x: across, y: up, lines, right }: Plot): (at: number) => void {
  const [width, height] = [element.clientWidth, element.clientHeight];
  const x = scale(across, LEFT, width - right);
  const y = scale(up, height - BOTTOM, TOP);
  element.replaceChildren();
  const svg = select(element).append("svg").attr("width", width).attr("height", height).attr("aria-hidden", "true");
  const places = (axis: Axis, room: number): readonly number[] => axis.ticks ?? ticks(axis.from, axis.to, room);
  svg.append("g").attr("transform", `translate(0,${height - BOTTOM})`).call(axisBottom<number>(x).tickValues(places(across, width / 90)).tickFormat(across.format));
  svg.append("g").attr("transform", `translate(${LEFT},0)`).call(axisLeft<number>(y).tickValues(places(up, height / 50)).tickFormat(up.format));
  for (const one of lines) drawLine(svg, one, xs.map(x), one.values.map(y), y(Math.max(up.from, 0)));
  const marker = svg.append("g").attr("class", "marker").attr("display", "none");
  marker.append("line").attr("y1", TOP).attr("y2", height - BOTTOM);
  const dot = marker.append("circle").attr("r", 4);
  return (at) => {
    marker.attr("display", null).attr("transform", `translate(${x(xs[at] ?? 0)},0)`);
    dot.attr("cy", y(lines[0]?.values[at] ?? 0));
  };
}

function drawLine(svg: Selection<SVGSVGElement, unknown, null, undefined>, { kind, word, points, filled }: Line, xs: readonly number[], ys: readonly number[], floor: number): void {
  const group = svg.append("g").attr("class", `series ${kind}`);
  const [at, indices] = [(i: number): [number, number] => [xs[i]!, ys[i]!], xs.map((_, i) => i)];
  if (filled === true) group.append("path").attr("class", "filled").attr("d", area<number>((i) => at(i)[0], floor, (i) => at(i)[1])(indices));
  group.append("path").attr("class", "stroke").attr("d", line<number>((i) => at(i)[0], (i) => at(i)[1])(indices));
  if (points === true) for (const i of indices) group.append("circle").attr("cx", xs[i]!).attr("cy", ys[i]!).attr("r", 3.5);
  if (word === undefined || indices.length === 0) return;
  const end = word.at === "end";
  const [left, top] = at(end ? indices.length - 1 : 0);
  group.append("text").attr("x", left + (end ? 10 : 6)).attr("y", top + (end ? 4 : -6)).text(word.text);
}
