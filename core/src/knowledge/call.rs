//! One door to the operators for the bindings and the vectors: named arguments in, texts to be counted out, JSON text at the end.

use serde_json::Value;

use super::compact::{Budget, CompactMode, Compacted, Compaction};
use super::decompose::{Decomposing, Decomposition};
use super::retrieve::{KnowledgeIndex, facts, vectors};
use super::source::base_of;
use crate::error::{Error, Result};
use crate::json::{self, Object};

/// A compaction or a decomposition under way.
#[derive(Debug)]
pub enum Work {
    /// Into a budget.
    Compact(Box<Compaction>),
    /// Into parts.
    Decompose(Box<Decomposing>),
}

impl Work {
    /// Begins `compact_knowledge` (`items`, a document or items; `budget` or `ratio`; perhaps `mode`) or `decompose_knowledge` (`items`,
    /// `max_tokens`).
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name, arguments that cannot be read, and sizes that are none.
    pub fn begin(name: &str, args: Value) -> Result<Self> {
        let unreadable = |error: json::Error| Error::argument(format!("the arguments of `{name}` cannot be read: {error}"));
        let mut args = Object::of(args).map_err(unreadable)?;
        let items: Value = args.need("items");
        match name {
            "compact_knowledge" => {
                let (budget, ratio): (Value, Value) = (args.may("budget"), args.may("ratio"));
                let mode: CompactMode = args.may::<Option<_>>("mode").unwrap_or_default();
                args.end().map_err(unreadable)?;
                let wanted = wanted(&budget, &ratio)?;
                Ok(Self::Compact(Box::new(Compaction::new(base_of(items)?, wanted, mode)?)))
            }
            "decompose_knowledge" => {
                let cap: Value = args.need("max_tokens");
                args.end().map_err(unreadable)?;
                Ok(Self::Decompose(Box::new(Decomposing::new(base_of(items)?, size("max_tokens", &cap)?)?)))
            }
            _ => Err(Error::argument("there is no such function")),
        }
    }

    /// The texts that are to be counted; none when the work is done.
    #[must_use]
    pub fn asks(&self) -> &[String] {
        match self {
            Self::Compact(work) => work.asks(),
            Self::Decompose(work) => work.asks(),
        }
    }

    /// Takes the counts of what was asked, in its order.
    ///
    /// # Errors
    /// `invalid_argument` where they are not as many.
    pub fn answer(&mut self, counts: &[u32]) -> Result<()> {
        match self {
            Self::Compact(work) => work.answer(counts),
            Self::Decompose(work) => work.answer(counts),
        }
    }

    /// The result; what is still to be counted is counted by the estimator. Stored text or, where `camel` is set, text in the
    /// spelling of JavaScript.
    ///
    /// # Errors
    /// None that counts of ours could bring about.
    pub fn finish(self, camel: bool) -> Result<String> {
        match self {
            Self::Compact(work) => Ok(json::spelled(&work.finish()?, camel)),
            Self::Decompose(work) => Ok(json::spelled(&work.finish()?, camel)),
        }
    }
}

/// A size as a whole number above zero.
fn size(name: &str, value: &Value) -> Result<u32> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| Error::argument(format!("`{name}` is a whole number above 0 and below 2^32")))
}

fn wanted(budget: &Value, ratio: &Value) -> Result<Budget> {
    match (budget, ratio) {
        (Value::Null, Value::Null) => Err(Error::argument("give `budget` or `ratio`")),
        (budget, Value::Null) => Ok(Budget::Units(size("budget", budget)?)),
        (Value::Null, ratio) => {
            let part = ratio.as_f64().filter(|part| *part > 0.0 && *part <= 1.0);
            let part = part.ok_or_else(|| Error::argument("`ratio` lies in (0, 1]"))?;
            #[expect(
                clippy::float_arithmetic,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "read once from the wire form, in range"
            )]
            let millionths = (part * 1e6).round() as u32;
            Ok(Budget::Part(millionths.max(1)))
        }
        _ => Err(Error::argument("give `budget` or `ratio`, not both")),
    }
}

/// A document within a budget of the estimator's tokens.
///
/// # Errors
/// `invalid_argument` for a budget of zero.
pub fn compact(document: &str, budget: u32, mode: CompactMode) -> Result<Compacted> {
    Compaction::new(base_of(document.into())?, Budget::Units(budget), mode)?.finish()
}

/// A document in parts of at most so many of the estimator's tokens, preamble included.
///
/// # Errors
/// `invalid_argument` for a size of zero.
pub fn decompose(document: &str, max_tokens: u32) -> Result<Decomposition> {
    Decomposing::new(base_of(document.into())?, max_tokens)?.finish()
}

impl KnowledgeIndex {
    /// [`KnowledgeIndex::retrieve`] with named arguments: `query`, perhaps `k`, `scope` and `vectors`.
    ///
    /// # Errors
    /// Those of it; `invalid_argument` for arguments that cannot be read.
    pub fn call(&self, args: Value, camel: bool) -> Result<String> {
        let unreadable = |error: json::Error| Error::argument(format!("the arguments of `retrieve` cannot be read: {error}"));
        let mut args = Object::of(args).map_err(unreadable)?;
        let query: String = args.need("query");
        let k: Option<u32> = args.may("k");
        let scope: Value = args.may("scope");
        let vectors = vectors(&mut args);
        args.end().map_err(unreadable)?;
        let found = self.retrieve(&query, k.unwrap_or(10) as usize, &facts(scope)?, vectors.as_ref())?;
        Ok(json::spelled(&found, camel))
    }
}
