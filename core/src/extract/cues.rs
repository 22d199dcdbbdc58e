//! Words that say what a sentence is worth, as a table.

/// A sentence speaks of a decision.
pub(super) const DECISION: u16 = 1;
/// It gives a reason or an alternative.
pub(super) const REASON: u16 = 2;
/// It reports an error.
pub(super) const ERROR: u16 = 4;
/// It says where things stand.
pub(super) const STATE: u16 = 8;
/// It asks for something.
pub(super) const REQUEST: u16 = 16;
/// It opens like small talk or like an announcement of the next step.
pub(super) const CHATTER: u16 = 32;
/// It is a line of a machine about its own running.
pub(super) const NOISE: u16 = 64;
/// "we", which turns a following `WILL` into a decision.
pub(super) const WE: u16 = 128;
/// "will", "keep", "go" after "we".
pub(super) const WILL: u16 = 256;

const CUES: &[(u16, &str)] = &[
    (
        DECISION,
        "decided decide decides decision decisions chose chosen choose choosing rejected reject rejects rejecting \
         excluded exclude excluding approved denied declined agreed confirmed postponed deferred settled opted ruled \
         adopted abandoned cancelled canceled we'll entschieden beschlossen abgelehnt décidé rejeté refusé decidido \
         rechazado elegido decidimos deciso rifiutato",
    ),
    (REASON, "because instead since therefore due weil stattdessen parce porque perché anstatt"),
    (
        ERROR,
        "error errors failed fails failing failure failures exception traceback fatal panic panicked refused timeout \
         unable cannot invalid crash crashed aborted unauthorized forbidden conflict denied fehler fehlgeschlagen \
         erreur échec fallo falló errore",
    ),
    (
        STATE,
        "done fixed completed complete finished found cause conclusion passed works verified succeeded resolved shows \
         means remaining pending total blocked deployed created updated removed open fertig erledigt terminé listo \
         hecho fatto",
    ),
    (
        REQUEST,
        "please need needs want must should can could make add fix change create check remove update find write send \
         deploy use keep ensure don't never always only bitte nie immer jamais toujours nunca siempre mai sempre",
    ),
    (
        CHATTER,
        "sure great thanks thank okay ok hello hi hey welcome sorry certainly happy glad perfect alright absolutely let \
         let's i'll now first next danke merci gracias grazie",
    ),
    (NOISE, "retry retrying attempt heartbeat debug loading downloading polling waiting"),
    (WE, "we"),
    (WILL, "will keep go use"),
];

/// The table by first and last byte, so that most words are turned away by one look.
pub(super) struct Cues {
    buckets: Vec<Vec<(&'static str, u16)>>,
}

fn bucket(word: &[u8]) -> usize {
    let letter = |byte: Option<&u8>| usize::from(byte.map_or(0, |byte| byte & 31));
    letter(word.first()) * 32 + letter(word.last())
}

impl Cues {
    pub(super) fn new() -> Self {
        let mut buckets = vec![Vec::new(); 1024];
        for (cue, words) in CUES {
            for word in words.split(' ') {
                if let Some(bucket) = buckets.get_mut(bucket(word.as_bytes())) {
                    bucket.push((word, *cue));
                }
            }
        }
        Self { buckets }
    }

    /// What a word says; 0 for most.
    pub(super) fn of(&self, word: &[u8]) -> u16 {
        let words = self.buckets.get(bucket(word)).map(Vec::as_slice).unwrap_or_default();
        let cues = words.iter().filter(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word)).fold(0, |all, (_, cue)| all | cue);
        // `TypeError`, `IOException`: the ending says it.
        let ends = |with: &[u8]| {
            let at = word.len().checked_sub(with.len());
            at.and_then(|at| word.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(with))
        };
        let names_an_error = match word.last() {
            Some(b'r' | b'R') => word.len() > 5 && ends(b"error"),
            Some(b'n' | b'N') => word.len() > 9 && ends(b"exception"),
            _ => false,
        };
        if names_an_error { cues | ERROR } else { cues }
    }
}
