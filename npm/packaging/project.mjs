// A throw-away project with the packed tarball installed, as a user gets it.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../test/processes.mjs";

export const packageFolder = fileURLToPath(new URL("..", import.meta.url));

/** Packs the package and installs it; gives the folder and the tarball. */
export function project() {
  const folder = mkdtempSync(join(tmpdir(), "standfast-"));
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: packageFolder, stdio: ["ignore", "pipe", "pipe"] });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  return { folder, tarball, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const TYPES = { ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** Serves a folder on the loopback interface; a file that is there compressed too goes out so. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    try {
      const br = /\bbr\b/.test(String(request.headers["accept-encoding"])) && existsSync(join(folder, `${path}.br`));
      const body = path === "/favicon.ico" ? "" : await readFile(join(folder, br ? `${path}.br` : path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", ...(br ? { "content-encoding": "br" } : {}) }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.close(), server.closeAllConnections()) };
}

/** Where Chromium is, or undefined. */
export const chromium = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path && existsSync(path));

/** For `test(…, { skip })`: without a browser the test is skipped, and fails where `CI` is true. */
export const withoutBrowser = chromium === undefined && process.env.CI !== "true" ? "no Chromium found; set CHROMIUM to its path" : false;

/** A page in headless Chromium, with the options of a context. Everything it reports as an error fails the test. */
export async function openPage(options = {}) {
  if (chromium === undefined) throw new Error("no Chromium found; set CHROMIUM to its path");
  const { chromium: driver } = await import("playwright-core");
  const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const browser = await driver.launch({ executablePath: chromium, headless: true, args });
  const page = await browser.newPage(options);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  return { page, errors, close: () => browser.close() };
}

/** A page that runs a script. */
export const html = (script) => `<!doctype html><meta charset="utf-8"><title>standfast</title>${script}`;

/** Opens a page of a folder; gives what it sets as its `result`. Whatever it reports as an error fails. */
export async function inBrowser(folder, path) {
  const server = await serve(folder);
  const browser = await openPage();
  try {
    await browser.page.goto(`${server.url}/${path}`);
    const result = await browser.page.waitForFunction(() => globalThis.result, undefined, { timeout: 30_000 }).catch((error) => {
      throw new Error([...browser.errors, error.message].join("\n"));
    });
    if (browser.errors.length > 0) throw new Error(browser.errors.join("\n"));
    return await result.jsonValue();
  } finally {
    await browser.close();
    server.close();
  }
}
