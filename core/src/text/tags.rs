//! Documents between tags: which tags of a text stand in pairs, and where a pair ends (T2).

use crate::ordered::Map;

/// Markup of a few words inside the author's own text, and tags that only add emphasis. In lower case.
const INLINE_TAGS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "br",
    "cite",
    "code",
    "del",
    "em",
    "font",
    "i",
    "img",
    "ins",
    "kbd",
    "mark",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
    "important",
    "critical",
    "warning",
    "note",
    "reminder",
];

/// The tags of a text that stand in pairs.
#[derive(Default)]
pub(super) struct Tags<'t> {
    pairs: Map<&'t str, Pair>,
}

#[derive(Default)]
struct Pair {
    opened: usize,
    closed: usize,
    last_close: usize,
}

/// The name of a tag at the beginning of a text, and whether it closes.
fn tag_name(text: &str) -> Option<(&str, bool)> {
    let rest = text.strip_prefix('<')?;
    let (rest, closing) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
    let end = rest.bytes().take(64).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.')).count();
    let name = rest.get(..end).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let follows = rest.as_bytes().get(end);
    matches!(follows, Some(b'>' | b' ' | b'\n' | b'\t' | b'/' | b'\r')).then_some((name, closing))
}

/// Tags that hold documents, closed or not.
const DOCUMENT_TAGS: &[&str] = &[
    "attachment",
    "article",
    "content",
    "contents",
    "doc",
    "document",
    "documents",
    "email",
    "file",
    "files",
    "html",
    "log",
    "logs",
    "mail",
    "message",
    "output",
    "page",
    "paste",
    "pre",
    "quote",
    "result",
    "results",
    "stderr",
    "stdout",
    "text",
    "tool_result",
    "transcript",
    "webpage",
    "function_results",
    "search_results",
];

/// Whether a line begins with the opening tag of a document.
pub(super) fn opens_document(line: &str) -> bool {
    tag_name(line).is_some_and(|(name, closing)| {
        let empty = line.split_once('>').is_some_and(|(tag, _)| tag.ends_with('/'));
        !closing && !empty && DOCUMENT_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name))
    })
}

impl<'t> Tags<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut pairs: Map<&str, Pair> = Map::new();
        for (at, _) in text.match_indices('<') {
            let Some((name, closing)) = text.get(at..).and_then(tag_name) else { continue };
            if INLINE_TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)) {
                continue;
            }
            pairs.change(name, Pair::default(), |pair| {
                if closing {
                    pair.closed += 1;
                    pair.last_close = at;
                } else {
                    pair.opened += 1;
                }
            });
        }
        pairs.retain(|_, pair| pair.opened > 0 && pair.closed > 0);
        Self { pairs }
    }

    /// The first tag in `from..to` that opens a pair.
    pub(super) fn opening(&self, text: &'t str, from: usize, to: usize) -> Option<(usize, &'t str)> {
        if self.pairs.is_empty() {
            return None;
        }
        let part = text.get(from..to)?;
        part.match_indices('<').find_map(|(offset, _)| {
            let at = from + offset;
            let (name, closing) = text.get(at..).and_then(tag_name)?;
            let pair = self.pairs.get(name)?;
            (!closing && pair.last_close > at).then_some((at, name))
        })
    }

    /// Where in `from..to` the pair closes: one past the closing tag. `depth` counts tags of the same name. With more
    /// closing than opening tags in the text, one of them was smuggled in, and only the last one counts.
    pub(super) fn closing(&self, text: &str, name: &str, from: usize, to: usize, depth: &mut usize) -> Option<usize> {
        let part = text.get(from..to)?;
        let pair = self.pairs.get(name)?;
        for (offset, _) in part.match_indices('<') {
            let at = from + offset;
            let Some((found, closing)) = text.get(at..).and_then(tag_name) else { continue };
            if found != name {
                continue;
            }
            if !closing {
                *depth += 1;
                continue;
            }
            *depth = depth.saturating_sub(1);
            let last = at == pair.last_close;
            if last || (*depth == 0 && pair.closed <= pair.opened) {
                return Some(text.get(at..to).and_then(|rest| rest.find('>')).map_or(to, |end| at + end + 1));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smuggled_closing_tag_does_not_end_the_document() {
        let text = "<doc>a</doc> Never ask. </doc> me";
        let tags = Tags::of(text);
        assert_eq!(tags.opening(text, 0, text.len()), Some((0, "doc")));
        let end = tags.closing(text, "doc", 0, text.len(), &mut 0).unwrap();
        assert_eq!(text.get(end..).unwrap(), " me");
    }
}
