import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { smoke } from "./smoke.js";
import { run } from "../test/processes.mjs";
import { html, inBrowser, packageFolder, project, withoutBrowser } from "./project.mjs";

const require = createRequire(import.meta.url);
let consumer;
let expected;

before(async () => {
  consumer = project();
  copyFileSync(new URL("smoke.js", import.meta.url), join(consumer.folder, "smoke.js"));
  expected = await smoke(await import("standfast"));
});
after(() => consumer.remove());

const write = (name, text) => writeFileSync(join(consumer.folder, name), text);
const node = (...args) => run(process.execPath, args, { cwd: consumer.folder });

test("what is expected holds", () => {
  const { outcome, code, last } = JSON.parse(expected);
  assert.deepEqual({ outcome, code, last }, { outcome: "compacted", code: "InvariantLost/invariant_lost", last: true });
});

test("Node, ES module", () => {
  write("esm.mjs", `import * as standfast from "standfast"; import { smoke } from "./smoke.js"; console.log(await smoke(standfast));`);
  assert.equal(node("esm.mjs"), expected);
});

test("Node, CommonJS", () => {
  write("cjs.cjs", `const standfast = require("standfast"); import("./smoke.js").then(({ smoke }) => smoke(standfast)).then(console.log);`);
  assert.equal(node("cjs.cjs"), expected);
});

test("in Node both formats are one package", () => {
  write("both.mjs", `import { Guard } from "standfast"; import { createRequire } from "node:module"; console.log(createRequire(import.meta.url)("standfast").Guard === Guard);`);
  assert.equal(node("both.mjs"), "true");
});

test("Node, a worker thread", () => {
  write("thread.mjs", `import { Worker, isMainThread, parentPort } from "node:worker_threads"; import * as standfast from "standfast"; import { smoke } from "./smoke.js";
if (isMainThread) new Worker(new URL(import.meta.url)).on("message", console.log); else parentPort.postMessage(await smoke(standfast));`);
  assert.equal(node("thread.mjs"), expected);
});

test("the web entry takes bytes, a module or a response, and says when it is not loaded", () => {
  write("web.mjs", `import * as standfast from "standfast/web"; import { smoke } from "./smoke.js"; import { readFileSync } from "node:fs"; import { createRequire } from "node:module";
try { new standfast.Guard({ windowTokens: 8000 }); } catch (error) { console.log(error.code, error instanceof standfast.StandfastError); }
const bytes = readFileSync(createRequire(import.meta.url).resolve("standfast/standfast.wasm"));
const kind = process.argv[2];
await standfast.init({ bytes, module: await WebAssembly.compile(bytes), response: new Response(bytes, { headers: { "content-type": "application/wasm" } }) }[kind]);
console.log(await smoke(standfast));`);
  for (const kind of ["bytes", "module", "response"]) assert.equal(node("web.mjs", kind), `not_initialized true\n${expected}`);
});

test("a page without any tool", { skip: withoutBrowser }, async () => {
  write("page.html", html(`<script type="module">
import * as standfast from "./node_modules/standfast/dist/esm/web.js";
import { smoke } from "./smoke.js";
globalThis.result = await smoke(standfast);
</script>`));
  assert.equal(await inBrowser(consumer.folder, "page.html"), expected);
});

test("a web worker", { skip: withoutBrowser }, async () => {
  write("worker.js", `import * as standfast from "./node_modules/standfast/dist/esm/web.js"; import { smoke } from "./smoke.js"; postMessage(await smoke(standfast));`);
  write("worker.html", html(`<script type="module">new Worker("./worker.js", { type: "module" }).onmessage = ({ data }) => { globalThis.result = data; };</script>`));
  assert.equal(await inBrowser(consumer.folder, "worker.html"), expected);
});

test("every vector in the browser", { skip: withoutBrowser }, async (t) => {
  const vectors = new URL("../../tests/vectors/", import.meta.url);
  const names = readdirSync(vectors).filter((name) => name.endsWith(".json") && name !== "schema.json");
  cpSync(vectors, join(consumer.folder, "vectors"), { recursive: true });
  copyFileSync(new URL("../test/vectors.mjs", import.meta.url), join(consumer.folder, "vectors.js"));
  write("vectors.html", html(`<script type="module">
import * as standfast from "./node_modules/standfast/dist/esm/web.js";
import { published } from "./node_modules/standfast/dist/esm/glue.js";
import { take } from "./node_modules/standfast/dist/esm/input.js";
import { readFile, runFile } from "./vectors.js";
await standfast.init();
const api = { ...standfast, messageDigest: (message) => JSON.parse(published("message_digest", JSON.stringify({ message: take(message).copy }))) };
const result = { cases: 0, failures: [] };
for (const name of ${JSON.stringify(names)}) {
  const file = readFile(await (await fetch("./vectors/" + name)).text());
  result.cases += file.cases.length;
  result.failures.push(...await runFile(api, file));
}
globalThis.result = result;
</script>`));
  const { cases, failures } = await inBrowser(consumer.folder, "vectors.html");
  assert.equal(failures.length, 0, failures.join("\n"));
  t.diagnostic(`${cases} cases of ${names.length} files ran in Chromium`);
});

test("bundled by vite, without a plugin", { skip: withoutBrowser }, async () => {
  const { build } = await import("vite");
  const app = join(consumer.folder, "app");
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "index.html"), html(`<script type="module" src="./main.js"></script>`));
  writeFileSync(join(app, "main.js"), `import * as standfast from "standfast"; import { smoke } from "../smoke.js"; globalThis.result = await smoke(standfast);`);
  await build({ root: app, base: "./", logLevel: "error", build: { target: "es2022" } });
  assert.equal(await inBrowser(app, "dist/index.html"), expected);
});

test("bundled by esbuild, with the wasm as bytes", { skip: withoutBrowser }, async () => {
  const { build } = await import("esbuild");
  write("bundle.js", `import * as standfast from "standfast"; import wasm from "standfast/standfast.wasm"; import { smoke } from "./smoke.js";
globalThis.result = await smoke({ ...standfast, init: () => standfast.init(wasm) });`);
  await build({ entryPoints: [join(consumer.folder, "bundle.js")], bundle: true, format: "esm", outfile: join(consumer.folder, "bundled.js"), loader: { ".wasm": "binary" }, logLevel: "error" });
  write("bundled.html", html(`<script type="module" src="./bundled.js"></script>`));
  assert.equal(await inBrowser(consumer.folder, "bundled.html"), expected);
});

test("publint has nothing to say", async () => {
  const { publint } = await import("publint");
  const { messages } = await publint({ pkgDir: packageFolder, strict: true });
  assert.deepEqual(messages, []);
});

test("attw has nothing to say", () => {
  const program = require.resolve("@arethetypeswrong/cli/package.json").replace("package.json", "dist/index.js");
  const attw = (...args) => run(process.execPath, [program, consumer.tarball, "--profile", "node16", ...args], { stdio: "pipe" });
  attw("--exclude-entrypoints", "standfast.wasm", "web");
  // The web entry is an ES module alone, on purpose.
  attw("--exclude-entrypoints", "standfast.wasm", ".", "--ignore-rules", "cjs-resolves-to-esm");
});
