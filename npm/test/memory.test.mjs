// Memory does not grow beyond what is in it. Nothing here is timed; bench/node/memory.mjs prints the figures of larger runs.

import { test } from "node:test";
import assert from "node:assert/strict";
import { grown, guards, long } from "./memory.mjs";

const MB = 1 << 20;

test("guards that are made, used and closed leave nothing behind", async (t) => {
  const seen = await guards([300, 1_000]);
  t.diagnostic(JSON.stringify(seen));
  assert.ok(grown(seen) < MB, `700 guards left ${grown(seen)} bytes`);
});

test("a long conversation whose old texts are paged out stays small", async (t) => {
  const [half, all] = await long([3_000, 6_000], { paging: true, bytes: 1_000 });
  t.diagnostic(JSON.stringify([half, all]));
  // what stays of an event is its place in the log: digests and what became of it
  assert.ok(all.wasm - half.wasm <= 512 * (all.count - half.count) && all.heap - half.heap < MB, "it grew with the texts that had gone");
});

test("a long conversation takes a small multiple of its texts", async (t) => {
  const [half, all] = await long([3_000, 6_000], { bytes: 1_500 });
  t.diagnostic(JSON.stringify([half, all]));
  assert.ok(all.wasm <= 4 * all.text && all.heap <= 2 * all.text, "more than its data");
});
