//! What of a knowledge base a question needs: the rules in scope first, then what fits the question.

use serde::Serialize;
use serde_json::Value;

use super::bm25::{Bag, Index, words};
use super::fill::LIKELY;
use super::scope::{self, Scopes, keys};
use super::source::{Base, argument, base_of};
use crate::error::{Code, Error, Result};
use crate::item::Knowledge;
use crate::json::Object;
use crate::reads;
use crate::text::ident::{Kind, identifiers};
use crate::triage::Item;

/// An item that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundItem {
    /// Its place in the index.
    pub index: u32,
    /// Whether it is a rule in scope, or may be one.
    pub in_scope: bool,
    /// Its type.
    pub knowledge: Knowledge,
    /// The headings it stands under, the outermost first.
    pub heading_path: Vec<String>,
    /// Its first line in the document, from 1; 0 where there is none.
    pub line: u32,
    /// Where it comes from.
    pub source: String,
    /// What it says.
    pub text: String,
}

/// What a query found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Retrieved {
    /// Whether every rule in scope is among the items.
    pub ok: bool,
    /// At most as many as were asked for: rules in scope, the nearest first, then what fits best.
    pub items: Vec<FoundItem>,
    /// The rules in scope for which there was no room.
    pub overflow: Vec<FoundItem>,
}

/// Vectors of the caller's own model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vectors {
    /// That of the query.
    pub query: Vec<f64>,
    /// One for each item of the index.
    pub items: Vec<Vec<f64>>,
}

reads! { Vectors { query, items } {} }

/// Rules and knowledge that can be asked.
#[derive(Debug)]
pub struct KnowledgeIndex {
    base: Base,
    scopes: Scopes,
    index: Index,
    /// What sections and documents are about as a whole.
    sections: Index,
    papers: Index,
    /// The document of each item.
    document: Vec<usize>,
}

impl KnowledgeIndex {
    /// Over a document, or over items.
    ///
    /// # Errors
    /// `invalid_argument` where there is nothing or something that cannot be read.
    pub fn new(given: Value) -> Result<Self> {
        let base = base_of(given)?;
        if base.items.is_empty() {
            return Err(Error::argument("there is nothing to search: the index is empty"));
        }
        let scopes = Scopes::of(&base, 2, false);
        let (document, documents) = documents(&base);
        let (mut sections, mut papers) = (vec![Bag::new(); scopes.sections], vec![Bag::new(); documents]);
        let mut index = Index::new(750);
        for (at, item) in base.items.iter().enumerate() {
            let mut bag = Bag::new();
            words(&item.text, 2, &mut bag);
            for around in item.heading_path.iter().chain(&item.lead_in) {
                words(around, 1, &mut bag);
            }
            for (groups, bags) in [(&scopes.section, &mut sections), (&document, &mut papers)] {
                if let Some(group) = groups.get(at).and_then(|group| bags.get_mut(*group)) {
                    group.extend(&bag);
                }
            }
            index.add(bag);
        }
        index.seal();
        let whole = |bags: Vec<Bag>| {
            let mut index = Index::new(250);
            bags.into_iter().for_each(|bag| index.add(bag));
            index.seal();
            index
        };
        Ok(Self { base, index, sections: whole(sections), papers: whole(papers), scopes, document })
    }

