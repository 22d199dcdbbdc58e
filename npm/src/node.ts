import * as glue from "./glue.js";
import { use } from "./engine.js";

use(glue);

/** In Node the engine is loaded with the module; this is here so that the same code runs in a browser. */
export async function init(_source?: unknown): Promise<void> {}

export * from "./api.js";
