// The installed package in test runners and in Next, on the server and in the page. `npm ci` in packaging/elsewhere brings them.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { smoke } from "./smoke.js";
import { freePort, run, started } from "../test/processes.mjs";
import { openPage, project, withoutBrowser } from "./project.mjs";

const elsewhere = fileURLToPath(new URL("./elsewhere/", import.meta.url));
const bin = (name) => join(elsewhere, "node_modules/.bin", name);
const without = (name) => (existsSync(bin(name)) || process.env.CI === "true" ? false : "run `npm ci` in packaging/elsewhere");
const installed = join(elsewhere, "node_modules/standfast");
let folder;
let expected;

before(async () => {
  if (!existsSync(join(elsewhere, "node_modules"))) return;
  const consumer = project();
  // a copy beside the frameworks, as an install would put it there
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed);
  run("tar", ["-xzf", consumer.tarball, "-C", installed, "--strip-components", "1"]);
  consumer.remove();
  folder = mkdtempSync(join(elsewhere, "app-"));
  expected = await smoke(await import("standfast"));
});
after(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  rmSync(installed, { recursive: true, force: true });
});

const write = (name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const ENV = { ...process.env, NODE_TEST_CONTEXT: undefined, NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", CI: "true" };
const inApp = (program, args) => run(bin(program), args, { cwd: folder, env: ENV, stdio: "pipe" });

test("Vitest, with the assertions of standfast/testing", { skip: without("vitest") }, () => {
  write("vitest/rules.test.mjs", `import { expect, test } from "vitest"; import { Guard } from "standfast"; import { assertRulesSurvive, destructive, filler } from "standfast/testing";
const rules = ["Never deploy on a Friday."];
const messages = [{ role: "user", content: rules[0] }, ...filler(1), ...filler(2)];
test("ours", async () => {
  const guard = new Guard({ windowTokens: 4_000, shape: "openai" });
  guard.declare(rules[0]);
  const compact = async (list) => (guard.sync(list), guard.compact(async () => "Work went on."));
  expect((await assertRulesSurvive(compact, { messages, rules, overlay: true })).cliff).toBe(null);
});
test("another", async () => {
  await expect(assertRulesSurvive(destructive(), { messages, rules })).rejects.toThrow("1 of 1 rules lost");
});`);
  const report = JSON.parse(inApp("vitest", ["run", "--root", "vitest", "--reporter=json"]));
  assert.deepEqual([report.numPassedTests, report.numFailedTests], [2, 0]);
});

test("Jest", { skip: without("jest") }, () => {
  write("jest/package.json", "{}");
  write("jest/rules.test.js", `const { Guard, StandfastError } = require("standfast"); const { MemoryStore } = require("standfast/store");
test("a rule is missed", () => {
  const guard = new Guard({ windowTokens: 8_000, store: new MemoryStore() });
  guard.declare("Never deploy on a Friday.");
  expect(guard.window().pinned).toContain("Friday");
  expect(() => guard.assertWindow([{ role: "user", content: "x" }])).toThrow(StandfastError);
});`);
  const report = JSON.parse(inApp("jest", ["--rootDir", "jest", "--json", "--silent"]));
  assert.deepEqual([report.numPassedTests, report.numFailedTests], [1, 0]);
});

test("Next: a server component and a client component", { skip: without("next") || withoutBrowser }, async () => {
  copyFileSync(new URL("smoke.js", import.meta.url), join(folder, "smoke.js"));
  write("package.json", JSON.stringify({ name: "next-app", private: true, type: "module" }));
  write("next.config.mjs", `export default { serverExternalPackages: ["standfast"], turbopack: { root: ${JSON.stringify(elsewhere)} } };`);
  write("app/layout.jsx", `export const metadata = { title: "standfast" }; export default ({ children }) => <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;`);
  write("app/page.jsx", `import * as standfast from "standfast"; import { smoke } from "../smoke.js"; import Client from "./client.jsx";
export const dynamic = "force-dynamic";
export default async function Page() { return <main><pre id="server">{await smoke(standfast)}</pre><Client /></main>; }`);
  write("app/client.jsx", `"use client";
import { useEffect, useState } from "react"; import * as standfast from "standfast"; import { smoke } from "../smoke.js";
export default function Client() { const [text, set] = useState(""); useEffect(() => void smoke(standfast).then(set, (error) => set(String(error))), []); return <pre id="client">{text}</pre>; }`);
  inApp("next", ["build"]);
  const port = await freePort();
  const server = await started(bin("next"), ["start", "-p", String(port), "-H", "127.0.0.1"], { cwd: folder, env: ENV, ready: "Ready" });
  try {
    const browser = await openPage();
    try {
      await browser.page.goto(`http://127.0.0.1:${port}/`);
      assert.equal(await browser.page.locator("#server").textContent(), expected);
      await browser.page.waitForFunction(() => document.getElementById("client").textContent !== "", undefined, { timeout: 30_000 });
      assert.equal(await browser.page.locator("#client").textContent(), expected);
      assert.deepEqual(browser.errors, []);
    } finally {
      await browser.close();
    }
  } finally {
    server.kill();
  }
});
