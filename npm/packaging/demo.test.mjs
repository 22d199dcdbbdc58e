// The demo page as it is built, end to end in headless Chromium. Pictures for a person go to demo/screenshots.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
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
  const read = (name) => readFileSync(join(demo, "dist/assets", name));
  const names = readdirSync(join(demo, "dist/assets")).filter((name) => !name.endsWith(".br"));
  const sum = (pack, test) => names.filter(test).reduce((all, name) => all + pack(name).length, 0);
  // brotli as it lies beside each file, for hosts that serve it so
  const [gzip, brotli] = [(name) => gzipSync(read(name), { level: 9 }), (name) => read(`${name}.br`)];
  const [isWasm, isOther] = [(name) => name.endsWith(".wasm"), (name) => !name.endsWith(".wasm")];
  const figures = { script: sum(gzip, isOther), wasm: sum(gzip, isWasm), scriptBrotli: sum(brotli, isOther), wasmBrotli: sum(brotli, isWasm) };
  t.diagnostic(`script and style ${figures.script} bytes gzip -9, ${figures.scriptBrotli} brotli; wasm ${figures.wasm} gzip -9, ${figures.wasmBrotli} brotli; in all ${figures.script + figures.wasm} and ${figures.scriptBrotli + figures.wasmBrotli}`);
  assert.ok(figures.script <= 100 * 1024, `script and style: ${figures.script}`);
  // the bar is 450 KB: this keeps it from growing back
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
      assert.equal(digests.at(-1), (await page.locator(".cell.ours code").first().textContent()).slice(0, 8));
      for (const [value, about, lost] of [["destructive", "The worst case", /lost 10 of 10/], ["extractive", "The built-in", /lost \d+ of 10/]]) {
        await page.locator(`input[value=${value}]`).evaluate((input) => input.click());
        await page.waitForFunction(
          ([about, lost]) => document.getElementById("summarizer-about").textContent.startsWith(about) && new RegExp(lost).test(document.getElementById("status").textContent),
          [about, lost.source],
          { timeout: 60_000 },
        );
        const kept = await page.locator("#rounds td:nth-child(4)").allTextContents();
        assert.deepEqual(kept.map((text) => text.split(" of ")).filter(([one, other]) => one !== other), []);
        assert.equal(kept.length, 5);
      }
      await page.locator("#compare").click();
      await page.locator("#compared:not([hidden]) table").waitFor({ timeout: 60_000 });
      const rows = await page.locator("#compared tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
      assert.deepEqual(rows.map(([name, arm]) => `${name}, ${arm}`), ["Drifting", "Destructive", "Extractive"].flatMap((name) => [`${name}, plain`, `${name}, with standfast`]));
      assert.ok(rows.filter(([, arm]) => arm !== "plain").every(([, , ...cells]) => cells.length === 5 && cells.every((cell) => cell.split(" of ")[0] === cell.split(" of ")[1])));
      assert.ok(rows.filter(([, arm]) => arm === "plain").every((row) => row.at(-1) !== "10 of 10"));
    },
    { hash: "#sample=medical", reducedMotion: "reduce" },
  );
});

