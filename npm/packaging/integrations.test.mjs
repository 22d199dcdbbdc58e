// The entries of the integrations in an installed package: both formats, both versions of the AI SDK, bundles, imports on a server.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { run } from "../test/processes.mjs";
import { html, inBrowser, packageFolder, project, withoutBrowser } from "./project.mjs";

const ENTRIES = { "ai-sdk": ["standfast", "summarize", "errorText", "Standfast"], "openai-agents": ["standfast", "Standfast"], langchain: ["standfast"], store: ["MemoryStore", "IndexedDbStore", "unstorageStore"], otel: ["telemetry"], testing: ["assertRulesSurvive", "assertObeys"] };
const SEVEN = fileURLToPath(new URL("./elsewhere/", import.meta.url));
const node22 = process.env.NODE22 ?? join(SEVEN, "node_modules/node/bin/node");
const withoutSeven = existsSync(join(SEVEN, "node_modules/ai")) && existsSync(node22) ? false : process.env.CI === "true" ? false : "run `npm ci` in packaging/elsewhere, or set NODE22";
let consumer;

/** Puts the host's own packages beside the installed one. */
function beside(folder, modules, names) {
  for (const name of names) {
    const at = join(folder, "node_modules", name);
    mkdirSync(join(at, ".."), { recursive: true });
    if (!existsSync(at)) symlinkSync(join(modules, name), at);
  }
}

before(() => {
  consumer = project();
  const all = readdirSync(join(packageFolder, "node_modules")).filter((name) => !name.startsWith(".") && name !== "standfast");
  const scoped = all.flatMap((name) => (name.startsWith("@") ? readdirSync(join(packageFolder, "node_modules", name)).map((inner) => `${name}/${inner}`) : [name]));
  beside(consumer.folder, join(packageFolder, "node_modules"), scoped);
});
after(() => consumer.remove());

const write = (name, text) => writeFileSync(join(consumer.folder, name), text);
const node = (...args) => run(process.execPath, args, { cwd: consumer.folder });

for (const [entry, names] of Object.entries(ENTRIES)) {
  test(`standfast/${entry}: import and require, one engine for both`, () => {
    write("both.mjs", `import * as esm from "standfast/${entry}"; import { createRequire } from "node:module"; import { Guard } from "standfast";
const cjs = createRequire(import.meta.url)("standfast/${entry}");
for (const name of ${JSON.stringify(names)}) if (typeof esm[name] !== "function" || typeof cjs[name] !== "function") throw new Error(name);
if (createRequire(import.meta.url)("standfast").Guard !== Guard) throw new Error("two engines");
console.log("ok");`);
    assert.equal(node("both.mjs"), "ok");
  });
}

test("importing on a server without a browser's globals has no effect", () => {
  write("ssr.mjs", `const before = Object.keys(globalThis).length; for (const entry of ["", "/web", ${Object.keys(ENTRIES).map((entry) => `"/${entry}"`)}]) await import("standfast" + entry);
console.log(typeof indexedDB, typeof window);`);
  assert.equal(node("ssr.mjs"), "undefined undefined");
});

test("the core entry needs no other package and holds nothing of the integrations", async () => {
  const { build } = await import("esbuild");
  const sizes = {};
  for (const entry of ["", ...Object.keys(ENTRIES).map((name) => `/${name}`)]) {
    write("entry.mjs", `export * from "standfast${entry}";`);
    const { outputFiles, metafile } = await build({
      entryPoints: [join(consumer.folder, "entry.mjs")], bundle: true, minify: true, write: false, metafile: true, format: "esm", platform: "browser", logLevel: "error",
      external: ["ai", "idb", "unstorage", "langchain", "@langchain/core/*", "@openai/agents", "@opentelemetry/api", "yaml"],
      plugins: entry === "" ? [] : [{ name: "core", setup: (build) => build.onResolve({ filter: /^standfast$/ }, ({ path }) => ({ path, external: true })) }],
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    sizes[entry] = { gzip: gzipSync(outputFiles[0].contents, { level: 9 }).length, imports: [...new Set(imports)].sort() };
    if (entry === "") assert.ok(!outputFiles[0].text.includes("prepareStep"));
  }
  assert.deepEqual(sizes[""].imports, []);
  assert.deepEqual(sizes["/ai-sdk"].imports, ["ai", "standfast"]);
  assert.deepEqual(sizes["/store"].imports, ["idb", "standfast"]);
  assert.deepEqual(sizes["/openai-agents"].imports, ["standfast"]);
  assert.deepEqual(sizes["/otel"].imports, ["@opentelemetry/api"]);
  for (const entry of Object.keys(ENTRIES).map((name) => `/${name}`)) assert.ok(sizes[entry].gzip < 8_000, `${entry}: ${sizes[entry].gzip}`);
  console.log(Object.entries(sizes).map(([entry, { gzip }]) => `standfast${entry}: ${gzip} bytes gzip`).join("\n"));
});

test("what is not used is shaken out", async () => {
  const { build } = await import("esbuild");
  write("shaken.mjs", `import "standfast"; import "standfast/store"; import "standfast/openai-agents"; console.log(1);`);
  const { outputFiles } = await build({ entryPoints: [join(consumer.folder, "shaken.mjs")], bundle: true, write: false, format: "esm", platform: "browser", minify: true, logLevel: "error", external: ["idb", "unstorage", "@openai/agents"] });
  assert.ok(outputFiles[0].text.length < 200, `${outputFiles[0].text.length}`);
});

/** Compacts in a page, with a real IndexedDB and two guards on it as two tabs have it. */
const PAGE = `import { standfast } from "standfast/ai-sdk"; import { IndexedDbStore } from "standfast/store";
const messages = Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "Step " + i + ": " + "work ".repeat(100) }));
const open = () => standfast({ id: "t", store: new IndexedDbStore(), rules: ["Never deploy on a Friday."], windowTokens: 8000, summarizer: async () => "Work went on." });
const tabs = [await open(), await open()];
await Promise.all(tabs.map((sf) => sf.ready({ messages, instructions: "Be brief." })));
globalThis.result = JSON.stringify(tabs.map((sf) => sf.guard.segments.map(({ text, id }) => [text, id])));`;

async function oneSummary(folder, path) {
  const [first, second] = JSON.parse(await inBrowser(folder, path));
  assert.equal(first.length, 1);
  assert.deepEqual(first, second);
}

test("bundled by vite: two tabs on one IndexedDB", { skip: withoutBrowser }, async () => {
  const { build } = await import("vite");
  const app = join(consumer.folder, "vite");
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "index.html"), html(`<script type="module" src="./main.js"></script>`));
  writeFileSync(join(app, "main.js"), PAGE);
  await build({ root: app, base: "./", logLevel: "error", build: { target: "es2022" } });
  await oneSummary(app, "dist/index.html");
});

