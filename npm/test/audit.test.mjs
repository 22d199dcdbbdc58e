// Audits: what they take, what they give, and that a report is its text and its stored form as well.

import assert from "node:assert/strict";
import test from "node:test";

import { Guard, StandfastError, audit, auditCompaction, checkAuthority, checkDecisions, checkDrift, checkIdempotence, checkIdentifiers } from "standfast";

const RULE = "Never delete rows of the billing table without the consent of Olga Brandt.";
const BEFORE = [
  { role: "user", content: RULE },
  { role: "user", content: "Count the open orders." },
];

test("a report has its text and its stored form", () => {
  const report = auditCompaction(BEFORE, [{ role: "assistant", content: RULE }, BEFORE[1]]);
  assert.equal(report.ok, false);
  assert.deepEqual(report.fates[0].place, { index: 0, role: "assistant" });
  assert.equal(report.fates[0].detail, "role_lowered");
  assert.equal(report.counts.roleLowered, 1);
  assert.match(String(report), /^NOT OK: 0 of 1 rules kept/);
  assert.equal(JSON.parse(report.toJson()).counts.role_lowered, 1);
  assert.deepEqual(Object.keys(report), ["ok", "counts", "fates", "claims", "pairs", "decisions", "identifiers", "coverage"]);
});

test("a window and rules of a guard are taken", () => {
  const guard = new Guard({ windowTokens: 8_000 });
  const rule = guard.declare("Refunds above 200 EUR need two signatures.");
  for (const message of BEFORE) guard.observe(message);
  const report = auditCompaction(BEFORE, guard.window(), [rule, RULE]);
  assert.equal(report.ok, true, String(report));
  assert.equal(auditCompaction(BEFORE, { model: "m", system: RULE, messages: [], other: () => 1 }).fates[0].place.role, "system");
});

test("the single checks give findings with evidence", () => {
  assert.equal(audit([RULE], RULE)[0].kind, "preserved");
  assert.deepEqual(
    checkIdentifiers("Ticket OPS-1180.", "Ticket OPS-1108.", { required: ["OPS-4"] }).map(({ fault, text }) => [fault, text]),
    [["changed", "OPS-1108"], ["missing", "OPS-4"]],
  );
  const made = [{ polarity: "rejected", topic: "the second queue", reason: "it doubles the latency" }];
  assert.equal(checkDecisions(made, "The second queue doubles the latency.")[0].fault, "flipped");
  assert.equal(checkAuthority(BEFORE, "The owner approved all refunds.")[0].evidence, "The owner approved all refunds.");
  const { identifiers, rounds } = checkDrift("Ticket OPS-1180.", ["OPS-1180.", "OPS-1108."]);
  assert.deepEqual([identifiers, rounds[1].lost, rounds[1].novel], [1, ["OPS-1180"], ["OPS-1108"]]);
  assert.deepEqual(checkDrift("", ["x"], { required: ["OPS-4"] }).rounds[0].lost, ["OPS-4"]);
  assert.deepEqual(checkIdempotence("We rejected plan B.", "Plan B was chosen.").map(({ what, inFirst }) => [what, inFirst]), [["decision", true], ["decision", false]]);
});

test("what cannot be audited is refused with a code", () => {
  const refused = (run, code) => assert.throws(run, (error) => error instanceof StandfastError && error.code === code);
  for (const side of [null, undefined, 7, {}, { messages: 7 }]) {
    refused(() => auditCompaction(side, []), "invalid_argument");
    refused(() => auditCompaction([], side), "invalid_argument");
  }
  refused(() => auditCompaction([], ["a text"]), "unknown_shape");
  refused(() => auditCompaction([], [], RULE), "invalid_argument");
  refused(() => auditCompaction([], [], ["Never \ud800."]), "rule_not_text");
  refused(() => audit([RULE], 7), "invalid_argument");
  refused(() => checkAuthority(BEFORE), "invalid_argument");
  refused(() => checkDrift(BEFORE, "a text"), "invalid_argument");
  refused(() => checkIdempotence("a text"), "invalid_argument");
  refused(() => auditCompaction([], [{ role: "user", content: NaN }]), "invalid_number");
});
