import load, * as glue from "./glue.js";
import { use } from "./engine.js";

/** Where the wasm may come from. */
export type WasmSource = string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** Loads the engine, once. Without a source: the `standfast_bg.wasm` of this package, next to this file. */
export async function init(source?: WasmSource): Promise<void> {
  await load({ module_or_path: source ?? new URL("../standfast_bg.wasm", import.meta.url) });
  use(glue);
}

export * from "./api.js";
