//! Texts that a user announces as somebody else's, or as material for a task: "Here is what Bob sent me:", "Please translate
//! the following:". What they govern is not the user's word.

use crate::item::{Span, Zone};
use crate::text::skeleton::skeleton;
use crate::text::words::listed;

use super::Candidate;

/// Something was sent or written by somebody.
const SENDS: &str = "sent sends wrote writes forwarded forward forwarding received emailed mailed messaged texted posted pasted mail email \
    message letter memo geschickt schickte schrieb geschrieben weitergeleitet erhalten bekommen nachricht brief envoye ecrit transfere recu \
    courriel envio escribio reenvio recibi correo mensaje enviou escreveu encaminhou recebi mensagem";
/// A text is to be worked on.
const WORKS: &str = "translate translates proofread summarize summarise paraphrase rephrase rewrite reword think ubersetze ubersetz \
    ubersetzen fasse korrigiere umformulieren traduis traduisez traduire resume resumez corrige traduce traducir resumir traduza traduzir \
    resuma corrija";
/// The same in scripts without gaps between words.
const PARTS: &[&str] =
    &["翻译", "翻譯", "总结", "发来", "转发", "写道", "翻訳", "要約", "届いた", "送ってき", "번역", "요약", "보낸", "보내온"];
/// The user makes it theirs, or speaks of the agent's own work.
const ADOPTS: &str = "rule rules follow obey stick adhere comply apply applies need needs want must never always when whenever before \
    after if regel regeln halte befolge brauche wenn immer nie regles suis respecte toujours jamais quand reglas sigue siempre nunca cuando \
    regras siga sempre quando";
/// What is announced stands further down.
const BELOW: &str = "below following attached unten folgende folgenden anbei suivant suivante siguiente abajo abaixo seguinte";
/// A paragraph that begins so is the user's again.
const RESUMES: &str = "please can could would i my now also bitte kannst ich jetzt merci peux je por puedes pode eu";
/// Longest announcement, in bytes.
const LONGEST: usize = 240;

/// Marks as quoted what stands in texts that the user announces as not theirs.
pub(super) fn mark(text: &str, found: &mut [Candidate]) {
    if !found.iter().any(|found| found.zone == Zone::Own) || !text.contains([':', '：', '\n']) {
        return;
    }
    let Some(from) = begin(text) else { return };
    for one in found.iter_mut().filter(|one| one.span.end > from && one.zone == Zone::Own) {
        // a restriction behind the announced text may be the user's again; to lift something takes clear words
        if !resumed(text, from, one.span) || loosens(one.span.of(text)) {
            one.zone = Zone::Quoted;
        }
    }
}

/// Where the first announced text begins.
fn begin(text: &str) -> Option<usize> {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let (colon, stop) = (matches!(c, ':' | '：'), matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？'));
        if !colon && !stop {
            continue;
        }
        let behind = text.get(end..).unwrap_or_default();
        let lead = text.get(start..at).unwrap_or_default();
        let ends = colon && (c == '：' || behind.starts_with(char::is_whitespace));
        let breaks = stop && (behind.starts_with("\n\n") || c == '\n' && behind.starts_with('\n'));
        if (ends || breaks) && announces(lead, ends) {
            return Some(end);
        }
        if stop {
            start = end;
        }
    }
    None
}

fn announces(lead: &str, colon: bool) -> bool {
    let lead = lead.trim();
    if lead.is_empty() || lead.len() > LONGEST {
        return false;
    }
    let folded = skeleton(lead);
    let (mut sends, mut works, mut below, mut adopts, mut first) = (false, false, false, false, true);
    let (mut what, mut leads) = (false, false);
    for word in folded.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()) {
        sends |= listed(SENDS, word);
        // "translate" as an order, not "the translated text must"
        works |= listed(WORKS, word) && (word != "think" || what);
        below |= listed(BELOW, word);
        adopts |= listed(ADOPTS, word);
        what |= word == "what";
        // an order to send something is the agent's: "Send this mail:" is not announced as somebody's
        leads |= first && matches!(word, "mail" | "email" | "message" | "forward");
        first = false;
    }
    works |= PARTS.iter().any(|part| lead.contains(part));
    !adopts && !leads && if colon { sends || works } else { below && (sends || works) }
}

/// Whether a sentence may let something through.
fn loosens(text: &str) -> bool {
    const WORDS: &str = "may longer anymore allowed forget ignore darfst durfen kannst mehr pouvez peux plus puede puedes pode podes ya ja";
    let folded = skeleton(text);
    folded.split(|c: char| !c.is_alphanumeric()).any(|word| listed(WORDS, word))
}

/// Whether the user speaks again at a place behind the first announced paragraph.
fn resumed(text: &str, from: usize, span: Span) -> bool {
    let between = text.get(from..span.start).unwrap_or_default();
    let body = from + (between.len() - between.trim_start().len());
    let Some(blank) = text.get(body..span.start).and_then(|inside| inside.rfind("\n\n")) else { return false };
    let paragraph = text.get(body + blank..).unwrap_or_default().trim_start();
    let folded = skeleton(paragraph.split_whitespace().next().unwrap_or_default());
    listed(RESUMES, folded.trim_matches(|c: char| !c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_told_from_the_users_own_lists() {
        for lead in [
            "Here is what Bob sent me",
            "Please translate the following into French",
            "Can you summarize this",
            "What do you think of this",
            "Das hat mir Jonas geschickt",
            "Bitte übersetze das ins Englische",
            "Traduis ceci en anglais",
            "请翻译",
        ] {
            assert!(announces(lead, true), "{lead}");
        }
        for lead in
            ["Here is what I need", "My rules for this project", "When you translate, keep to this", "Stick to what Bob sent me", "Note"]
        {
            assert!(!announces(lead, true), "{lead}");
        }
        assert!(announces("Hi, I forwarded a mail from HR below", false) && !announces("I got a mail from HR", false));
    }
}