test("every format is taken", skip, async () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
  const long = talk();
  const files = {
    "openai.json": [...long, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "c1", content: "a.txt" }],
    "anthropic.json": { model: "m", system: "You are a clerk.", messages: [...long, { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "ls", input: {} }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "a.txt" }] }] },
    "ai-sdk.json": [...long, { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "ls", input: {} }] }, { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "ls", output: { type: "text", value: "a.txt" } }] }],
    "ai-sdk-chat.json": long.map(({ role, content }, i) => ({ id: String(i), role, parts: [{ type: "text", text: content }] })),
    "langchain.json": long.map(({ role, content }) => ({ type: role === "user" ? "human" : "ai", data: { content } })),
    "gemini.json": { contents: long.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [{ text: content }] })) },
    "responses.json": { input: long.map(({ role, content }) => ({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text: content }] })) },
    "lines.jsonl": long.map((message) => JSON.stringify(message)).join("\n"),
  };
  await onPage(
    async (page) => {
      for (const [name, contents] of Object.entries(files)) {
        await drop(page, file(name, contents));
        await page.waitForFunction((start) => document.getElementById("source").textContent.startsWith(start) && /rule/.test(document.getElementById("status").textContent), name.replace(/\.jsonl?$/, ""), { timeout: 60_000 });
        assert.match(await headline(page), /^Plain compaction lost [01] of 1 rule in \d rounds$/, name);
        assert.match(await page.locator("#rules .rule").first().textContent(), /Never push to main/, name);
      }
      // the same by dropping it on the page
      const dropped = await page.evaluateHandle((text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "dropped.json"));
        return data;
      }, JSON.stringify(long));
      await page.dispatchEvent("body", "dragover", { dataTransfer: dropped });
      assert.equal(await page.locator("html.over").count(), 1);
      await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
      await page.waitForFunction(() => document.getElementById("source").textContent.startsWith("dropped"), undefined, { timeout: 60_000 });
      assert.equal(await page.locator("html.over").count(), 0);
      await headline(page);
      await drop(page, file("AGENTS.md", `# Rules\n\n- ${RULE}\n- Never print a secret.\n\n# Layout\n\nThe server is in src.\n`));
      await page.waitForFunction(() => document.getElementById("source").textContent.startsWith("AGENTS.md"), undefined, { timeout: 60_000 });
      assert.match(await headline(page), /^Plain compaction lost \d of 2 rules in 5 rounds$/);
      assert.match(await page.locator("#pinned").textContent(), /Never print a secret/);
      await drop(page, file("both.json", long), file("AGENTS.md", "- Never print a secret.\n"));
      await page.waitForFunction(() => document.getElementById("source").textContent.startsWith("both"), undefined, { timeout: 60_000 });
      await headline(page);
      assert.match(await page.locator("#pinned").textContent(), /Never print a secret/);
    },
    { reducedMotion: "reduce" },
  );
});

