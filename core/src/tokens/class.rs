//! What a character is to a tokenizer.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Upper,
    Lower,
    Digit,
    Space,
    Line,
    Mark,
    Letter(Script),
    Emoji,
}

/// Letters outside ASCII, by how many share a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Alphabetic,
    Thai,
    Hangul,
    Han,
    Rare,
}

impl Script {
    /// Sixteenths per letter once the first three are paid, and the slack of each letter.
    pub(super) fn rates(self) -> (u64, u64) {
        match self {
            Self::Latin => (14, 8),
            Self::Cyrillic => (4, 3),
            Self::Arabic => (5, 2),
            Self::Alphabetic => (7, 2),
            Self::Thai => (8, 4),
            Self::Hangul => (9, 5),
            Self::Han => (13, 4),
            Self::Rare => (18, 16),
        }
    }

    /// What the first three letters of a word cost together; `None` where every letter costs the same.
    pub(super) fn opening(self) -> Option<u64> {
        match self {
            Self::Cyrillic | Self::Arabic | Self::Alphabetic => Some(16),
            Self::Latin | Self::Thai | Self::Hangul | Self::Han | Self::Rare => None,
        }
    }
}

#[inline]
pub(super) fn class(c: char) -> Class {
    match NARROW.get(c as usize) {
        Some(class) => *class,
        None => wide_class(c),
    }
}

/// The classes of ASCII.
const NARROW: [Class; 128] = {
    let mut classes = [Class::Mark; 128];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let class = &mut classes[byte as usize];
        *class = narrow_class(byte);
        byte += 1;
    }
    classes
};

#[cfg_attr(standfast_hot, optimize(speed))]
const fn narrow_class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'\n' | b'\r' => Class::Line,
        b' ' | b'\t' | 0xb | 0xc => Class::Space,
        _ => Class::Mark,
    }
}

fn wide_class(c: char) -> Class {
    let script = match u32::from(c) {
        0xaa | 0xb5 | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x24f | 0x300..=0x36f | 0x1e00..=0x1eff => Script::Latin,
        0x400..=0x52f => Script::Cyrillic,
        0x600..=0x605 | 0x610..=0x61a | 0x620..=0x65f | 0x66e..=0x6d3 | 0x6d5..=0x6ef | 0x6fa..=0x6ff => Script::Arabic,
        0x370..=0x3ff | 0x530..=0x589 | 0x591..=0x5f4 | 0x900..=0x963 | 0x966..=0xdff | 0x10a0..=0x10ff | 0x1f00..=0x1fff => {
            Script::Alphabetic
        }
        0xe00..=0xe4e => Script::Thai,
        0x1100..=0x11ff | 0xac00..=0xd7a3 => Script::Hangul,
        0x3041..=0x3096 | 0x30a1..=0x30ff | 0x4e00..=0x9fff => Script::Han,
        0x3000 | 0xa0 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x85 => return Class::Space,
        0x1f000..=0x1faff | 0xe0000..=0xe007f => return Class::Emoji,
        _ if c.is_numeric() => return Class::Digit,
        _ if c.is_alphabetic() => Script::Rare,
        _ => return Class::Mark,
    };
    Class::Letter(script)
}
