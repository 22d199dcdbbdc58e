// A call of the engine that ends in a trap: its memory can grow no more, and it asks for some in the middle. Prints what then holds.
import { readFileSync } from "node:fs";
import load from "../dist/esm/glue.js";
import { Guard, init } from "../dist/esm/web.js";

const { memory } = await load({ module_or_path: readFileSync(new URL("../dist/standfast_bg.wasm", import.meta.url)) });
await init();
const RULE = "Never deploy on a Friday.";
const turn = (i, bytes) => ({ role: i % 2 ? "assistant" : "user", content: `Step ${i}: ${"work ".repeat(bytes / 5)}` });
const guards = [];
for (let i = 0; i < 12; i++) {
  const guard = new Guard({ windowTokens: 4_000_000 });
  guard.declare(RULE);
  guard.observeAll(Array.from({ length: 40 }, (_, at) => turn(at, 100_000)));
  guards.push(guard);
}
const other = new Guard({ windowTokens: 8_000 });
other.declare(RULE);
other.observe(turn(0, 100));
const saved = other.snapshot();
// pages that nobody touches take no memory of the machine
for (let pages = 65_536 - memory.buffer.byteLength / 65_536; pages > 0; ) {
  try {
    memory.grow(pages);
    break;
  } catch {
    pages -= 1_024;
  }
}
const told = (use) => {
  try {
    use();
    return "done";
  } catch (error) {
    return `${error.name} ${error.code}`;
  }
};
const [torn, ...rest] = guards;
const seen = { torn: told(() => torn.plan({ asked: "requested" })) };
seen.after = [() => torn.rules, () => torn.window(), () => torn.observe(turn(9, 10)), () => torn.snapshot()].map(told);
seen.closed = told(() => torn.close());
// what a host does that runs out of memory
for (const guard of rest) guard.close();
seen.others = told(() => {
  other.observe(turn(1, 100));
  other.assertWindow(other.compactSync(null, { asked: "requested" }).messages);
  const again = Guard.restore(saved);
  if (again.rules.length !== 1 || other.rules.length !== 1) throw new Error("a rule is lost");
  again.close();
});
console.log(JSON.stringify(seen));
