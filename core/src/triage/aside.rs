//! Sentences that hold something without saying it for good: questions about it, texts to be worked on, a term, hearsay.

use super::Candidate;
use crate::item::Zone;
use crate::text::skeleton::skeleton;
use crate::text::words::listed;

/// The cue of a permission for some time or by somebody else: ordinary words, and no rule.
pub const PASSING: &str = "passing";

/// How a sentence stands apart from what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// It asks about it, or has it worked on: nobody says it.
    Mentioned,
    /// For some time only, or somebody else says it: a permission so given is none for good.
    Bounded,
}

/// Beginnings of a sentence about something that nobody says.
const SUPPOSES: &[&str] = &[
    "what would happen",
    "what happens",
    "what if",
    "suppose",
    "imagine",
    "let's say",
    "hypothetically",
    "was ware wenn",
    "was passiert",
    "angenommen",
    "que se passerait",
    "que pasaria",
    "o que aconteceria",
    "如果",
    "もし",
    "만약",
];

/// Beginnings of a task with something that nobody says.
const TASKS: &[&str] = &[
    "explain why",
    "explain how",
    "explain what",
    "tell me why",
    "translate",
    "paraphrase",
    "proofread",
    "erklare",
    "ubersetze",
    "explique pourquoi",
    "traduis",
    "explica por que",
    "traduce",
    "explique por que",
    "traduza",
    "解释",
    "翻译",
    "翻訳",
    "번역",
];

/// What is to be done each time is a standing task.
const EACH: &str = "every each always whenever when all any before jede jeder jedes jeden jedem immer alle wenn bevor chaque tout tous \
    toutes toujours quand avant cada todo todos todas siempre cuando antes sempre quando";
/// The same in scripts without gaps between words.
const EACH_PARTS: &[&str] = &["每", "都", "总", "所有", "毎", "いつも", "すべて", "必ず", "항상", "매번", "모든", "마다"];

/// Words of a term.
const TERMS: &[&str] = &[
    "for the next ",
    "for an hour",
    "for one hour",
    "for the rest of ",
    "for today",
    "for now",
    "for the moment",
    "for the time being",
    "for a while",
    "until ",
    "till ",
    "this time",
    "this once",
    "just once",
    "today",
    "tonight",
    "this week",
    "this morning",
    "this afternoon",
    "temporarily",
    "fur die nachste",
    "fur die nachsten",
    "heute",
    "bis morgen",
    "vorubergehend",
    "pendant ",
    "aujourd'hui",
    "jusqu'a",
    "pour l'instant",
    "durante ",
    "hoy",
    "hasta ",
    "por ahora",
    "hoje",
    "por enquanto",
    "今天",
    "暂时",
    "今日",
    "しばらく",
    "오늘",
    "당분간",
];

/// Terms without an end.
const OPEN: &[&str] = &[
    "until i ",
    "till i ",
    "until we ",
    "until further",
    "until told",
    "until revoked",
    "bis auf weiteres",
    "bis ich ",
    "jusqu'a nouvel ordre",
    "hasta nuevo aviso",
    "hasta que ",
    "ate novo aviso",
    "ate segunda ordem",
];

/// Verbs of hearsay behind a subject that is not the user.
const SAYS: &[&str] = &[
    " says",
    " said",
    " told me",
    " thinks",
    " claims",
    " wrote that",
    " sagt",
    " meint",
    " dit que",
    " dice que",
    " disse que",
    " diz que",
];

/// Polite words before the beginning.
const LEADS: &[&str] = &["please ", "can you ", "could you ", "so ", "and ", "but ", "bitte ", "ok ", "hey ", "hi "];

/// Marks as not said for good what is only mentioned, or allowed for some time or by somebody else. A limit or a
/// prohibition is never passed over so: for some time it is in force too.
pub(super) fn mark(text: &str, found: &mut [Candidate], permits: &dyn Fn(&str) -> bool) {
    for one in found.iter_mut().filter(|one| one.zone == Zone::Own) {
        let sentence = one.span.of(text);
        match aside(sentence) {
            Some(Aside::Mentioned) => one.zone = Zone::Quoted,
            Some(Aside::Bounded) if permits(sentence) => one.cue = PASSING,
            _ => {}
        }
    }
}

/// How a sentence stands apart from what it holds, if it does.
fn aside(sentence: &str) -> Option<Aside> {
    let folded = skeleton(sentence);
    let mut said = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(rest) = LEADS.iter().find_map(|lead| said.strip_prefix(lead)) {
        said = rest.trim_start();
    }
    let whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let begins = |starts: &[&str]| starts.iter().any(|start| said.strip_prefix(start).is_some_and(|rest| !start.is_ascii() || whole(rest)));
    let each = || {
        let head = said.split([':', '\n']).next().unwrap_or_default();
        head.split(|c: char| !c.is_alphanumeric()).any(|word| listed(EACH, word)) || EACH_PARTS.iter().any(|part| head.contains(part))
    };
    if begins(SUPPOSES) || begins(TASKS) && !each() {
        return Some(Aside::Mentioned);
    }
    let has = |known: &&str| {
        said.match_indices(known).any(|(at, _)| {
            let starts = at == 0
                || known.starts_with(' ')
                || !known.is_ascii()
                || !said.as_bytes().get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
            starts && (known.ends_with(' ') || !known.is_ascii() || said.get(at + known.len()..).is_some_and(whole))
        })
    };
    // who speaks of what they said themselves says it
    let hearsay = SAYS.iter().any(|verb| {
        said.find(verb).is_some_and(|at| {
            let subject = said.get(..at).unwrap_or_default();
            let behind = said.get(at + verb.len()..).unwrap_or_default();
            subject.split(' ').count() <= 3
                && !subject.split(' ').any(|word| matches!(word, "i" | "ich" | "je" | "yo" | "eu"))
                && whole(behind)
        })
    });
    // until the author says otherwise is for good
    let open = OPEN.iter().any(|term| said.contains(term));
    (hearsay || !open && TERMS.iter().any(has)).then_some(Aside::Bounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asides_are_told_from_plain_words() {
        for said in
            ["Translate into German: You may push.", "What would happen if you pushed", "Please explain why you no longer push to main."]
        {
            assert_eq!(aside(said), Some(Aside::Mentioned), "{said}");
        }
        for said in
            ["For the next hour you may push.", "Tom says that you may push.", "You can push until Friday.", "Du darfst heute pushen."]
        {
            assert_eq!(aside(said), Some(Aside::Bounded), "{said}");
        }
        for said in [
            "You may push to main now.",
            "I said you may push.",
            "Imagined pushes are fine.",
            "Translations go to Ann.",
            "Translate every mail before you answer it.",
        ] {
            assert_eq!(aside(said), None, "{said}");
        }
    }
}
