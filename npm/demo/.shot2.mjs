import { openPage, serve } from "../packaging/project.mjs";
const [,, prefix, hash = "", scheme = "light", width = "1280"] = process.argv;
const server = await serve(new URL("./dist", import.meta.url).pathname);
const b = await openPage({ viewport: { width: Number(width), height: 860 }, colorScheme: scheme, reducedMotion: "reduce", deviceScaleFactor: Number(width) < 500 ? 2 : 1 });
await b.page.goto(`${server.url}/index.html${hash}`);
if (hash) { await b.page.waitForFunction(() => !document.getElementById("result").hidden || !document.getElementById("failure").hidden, undefined, { timeout: 60000 }).catch((e) => console.log(String(e))); await b.page.waitForTimeout(1500); }
const h = await b.page.evaluate(() => document.documentElement.scrollHeight);
await b.page.setViewportSize({ width: Number(width), height: Number(width) < 500 ? 1700 : 1500 });
for (let y = 0, i = 0; y < h && i < 6; y += Number(width) < 500 ? 1700 : 1500, i++) { await b.page.evaluate((y) => scrollTo({ top: y, behavior: "instant" }), y); await b.page.screenshot({ path: `/tmp/shots/${prefix}-${i}.png` }); }
console.log(await b.page.locator("#headline").textContent(), h, b.errors);
await b.close(); server.close();