    /// The `k` best items for a query. `scope` is what the caller knows of the situation: paths, tools, sections, names.
    ///
    /// # Errors
    /// `invalid_argument` for no items at all or vectors that do not fit, `invalid_number` for vectors that are no numbers.
    pub fn retrieve(&self, query: &str, k: usize, facts: &[String], vectors: Option<&Vectors>) -> Result<Retrieved> {
        if k == 0 {
            return Err(Error::argument("`k` is zero"));
        }
        let mut asked = query.to_owned();
        for fact in facts {
            asked.push('\n');
            asked.push_str(fact);
        }
        let mut fit = self.index.scores(&asked);
        if let Some(vectors) = vectors {
            fit = fused(&fit, &self.near(vectors)?);
        }
        let near = Near::of(self, &asked);
        let known = Situation::of(&asked, facts);
        let (mut rules, mut rest) = (Vec::new(), Vec::new());
        for (at, item) in self.base.items.iter().enumerate() {
            let fits = fit.get(at).copied().unwrap_or_default();
            // what may be a rule stands among the rules by how likely it is one, and so does a rule that hardly is
            let likely = match item.knowledge {
                Knowledge::Constraint => sure(item.p_constraint),
                _ if item.p_constraint >= LIKELY => u64::from(item.p_constraint),
                _ => 0,
            };
            let class = if likely > 0 { self.class(at, item, fits, &near, &known) } else { 0 };
            if class > 0 {
                rules.push((std::cmp::Reverse((item.trust, class, (2 * near.group(self, at).0 + fits) * likely)), at));
            } else if fits > 0 {
                rest.push((std::cmp::Reverse(fits), at));
            }
        }
        rules.sort_unstable();
        rest.sort_unstable();
        let found = |at: usize, in_scope: bool| {
            let Item { knowledge, heading_path, line, source, text, .. } = self.base.items.get(at)?.clone();
            Some(FoundItem { index: u32::try_from(at).unwrap_or(u32::MAX), in_scope, knowledge, heading_path, line, source, text })
        };
        let mut items: Vec<FoundItem> = rules.iter().filter_map(|(_, at)| found(*at, true)).collect();
        let mut overflow = items.split_off(items.len().min(k));
        overflow.retain(|one| one.knowledge == Knowledge::Constraint);
        for (_, at) in rest.iter().take(k - items.len()) {
            items.extend(found(*at, false));
        }
        Ok(Retrieved { ok: overflow.is_empty(), items, overflow })
    }

    /// How a rule is in scope: 0 not at all, 1 by what it says or stands under, or for want of a reason against it, 2 by a path.
    fn class(&self, at: usize, item: &Item, fits: u64, near: &Near, known: &Situation) -> u8 {
        if !item.scope.is_empty() {
            let meets = item.scope.iter().any(|glob| known.keys.binary_search(&scope::key(glob)).is_ok());
            return if meets { 2 } else { u8::from(known.keys.is_empty()) };
        }
        let everywhere = self.scopes.global.get(at) == Some(&true);
        u8::from(everywhere || fits > 0 || near.group(self, at).1 || item.heading_path.iter().any(|title| known.meets(title)))
    }

    /// How near each item's vector is to that of the query, as ranks from 1.
    fn near(&self, vectors: &Vectors) -> Result<Vec<u64>> {
        if vectors.items.len() != self.base.items.len() || vectors.query.is_empty() {
            return Err(Error::argument(format!("{} vectors for {} items", vectors.items.len(), self.base.items.len())));
        }
        let mut order = Vec::with_capacity(vectors.items.len());
        for (at, vector) in vectors.items.iter().enumerate() {
            if vector.len() != vectors.query.len() {
                return Err(Error::argument(format!(
                    "vector {at} has {} numbers, that of the query {}",
                    vector.len(),
                    vectors.query.len()
                )));
            }
            order.push((cosine(&vectors.query, vector)?, at));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut ranks = vec![0; order.len()];
        for (rank, (_, at)) in (1..).zip(order) {
            if let Some(slot) = ranks.get_mut(at) {
                *slot = rank;
            }
        }
        Ok(ranks)
    }
}

/// How well each section and each document fits, and of each document its best section.
struct Near {
    sections: Vec<u64>,
    documents: Vec<u64>,
    best: Vec<u64>,
}

impl Near {
    fn of(index: &KnowledgeIndex, asked: &str) -> Self {
        let (sections, documents) = (index.sections.scores(asked), index.papers.scores(asked));
        let mut best = vec![0_u64; documents.len()];
        for (document, section) in index.document.iter().zip(&index.scopes.section) {
            if let Some((best, section)) = best.get_mut(*document).zip(sections.get(*section)) {
                *best = (*best).max(*section);
            }
        }
        Self { sections, documents, best }
    }

    /// Of the section a rule holds for, or the best of its document, and of that; whether it is no less than half the best.
    fn group(&self, index: &KnowledgeIndex, at: usize) -> (u64, bool) {
        let of = |groups: &[usize], scores: &[u64]| groups.get(at).and_then(|group| scores.get(*group)).copied().unwrap_or_default();
        let (best, document) = (of(&index.document, &self.best), of(&index.document, &self.documents));
        let section = if index.scopes.global.get(at) == Some(&true) { best } else { of(&index.scopes.section, &self.sections) };
        (section + document, section > 0 && 2 * section >= best)
    }
}

/// What the caller and the query tell of the situation.
struct Situation {
    /// What the paths are found by, sorted.
    keys: Vec<String>,
    words: Vec<u32>,
}

impl Situation {
    fn of(asked: &str, facts: &[String]) -> Self {
        let mut bag = Bag::new();
        words(asked, 1, &mut bag);
        let mut words: Vec<u32> = bag.into_iter().map(|(word, _)| word).collect();
        words.sort_unstable();
        let mut found: Vec<String> = Vec::new();
        for named in identifiers(asked) {
            if named.kind == Kind::Path {
                found.append(&mut keys(named.text));
            }
        }
        found.extend(facts.iter().map(|fact| fact.trim().to_owned()));
        found.sort_unstable();
        Self { keys: found, words }
    }

