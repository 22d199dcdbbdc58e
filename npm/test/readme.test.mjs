// The README's TypeScript is run as it stands (it is plain JavaScript but for its types' absence).
import assert from "node:assert/strict";
import { readFileSync, writeFileSync, rmSync } from "node:fs";
import { test } from "node:test";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

test("the README's TypeScript blocks run", async () => {
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1]);
  assert.ok(blocks.length > 0);
  for (const block of blocks) {
    const file = new URL("./readme-block.mjs", import.meta.url);
    writeFileSync(file, block);
    try {
      await import(file.href);
    } finally {
      rmSync(file);
    }
  }
});
