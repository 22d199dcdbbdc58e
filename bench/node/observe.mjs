// Prints what the engine costs from Node, the crossing included: node bench/node/observe.mjs (after `npm run build` in npm/).
// Times are processor time of the process, the garbage collector's and the compiler's threads included, so that other work on
// the machine does not count; but for the first use, which is by the clock.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

if (process.argv[2] === "first-use") {
  const start = performance.now();
  const { Guard } = await import("../../npm/dist/esm/node.js");
  const loaded = performance.now();
  const guard = new Guard({ windowTokens: 200_000 });
  guard.declare("Never issue a refund above GBP 500 without a human approver.");
  guard.observe({ role: "user", content: "Please look at batch 12." });
  guard.window();
  const used = performance.now();
  console.log(JSON.stringify({ load: loaded - start, first: used - loaded, all: used - start }));
  process.exit();
}

const { Guard } = await import("../../npm/dist/esm/node.js");
const WORDS = "the batch was read and row 412 failed with code NSF because account 7781 had no funds so it goes to settlement desk".split(" ");
let seed = 7;
const random = (n) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % n;
const prose = (bytes) => {
  let text = "";
  while (text.length < bytes) text += WORDS[random(WORDS.length)] + (random(12) === 0 ? ".\n" : " ");
  return text.slice(0, bytes);
};
/** A user, a call, its result, an answer; `bytes` each on average. */
const message = (i, bytes) => {
  const turn = Math.floor(i / 4);
  switch (i % 4) {
    case 0: return { role: "user", content: prose(bytes) };
    case 1: return { role: "assistant", content: null, tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "get_batch", arguments: JSON.stringify({ batch: turn, note: prose(bytes) }) } }] };
    case 2: return { role: "tool", tool_call_id: `c${turn}`, content: prose(bytes) };
    default: return { role: "assistant", content: prose(bytes) };
  }
};
const list = (n, bytes) => Array.from({ length: n }, (_, i) => message(i, bytes));
const time = (run) => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const row = (what, value, unit, limit) => console.log(`${what.padEnd(62)} ${value.toFixed(value < 10 ? 2 : 1).padStart(9)} ${unit.padEnd(3)}${limit === Infinity ? "" : ` (limit ${limit} ${unit})`}${value > limit ? "  OVER" : ""}`);

/** Most that an event may cost, in microseconds, its directives and types read. */
const OBSERVE = 150;

const guard = new Guard({ windowTokens: 4_000_000 });
guard.declare("Never issue a refund above GBP 500 without a human approver.");
guard.observeAll(list(400, 1_000));
const fresh = list(2_000, 1_000).map((m, i) => (m.tool_calls ? { ...m, tool_calls: [{ ...m.tool_calls[0], id: `d${i >> 2}` }] } : m.tool_call_id ? { ...m, tool_call_id: `d${i >> 2}` } : m));
row("observe, 1 KB message, mean over mixed roles", (time(() => guard.observeAll(fresh)) / fresh.length) * 1_000, "µs", OBSERVE);
for (const [role, index] of [["user", 0], ["call", 1], ["result", 2], ["answer", 3]]) {
  const g = new Guard({ windowTokens: 4_000_000 });
  g.observeAll(list(8, 1_000));
  const some = Array.from({ length: 500 }, (_, i) => message(4 * (i + 100) + index, 1_000)).filter((m) => !m.tool_call_id || index === 2);
  if (index === 2) continue; // a result needs its call; it is in the mean above
  row(`  ${role}`, (time(() => g.observeAll(some)) / some.length) * 1_000, "µs", OBSERVE);
}

const host = list(1_000, 1_000);
const synced = new Guard({ windowTokens: 4_000_000 });
row("sync, first, 1,000 messages of 1 KB", time(() => synced.sync(host)), "ms", OBSERVE); // each is observed
row("sync, warm, 1,000 messages, nothing new (median of 200)", median(Array.from({ length: 200 }, () => time(() => synced.sync(host)))), "ms", 1);
const warm = Array.from({ length: 100 }, (_, i) => {
  host.push({ role: i % 2 ? "assistant" : "user", content: prose(1_000) });
  return time(() => synced.sync(host));
});
row("sync, warm, 1,000 messages, one new (median of 100)", median(warm), "ms", 1);
const restored = time(() => Guard.restore(synced.snapshot(), { messages: host }));
row("restore with its 1,100 messages", restored, "ms", 100);

// A summary that claims nothing is compared with nothing; one that says what was done is looked up in all that was said.
for (const [text, what, limits] of [["Nothing of note.", "", [250, 250]], ["Batches were read.", ", claims looked up", [Infinity, Infinity]]]) {
  for (const [at, events] of [1_000, 10_000].entries()) {
    const big = new Guard({ windowTokens: 200_000 });
    const observing = time(() => big.observeAll(list(events, 400)));
    let plan;
    const planning = time(() => (plan = big.plan({ asked: "requested" })));
    const summaries = Object.fromEntries(plan.requests.map((request) => [request.id, text]));
    const committing = time(() => big.commit(plan, summaries));
    row(`plan + commit, ${events} events${what} (plan ${planning.toFixed(1)}, commit ${committing.toFixed(1)})`, planning + committing, "ms", limits[at]);
    row("  observing them, per event", (observing / events) * 1_000, "µs", OBSERVE);
    row("  assertWindow of the compacted window", time(() => { const w = big.window(); big.assertWindow(w.messages, { system: w.system }); }), "ms", 20);
  }
}

const runs = Array.from({ length: 5 }, () => JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), "first-use"], { encoding: "utf8" })));
row("first use: load, new Guard, declare, observe, window (median of 5)", median(runs.map((run) => run.all)), "ms", 30);
row("  of which loading the module", median(runs.map((run) => run.load)), "ms", 30);
