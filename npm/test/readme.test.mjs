// The README's TypeScript is compiled as a strict project would, and run. `./app.js` is what the reader has.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1].replaceAll("./app.js", "../app.js"));
const folder = fileURLToPath(new URL("./readme-blocks/", import.meta.url));
const name = (i) => `${folder}block-${i}`;

before(() => {
  mkdirSync(folder, { recursive: true });
  blocks.forEach((block, i) => writeFileSync(`${name(i)}.ts`, block));
});
after(() => rmSync(folder, { recursive: true }));

test("there are TypeScript blocks", () => {
  assert.ok(blocks.length >= 4, `${blocks.length}`);
});

test("the README's TypeScript blocks compile", () => {
  const options = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: [],
  };
  const program = ts.createProgram(blocks.map((_, i) => `${name(i)}.ts`), options);
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line : 0;
    return `${file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
  assert.deepEqual(faults, []);
});

for (const [i, block] of blocks.entries()) {
  test(`TypeScript block ${i + 1} of the README runs`, async () => {
    const { outputText } = ts.transpileModule(block, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } });
    writeFileSync(`${name(i)}.mjs`, outputText);
    await import(`${name(i)}.mjs`);
  });
}
