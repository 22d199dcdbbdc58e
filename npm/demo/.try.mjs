// which chance the page begins with
import { readFileSync } from "node:fs";
import { build } from "esbuild";
const t = (n) => readFileSync(new URL(`../../bench/transcripts/${n}.json`, import.meta.url), "utf8");
const src = readFileSync(new URL("./src/summarizers.ts", import.meta.url), "utf8");
for (const salt of process.argv.slice(2)) {
  await build({ stdin: { contents: `export {cliff} from "./src/cliff-data.ts"; export {claudeCode, codex} from "./session-samples.ts"; export {replay} from "./src/replay.ts"; export {readScript} from "./src/script.ts"; export {drifting} from "./src/summarizers.ts"`, resolveDir: new URL(".", import.meta.url).pathname, loader: "ts" }, bundle: true, format: "esm", platform: "node", outfile: `.node-try-${salt}.mjs`, external: ["standfast"], logLevel: "error", plugins: [{ name: "salt", setup(b) { b.onLoad({ filter: /summarizers\.ts$/ }, () => ({ contents: src.replace("SALT = 1", `SALT = ${salt}`), loader: "ts" })); } }] });
  const m = await import(`./.node-try-${salt}.mjs`);
  const { auditSession } = await import("standfast");
  const out = [];
  for (const [n, w] of [["medical", "penicillin"], ["settlements", "refund above"]]) out.push((await m.cliff(t(n), w, "")).rounds.map((r) => r.fate.kind[0]).join(""));
  const counts = [];
  for (const n of ["medical", "settlements", "coding"]) { const r = await m.replay(m.readScript(t(n), "", []), m.drifting); counts.push(r.rounds.map((x) => x.plain.fates.filter((f) => f.kept).length + "/" + x.plain.fates.length).join(" ")); r.guard.close(); }
  const own = [auditSession(await m.claudeCode(t("coding"))), auditSession(await m.codex(t("settlements")))].map((r) => `${r.lost}/${r.judged}/${r.rules.length}`);
  console.log(salt, out.join(" "), "|", counts.join(" | "), "|", own.join(" "));
}
