//! A text of which a piece is wanted on its own, held once.
//!
//! ```
//! # use standfast::text::shared::SharedText;
//! let prompt = SharedText::from("Summarize: a long history".to_owned());
//! let text = prompt.tail(11);
//! assert_eq!((&*prompt, &*text), ("Summarize: a long history", "a long history"));
//! ```

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::digest::Digest;
use crate::json::{self, FromValue};
use crate::reads;

/// A text, or the end of one. On the wire it is a string; clones share the bytes.
#[derive(Clone, Default)]
pub struct SharedText {
    whole: Arc<String>,
    from: usize,
    /// The digest, once it was asked for.
    digest: Arc<OnceLock<Digest>>,
}

impl SharedText {
    /// The end of this text from a byte on; nothing where no character begins there.
    #[must_use]
    pub fn tail(&self, from: usize) -> Self {
        let from = self.from.saturating_add(from);
        let from = if self.whole.is_char_boundary(from) { from } else { self.whole.len() };
        Self { whole: Arc::clone(&self.whole), from, digest: Arc::default() }
    }

    /// The digest of the text: computed once for all its clones, since it can be large.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of(self.as_bytes()))
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self { whole: Arc::new(text), from: 0, digest: Arc::default() }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.whole.get(self.from..).unwrap_or_default()
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SharedText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl FromValue for SharedText {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        String::from_value(value).map(Self::from)
    }
}

reads! { @serde SharedText }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_begins_at_a_character_or_is_empty() {
        let text = SharedText::from("aé".to_owned());
        assert_eq!((&*text.tail(1), &*text.tail(2), &*text.tail(9)), ("é", "", ""));
        assert_eq!(&*text.tail(1).tail(2), "");
        assert_eq!((text.digest(), text.tail(1).digest()), (Digest::of("aé"), Digest::of("é")));
    }

    #[test]
    fn it_is_a_string_on_the_wire() {
        let tail = SharedText::from("ab".to_owned()).tail(1);
        assert_eq!(serde_json::to_string(&tail).unwrap(), "\"b\"");
        assert_eq!(serde_json::from_str::<SharedText>("\"b\"").unwrap(), tail);
    }
}
