// Builds the page: static files that run from any folder. What it opens with and its samples are made here, by the engine, from
// the transcripts of `make demo`.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build as bundle } from "esbuild";
import { defineConfig } from "vite";
import { shaken } from "../wasm.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const transcript = (name) => readFileSync(new URL(`../../bench/transcripts/${name}.json`, import.meta.url), "utf8");

/** A module of the page, run in Node with the package as it is installed. */
async function inNode(entry) {
  const folder = mkdtempSync(join(here, ".node-"));
  try {
    const outfile = join(folder, "module.mjs");
    await bundle({ entryPoints: [join(here, entry)], bundle: true, format: "esm", platform: "node", outfile, external: ["standfast"], logLevel: "error" });
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const VIRTUAL = "virtual:cliffs";

/** What the page opens with, and the samples beside it. */
function ours() {
  return {
    name: "standfast",
    resolveId: (id) => (id === VIRTUAL ? `\0${VIRTUAL}` : undefined),
    async load(id) {
      if (id !== `\0${VIRTUAL}`) return undefined;
      const { cliff } = await inNode("src/cliff-data.ts");
      const cliffs = [await cliff(transcript("medical"), "penicillin", "Ward assistant, from the patient record"), await cliff(transcript("settlements"), "refund above", "Settlements agent, from the operator")];
      return `export default ${JSON.stringify(cliffs)};`;
    },
    async buildStart() {
      const { claudeCode, codex } = await inNode("session-samples.ts");
      const files = {
        "claude-code.jsonl": await claudeCode(transcript("coding")),
        "codex.jsonl": await codex(transcript("settlements")),
        ...Object.fromEntries(["medical", "settlements", "coding"].map((name) => [`${name}.json`, JSON.stringify(JSON.parse(transcript(name)))])),
      };
      for (const [name, source] of Object.entries(files)) this.emitFile({ type: "asset", fileName: `samples/${name}`, source });
    },
  };
}

/** What the wasm file exports and the page never calls: knowledge bases, the functional core, and what begins with a snapshot. Their code is left out. */
const UNCALLED = /^(?:__wbg_)?(?:knowledgeindex|knowledgework|restored)_|^published$|^guard_(?:restore|textsNeeded|fork|search)$/;

/** Each large file compressed beside it, for hosts that serve such: none compresses as well on the way. */
function compressed() {
  return {
    name: "compressed",
    writeBundle({ dir }) {
      for (const name of readdirSync(dir, { recursive: true }).filter((name) => name.endsWith(".wasm"))) writeFileSync(join(dir, name), shaken(readFileSync(join(dir, name)), UNCALLED));
      for (const name of readdirSync(dir, { recursive: true }).filter((name) => /\.(?:wasm|js|css)$/.test(name))) writeFileSync(join(dir, `${name}.br`), brotliCompressSync(readFileSync(join(dir, name))));
    },
  };
}

export default defineConfig({
  root: here,
  base: "./",
  logLevel: "warn",
  plugins: [ours(), compressed()],
  resolve: { alias: { standfast: fileURLToPath(new URL("../dist/esm/web.js", import.meta.url)) } },
  worker: { format: "es" },
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: false, chunkSizeWarningLimit: 2_000 },
});
