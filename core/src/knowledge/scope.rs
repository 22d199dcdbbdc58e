//! What a rule is about: everything, a section, paths. In doubt it is about more.

use super::source::Base;
use crate::text::ident::{Kind, identifiers};
use crate::text::skeleton::skeleton;
use crate::triage::Item;

/// Words of headings whose rules hold everywhere.
const GENERAL: &str = " general global always critical important core rules principles constraints guardrails security safety never \
 must non-negotiable mandatory golden overview introduction allgemein immer regeln wichtig general generales siempre reglas toujours regles \
 generale geral sempre regras ";

/// What the items of a base are about.
#[derive(Debug)]
pub(super) struct Scopes {
    /// The section of each item.
    pub(super) section: Vec<usize>,
    /// How many sections there are.
    pub(super) sections: usize,
    /// Whether an item is a rule that holds everywhere.
    pub(super) global: Vec<bool>,
    /// The rules of each section that hold there.
    pub(super) rules: Vec<Vec<usize>>,
    /// What paths rules are about, sorted, with the rule.
    keys: Vec<(String, usize)>,
}

impl Scopes {
    /// With the first `deep` headings as sections. The `first` section may hold everywhere, as an introduction does.
    pub(super) fn of(base: &Base, deep: usize, first: bool) -> Self {
        let mut places: Vec<usize> = (0..base.items.len()).collect();
        places.sort_by(|a, b| path(base, *a, deep).cmp(path(base, *b, deep)));
        let mut section = vec![0; base.items.len()];
        let mut sections = 0;
        let mut before: Option<usize> = None;
        for at in places {
            sections += usize::from(before.is_none_or(|before| path(base, before, deep) != path(base, at, deep)));
            if let Some(section) = section.get_mut(at) {
                *section = sections - 1;
            }
            before = Some(at);
        }
        let mut scopes = Self { section, sections, global: Vec::new(), rules: vec![Vec::new(); sections], keys: Vec::new() };
        for at in 0..base.items.len() {
            let global = base.is_rule(at) && scopes.is_global(base, at, deep, first);
            scopes.global.push(global);
            if base.is_rule(at) && !global {
                scopes.local(base, at);
            }
        }
        scopes.keys.sort_unstable();
        scopes
    }

    fn is_global(&self, base: &Base, at: usize, deep: usize, first: bool) -> bool {
        let path = path(base, at, deep);
        let first = first && self.section.first() == self.section.get(at);
        let general = |title: &String| skeleton(title).split(|c: char| !c.is_alphanumeric() && c != '-').any(is_general);
        path.len() < deep || first || path.last().is_some_and(general)
    }

    fn local(&mut self, base: &Base, at: usize) {
        if let Some(rules) = self.section.get(at).and_then(|section| self.rules.get_mut(*section)) {
            rules.push(at);
        }
        let Some(item) = base.items.get(at) else { return };
        for glob in item.scope.iter().map(String::as_str).chain(paths(item)) {
            let key = key(glob);
            if !key.is_empty() {
                self.keys.push((key, at));
            }
        }
    }

    /// The rules that are about a path which an item names.
    pub(super) fn about(&self, item: &Item) -> Vec<usize> {
        let mut found = Vec::new();
        if self.keys.is_empty() {
            return found;
        }
        for path in item.scope.iter().map(String::as_str).chain(paths(item)) {
            for key in keys(path) {
                let from = self.keys.partition_point(|(known, _)| known.as_str() < key.as_str());
                let same = self.keys.get(from..).unwrap_or_default().iter().take_while(|(known, _)| *known == key);
                found.extend(same.map(|(_, rule)| *rule));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Whether a heading with this word is about everything.
pub(super) fn is_general(word: &str) -> bool {
    word.len() > 3 && GENERAL.split(' ').any(|general| general == word)
}

/// Two where all stands under one title, else one.
pub(super) fn depth_of_sections(base: &Base) -> usize {
    let mut titles = base.items.iter().filter_map(|item| item.heading_path.first());
    let first = titles.next();
    if first.is_some() && titles.all(|title| Some(title) == first) { 2 } else { 1 }
}

/// The headings that make the section of an item.
fn path(base: &Base, at: usize, deep: usize) -> &[String] {
    let path = base.items.get(at).map(|item| item.heading_path.as_slice()).unwrap_or_default();
    path.get(..deep).unwrap_or(path)
}

/// The paths that a text names.
fn paths(item: &Item) -> impl Iterator<Item = &str> {
    identifiers(&item.text)
        .into_iter()
        .filter(|found| matches!(found.kind, Kind::Path | Kind::Code))
        .map(|found| found.text.trim_matches('`'))
}

/// What a path or a pattern of paths is found by: itself up to its first wild part, or what its files end in.
pub(super) fn key(glob: &str) -> String {
    let glob = glob.trim_start_matches("./").trim_start_matches("**/").trim_end_matches('/');
    match glob.find('*') {
        Some(0) => glob.to_owned(),
        Some(at) => glob.get(..at).unwrap_or_default().rsplit_once('/').map_or(glob, |(folder, _)| folder).to_owned(),
        None => glob.to_owned(),
    }
}

/// What the rules about a path may be found by: it, the folders it is in, the endings of its name.
pub(super) fn keys(path: &str) -> Vec<String> {
    let whole = key(path);
    let mut keys: Vec<String> = whole.match_indices('/').filter_map(|(at, _)| whole.get(..at).map(str::to_owned)).collect();
    let name = whole.rsplit_once('/').map_or(whole.as_str(), |(_, name)| name);
    for (at, _) in name.match_indices('.').filter(|(at, _)| *at > 0) {
        keys.push(["*", name.get(at..).unwrap_or_default()].concat());
    }
    keys.push(whole);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_what_holds_it() {
        for (glob, path) in [
            ("src/api/**", "src/api/v1/users.ts"),
            ("**/*.test.ts", "web/a.test.ts"),
            ("./docs/", "docs/a.md"),
            ("src/**/*.ts", "src/x/y.ts"),
        ] {
            assert!(keys(path).contains(&key(glob)), "{glob} {path}");
        }
        assert!(!keys("src/web/a.ts").contains(&key("src/api/**")));
    }
}
