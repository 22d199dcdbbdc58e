// The installed package where it is not Node 20 that runs it. `npm ci` in packaging/elsewhere brings the runtimes.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { smoke } from "./smoke.js";
import { freePort, run, started } from "../test/processes.mjs";
import { packageFolder, project } from "./project.mjs";

const bin = (name) => fileURLToPath(new URL(`./elsewhere/node_modules/.bin/${name}`, import.meta.url));
const without = (name) => (existsSync(bin(name)) || process.env.CI === "true" ? false : "run `npm ci` in packaging/elsewhere");
let consumer;
let expected;

before(async () => {
  consumer = project();
  expected = await smoke(await import("standfast"));
  copyFileSync(new URL("smoke.js", import.meta.url), join(consumer.folder, "smoke.js"));
  write("esm.mjs", `import * as standfast from "standfast"; import { smoke } from "./smoke.js"; console.log(await smoke(standfast));`);
  write("cjs.cjs", `const standfast = require("standfast"); import("./smoke.js").then(({ smoke }) => smoke(standfast)).then(console.log);`);
  for (const name of ["unstorage", "destr", "ofetch", "h3", "anymatch", "normalize-path", "picomatch", "lru-cache", "ufo"]) {
    const from = join(packageFolder, "node_modules", name);
    if (existsSync(from)) symlinkSync(from, join(consumer.folder, "node_modules", name));
  }
  write("store.mjs", `import { createStorage } from "unstorage"; import fs from "unstorage/drivers/fs"; import { unstorageStore } from "standfast/store";
const store = unstorageStore(createStorage({ driver: fs({ base: "./states-" + process.argv[2] }) }));
const first = await store.save("id", "a", null); const late = await store.save("id", "b", null);
console.log(first, late, (await store.load("id")).state);`);
});
after(() => consumer.remove());

const write = (name, text) => writeFileSync(join(consumer.folder, name), text);
const by = (program, ...args) => run(bin(program), args, { cwd: consumer.folder, env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" } });

test("Node 22: both formats", { skip: without("node") }, () => {
  assert.match(by("node", "--version"), /^v22\./);
  assert.equal(by("node", "esm.mjs"), expected);
  assert.equal(by("node", "cjs.cjs"), expected);
  assert.equal(by("node", "store.mjs", "node"), "1 null a");
});

test("Bun: both formats, and a store on the file system", { skip: without("bun") }, () => {
  assert.equal(by("bun", "esm.mjs"), expected);
  assert.equal(by("bun", "cjs.cjs"), expected);
  assert.equal(by("bun", "store.mjs", "bun"), "1 null a");
});

test("Deno: an ES module, and a store on the file system", { skip: without("deno") }, () => {
  const flags = ["run", "--no-prompt", "--allow-read", "--allow-write", "--allow-env", "--node-modules-dir=manual"];
  assert.equal(by("deno", ...flags, "esm.mjs"), expected);
  assert.equal(by("deno", ...flags, "store.mjs", "deno"), "1 null a");
});

test("workerd: the web entry with a compiled module", { skip: without("workerd") }, async () => {
  const folder = join(consumer.folder, "workerd");
  mkdirSync(folder);
  const { build } = await import("esbuild");
  write("worker-entry.js", `import * as standfast from "standfast/web"; import wasm from "./standfast.wasm"; import { smoke } from "./smoke.js";
export default { async fetch() { return new Response(await smoke({ ...standfast, init: () => standfast.init(wasm) })); } };`);
  await build({ entryPoints: [join(consumer.folder, "worker-entry.js")], bundle: true, format: "esm", conditions: ["workerd"], outfile: join(folder, "worker.js"), external: ["./standfast.wasm"], logLevel: "error" });
  copyFileSync(join(consumer.folder, "node_modules/standfast/dist/standfast_bg.wasm"), join(folder, "standfast.wasm"));
  const port = await freePort();
  writeFileSync(join(folder, "config.capnp"), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "./standfast.wasm", wasm = embed "standfast.wasm")],
  compatibilityDate = "2026-01-01",
);
`);
  const server = await started(bin("workerd"), ["serve", "config.capnp"], { cwd: folder });
  try {
    for (let tries = 0; ; tries++) {
      try {
        assert.equal(await (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(10_000) })).text(), expected);
        break;
      } catch (error) {
        if (tries > 100 || error instanceof assert.AssertionError) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    server.kill();
  }
});