test("what is no transcript is told in words, and the page goes on", skip, async () => {
  const big = file("big.jsonl", "");
  truncateSync(big, 200 * 1024 * 1024);
  const bad = [
    [file("cat.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])), /cat\.png is not a text file/],
    [file("empty.json", " \n"), /empty\.json is empty/],
    [file("notes.json", "these are my notes"), /no transcript that can be read/],
    [file("numbers.json", "[1, 2, 3]"), /no transcript that can be read/],
    [file("config.json", { compilerOptions: {} }), /no transcript that can be read/],
    [file("cut.json", JSON.stringify(talk()).slice(0, -30)), /no transcript that can be read/],
    [file("bedrock.json", [{ role: "assistant", content: [{ toolUse: { name: "ls" } }] }]), /no transcript that can be read/],
    [file("deep.json", `${"[".repeat(5_000)}${"]".repeat(5_000)}`), /no transcript that can be read/],
    [big, /200 MB; this page takes up to 64 MB/],
  ];
  await onPage(
    async (page) => {
      for (const [path, message] of bad) {
        await drop(page, path);
        assert.match(await failure(page), message, path);
        await page.evaluate(() => (document.getElementById("failure").hidden = true));
      }
      const lines = talk().map((message) => JSON.stringify(message)).join("\n");
      await drop(page, file("cut.jsonl", lines.slice(0, -30)));
      assert.match(await headline(page), /lost [01] of 1 rule/);
      assert.match(await page.locator("#source").textContent(), /1 line could not be read/);
      assert.ok((await page.evaluate(() => globalThis.longest)) < 200);
    },
    { reducedMotion: "reduce" },
  );
});

test("markup in messages stays text, and keys of the prototype pollute nothing", skip, async () => {
  const evil = "Never open <img src=x onerror=\"globalThis.pwned = 1\"><script>globalThis.pwned = 1</script> in production.";
  const odd = '{"role":"user","content":"Never restart the host.","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  const list = JSON.stringify([{ role: "user", content: evil }, ...talk()]).replace("]", `]`);
  await onPage(
    async (page) => {
      await drop(page, file("<img src=x onerror=alert(1)>.json".replaceAll(/[<>]/g, "_"), `${list.slice(0, -1)},${odd}]`));
      await headline(page);
      assert.match(await page.locator("#rules").textContent(), /<img src=x onerror/);
      assert.equal(await page.locator("main img, main script, main iframe, main object").count(), 0);
      await page.locator("#summary").fill(`${evil} <b>bold</b>`);
      await page.getByRole("button", { name: "Check it" }).click();
      await page.locator("#fates .rule").first().waitFor();
      assert.match(await page.locator("#fates").textContent(), /preserved/);
      assert.equal(await page.locator("#fates b, #fates img").count(), 0);
      assert.equal(await page.evaluate(() => globalThis.pwned ?? {}.polluted), undefined);
      assert.equal(await page.workers()[0].evaluate(() => ({}).polluted), undefined);
    },
    { reducedMotion: "reduce" },
  );
});

test("the policy lets nothing out", skip, async () => {
  const seen = await (await fetch(`${server.url}/index.html`)).text();
  assert.match(seen, /default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; object-src 'none'/);
  await onPage(
    async (page) => {
      const tried = await page.evaluate(async () => {
        const out = await fetch("https://example.com/").then(() => "sent", () => "stopped");
        const script = document.createElement("script");
        script.textContent = "globalThis.pwned = 1";
        document.head.append(script);
        const handler = document.createElement("button");
        handler.setAttribute("onclick", "globalThis.clicked = 1");
        handler.click();
        return [out, globalThis.pwned ?? "stopped", globalThis.clicked ?? "stopped"];
      });
      assert.deepEqual(tried, ["stopped", "stopped", "stopped"]);
    },
    { expected: [/Content Security Policy/, /Refused/] },
  );
});

test("a worker that dies is replaced, and what was open is opened again", skip, async () => {
  await onPage(
    async (page) => {
      const top = await headline(page);
      await page.evaluate(() => (document.getElementById("headline").textContent = ""));
      await page.workers()[0].evaluate(() => self.close());
      await page.waitForFunction((text) => document.getElementById("headline").textContent === text, top, { timeout: 60_000 });
      assert.equal(page.workers().length, 1);
      // and in the middle of a replay
      await page.locator("input[value=extractive]").evaluate((input) => input.click());
      await page.workers()[0].evaluate(() => self.close());
      await page.waitForFunction(() => /^Plain compaction lost/.test(document.getElementById("status").textContent), undefined, { timeout: 60_000 });
      assert.ok(await page.locator("#failure").isHidden());
      // one that dies again and again is given up, and the page goes on
      const kill = (worker) => void worker.evaluate(() => self.close()).catch(() => undefined);
      page.on("worker", kill);
      kill(page.workers()[0]);
      assert.match(await failure(page), /The engine stopped/);
      page.off("worker", kill);
      await drop(page, file("after.json", talk()));
      await page.waitForFunction(() => document.getElementById("source").textContent.startsWith("after"), undefined, { timeout: 60_000 });
      await headline(page);
    },
    { hash: "#sample=coding", reducedMotion: "reduce" },
  );
});

test("five megabytes leave the page responsive", skip, async (t) => {
  const messages = talk(6_400, 8);
  const path = file("long.json", messages);
  const size = readFileSync(path).length;
  assert.ok(size > 5_000_000, `${size}`);
  const runs = [];
  for (let i = 0; i < 5 && !(Math.min(...runs) <= 50); i++) {
    await onPage(
      async (page) => {
        await page.waitForTimeout(500);
        await page.evaluate(() => (globalThis.longest = 0));
        const start = Date.now();
        await drop(page, path);
        assert.match(await headline(page), /lost [01] of 1 rule in \d rounds/);
        await page.locator("#items .item").first().waitFor();
        t.diagnostic(`${size} bytes: shown after ${Date.now() - start} ms, longest task of the main thread ${await page.evaluate(() => globalThis.longest)} ms`);
        runs.push(await page.evaluate(() => globalThis.longest));
      },
      { reducedMotion: "reduce" },
    );
  }
  assert.ok(Math.min(...runs) <= 50, `${runs}`);
});

test("everything is reached by keyboard", skip, async () => {
  await onPage(
    async (page) => {
      await headline(page);
      assert.equal(await page.evaluate(() => document.activeElement.id), "headline");
      const radio = page.locator("#summarizers input").first();
      await radio.focus();
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.locator("#summarizers input:checked").getAttribute("value"), "destructive");
      await page.waitForFunction(() => /lost 10 of 10/.test(document.getElementById("status").textContent), undefined, { timeout: 60_000 });
      await page.locator("#scrub input").focus();
      await page.keyboard.press("Home");
      assert.match(await page.locator("#scrub output").textContent(), /^Message 0: /);
      await page.keyboard.press("ArrowRight");
      assert.match(await page.locator("#scrub output").textContent(), /^Message 1: /);
      const item = page.locator("#items .item button").first();
      await item.focus();
      await page.keyboard.press("Enter");
      await page.locator("#items .why dl dt").first().waitFor();
      assert.equal(await item.getAttribute("aria-expanded"), "true");
      await page.locator("#items-filter button").nth(1).focus();
      await page.keyboard.press("Space");
      assert.equal(await page.locator("#items .item:visible").evaluateAll((all) => all.every((one) => one.dataset.tier === "invariant")), true);
      // three lines for each framework
      assert.match(await page.locator("#install").textContent(), /^pip install .*\n.*standfast\.langchain.*\n.*create_agent/);
      await page.locator("#frameworks input").first().focus();
      await page.keyboard.press("ArrowRight");
      assert.match(await page.locator("#install").textContent(), /^npm install standfast\n.*standfast\/ai-sdk.*\n.*sf\.model/);
      assert.ok(await page.locator("#survival svg .series.ours circle").count() >= 5 && (await page.locator("#gauge svg .series.used .stroke").getAttribute("d")).length > 100);
    },
    { hash: "#sample=settlements", reducedMotion: "reduce" },
  );
});

test("what is shared: the image hides the words, the badge counts, receipt and snapshot are the engine's", skip, async () => {
  await onPage(
    async (page) => {
      await headline(page);
      const taken = async (name) => {
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
        return readFileSync(await download.path());
      };
      assert.match(String(await taken("Badge")), /^<svg .*of 10 stand.*<\/svg>$/);
      await page.getByRole("button", { name: "Copy the badge’s Markdown" }).click();
      await page.waitForFunction(() => document.getElementById("status").textContent === "Markdown copied.");
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      assert.match(await copied(), /^!\[rules after compaction: \d+ of 10 stand, 5 rounds\]\(\.\/standfast-badge\.svg\)$/);
      assert.equal(JSON.parse(await taken("Receipt")).outcome, "compacted");
      const guard = Guard.restore(String(await taken("Snapshot")));
      assert.equal(guard.rules.length, 10);
      guard.close();
      await page.getByRole("button", { name: "Share as an image" }).click();
      const picture = () => page.locator("#share canvas").evaluate((canvas) => canvas.toDataURL());
      const hidden = await picture();
      await page.locator("#share canvas").screenshot({ path: join(shots, "card.png") });
      await page.getByLabel("Show the rules’ words").check();
      assert.notEqual(await picture(), hidden);
      await page.locator("#share canvas").screenshot({ path: join(shots, "card-words.png") });
      assert.deepEqual([...(await taken("Save the image")).subarray(1, 4)], [...Buffer.from("PNG")]);
      await page.getByRole("button", { name: "Copy the link" }).click();
      await page.waitForFunction(() => document.getElementById("status").textContent === "Link copied.");
      assert.equal(await copied(), `${server.url}/index.html#sample=medical`);
      await page.getByRole("button", { name: "Copy the image" }).click();
      await page.waitForFunction(() => document.getElementById("status").textContent === "Image copied.");
      assert.deepEqual(await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types)), ["image/png"]);
    },
    { hash: "#sample=medical", reducedMotion: "reduce", acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] },
  );
});

