//! What a host hands in, in the one form the engine works on: a message of parts, and its place in the log.

use std::sync::OnceLock;

use serde::Serialize;

use crate::digest::Digest;
use crate::reads;
use crate::trust::Trust;

/// The role a message has in its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// System message.
    System,
    /// Developer message (OpenAI's later name for system).
    Developer,
    /// User message.
    User,
    /// Assistant message.
    Assistant,
    /// Tool or function result.
    Tool,
}

reads! { Role: System, Developer, User, Assistant, Tool }

impl Role {
    /// The text form used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// System and developer messages.
    #[must_use]
    pub fn is_system(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One piece of a message. Sizes are in tokens of the estimator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text of the message's author.
    Text(String),
    /// Text the message carries for somebody else: an attached document, a file's content. Always external.
    Attached(String),
    /// Another compactor's summary beside words of the message's author. Always external, in no request (T5).
    Foreign(String),
    /// Reasoning of the model. `text` is empty where the provider encrypts it.
    Reasoning {
        /// What can be read of it.
        text: String,
        /// Price of the whole block, opaque bytes included.
        tokens: u32,
    },
    /// A tool call.
    Call {
        /// The id its result names.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text.
        arguments: String,
    },
    /// A tool result. Always external.
    Result {
        /// The call it answers.
        id: String,
        /// What came back; text pieces joined by line breaks.
        text: String,
        /// Price of images and files inside the result.
        media_tokens: u32,
        /// Whether the host says that the call failed.
        error: bool,
    },
    /// An approval that was asked for (`response` false) or answered.
    Approval {
        /// Ties request and response.
        id: String,
        /// Whether this is the answer.
        response: bool,
    },
    /// An image, a sound or a file given as bytes or by reference.
    Media {
        /// `image`, `audio` or `file`.
        kind: String,
        /// Where it is to be found again: an address, an id or a file name; empty for bytes.
        name: String,
        /// Its price.
        tokens: u32,
    },
}

impl Part {
    /// The trust of this part inside a message of trust `message`: never higher.
    #[must_use]
    pub fn trust(&self, message: Trust) -> Trust {
        match self {
            Self::Text(_) | Self::Approval { .. } => message,
            Self::Reasoning { .. } | Self::Call { .. } => message.min(Trust::Agent),
            Self::Attached(_) | Self::Foreign(_) | Self::Result { .. } | Self::Media { .. } => Trust::External,
        }
    }

    /// Whether it is an image, a sound or a file, or the result of a call with such a thing in it.
    #[must_use]
    pub fn has_media(&self) -> bool {
        matches!(self, Self::Media { .. } | Self::Result { media_tokens: 1.., .. })
    }

    /// The text a reader sees, without call ids. Media have none.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Attached(text) | Self::Foreign(text) | Self::Reasoning { text, .. } | Self::Result { text, .. } => {
                text
            }
            Self::Call { arguments, .. } => arguments,
            Self::Approval { .. } | Self::Media { .. } => "",
        }
    }
}

/// A host message as a shape reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its role.
    pub role: Role,
    /// Its pieces in order. Never empty for an accepted message, except an assistant message without content.
    pub parts: Vec<Part>,
    /// Nothing but another compactor's summary, or our own memory message replayed (T5).
    pub foreign_summary: bool,
    /// Prompt-cache markers the host set on this message.
    pub cache_markers: u32,
    /// `name` of the message where the shape has one. Never a source of trust.
    pub name: Option<String>,
}

/// What the log keeps of one observed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its place on the branch, from 0.
    pub seq: u32,
    /// The message. `parts` is empty once paged out.
    pub message: Message,
    /// Trust of the message as a whole.
    pub trust: Trust,
    /// Name of the producer.
    pub source: String,
    /// On whose behalf a user spoke, where the host says so.
    pub principal: Option<String>,
    /// Digest of the host's message in canonical form.
    pub digest: Digest,
    /// Chain digest of the log up to and including this event.
    pub chain: Digest,
    /// Estimated price of the message.
    pub tokens: u32,
    /// User events observed before this one.
    pub turn: u32,
    /// Whether the text is here or only with the host.
    pub presence: Presence,
    /// Whether the host's list has it.
    pub listed: bool,
    /// What of its texts are other people's words.
    pub pieces: Pieces,
}

/// A stretch of a text: up to the next one of the same text, or to its end.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// The text, by the place of its part in the message.
    pub part: u32,
    /// Its first byte.
    pub from: u32,
    /// Whether the author of the message says it.
    pub own: bool,
}

/// The stretches of the texts that are not all their author's own, read when they are first asked for. They follow from the
/// message, are stored nowhere, and make no two events different.
#[derive(Debug, Clone, Default)]
pub struct Pieces(OnceLock<Box<[Piece]>>);

impl Pieces {
    /// The stretches, made by `read` the first time.
    pub fn get(&self, read: impl FnOnce() -> Vec<Piece>) -> &[Piece] {
        self.0.get_or_init(|| read().into())
    }
}

impl PartialEq for Pieces {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Pieces {}

/// Where an event's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// In the log.
    Here,
    /// With the host or its store; the digest is known.
    PagedOut,
    /// The host took it out of its list; the log still has it.
    SourceRemoved,
    /// Our own text handed back by the host: neither shown again nor summarized.
    Replayed,
    /// Folded before a restore and not surely in the host's list since; its digest is not known.
    Missing,
    /// Purged on request; nothing but the digest is left.
    Forgotten,
}

reads! { Presence: Here, PagedOut, SourceRemoved, Replayed, Missing, Forgotten }

impl Message {
    /// Ids of the calls this message makes.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// Ids of the calls this message answers.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Result { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// Ids of the calls this message makes or answers.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call { id, .. } | Part::Result { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// The texts that are read for rules and imitations, with what they are part of: what people, documents and tools say.
    pub fn read_texts(&self) -> impl Iterator<Item = (&Part, &str)> {
        let read = |part: &&Part| matches!(part, Part::Text(_) | Part::Attached(_) | Part::Foreign(_) | Part::Result { .. });
        self.parts.iter().filter(read).map(|part| (part, part.text()))
    }

    /// Bytes of all its text.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.text().len()).sum()
    }

    /// Whether another compactor's summary stands in it.
    #[must_use]
    pub fn has_summary(&self) -> bool {
        self.foreign_summary || self.parts.iter().any(|part| matches!(part, Part::Foreign(_)))
    }

    /// A message in which a person speaks: user role, and not only tool results.
    #[must_use]
    pub fn is_user_turn(&self) -> bool {
        self.role == Role::User
            && !self.foreign_summary
            && self.parts.iter().any(|part| !matches!(part, Part::Result { .. } | Part::Foreign(_)))
    }
}
