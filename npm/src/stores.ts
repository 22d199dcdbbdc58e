// Where the states and texts of guards are kept: in memory, in the browser's IndexedDB, in any `unstorage` driver that can
// compare and set.

export { MemoryStore, type LogStore, type Saved, type StateStore } from "standfast";
export { IndexedDbStore } from "./store-idb.js";
export { unstorageStore, type UnstorageOptions } from "./store-unstorage.js";
