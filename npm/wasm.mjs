// What the builds do to the wasm file after Rust: the same calls give the same results, in fewer bytes.
import binaryen from "binaryen";

/** For what Rust leaves over: functions that are alike or only call another, locals in no order. Only what makes the compressed file smaller. */
const PASSES = ["inlining", "duplicate-function-elimination", "merge-blocks", "remove-unused-names", "code-folding", "precompute-propagate", "optimize-instructions", "code-pushing", "simplify-locals-notee-nostructure", "coalesce-locals", "rse", "reorder-locals", "vacuum"];

/** The features that Rust compiles for. */
const FEATURES = ["MutableGlobals", "NontrappingFPToInt", "SignExt", "BulkMemory", "BulkMemoryOpt", "ReferenceTypes", "Multivalue", "ExtendedConst", "CallIndirectOverlong"];

function read(wasm) {
  const module = binaryen.readBinary(wasm);
  module.setFeatures(FEATURES.reduce((all, name) => all | binaryen.Features[name], 0));
  return module;
}

function written(module) {
  if (!module.validate()) throw new Error("the wasm is not valid");
  const wasm = module.emitBinary();
  module.dispose();
  return wasm;
}

/** A wasm file in fewer bytes. */
export function tidied(wasm) {
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  binaryen.setGenerateStackIR(true);
  binaryen.setOptimizeStackIR(true);
  // only what is shorter than a call of it
  for (const limit of ["setAlwaysInlineMaxSize", "setFlexibleInlineMaxSize", "setOneCallerInlineMaxSize"]) binaryen[limit](4);
  const module = read(wasm);
  module.runPasses(PASSES);
  return written(module);
}

/** A wasm file without some exports and the code that only they reach, as a bundler leaves out the functions that no module imports. */
export function shaken(wasm, uncalled) {
  const module = read(wasm);
  const names = Array.from({ length: module.getNumExports() }, (_, at) => binaryen.getExportInfo(module.getExportByIndex(at)).name);
  for (const name of names.filter((name) => uncalled.test(name))) module.removeExport(name);
  module.runPasses(["remove-unused-module-elements"]);
  return written(module);
}
