import { readFileSync } from "node:fs";
import { build } from "esbuild";
await build({ stdin: { contents: `export {replay} from "./src/replay.ts"; export {readScript} from "./src/script.ts"; export * from "./src/summarizers.ts"; export {claudeCode} from "./session-samples.ts"`, resolveDir: new URL(".", import.meta.url).pathname, loader: "ts" }, bundle: true, format: "esm", platform: "node", outfile: `.node-try-x.mjs`, external: ["standfast"], logLevel: "error" });
const m = await import("./.node-try-x.mjs");
for (const n of ["medical", "settlements", "coding"]) for (const w of ["drifting", "destructive", "extractive"]) {
  const s = m.readScript(readFileSync(new URL(`../../bench/transcripts/${n}.json`, import.meta.url), "utf8"), "x", []);
  const t0 = Date.now();
  const r = await m.replay(s, m[w]);
  console.log(n, w, Date.now() - t0, "ms", r.rounds.map((x) => x.plain.fates.filter((f) => f.kept).length + "/" + x.ours.fates.filter((f) => f.kept).length + "/" + x.ours.fates.length).join(" "));
  r.rounds.forEach((x, i) => ["plain", "ours"].forEach((arm) => x[arm].fates.forEach((f, k) => { if (!f.kept && (arm === "ours" || f.detail === "contradicted_elsewhere")) console.log("  ", arm, i + 1, r.rules[k].slice(0, 70), "|", f.detail, "|", f.evidence.slice(0, 150)); })));
  r.guard.close();
}
