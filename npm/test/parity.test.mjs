// The same bytes as in Python, on every given transcript (STANDFAST_DATA) and our own: pinned blocks, windows, receipts, snapshots,
// and snapshots that one language writes and the other goes on from. PYTHON names an interpreter that has standfast.

import { before, test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as standfast from "standfast";
import { play, read } from "../../tests/parity/play.mjs";

const python = process.env.PYTHON ?? fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));
const script = fileURLToPath(new URL("../../tests/parity/play.py", import.meta.url));
const skip = { skip: existsSync(python) || process.env.CI === "true" ? false : "no Python with standfast: run `make .venv/installed`, or set PYTHON" };

function inPython(what, jobs) {
  const { status, stdout, stderr, error } = spawnSync(python, [script, what], { input: JSON.stringify(jobs ?? null), encoding: "utf8", maxBuffer: 1 << 30, timeout: 240_000 });
  assert.equal(status, 0, `${error ?? ""}${stderr}`);
  return JSON.parse(stdout);
}
const inNode = (jobs) => jobs.map((job) => play(standfast, job));

let given;
let files;
let whole;

before(() => {
  if (skip.skip !== false) return;
  ({ chats: given, files } = inPython("list"));
  whole = { python: inPython("play", given), node: inNode(given) };
});

/** Fails with the first thing that differs in each conversation. */
function same(node, python) {
  const faults = [];
  for (const [i, { name, seen }] of node.entries()) {
    const other = python[i].seen;
    if (seen.length !== other.length) faults.push(`${name}: ${seen.length} and ${other.length} rounds`);
    const at = seen.findIndex((one, j) => JSON.stringify(one) !== JSON.stringify(other[j]));
    if (at >= 0) faults.push(`${name}: ${Object.keys(seen[at]).filter((key) => seen[at][key] !== other[at]?.[key])} in round ${at}`);
  }
  assert.deepEqual(faults, []);
}

test("every transcript: pinned block, window, receipt and snapshot of each round", skip, (t) => {
  same(whole.node, whole.python);
  const rounds = whole.node.reduce((sum, { seen }) => sum + seen.length, 0);
  assert.ok(rounds > given.length, `${rounds} rounds of ${given.length} transcripts`);
  t.diagnostic(`${given.length} transcripts, ${rounds} windows`);
});

test("every transcript: each goes on from the other's snapshot, with the same bytes", skip, () => {
  assert.deepEqual(whole.node.map(({ snapshot }) => snapshot), whole.python.map(({ snapshot }) => snapshot));
  const from = (made) => given.map((job, i) => ({ ...job, snapshot: made[i].snapshot })).filter(({ snapshot }) => snapshot !== null && snapshot !== undefined);
  same(inNode(from(whole.python)), inPython("play", from(whole.node)));
});

test("every file as it is: what its own compactions did, or why it cannot be read", skip, (t) => {
  const made = files.map((file) => read(standfast, file));
  same(made, inPython("read", files));
  t.diagnostic(`${files.length} files, ${made.filter(({ seen }) => "report" in seen[0]).length} can be read`);
  assert.ok(made.some(({ seen }) => "report" in seen[0]));
});