test("bundled by webpack: two tabs on one IndexedDB", { skip: withoutBrowser }, async () => {
  const { default: webpack } = await import("webpack");
  const app = join(consumer.folder, "webpack");
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "index.html"), html(`<script type="module" src="./dist/main.js"></script>`));
  writeFileSync(join(app, "main.mjs"), PAGE);
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: "production", context: app, entry: "./main.mjs", output: { path: join(app, "dist"), filename: "main.js", publicPath: "auto" }, performance: { hints: false } }, (error, done) => (error ? reject(error) : resolve(done))));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual(errors.map(({ message }) => message), []);
  assert.deepEqual(warnings.map(({ message }) => message).filter((message) => message.includes("standfast")), []);
  await oneSummary(app, "index.html");
});

test("types of every entry in a strict project, with both module resolutions", () => {
  write("types.ts", `import { generateText, type ModelMessage, type LanguageModel } from "ai"; import { standfast, type StandfastOptions } from "standfast/ai-sdk";
import { standfast as agents } from "standfast/openai-agents"; import { standfast as middleware } from "standfast/langchain"; import { MemoryStore, type StateStore } from "standfast/store";
const store: StateStore = new MemoryStore();
export async function answer(model: LanguageModel, messages: ModelMessage[]): Promise<string> {
  const options: StandfastOptions = { id: "a", store, windowTokens: 8_000, rules: { policy_loader: ["Never."] }, summarizer: async (request, { signal }) => (signal?.aborted ? null : request.text) };
  const sf = await standfast(options);
  return (await generateText({ model: sf.model(model), messages, prepareStep: sf.prepareStep })).text;
}
export const run = async () => (await agents({ id: "b", windowTokens: 8_000 })).options({});
export const made = middleware({ windowTokens: 8_000 });
// @ts-expect-error
export const wrong = standfast({ id: 7, windowTokens: 8_000 });
`);
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  for (const resolution of ["nodenext", "bundler"]) {
    const module = resolution === "bundler" ? "es2022" : "nodenext";
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, target: "es2022", lib: ["es2023", "dom", "dom.iterable", "esnext.disposable"], module, moduleResolution: resolution, types: [] };
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["types.ts"] }));
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: consumer.folder, encoding: "utf8", timeout: 240_000 });
    assert.equal(status, 0, stdout);
  }
});

test("agents of the AI SDK 7, in Node 22", { skip: withoutSeven }, () => {
  const folder = join(consumer.folder, "seven");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  // a copy: a link would find version 6 beside it
  run("tar", ["-xzf", consumer.tarball, "-C", join(folder, "node_modules"), "--transform", "s/^package/standfast/"]);
  beside(folder, join(SEVEN, "node_modules"), ["ai"]);
  assert.match(JSON.parse(readFileSync(join(SEVEN, "node_modules/ai/package.json"), "utf8")).version, /^7\./);
  copyFileSync(new URL("../test/ai-sdk.test.mjs", import.meta.url), join(folder, "ai-sdk.test.mjs"));
  const { status, stdout } = spawnSync(node22, ["--test", "--test-reporter=tap", "ai-sdk.test.mjs"], { cwd: folder, encoding: "utf8", timeout: 240_000, env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
  assert.equal(status, 0, stdout.slice(-4_000));
  assert.match(stdout, /^# fail 0$/m);
  assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) >= 20, stdout.slice(-400));
});

test("from a link, where the package's own name is not to be found beside it", () => {
  const folder = join(consumer.folder, "..", `${basename(consumer.folder)}-linked`);
  try {
    mkdirSync(join(folder, "package"), { recursive: true });
    run("tar", ["-xzf", consumer.tarball, "-C", folder]);
    beside(join(folder, "package"), join(packageFolder, "node_modules"), ["ai", "langchain", "@langchain/core", "@opentelemetry/api"]);
    writeFileSync(join(folder, "linked.cjs"), `for (const entry of ["ai-sdk", "openai-agents", "langchain", "stores", "otel", "testing"]) require("./package/dist/cjs/" + entry + ".js"); console.log("ok");`);
    assert.equal(run(process.execPath, ["linked.cjs"], { cwd: folder }), "ok");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
