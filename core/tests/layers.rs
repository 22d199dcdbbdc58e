//! The crate's own order: modules import only from those above them in `lib.rs`, files stay short, and every error code
//! is used and explained.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test reads the sources and says what it expects")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use standfast::Code;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Longest file of the sources.
const LONGEST: usize = 500;
/// Tables that a program writes.
const GENERATED: &[&str] = &["text/skeleton_table.rs"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Every source file by its path below `core/src`.
fn sources() -> BTreeMap<String, String> {
    let folder = Path::new(ROOT).join("src");
    let mut found = Vec::new();
    files(&folder, &mut found);
    let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The modules of `lib.rs`, in order.
fn modules() -> Vec<String> {
    let lib = fs::read_to_string(Path::new(ROOT).join("src/lib.rs")).unwrap();
    let declared = lib.lines().filter_map(|line| line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod ")));
    declared.map(|rest| rest.trim_end_matches(';').to_owned()).collect()
}

/// Files that are compiled for tests only: `#[cfg(test)]` stands before their `mod` line.
fn test_files(sources: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut tests = BTreeSet::new();
    for (name, text) in sources {
        let folder = match name.rsplit_once('/') {
            Some((folder, "mod.rs")) => folder.to_owned(),
            _ => name.trim_end_matches(".rs").to_owned(),
        };
        for after in text.split("#[cfg(test)]").skip(1) {
            let line = after.trim_start().lines().find(|line| !line.trim_start().starts_with("#[")).unwrap_or_default();
            if let Some(module) = line.trim().strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
                tests.insert(format!("{folder}/{module}.rs"));
                // a `#[path]` beside the declaring file
                tests.insert(name.rsplit_once('/').map_or_else(|| format!("{module}.rs"), |(parent, _)| format!("{parent}/{module}.rs")));
            }
        }
    }
    tests
}

/// The lines that are compiled into the library: no comments, no unit tests, which stand last.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let end = text
        .match_indices("#[cfg(test)]")
        .find(|(at, _)| text.get(*at..).is_some_and(|rest| rest.contains("\nmod tests {")))
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text).lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Modules named after `crate::` in a line.
fn imports(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for after in line.split("crate::").skip(1) {
        let word = |text: &str| text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match after.strip_prefix('{') {
            Some(group) => found.extend(group.split(',').map(word)),
            None => found.push(word(after)),
        }
    }
    found
}

#[test]
fn modules_import_only_from_those_above_them() {
    let order = modules();
    let place = |name: &str| order.iter().position(|module| module == name);
    assert!(order.len() > 20 && place("error") == Some(0));
    let sources = sources();
    let tests = test_files(&sources);
    let mut upward = Vec::new();
    for (name, text) in sources.iter().filter(|(name, _)| name.as_str() != "lib.rs" && !tests.contains(*name)) {
        let module = name.split(['/', '.']).next().unwrap();
        let here = place(module).unwrap_or_else(|| panic!("`{module}` of {name} is not in lib.rs"));
        for line in code(text) {
            for wanted in imports(line) {
                if place(&wanted).is_some_and(|there| there > here) {
                    upward.push(format!("{name}: {}", line.trim()));
                }
            }
        }
    }
    assert!(upward.is_empty(), "upward imports:\n{}", upward.join("\n"));
}

#[test]
fn an_import_is_found_however_it_is_written() {
    assert_eq!(imports("use crate::error::{Code, Error};"), ["error"]);
    assert_eq!(imports("use crate::{cut, digest::Digest};"), ["cut", "digest"]);
    assert_eq!(imports("    let block = crate::pinned::render(crate::rule::all());"), ["pinned", "rule"]);
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|(name, _)| !GENERATED.contains(&name.as_str()))
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(name, lines)| format!("{name}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "over {LONGEST} lines: {long:?}");
}

/// Functions of std whose tables weigh more in the wasm file than `text::skeleton`, which has its own.
const CASES: &[&str] = &["to_lowercase", "to_uppercase", "is_uppercase", "is_lowercase"];

#[test]
fn no_table_of_capitals_but_our_own() {
    let (sources, mut found) = (sources(), Vec::new());
    let tests = test_files(&sources);
    for (name, text) in sources.iter().filter(|(name, _)| !tests.contains(*name)) {
        let uses = |line: &&str| CASES.iter().any(|case| line.contains(&format!(".{case}(")) || line.contains(&format!("::{case}")));
        found.extend(code(text).filter(uses).map(|line| format!("{name}: {}", line.trim())));
    }
    assert!(found.is_empty(), "{found:?}");
}

/// All code of the bindings.
fn bindings() -> String {
    let mut text = String::new();
    for binding in ["bindings-python", "bindings-wasm", "python/standfast", "npm/src"] {
        let folder = Path::new(ROOT).join("..").join(binding);
        let mut found = Vec::new();
        walk(&folder, &mut found);
        for path in found {
            let source = fs::read_to_string(path).unwrap_or_default();
            let named = Code::ALL.iter().filter(|code| source.contains(&format!("\"{}\"", code.as_str()))).count();
            // a list of all codes uses none of them
            if named < Code::ALL.len() / 2 {
                text.push_str(&source);
            }
        }
    }
    text
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            walk(&path, found);
        } else if path.extension().is_some_and(|end| ["rs", "py", "ts"].iter().any(|wanted| end == *wanted)) {
            found.push(path);
        }
    }
}

#[test]
fn every_error_code_is_used() {
    let library: String = sources().into_iter().filter(|(name, _)| name != "error.rs").map(|(_, source)| source).collect();
    let bindings = bindings();
    let table = fs::read_to_string(Path::new(ROOT).join("src/error.rs")).unwrap();
    let unused: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| {
            let name = format!("{code:?}");
            let constructor = table.contains(&format!("Self::new(Code::{name},"));
            let quoted = [format!("\"{}\"", code.as_str()), format!("'{}'", code.as_str())];
            let named = [&library, &bindings].iter().any(|text| text.contains(&format!("Code::{name}")));
            !constructor && !named && !quoted.iter().any(|text| bindings.contains(text))
        })
        .map(|code| code.as_str())
        .collect();
    assert!(unused.is_empty(), "no caller can meet these codes: {unused:?}");
}

#[test]
fn every_error_code_is_explained_to_users() {
    let Ok(readme) = fs::read_to_string(Path::new(ROOT).join("../README.md")) else { return };
    let missing: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).filter(|code| !readme.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "README.md says nothing on {missing:?}");
}
