// Knowledge bases: counters of the caller, both spellings of items, and what is refused.

import assert from "node:assert/strict";
import test from "node:test";

import { Guard, KnowledgeIndex, StandfastError, compactKnowledge, decomposeKnowledge } from "standfast";

const ITEMS = [
  { text: "Never push to `main` without an approval.", knowledge: "constraint", headingPath: ["Guide", "Git"] },
  { text: "The gateway retries requests for two minutes.", knowledge: "belief", headingPath: ["Guide", "Gateway"] },
  { text: "The old server was moved in May.", knowledge: "episodic", headingPath: ["Guide", "History"] },
];
const refused = (run, code) => assert.throws(run, (error) => error instanceof StandfastError && error.code === code);

test("any counter is kept", () => {
  for (const count of [(text) => text.length, (text) => text.split(/\s+/).length * 3, (text) => Math.floor(text.length ** 2 / 50)]) {
    for (let budget = 1; budget < 400; budget += 13) {
      const { ok, text, unsafe, kept, dropped } = compactKnowledge(ITEMS, { budget, count });
      assert.equal(ok, unsafe === null);
      assert.equal(ok, text !== null);
      assert.ok(!text || count(text) <= budget);
      assert.equal(kept.length + dropped.length, 3);
    }
  }
  const { ok, parts, preambleSize } = decomposeKnowledge(ITEMS, { maxTokens: 150, count: (text) => text.length });
  assert.ok(ok && parts.every(({ size }) => size + preambleSize <= 150));
});

test("rules in scope come first, and a guard is searched", () => {
  const { items, overflow } = new KnowledgeIndex(ITEMS).retrieve("Shall I push?", { k: 2, vectors: { query: [1, 0], items: [[0, 1], [1, 0], [0, 1]] } });
  assert.deepEqual([items[0].index, items[0].inScope, items[1].index, overflow], [0, true, 1, []]);
  const guard = new Guard({ windowTokens: 8_000 });
  for (const content of ["The invoice of March is late.", "Lunch was fine.", "Send the invoice again."]) guard.observe({ role: "user", content });
  assert.deepEqual(guard.recall({ query: "invoice of March", k: 1 }).map(({ seq }) => seq), [0]);
  assert.deepEqual(guard.recall({ query: "invoice", span: [1, 2] }).map(({ seq }) => seq), [2]);
  refused(() => guard.recall({}), "invalid_argument");
});

test("what cannot be used is refused with a code", () => {
  for (const options of [{ budget: 0 }, { budget: -1 }, { ratio: 0 }, { ratio: -0.1 }, { ratio: 2 }, {}, { budget: 3, ratio: 0.5 }, { budget: 2.5 }, { budget: 3, mode: "x" }, { budget: 3, count: 7 }]) {
    refused(() => compactKnowledge(ITEMS, options), "invalid_argument");
  }
  refused(() => compactKnowledge(ITEMS, { ratio: NaN }), "invalid_number");
  refused(() => compactKnowledge(7, { budget: 3 }), "invalid_argument");
  refused(() => compactKnowledge(ITEMS, { budget: 3, count: () => -1 }), "invalid_argument");
  refused(() => decomposeKnowledge(ITEMS, { maxTokens: 0 }), "invalid_argument");
  refused(() => new KnowledgeIndex([]), "invalid_argument");
  const index = new KnowledgeIndex(ITEMS);
  refused(() => index.retrieve("x", { k: 0 }), "invalid_argument");
  refused(() => index.retrieve("x", { vectors: { query: [1], items: [[1]] } }), "invalid_argument");
  refused(() => index.retrieve("x", { vectors: { query: [NaN], items: [[1], [1], [1]] } }), "invalid_number");
});
