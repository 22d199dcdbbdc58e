//! Content blocks as both shapes use them: text, media, documents, and blocks nobody told us about.
//!
//! Bytes are never taken for text: what is base64, a data URL or encrypted is priced, not read.

use serde_json::{Map, Value};

use crate::event::Part;
use crate::text::words::listed;
use crate::tokens::estimate;

/// What can be read out of a nested content: its texts in order and the price of everything else.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) texts: Vec<String>,
    pub(super) media: u32,
}

impl Gathered {
    pub(super) fn text(self) -> String {
        self.texts.join("\n")
    }
}

/// Fields that describe a block and carry nothing a model reads.
const SILENT: &str = "type id tool_use_id tool_call_id cache_control signature media_type mime_type mimeType mediaType providerOptions file_id \
    index detail citations encrypted_index role is_error format";

/// The type of a block; empty where it has none.
pub(super) fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Whether a result says that its call failed: by the flag, or by the type of what a server's tool gave back.
pub(super) fn failed(result: &Value) -> bool {
    let given = result.get("content").map(kind).unwrap_or_default();
    result.get("is_error") == Some(&Value::Bool(true)) || given.ends_with("_error")
}

/// Opaque bytes at a quarter of their length.
pub(super) fn opaque(data: &str) -> u32 {
    u32::try_from(data.len().div_ceil(4)).unwrap_or(u32::MAX)
}

/// Whether a string is bytes in disguise: a base64 data URL, or a long run of the base64 alphabet.
pub(super) fn is_bytes(text: &str) -> bool {
    if text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:")) {
        return text.bytes().take(200).any(|b| b == b',');
    }
    text.len() >= 256 && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n' | b'\r'))
}

/// The kind of a block that is an image, a sound or a file by its type alone.
pub(super) fn media_kind(kind: &str) -> Option<&'static str> {
    match kind {
        "image" | "image_url" | "input_image" | "computer_screenshot" | "image-data" | "image-url" | "image-file-id" => Some("image"),
        "audio" | "audio_url" | "input_audio" => Some("audio"),
        "file" | "input_file" | "container_upload" | "video" | "video_url" | "input_video" | "media" | "file-data" | "file-url"
        | "file-id" | "reasoning-file" => Some("file"),
        _ => None,
    }
}

/// Fields by which a medium is found again, and those that hold them; the block itself is the first.
const NAMES: &[&str] = &["file_id", "url", "file_url", "uri", "file_uri", "fileUri", "filename", "image_url", "audio_url"];
const HOLDERS: &[&str] = &["", "image_url", "audio_url", "video_url", "file", "source"];
/// Longest name of a medium, in bytes.
const NAME: usize = 256;

/// A medium of a block, with its name where it has one: an address without its query, which may be a secret, an id or a
/// file name. Bytes are none.
pub(super) fn media(kind: &str, block: &Value, tokens: u32) -> Part {
    let mut name = "";
    for holder in HOLDERS {
        let holder = if holder.is_empty() { block } else { block.get(holder).unwrap_or(&Value::Null) };
        for field in NAMES {
            let given = holder.get(field).and_then(Value::as_str).unwrap_or_default();
            let given = given.split(['?', '#']).next().unwrap_or_default();
            if name.is_empty() && given.len() <= NAME && !is_bytes(given) && !given.contains(|c: char| c.is_whitespace() || c.is_control())
            {
                name = given;
            }
        }
    }
    Part::Media { kind: kind.to_owned(), name: name.to_owned(), tokens }
}

/// A document or file block: its text where it has one, else its price.
pub(super) fn document(block: &Value, image_tokens: u32) -> Vec<Part> {
    let mut found = Gathered::default();
    let source = block.get("source").unwrap_or(&Value::Null);
    match kind(source) {
        "text" => gather(source.get("data").unwrap_or(&Value::Null), image_tokens, &mut found),
        "content" => gather(source.get("content").unwrap_or(&Value::Null), image_tokens, &mut found),
        _ => match block.get("content") {
            Some(content) => gather(content, image_tokens, &mut found),
            None => found.media = image_tokens,
        },
    }
    for field in ["context", "title"] {
        if let Some(text) = block.get(field).and_then(Value::as_str) {
            found.texts.insert(0, text.to_owned());
        }
    }
    attached(found, block)
}

