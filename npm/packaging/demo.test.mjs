// The demo page as it is built, end to end in headless Chromium. Pictures for a person go to demo/screenshots.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Guard } from "standfast";
import { openPage, serve, withoutBrowser } from "./project.mjs";

const demo = fileURLToPath(new URL("../demo/", import.meta.url));
const shots = join(demo, "screenshots");
const transcript = (name) => JSON.parse(readFileSync(new URL(`../../bench/transcripts/${name}.json`, import.meta.url), "utf8"));
const skip = { skip: withoutBrowser };
const RULE = "Never push to main without a review by Ines.";
const filler = (i, long = 1) => [
  { role: "user", content: `What came in with delivery ${i}?` },
  { role: "assistant", content: `Delivery ${i}: two boxes of paper, one of envelopes, nothing else. The list is filed. `.repeat(long) },
];
const talk = (rounds = 120, long = 4) => [{ role: "user", content: RULE }, ...Array.from({ length: rounds }, (_, i) => filler(i, long)).flat()];

let folder;
let server;

before(async () => {
  const { build } = await import("vite");
  await build({ configFile: join(demo, "vite.config.mjs") });
  rmSync(shots, { recursive: true, force: true });
  mkdirSync(shots);
  folder = mkdtempSync(join(tmpdir(), "standfast-demo-"));
  server = await serve(join(demo, "dist"));
});
after(() => {
  server?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** A file of these contents. */
function file(name, contents) {
  const path = join(folder, name);
  writeFileSync(path, typeof contents === "string" || contents instanceof Uint8Array ? contents : JSON.stringify(contents));
  return path;
}

/** Opens the page, gives it to `look`, and fails on whatever it reports as an error. */
async function onPage(look, { hash = "", init, expected = [], ...context } = {}) {
  const browser = await openPage(context);
  try {
    const requests = [];
    browser.page.on("request", (request) => requests.push(request.url()));
    await browser.page.addInitScript(() => {
      globalThis.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ type: "longtask" });
    });
    if (init !== undefined) await browser.page.addInitScript(init);
    await browser.page.goto(`${server.url}/index.html${hash}`);
    await look(browser.page);
    const unexpected = browser.errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
    assert.deepEqual(unexpected, []);
    assert.deepEqual(requests.filter((url) => !url.startsWith(server.url) && !url.startsWith("blob:")), []);
  } finally {
    await browser.close();
  }
}

const drop = (page, ...paths) => page.locator("#file").setInputFiles(paths);
const headline = async (page) => {
  await page.locator("#result:not([hidden]) #headline").waitFor({ timeout: 60_000 });
  await page.waitForFunction(() => !/%|…/.test(document.getElementById("status").textContent), undefined, { timeout: 60_000 });
  return page.locator("#headline").textContent();
};
const failure = async (page) => {
  await page.locator("#failure:not([hidden])").waitFor({ timeout: 60_000 });
  return page.locator("#failure").textContent();
};