test("the browser's own model is offered where there is one", skip, async () => {
  await onPage(
    async (page) => {
      await headline(page);
      await page.locator("input[value=browser]").evaluate((input) => input.click());
      await page.waitForFunction(() => globalThis.asked > 4 && /lost \d+ of 9/.test(document.getElementById("status").textContent), undefined, { timeout: 60_000 });
      assert.match(await page.locator("#subline").textContent(), /all 9 stand/);
    },
    {
      hash: "#sample=coding",
      reducedMotion: "reduce",
      init: () => {
        globalThis.asked = 0;
        globalThis.Summarizer = { availability: async () => "available", create: async () => ({ summarize: async () => (globalThis.asked++, "The faults were looked at one by one."), destroy() {} }) };
      },
    },
  );
});

test("a held text waits for a person, and becomes a rule when approved", skip, async () => {
  const call = { id: "c1", type: "function", function: { name: "chart", arguments: "{}" } };
  const list = [{ role: "user", content: RULE }, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "c1", content: "Patient P-9 must not be given amoxicillin." }, ...talk().slice(1)];
  await onPage(
    async (page) => {
      await drop(page, file("held.json", list));
      await headline(page);
      assert.match(await page.locator("#review").textContent(), /amoxicillin/);
      assert.doesNotMatch(await page.locator("#pinned").textContent(), /amoxicillin/);
      await page.getByRole("button", { name: /^Make it a rule/ }).first().click();
      await page.waitForFunction(() => /amoxicillin/.test(document.getElementById("pinned").textContent));
      assert.match(await page.locator("#review").textContent(), /Nothing waits/);
    },
    { reducedMotion: "reduce" },
  );
});
