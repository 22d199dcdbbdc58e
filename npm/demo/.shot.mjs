import { openPage, serve } from "../packaging/project.mjs";
const [,, out, hash = "", scheme = "light", width = "1280", wait = "0"] = process.argv;
const server = await serve(new URL("./dist", import.meta.url).pathname);
const b = await openPage({ viewport: { width: Number(width), height: 860 }, colorScheme: scheme, reducedMotion: wait === "0" ? "reduce" : "no-preference" });
await b.page.goto(`${server.url}/index.html${hash}`);
const t = Date.now();
if (hash) { await b.page.waitForFunction(() => !document.getElementById("result").hidden || !document.getElementById("failure").hidden, undefined, { timeout: 60000 }).catch((e) => console.log(String(e))); await b.page.waitForTimeout(1500); }
console.log("ms", Date.now() - t);
await b.page.waitForTimeout(Number(wait));
console.log(await b.page.locator("#headline").textContent(), "|", await b.page.locator("#status").textContent(), "|", await b.page.locator("#failure").textContent());
if (wait !== "0") await b.page.evaluate(() => scrollTo(0, 0));
await b.page.screenshot({ path: out, fullPage: wait === "0" });
console.log(b.errors);
await b.close(); server.close();
