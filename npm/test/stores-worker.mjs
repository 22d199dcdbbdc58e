// Another process that writes to a folder; run with the folder, a name and how often it is to win.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(import.meta.url);

/** Runs a writer; resolves with its exit code. */
export function worker(base, who, times) {
  const child = spawn(process.execPath, [file, base, who, String(times)], { stdio: "inherit", timeout: 120_000, killSignal: "SIGKILL" });
  return new Promise((resolve) => child.on("exit", resolve));
}

if (process.argv[1] === file) {
  const [base, who, times] = process.argv.slice(2);
  const { unstorageStore } = await import("standfast/store");
  const { createStorage } = await import("unstorage");
  const { default: fsDriver } = await import("unstorage/drivers/fs");
  const store = unstorageStore(createStorage({ driver: fsDriver({ base }) }));
  for (let won = 0; won < Number(times); ) {
    const saved = await store.load("shared");
    const state = JSON.parse(saved?.state ?? "[]");
    if ((await store.save("shared", JSON.stringify([...state, who]), saved?.version ?? null)) !== null) won++;
  }
}
