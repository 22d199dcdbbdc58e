// What memory guards take: the wasm's, which never shrinks and so is the most it ever was, and the heap after a collection.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import load from "../dist/esm/glue.js";
import { Guard, MemoryStore, init } from "../dist/esm/web.js";

const { memory } = await load({ module_or_path: readFileSync(new URL("../dist/standfast_bg.wasm", import.meta.url)) });
await init();
const LOADED = memory.buffer.byteLength;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** What is used now. */
async function now() {
  // a collection finds more once the tasks of the one before it are done
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { wasm: memory.buffer.byteLength, heap: process.memoryUsage().heapUsed };
}

const turn = (i, bytes) => {
  const text = `${i}: row 412 FAILED NSF, account 7781 has no funds; the settlement desk looks at it on Monday. `.repeat(Math.ceil(bytes / 95)).slice(0, bytes);
  return { role: i % 2 ? "assistant" : "user", content: text };
};

/** Memory after so many guards, each made, used and closed. */
export async function guards(counts) {
  const seen = [];
  let at = 0;
  for (const count of counts) {
    for (; at < count; at++) {
      const guard = new Guard({ windowTokens: 4_000 });
      guard.declare("Never issue a refund above GBP 500 without a human approver.");
      for (let i = 0; i < 20; i++) guard.observe(turn(i, 400));
      guard.assertWindow(guard.compactSync(null, { asked: "requested" }).messages);
      const again = Guard.restore(guard.snapshot());
      again.close();
      guard.close();
    }
    seen.push({ count, ...(await now()) });
  }
  return seen;
}

/** How much the wasm's memory and the heap grew after the first count. */
export const grown = ([first, ...rest]) => Math.max(...rest.map(({ wasm, heap }) => wasm - first.wasm + Math.max(heap - first.heap, 0)));

/** Memory of one guard after so many events of `bytes`; with `paging` old texts go out to a store that keeps none of them. */
export async function long(counts, { paging = false, bytes = 300 } = {}) {
  const before = await now();
  // what was let go before is used again, so the wasm's memory is all it ever took
  const store = new MemoryStore();
  store.putMany = () => undefined;
  const guard = new Guard({ windowTokens: 50_000, ...(paging ? { store } : {}) });
  guard.declare("Never issue a refund above GBP 500 without a human approver.");
  const seen = [];
  let [at, text] = [0, 0];
  for (const count of counts) {
    for (; at < count; at++) {
      const message = turn(at, bytes);
      text += message.content.length;
      guard.observe(message);
      if (guard.shouldCompact().compact) guard.compactSync();
      if (paging && at % 1_000 === 999) guard.pageOut(at - 2_000 < 0 ? 0 : at - 2_000);
    }
    const { wasm, heap } = await now();
    seen.push({ count, text, wasm: wasm - LOADED, heap: heap - before.heap });
  }
  guard.close();
  return seen;
}
