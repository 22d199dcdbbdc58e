// Prints what memory comes to: node bench/node/memory.mjs (after `npm run build` in npm/). 10,000 guards that are made, used and
// closed, and one guard over 100,000 events, compacted as it falls due, must not grow beyond their data. npm/test/memory.test.mjs
// holds the bounds on smaller runs.
import { grown, guards, long } from "../../npm/test/memory.mjs";

const mb = (bytes) => `${(bytes / (1 << 20)).toFixed(1)} MB`;
const row = (what, ...cells) => console.log(`| ${[what, ...cells].join(" | ")} |`);

const made = await guards([1_000, 2_500, 5_000, 10_000]);
console.log("| guards made, used and closed | memory of the wasm | heap of JavaScript |\n|---|---|---|");
for (const { count, wasm, heap } of made) row(count, mb(wasm), mb(heap));
console.log(`grown after the first thousand: ${mb(grown(made))}\n`);

// the wasm's memory never shrinks: what needs less comes first
for (const [what, paging] of [["texts before the last 2,000 events paged out to a store", true], ["all texts in the guard", false]]) {
  const events = await long([25_000, 50_000, 75_000, 100_000], { paging });
  console.log(`| events of one guard, ${what} | text so far | memory of the wasm | for each byte of text | beside the text, per event | heap of JavaScript |\n|---|---|---|---|---|---|`);
  for (const { count, text, wasm, heap } of events) row(count, mb(text), mb(wasm), (wasm / text).toFixed(2), paging ? `${Math.round(wasm / count)} B` : `${Math.round((wasm - text) / count)} B`, mb(heap));
  console.log();
}
