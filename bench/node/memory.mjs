// Prints what memory comes to: node bench/node/memory.mjs (after `npm run build` in npm/). 10,000 guards that are made, used and
// closed, and one guard over 100,000 events, compacted as it falls due, must not grow beyond their data. npm/test/memory.test.mjs
// holds the bounds on smaller runs. Each part has a process of its own, since the wasm's memory never shrinks.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { grown, guards, long } from "../../npm/test/memory.mjs";

const mb = (bytes) => `${(bytes / (1 << 20)).toFixed(1)} MB`;
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);

/** A long conversation, with its texts or with those older than 2,000 events paged out. */
async function conversation(what, paging) {
  const seen = await long([25_000, 50_000, 75_000, 100_000], { paging });
  console.log(`| events of one guard, ${what} | text so far | memory of the wasm | for each event | for each byte of text | heap of JavaScript |\n|---|---|---|---|---|---|`);
  for (const { count, text, wasm, heap } of seen) row(count, mb(text), mb(wasm), `${Math.round(wasm / count)} B`, (wasm / text).toFixed(2), mb(heap));
}

const PARTS = {
  guards: async () => {
    const made = await guards([1_000, 2_500, 5_000, 10_000]);
    console.log("| guards made, used and closed | memory of the wasm | heap of JavaScript |\n|---|---|---|");
    for (const { count, wasm, heap } of made) row(count, mb(wasm), mb(heap));
    console.log(`grown after the first thousand: ${mb(grown(made))}`);
  },
  whole: () => conversation("all texts in it", false),
  paged: () => conversation("old texts in a store", true),
};

const part = PARTS[process.argv[2]];
if (part !== undefined) await part();
else for (const name of Object.keys(PARTS)) console.log(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], { encoding: "utf8" }));