/// A block of a type that is not known here. Never an error: the provider may know it.
pub(super) fn unknown(block: &Value, image_tokens: u32) -> Vec<Part> {
    let mut found = Gathered::default();
    gather(block, image_tokens, &mut found);
    attached(found, block)
}

fn attached(found: Gathered, block: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    let price = found.media;
    if !found.texts.is_empty() {
        parts.push(Part::Attached(found.text()));
    }
    if price > 0 || parts.is_empty() {
        parts.push(media("file", block, price));
    }
    parts
}

/// Collects the texts of a nested content and prices the rest.
pub(super) fn gather(value: &Value, image_tokens: u32, into: &mut Gathered) {
    match value {
        Value::String(text) if is_bytes(text) => into.media = into.media.saturating_add(image_tokens),
        Value::String(text) => into.texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, image_tokens, into)),
        Value::Object(map) => gather_block(value, map, image_tokens, into),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn gather_block(block: &Value, map: &Map<String, Value>, image_tokens: u32, into: &mut Gathered) {
    let kind = kind(block);
    let has_text = map.get("content").is_some_and(|content| !content.is_null());
    if media_kind(kind).is_some() && !(kind == "file" && has_text) {
        into.media = into.media.saturating_add(image_tokens);
        return;
    }
    if kind == "document" {
        for part in document(block, image_tokens) {
            match part {
                Part::Media { tokens, .. } => into.media = into.media.saturating_add(tokens),
                other => into.texts.push(other.text().to_owned()),
            }
        }
        return;
    }
    for (key, field) in map {
        match field {
            _ if listed(SILENT, key.as_str()) => {}
            Value::String(data) if key == "encrypted_content" || key == "data" => into.media = into.media.saturating_add(opaque(data)),
            Value::Bool(_) | Value::Number(_) => into.texts.push(format!("{key}: {}", crate::json::text(field))),
            _ => gather(field, image_tokens, into),
        }
    }
}

/// Reasoning with what can be read of it; where nothing can, a quarter of its opaque bytes is its price.
pub(super) fn reasoning(text: String, opaque_bytes: u32) -> Part {
    let tokens = if text.is_empty() { opaque_bytes } else { estimate(&text) };
    Part::Reasoning { text, tokens }
}

/// A thinking block, redacted or not, of any provider.
pub(super) fn thinking(block: &Value) -> Part {
    let mut found = Gathered::default();
    for field in ["thinking", "text", "reasoning", "content", "summary"] {
        if found.texts.is_empty() {
            gather(block.get(field).unwrap_or(&Value::Null), 0, &mut found);
        }
    }
    let sealed = ["data", "signature", "encrypted_content"].iter().find_map(|field| block.get(field).and_then(Value::as_str));
    reasoning(found.text(), sealed.map_or(0, opaque))
}

/// JSON text of a call's arguments; a text stays as it is.
pub(super) fn arguments(input: Option<&Value>) -> String {
    match input {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => crate::json::text(other),
    }
}

/// Prompt-cache markers of a message: on itself, on its blocks, and on blocks inside results.
pub(super) fn cache_markers(message: &Value) -> u32 {
    let options = message.get("providerOptions").and_then(Value::as_object);
    let marked =
        |place: &Value| ["cache_control", "cacheControl"].iter().any(|field| place.get(field).is_some_and(|marker| !marker.is_null()));
    let own = u32::from(marked(message) || options.is_some_and(|by_provider| by_provider.values().any(marked)));
    let nested = match message.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().map(cache_markers).sum(),
        _ => 0,
    };
    own + nested
}
