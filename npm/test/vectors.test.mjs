import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import * as standfast from "standfast";
import glue from "../dist/cjs/glue.js";
import input from "../dist/cjs/input.js";
import { readFile, runFile } from "./vectors.mjs";

const folder = new URL("../../tests/vectors/", import.meta.url);
const api = { ...standfast, messageDigest: (message) => JSON.parse(glue.published("message_digest", JSON.stringify({ message: input.take(message).copy }))) };
const names = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "schema.json");

test("there are vectors", () => assert.ok(names.length > 5));
for (const name of names) {
  test(`vectors: ${name}`, async () => {
    const failures = await runFile(api, readFile(readFileSync(new URL(name, folder), "utf8")));
    assert.equal(failures.length, 0, failures.join("\n"));
  });
}
