// Builds the package from source: wasm, glue, both module formats. `--if-missing` does nothing where dist/ is there.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { tidied } from "./wasm.mjs";

/** Most that the wasm may weigh, compressed with gzip -9. */
const GZIP_BUDGET = 524 * 1024;

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = `${here}dist`;
const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: "inherit" });

if (process.argv.includes("--if-missing") && existsSync(`${dist}/esm/node.js`)) process.exit(0);

// The standard library is built along, for size: without panic messages, debug output and source locations, which no caller
// sees. That needs its source and flags that stable Rust hides. `standfast_hot` builds the functions that read every byte for
// speed. LLVM's strength reduction of loops makes them longer, and an engine does its own: it is off.
const STD = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
const STD_FLAGS =
  "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=none -Cllvm-args=-disable-lsr -Cllvm-args=-enable-load-pre=false" +
  " --cfg standfast_hot --cfg sha2_backend_soft=\"compact\"";

/** Whether the source of the standard library is there or could be had. */
function standardSource() {
  try {
    const installed = execFileSync("rustup", ["component", "list", "--installed"], { cwd: root, encoding: "utf8" });
    if (!/^rust-src\b/m.test(installed)) run("rustup", "component", "add", "rust-src");
    return true;
  } catch (error) {
    console.warn(`the source of Rust's standard library cannot be had (${error.message}); the wasm is built without it and is larger`);
    return false;
  }
}

// Without the Rust library that the crate also is: only then is it optimized as one with what it depends on.
const build = ["rustc", "--locked", "--profile", "wasm", "--target", "wasm32-unknown-unknown", "-p", "standfast-wasm", "--lib", "--crate-type", "cdylib"];
// For the last step alone, which sees the whole: a function with a frame of its own is not put into the one that calls it, since
// what is put together so compresses worse. Stack and data end below 1 MB: addresses above take a byte more.
const WHOLE = ["--", "-Cllvm-args=-inline-max-stacksize=0", "-Clink-arg=-zstack-size=786432"];
if (standardSource()) {
  const env = { ...process.env, RUSTC_BOOTSTRAP: "1", RUSTFLAGS: STD_FLAGS };
  execFileSync("cargo", [...build, ...STD, ...WHOLE], { cwd: root, stdio: "inherit", env });
} else {
  run("cargo", ...build, ...WHOLE);
}
const target = JSON.parse(execFileSync("cargo", ["metadata", "--locked", "--no-deps", "--format-version", "1"], { cwd: root, maxBuffer: 1 << 26 })).target_directory;
rmSync(dist, { recursive: true, force: true });
const example = (name, ...args) => run("cargo", "run", "--locked", "--quiet", "-p", "standfast-wasm", "--example", name, "--", ...args);
for (const kind of ["nodejs", "web"]) {
  example("bindgen", `${target}/wasm32-unknown-unknown/wasm/standfast_wasm.wasm`, `${dist}/${kind}`, kind);
}

// One wasm file serves both glues.
let wasm = readFileSync(`${dist}/web/standfast_bg.wasm`);
if (!wasm.equals(readFileSync(`${dist}/nodejs/standfast_bg.wasm`))) throw new Error("the two glues want different wasm files");
writeFileSync(`${dist}/standfast_bg.wasm`, tidied(wasm));
example("order", `${dist}/standfast_bg.wasm`);
wasm = readFileSync(`${dist}/standfast_bg.wasm`);
for (const [kind, folder] of [["nodejs", "cjs"], ["web", "esm"]]) {
  mkdirSync(`${dist}/${folder}`);
  copyFileSync(`${dist}/${kind}/standfast.d.ts`, `${dist}/${folder}/glue.d.ts`);
}
copyFileSync(`${dist}/web/standfast.js`, `${dist}/esm/glue.js`);
const beside = "`${__dirname}/standfast_bg.wasm`";
const glue = readFileSync(`${dist}/nodejs/standfast.js`, "utf8");
if (!glue.includes(beside)) throw new Error("the Node glue loads its wasm in a new way");
writeFileSync(`${dist}/cjs/glue.js`, glue.replace(beside, "`${__dirname}/../standfast_bg.wasm`"));
writeFileSync(`${dist}/cjs/package.json`, '{ "type": "commonjs" }\n');
rmSync(`${dist}/nodejs`, { recursive: true });
rmSync(`${dist}/web`, { recursive: true });

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
for (const config of ["tsconfig.json", "tsconfig.cjs.json"]) execFileSync(process.execPath, [tsc, "-p", `${here}${config}`], { cwd: here, stdio: "inherit" });

// The CommonJS files are in a scope of their own, where the package's name may mean nothing.
for (const name of readdirSync(`${dist}/cjs`).filter((name) => /\.(js|d\.ts)$/.test(name))) {
  const text = readFileSync(`${dist}/cjs/${name}`, "utf8");
  writeFileSync(`${dist}/cjs/${name}`, text.replaceAll('require("standfast")', 'require("./node.js")').replaceAll('from "standfast"', 'from "./node.js"'));
}

// In Node, `import` and `require` share one engine and one set of classes.
const names = Object.keys(createRequire(import.meta.url)(`${dist}/cjs/node.js`)).filter((name) => name !== "__esModule");
writeFileSync(`${dist}/esm/node.js`, `import standfast from "../cjs/node.js";\nexport const { ${names.join(", ")} } = standfast;\n`);
writeFileSync(`${dist}/esm/node.d.ts`, `export * from "./api.js";\n/** In Node the engine is loaded with the module; this is here so that the same code runs in a browser. */\nexport declare function init(source?: unknown): Promise<void>;\n`);

// What a package shows beside its code.
for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(`${root}${name}`, `${here}${name}`);

const sizes = { raw: wasm.length, gzip: gzipSync(wasm, { level: 9 }).length, brotli: brotliCompressSync(wasm).length };
console.log(`standfast_bg.wasm: ${sizes.raw} bytes, gzip -9 ${sizes.gzip}, brotli ${sizes.brotli} (budget: gzip ${GZIP_BUDGET})`);
if (sizes.gzip > GZIP_BUDGET) {
  console.error(`standfast_bg.wasm is ${sizes.gzip - GZIP_BUDGET} bytes over its budget`);
  process.exit(1);
}
