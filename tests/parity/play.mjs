// Plays transcripts and tells the digests of all that a guard gives: the JavaScript half of npm/test/parity.test.mjs, with the
// same steps as play.py.
import { createHash } from "node:crypto";

const RULES = ["Never issue a refund above GBP 500 without a human approver.", "Zahlungen über 1.000 € dürfen nie ohne Freigabe erfolgen."];
const KEY = "parity";

const digest = (value) => createHash("sha256").update(value).digest("hex");

/** One form of a value in both languages: keys sorted. */
function bytes(value) {
  const plain = (part) => {
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(plain);
    return Object.fromEntries(Object.keys(part).sort().map((key) => [key, plain(part[key])]));
  };
  return JSON.stringify(plain(value));
}

const seenOf = (guard, window) => ({
  pinned: digest(window.pinned),
  window: digest(bytes([window.system, window.messages])),
  receipt: digest(window.receipt.toJson()),
  snapshot: digest(guard.snapshot()),
  signed: digest(guard.snapshot({ key: KEY })),
});

const summary = (request) => `Work went on: ${digest(request.prompt).slice(0, 12)}.`;

/** Plays a conversation from its beginning, or from a snapshot in its middle. */
export function play({ Guard }, job) {
  const { name, messages, shape, window: windowTokens } = job;
  const middle = Math.floor(messages.length / 2);
  const seen = [];
  let { snapshot } = job;
  let guard;
  if (snapshot === undefined) {
    guard = new Guard({ windowTokens, shape });
    for (const rule of RULES) guard.declare(rule, { source: "policy_loader" });
  } else {
    guard = Guard.restore(snapshot, { messages: messages.slice(0, middle), rules: { policy_loader: RULES } });
    seen.push(seenOf(guard, guard.window()));
  }
  for (let at = job.snapshot === undefined ? 0 : middle; at < messages.length; at++) {
    if (at === middle && snapshot === undefined) snapshot = guard.snapshot();
    guard.observe(messages[at]);
    if (guard.shouldCompact().compact) {
      // every other round the built-in summarizer
      const window = guard.compactSync(guard.receipt.round % 2 ? null : summary);
      seen.push(seenOf(guard, window));
    }
  }
  seen.push(seenOf(guard, guard.compactSync(null, { asked: "requested" })));
  guard.close();
  return { name, snapshot, seen };
}

/** What a file's own compactions did, or why it cannot be read. */
export function read({ auditSession }, { name, text }) {
  try {
    return { name, seen: [{ report: digest(auditSession(text).toJson()) }] };
  } catch (error) {
    return { name, seen: [{ code: error.code }] };
  }
}