    /// Whether a heading has a word of it.
    fn meets(&self, title: &str) -> bool {
        let mut bag = Bag::new();
        words(title, 1, &mut bag);
        bag.iter().any(|(word, _)| self.words.binary_search(word).is_ok())
    }
}

/// How far a rule is one, per mille: what is likely enough is surely one, below that it falls fast.
fn sure(likely: u32) -> u64 {
    let (likely, enough) = (u64::from(likely.min(LIKELY)), u64::from(LIKELY));
    (1000 * likely.pow(3) / enough.pow(3)).max(1)
}

/// The documents of a base: those of one source under one title.
fn documents(base: &Base) -> (Vec<usize>, usize) {
    let name = |at: &usize| base.items.get(*at).map(|item| (&item.source, item.heading_path.first()));
    let mut order: Vec<usize> = (0..base.items.len()).collect();
    order.sort_by(|a, b| name(a).cmp(&name(b)));
    let mut document = vec![0; order.len()];
    let mut count = 0;
    let mut before: Option<usize> = None;
    for at in order {
        count += usize::from(before.is_none_or(|before| name(&before) != name(&at)));
        if let Some(slot) = document.get_mut(at) {
            *slot = count - 1;
        }
        before = Some(at);
    }
    (document, count)
}

/// Two orders as one (reciprocal rank fusion): by words and by vectors.
fn fused(fit: &[u64], ranks: &[u64]) -> Vec<u64> {
    const SCALE: u64 = 1 << 40;
    let mut order: Vec<usize> = (0..fit.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(fit.get(*at)), *at));
    let mut fused: Vec<u64> = ranks.iter().map(|rank| SCALE / (60 + rank)).collect();
    for (rank, at) in (1..).zip(order) {
        if let Some(slot) = fused.get_mut(at).filter(|_| fit.get(at).is_some_and(|fit| *fit > 0)) {
            *slot += SCALE / (60 + rank);
        }
    }
    fused
}

/// The cosine of two vectors of one length. Sums are taken in order and nothing but the four operations and a root is used, all of
/// which are exact to the last bit on every platform.
#[expect(clippy::float_arithmetic, reason = "vectors are the caller's floats; the order of the operations is fixed")]
fn cosine(a: &[f64], b: &[f64]) -> Result<f64> {
    let (mut dot, mut one, mut two) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        dot += a * b;
        one += a * a;
        two += b * b;
    }
    let cosine = dot / (one.sqrt() * two.sqrt());
    if !(one.is_finite() && two.is_finite() && dot.is_finite()) {
        return Err(Error::of(Code::InvalidNumber, "a vector holds what is no number"));
    }
    Ok(if cosine.is_finite() { cosine } else { 0.0 })
}

/// The texts of a situation: a text, a list, or an object of such.
pub(super) fn facts(value: Value) -> Result<Vec<String>> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![text]),
        Value::Array(items) => argument("scope", Value::Array(items)),
        Value::Object(fields) => {
            let mut all = Vec::new();
            for (_, value) in fields {
                all.extend(facts(value)?);
            }
            Ok(all)
        }
        _ => Err(Error::argument("`scope` is a text, a list of texts or an object of such")),
    }
}

/// Reads vectors out of an argument.
pub(super) fn vectors(args: &mut Object) -> Option<Vectors> {
    args.may("vectors")
}

/// The places of the texts that fit a query, the best first.
#[must_use]
pub fn search(texts: &[&str], query: &str, k: usize) -> Vec<usize> {
    let mut index = Index::new(750);
    for text in texts {
        let mut bag = Bag::new();
        words(text, 2, &mut bag);
        index.add(bag);
    }
    index.seal();
    let mut order: Vec<(std::cmp::Reverse<u64>, usize)> = Vec::new();
    for (at, score) in index.scores(query).into_iter().enumerate() {
        if score > 0 {
            order.push((std::cmp::Reverse(score), at));
        }
    }
    order.sort_unstable();
    order.truncate(k);
    order.into_iter().map(|(_, at)| at).collect()
}
