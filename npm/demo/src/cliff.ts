// Ten seconds of the cliff: two rules through five compactions, the plain way and behind a guard.

import type { Cliff } from "./cliff-data.js";
import { byId, fill, h } from "./dom.js";

/** The whole run in milliseconds; a round is a part of it in which the window fills, then is compacted. */
const LENGTH = 10_000;
const ROUNDS = 5;
/** Share of a round after which its compaction is done. */
const FULL = 0.62;

interface Cell {
  readonly element: HTMLElement;
  readonly says: HTMLElement;
  readonly fill: HTMLElement;
  readonly shares: readonly (readonly [number, number])[];
  /** What is said of the rule after so many rounds. */
  readonly after: (rounds: number) => void;
}

/** Shows the run and begins it. */
export function showCliff(cliffs: readonly Cliff[]): void {
  const grid = h("div.cliff-grid", {}, h("p.cliff-head", {}, "Plain compaction"), h("p.cliff-head.ours", {}, "With standfast"));
  const cells: Cell[] = [];
  for (const cliff of cliffs) {
    for (const cell of [plainCell(cliff), oursCell(cliff)]) {
      cells.push(cell);
      grid.append(cell.element);
    }
  }
  const ticks = Array.from({ length: ROUNDS }, (_, i) => h("li", {}, h("span.visually-hidden", {}, "Round "), i + 1));
  const button = h("button.button", { type: "button" }, "Pause");
  const said = h("span", { role: "status" });
  fill(byId("cliff"), grid, h("div.cliff-foot", {}, h("span", { "aria-hidden": "true" }, "Compactions"), h("ol.ticks", {}, ...ticks), button, said));

  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let [elapsed, since, running, shown] = [0, 0, false, -1];

  function draw(): void {
    const turn = (elapsed / LENGTH) * ROUNDS;
    const round = Math.min(Math.floor(turn), ROUNDS - 1);
    const within = Math.min(turn - round, 1);
    const done = round + (within >= FULL ? 1 : 0);
    for (const cell of cells) {
      const from = round === 0 ? 0 : (cell.shares[round - 1]?.[1] ?? 0);
      const [before, after] = cell.shares[round] ?? [0, 0];
      // the share is of the whole window; it is compacted at a little over half
      const level = within < FULL ? from + (before - from) * (within / FULL) : after;
      cell.fill.style.transform = `scaleX(${Math.min(level * 1.6, 1)})`;
    }
    if (done === shown) return;
    shown = done;
    ticks.forEach((tick, i) => tick.classList.toggle("done", i < done));
    cells.forEach((cell) => cell.after(done));
  }

  function frame(now: number): void {
    if (!running) return;
    elapsed = Math.min(elapsed + now - since, LENGTH);
    since = now;
    draw();
    if (elapsed < LENGTH) requestAnimationFrame(frame);
    else end();
  }

  function start(): void {
    if (elapsed >= LENGTH) elapsed = 0;
    running = true;
    since = performance.now();
    button.textContent = "Pause";
    fill(said);
    requestAnimationFrame(frame);
  }

  function end(): void {
    running = false;
    button.textContent = "Play again";
    fill(said, "After five rounds: plain, both rules gone or bent. With standfast, both stand, word for word.");
  }

  button.addEventListener("click", () => {
    if (!running) return start();
    running = false;
    button.textContent = "Go on";
  });
  if (still) {
    elapsed = LENGTH;
    draw();
    end();
  } else {
    draw();
    start();
  }
}

function cell(cliff: Cliff, kind: "plain" | "ours"): Omit<Cell, "after" | "shares"> & { rule: HTMLElement } {
  const says = h("p.cell-says");
  const filling = h("span");
  const rule = h("span.struck", {}, cliff.rule);
  const element = h(`div.cell.${kind}`, {}, h("p.cell-who", {}, cliff.who), h("p.cliff-rule", {}, rule), says, h("div.bar", { "aria-hidden": "true" }, filling));
  return { element, says, fill: filling, rule };
}

function plainCell(cliff: Cliff): Cell {
  const made = cell(cliff, "plain");
  return {
    ...made,
    shares: cliff.rounds.map(({ plain }) => plain),
    after(rounds) {
      const fate = cliff.rounds[rounds - 1]?.fate;
      const dead = cliff.rounds.slice(0, rounds).findIndex(({ fate: { kept } }) => !kept);
      made.element.classList.toggle("lost", dead >= 0);
      if (fate === undefined) fill(made.says, "In force.");
      else if (fate.kept) fill(made.says, `Round ${rounds}: still there.`);
      else if (fate.evidence === "") fill(made.says, h("span.says-kind", {}, `Round ${rounds}: gone. `), "Nothing in the window says it any more.");
      else fill(made.says, h("span.says-kind", {}, `Round ${rounds}: ${fate.kind}. `), "The window now says: “", fate.evidence, "”");
    },
  };
}

function oursCell(cliff: Cliff): Cell {
  const made = cell(cliff, "ours");
  return {
    ...made,
    shares: cliff.rounds.map(({ ours }) => ours),
    after(rounds) {
      const digest = cliff.digests[rounds - 1];
      if (digest === undefined) fill(made.says, "In force.");
      else fill(made.says, h("span.says-kind", {}, `Round ${rounds}: stands, word for word. `), "Pinned block ", h("code", {}, digest));
    },
  };
}
