// Other programs that tests start. None outlives its test by long, and none is waited for without an end.
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";

/** Longest that a program may run. */
const LONGEST = 240_000;

/** Runs a program to its end; gives what it printed. */
export function run(program, args, options = {}) {
  return String(execFileSync(program, args, { encoding: "utf8", timeout: LONGEST, killSignal: "SIGKILL", ...options }) ?? "").trim();
}

/** Starts a server and waits for a word of its output, where one is given. It is stopped after the longest time in any case. */
export async function started(program, args, { ready, ...options } = {}) {
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], timeout: LONGEST, killSignal: "SIGKILL", ...options });
  // a test that ends in the middle takes it along
  const end = () => server.kill("SIGKILL");
  process.once("exit", end);
  server.once("exit", () => process.removeListener("exit", end));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code, signal) => reject(new Error(`${program} ended: ${code ?? signal}`)));
    if (ready === undefined) server.once("spawn", resolve);
    server.stdout.on("data", (data) => ready !== undefined && String(data).includes(ready) && resolve());
  });
  return server;
}

/** A port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
    probe.once("error", reject);
  });
}
