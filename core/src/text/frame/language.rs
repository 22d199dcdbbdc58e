//! Whether a text is in a language that there are cues for.

use super::token::Kind;
use super::{Frames, cue, hash, lexicon};

/// Small words of other languages in Latin letters, in skeleton form, that no supported language has.
const OTHERS: &str = "di che della delle dei degli nel nella sono deve devono mai senza gli anche ogni dopo sopra chi solito het een \
niet wordt worden moet moeten mogen geen zonder nooit alleen altijd naar deze tenzij altyd jest bez dla przez oraz lub tylko musi nigdy \
zawsze mozna wolno inte och att ikke skal ska aldri aldrig utan uden uten eller maste endast bara som det vain aina koskaan ilman ennen saa \
tulee pitaa nem az egy csak soha minden kell lehet vagy hogy nelkul tilos mindig nikdy nesmi pouze vzdy nebo pokud jsou nikada nikad samo \
mora ili nije nu pentru fara niciodata trebuie doar toate inainte ve bir icin asla sadece gerekir gerektirir degil yalnizca yang dan tidak \
harus untuk dengan jangan oleh boleh wajib tanpa dari hanya pada setiap selalu kwa kila lazima els amb sense dels peab ainult kunagi ilma \
mga ang huwag dapat khong duoc phai";

/// Marks of a token that say nothing about its language.
const PLACE: u32 = cue::NAME | cue::QUOTED | cue::CODE | cue::PART | cue::CAPITALS;

/// Whether a word has letters that only other languages have. A name in Latin letters may be from anywhere.
fn strange(word: &str) -> bool {
    let latin = |c: char| matches!(u32::from(c), 0xe5 | 0xe6 | 0xf8 | 0x100..=0x151 | 0x154..=0x24f | 0x1e00..=0x1eff);
    let other = |c: char| matches!(u32::from(c), 0x370..=0x1dff | 0x2c00..=0x2e7f);
    word.contains(other) || (word.contains(latin) && !word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// How many words of a stretch have a language.
struct Tongue {
    words: usize,
    /// Those with a cue or with other words for them.
    known: usize,
    /// Those that join others: without one, names of things tell little.
    small: usize,
    /// Signs of another language.
    others: usize,
}

impl Frames<'_> {
    fn tongue(&self, from: usize, to: usize) -> Tongue {
        let mut tongue = Tongue { words: 0, known: 0, small: 0, others: 0 };
        for token in self.range(from, to) {
            let word = self.word(token);
            if token.kind == Kind::Glyph {
                tongue.words += 1;
                tongue.known += 1;
                tongue.small += 1;
            } else if token.kind == Kind::Word && strange(word) {
                tongue.others += 2;
            } else if token.kind == Kind::Word && word.len() > 1 && !token.is(cue::NAME) {
                tongue.others += usize::from(OTHERS.split(' ').any(|other| hash(other) == token.exact));
                let cued = token.cue & !PLACE != 0 || token.is(cue::PART);
                tongue.small += usize::from(token.cue & !(PLACE | cue::SUSPECT | cue::GENERIC) != 0);
                tongue.known += usize::from(cued || lexicon().means(token.canon));
                tongue.words += 1;
            }
        }
        tongue
    }

    /// Whether some words are in a language that there are cues for, as far as they tell.
    pub(crate) fn readable(&self, from: usize, to: usize) -> bool {
        let Tongue { words, known, small, others } = self.tongue(from, to);
        others * 3 <= known && known * 10 >= words * if small > 0 { 3 } else { 6 }
    }

    /// Whether some words are surely in a language that there are no cues for.
    pub(crate) fn foreign(&self, from: usize, to: usize) -> bool {
        let Tongue { known, others, .. } = self.tongue(from, to);
        others * 3 > known
    }
}
