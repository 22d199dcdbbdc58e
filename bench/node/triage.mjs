// What typing a line costs from Node: node bench/node/triage.mjs (after `npm run build` in npm/), with our own lines, or those of
// STANDFAST_DATA. Processor time of the process, best of seven.
import { existsSync, readFileSync } from "node:fs";
import { classifyItems } from "../../npm/dist/esm/node.js";

const given = `${process.env.STANDFAST_DATA ?? ""}/labels/lines.jsonl`;
const path = existsSync(given) ? given : new URL("../triage/own_lines.jsonl", import.meta.url);
const rows = readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const COUNT = 10_000;
const items = Array.from({ length: COUNT }, (_, at) => {
  const { text, heading_path: headingPath, lead_in: leadIn, kind } = rows[at % rows.length];
  return { text, headingPath, leadIn, kind };
});
let best = Infinity;
for (let round = 0; round < 7; round++) {
  const start = process.cpuUsage();
  if (classifyItems(items).length !== COUNT) throw new Error("not every line has a type");
  const { user, system } = process.cpuUsage(start);
  best = Math.min(best, (user + system) / COUNT);
}
console.log(`${COUNT} lines in one call: ${best.toFixed(1)} us a line (bar 10)${best <= 10 ? "" : ": MISSED"}`);