async function axe(page) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`);
}

test("the page ships few bytes", (t) => {
  const assets = readdirSync(join(demo, "dist/assets")).map((name) => [name, readFileSync(join(demo, "dist/assets", name))]);
  const sum = (pack, test) => assets.filter(([name]) => test(name)).reduce((all, [, bytes]) => all + pack(bytes).length, 0);
  const [gzip, brotli] = [(bytes) => gzipSync(bytes, { level: 9 }), (bytes) => brotliCompressSync(bytes)];
  const [isWasm, isOther] = [(name) => name.endsWith(".wasm"), (name) => !name.endsWith(".wasm")];
  const figures = { script: sum(gzip, isOther), wasm: sum(gzip, isWasm), scriptBrotli: sum(brotli, isOther), wasmBrotli: sum(brotli, isWasm) };
  t.diagnostic(`script and style ${figures.script} bytes gzip -9, ${figures.scriptBrotli} brotli; wasm ${figures.wasm} gzip -9, ${figures.wasmBrotli} brotli; in all ${figures.script + figures.wasm} and ${figures.scriptBrotli + figures.wasmBrotli}`);
  assert.ok(figures.script <= 100 * 1024, `script and style: ${figures.script}`);
  assert.ok(figures.scriptBrotli + figures.wasmBrotli <= 450 * 1024, `all: ${figures.scriptBrotli + figures.wasmBrotli}`);
});

test("it is ready within 1.5 s and opens with the cliff", skip, async (t) => {
  const times = [];
  for (let i = 0; i < 3; i++) {
    await onPage(async (page) => {
      await page.waitForFunction(() => performance.getEntriesByName("interactive").length > 0);
      times.push(await page.evaluate(() => performance.getEntriesByName("interactive")[0].startTime));
      if (i > 0) return;
      await page.waitForTimeout(3_000);
      await page.screenshot({ path: join(shots, "opening-3s.png") });
      await page.getByText("After five rounds").waitFor({ timeout: 20_000 });
      assert.equal(await page.locator(".cell.plain.lost").count(), 2);
      assert.deepEqual(await page.locator(".cell.ours .says-kind").allTextContents(), Array(2).fill("Round 5: stands, word for word. "));
      const rules = await page.locator(".cell.plain .cliff-rule").allTextContents();
      assert.match(rules[0], /penicillin/);
      assert.match(rules[1], /refund above GBP 500/);
      await page.screenshot({ path: join(shots, "opening.png") });
    });
  }
  t.diagnostic(`interactive after ${times.map(Math.round).join(", ")} ms`);
  assert.ok(Math.min(...times) <= 1_500, `${times}`);
});

test("a session of Claude Code: its own compactions, its rules, and the pictures", skip, async () => {
  await onPage(
    async (page) => {
      const top = await headline(page);
      const [, lost, all] = /^Your agent lost (\d+) of (\d+) rules in 2 compactions$/.exec(top) ?? assert.fail(top);
      assert.ok(Number(lost) > 0 && Number(lost) <= Number(all));
      assert.equal(await page.locator("#rules .rule.lost del").count(), Number(lost));
      assert.equal(await page.locator("#rules .rule.lost .evidence").count(), Number(lost));
      assert.deepEqual(await axe(page), []);
      await page.screenshot({ path: join(shots, "claude-code-light.png"), fullPage: true });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForTimeout(300);
      assert.deepEqual(await axe(page), []);
      await page.screenshot({ path: join(shots, "claude-code-dark.png"), fullPage: true });
    },
    { hash: "#sample=claude-code" },
  );
});

test("on a phone nothing runs out of the page", skip, async () => {
  for (const scheme of ["light", "dark"]) {
    await onPage(
      async (page) => {
        await headline(page);
        await page.locator("#items .item button").first().click();
        await page.locator("#items .why dl").first().waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await axe(page), []);
        await page.screenshot({ path: join(shots, `phone-${scheme}.png`), fullPage: true });
      },
      { hash: "#sample=codex", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: scheme, reducedMotion: "reduce" },
    );
  }
});

test("the samples: what the opening shows is what the page plays, with each summarizer", skip, async () => {
  await onPage(
    async (page) => {
      assert.match(await headline(page), /^Plain compaction lost \d+ of 10 rules in 5 rounds$/);
      assert.match(await page.locator("#subline").textContent(), /all 10 stand, word for word/);
      const digests = await page.locator("#rounds td code").allTextContents();
      assert.equal(digests.at(-1), (await page.locator(".cell.ours code").first().textContent()) ?? "");
      for (const [label, lost] of [["Destructive", /lost 10 of 10/], ["Extractive", /lost \d+ of 10/]]) {
        await page.getByLabel(label).check({ force: true });
        await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("status").textContent), lost.source, { timeout: 60_000 });
        assert.deepEqual(await page.locator("#rounds td:nth-child(4)").allTextContents(), ["6 of 6", "6 of 6", /./, /./, "10 of 10"].map((want, i) => (typeof want === "string" ? want : assert.ok(want) ?? "") || undefined).map((want, i) => want ?? kept[i]));
      }
    },
    { hash: "#sample=medical", reducedMotion: "reduce" },
  );
});
