//! What the bytes of a text are to an identifier: one table, and the loops that read every byte by it.

/// What a piece is made of, gathered in one pass so that few recognizers have to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made(u16);

/// Bits of the table that say where a byte may stand; the bits below say what it is.
const ATOM: u16 = 1 << 13;
const LEADING: u16 = 1 << 14;
const TRAILING: u16 = 1 << 15;

impl Made {
    pub(super) const DIGIT: u16 = 1;
    pub(super) const UPPER: u16 = 1 << 1;
    pub(super) const LOWER: u16 = 1 << 2;
    pub(super) const DOT: u16 = 1 << 3;
    pub(super) const SLASH: u16 = 1 << 4;
    pub(super) const UNDERSCORE: u16 = 1 << 5;
    pub(super) const DASH: u16 = 1 << 6;
    pub(super) const COLON: u16 = 1 << 7;
    pub(super) const AT: u16 = 1 << 8;
    pub(super) const HASH: u16 = 1 << 9;
    pub(super) const BACKSLASH: u16 = 1 << 10;
    pub(super) const OTHER: u16 = 1 << 11;
    pub(super) const WIDE: u16 = 1 << 12;

    #[cfg_attr(standfast_hot, optimize(speed))]
    pub(super) fn of(piece: &str) -> Self {
        let mut made = 0;
        for b in piece.as_bytes() {
            made |= class(*b);
        }
        Self::from_classes(made)
    }

    #[inline]
    fn from_classes(classes: u16) -> Self {
        Self(classes & (ATOM - 1))
    }

    #[inline]
    pub(super) fn bits(self) -> u16 {
        self.0
    }

    /// Whether any of the given is there.
    #[inline]
    pub(super) fn any(self, of: u16) -> bool {
        self.0 & of != 0
    }

    /// Whether nothing but the given is there.
    #[inline]
    pub(super) fn only(self, of: u16) -> bool {
        self.0 & !of == 0
    }

    /// Whether nothing but letters is there.
    #[inline]
    pub(super) fn only_letters(self) -> bool {
        self.only(Self::UPPER | Self::LOWER | Self::WIDE)
    }
}

/// What each byte is, and where it may stand.
const CLASSES: [u16; 256] = {
    let mut classes = [Made::WIDE; 256];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let class = &mut classes[byte as usize];
        *class = narrow_class(byte);
        byte += 1;
    }
    classes
};

const fn narrow_class(byte: u8) -> u16 {
    let is = match byte {
        b'0'..=b'9' => Made::DIGIT,
        b'A'..=b'Z' => Made::UPPER,
        b'a'..=b'z' => Made::LOWER,
        b'.' => Made::DOT,
        b'/' => Made::SLASH,
        b'_' => Made::UNDERSCORE,
        b'-' => Made::DASH,
        b':' => Made::COLON,
        b'@' => Made::AT,
        b'#' => Made::HASH,
        b'\\' => Made::BACKSLASH,
        _ => Made::OTHER,
    };
    let joins = matches!(
        byte,
        b'_' | b'-' | b'.' | b'/' | b'\\' | b':' | b'@' | b'#' | b'%' | b'+' | b'~' | b'&' | b'=' | b'?' | b'$' | b'*' | b'|'
    );
    let leads = matches!(byte, b':' | b',' | b'=' | b'?' | b'&' | b'@' | b'*' | b'%' | b'|');
    let trails = matches!(
        byte,
        b'.' | b',' | b':' | b';' | b'!' | b'?' | b'-' | b'=' | b'&' | b'*' | b'+' | b'@' | b'#' | b'\\' | b'~' | b'|' | b'$'
    );
    let atom = if joins || byte.is_ascii_alphanumeric() { ATOM } else { 0 };
    is | atom | if leads { LEADING } else { 0 } | if trails { TRAILING } else { 0 }
}

#[inline]
fn class(byte: u8) -> u16 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Whether an ASCII character belongs to atoms: letters, digits and what identifiers are joined by.
#[inline]
pub(super) fn in_atom(byte: u8) -> bool {
    class(byte) & ATOM != 0
}

/// Whether a character outside ASCII belongs to atoms. Scripts without word gaps end an atom.
pub(super) fn wide_in_atom(c: char) -> bool {
    matches!(c, '£' | '€' | '¥' | '°') || (c < '\u{590}' && c.is_alphanumeric())
}

/// The atom at `at`: one past its last byte, and what it is made of. A comma between digits belongs to it.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn atom_at(text: &str, at: usize) -> (usize, Made) {
    let bytes = text.as_bytes();
    let (mut end, mut made) = (at, 0);
    while let Some(byte) = bytes.get(end).copied() {
        let class = class(byte);
        if class & ATOM != 0 {
            end += 1;
        } else if class & Made::WIDE != 0 {
            let c = text.get(end..).and_then(|rest| rest.chars().next());
            let Some(c) = c.filter(|c| wide_in_atom(*c)) else { break };
            end += c.len_utf8();
        } else if byte == b',' && end > at && is_digit(bytes.get(end - 1)) && is_digit(bytes.get(end + 1)) {
            end += 1;
        } else {
            break;
        }
        made |= class;
    }
    (end, Made::from_classes(made))
}

#[inline]
fn is_digit(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'0'..=b'9'))
}

/// One past the last of the ASCII letters at `at`.
#[inline]
pub(super) fn letters_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = bytes.get(end)
        && class(*byte) & (Made::UPPER | Made::LOWER) != 0
    {
        end += 1;
    }
    end
}

/// A piece without the punctuation after it.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn without_trailing(piece: &str) -> &str {
    let bytes = piece.as_bytes();
    let mut end = bytes.len();
    while end > 0
        && let Some(byte) = bytes.get(end - 1)
        && class(*byte) & TRAILING != 0
    {
        end -= 1;
    }
    piece.get(..end).unwrap_or(piece)
}

/// Bytes of punctuation before an identifier. A sign stays with its number.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn leading_marks(piece: &str) -> usize {
    let bytes = piece.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at)
        && class(*byte) & LEADING != 0
    {
        at += 1;
    }
    let signs = at;
    while let Some(b'-' | b'+') = bytes.get(at) {
        at += 1;
    }
    let signed =
        at - signs == 1 && piece.get(at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || "$£€¥".contains(c)));
    at - usize::from(signed)
}
