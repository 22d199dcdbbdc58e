//! JSON text into plain data: what `serde_json::from_str` reads and refuses, in a third of the code and without its table of
//! powers.

#![expect(clippy::float_arithmetic, reason = "numbers of the host's messages: sums of the same steps on every platform")]

use serde_json::{Map, Number, Value};

use super::write::plain_end;

/// The highest power of ten that a float holds.
const HIGHEST: u32 = 308;

/// Reads a text that nests less than `depth` levels.
pub(super) fn parse(text: &str, depth: usize) -> Option<Value> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(depth)?;
    reader.gap();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is = self.peek() == byte;
        self.at += usize::from(is);
        is
    }

    /// Passes over white space; gives the byte behind it.
    fn gap(&mut self) -> u8 {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.gap() {
            b'n' => self.word("null", Value::Null),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'"' => self.string().map(Value::String),
            b'[' => {
                let mut items = Vec::new();
                self.list(b']', depth, &mut |reader, depth| {
                    items.push(reader.value(depth)?);
                    Some(())
                })?;
                Some(Value::Array(items))
            }
            b'{' => {
                let mut fields = Map::new();
                self.list(b'}', depth, &mut |reader, depth| {
                    let name = (reader.gap() == b'"').then(|| reader.string())??;
                    reader.gap();
                    let value = reader.eat(b':').then(|| reader.value(depth))??;
                    fields.insert(name, value);
                    Some(())
                })?;
                Some(Value::Object(fields))
            }
            _ => self.number().map(Value::Number),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let rest = self.text.get(self.at..)?;
        self.at += word.len();
        rest.starts_with(word).then_some(value)
    }

    /// What stands between a bracket and its `end`, with a comma between each two.
    fn list(&mut self, end: u8, depth: usize, one: &mut dyn FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        let depth = depth.checked_sub(1).filter(|depth| *depth > 0)?;
        self.at += 1;
        self.gap();
        if self.eat(end) {
            return Some(());
        }
        loop {
            one(self, depth)?;
            self.gap();
            if self.eat(end) {
                return Some(());
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let end = plain_end(self.text.as_bytes(), self.at);
            let plain = self.text.get(self.at..end)?;
            self.at = end;
            out.push_str(plain);
            if self.eat(b'"') {
                return Some(out);
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<char> {
        if !self.eat(b'\\') {
            return None;
        }
        let mark = self.peek();
        self.at += 1;
        Some(match mark {
            b'"' | b'\\' | b'/' => char::from(mark),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut code = self.hex()?;
                if matches!(code, 0xd800..=0xdbff) {
                    let low = (self.eat(b'\\') && self.eat(b'u')).then(|| self.hex())??.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    code = 0x1_0000 + ((code - 0xd800) << 10 | low);
                }
                char::from_u32(code)?
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code << 4 | char::from(self.peek()).to_digit(16)?;
            self.at += 1;
        }
        Some(code)
    }

    fn digit(&mut self) -> Option<u8> {
        let digit = Some(self.peek().wrapping_sub(b'0')).filter(|digit| *digit < 10)?;
        self.at += 1;
        Some(digit)
    }

    /// Takes digits for as long as the number has room; gives how many it took and how many there were.
    fn digits(&mut self, number: &mut u64) -> (i32, i32) {
        let (mut taken, mut all) = (0, 0);
        while let Some(digit) = self.digit() {
            let more = number.checked_mul(10).and_then(|ten| ten.checked_add(u64::from(digit))).filter(|_| taken == all);
            if let Some(more) = more {
                *number = more;
                taken += 1;
            }
            all += 1;
        }
        (taken, all)
    }

    fn number(&mut self) -> Option<Number> {
        let negative = self.eat(b'-');
        let zero = self.peek() == b'0';
        let mut digits = 0;
        let (taken, all) = self.digits(&mut digits);
        if all == 0 || (zero && all > 1) {
            return None;
        }
        let (mut exponent, mut whole) = (all - taken, taken == all);
        if self.eat(b'.') {
            let (taken, all) = self.digits(&mut digits);
            exponent -= taken;
            whole = false;
            (all > 0).then_some(())?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let falls = !self.eat(b'+') && self.eat(b'-');
            let mut given = 0;
            let (_, all) = self.digits(&mut given);
            (all > 0).then_some(())?;
            let given = i32::try_from(given).unwrap_or(i32::MAX);
            exponent = exponent.saturating_add(if falls { -given } else { given });
            whole = false;
        }
        if whole && !negative {
            return Some(digits.into());
        }
        let below = (digits as i64).wrapping_neg();
        if whole && below < 0 {
            return Some(below.into());
        }
        let value = scaled(digits, exponent)?;
        Number::from_f64(if negative { -value } else { value })
    }
}

/// Digits times a power of ten.
fn scaled(digits: u64, exponent: i32) -> Option<f64> {
    let (mut value, mut exponent) = (digits as f64, exponent);
    while exponent.unsigned_abs() > HIGHEST && value != 0.0 {
        if exponent > 0 {
            return None;
        }
        value /= power_of_ten(HIGHEST);
        exponent += HIGHEST as i32;
    }
    let power = power_of_ten(exponent.unsigned_abs().min(HIGHEST));
    Some(if exponent < 0 { value / power } else { value * power }).filter(|value| value.is_finite())
}

/// The float next to a power of ten. The 128 bits it is worked out with are more than enough for those of a float.
fn power_of_ten(exponent: u32) -> f64 {
    let (mut bits, mut two) = (1_u128 << 127, -127_i32);
    for _ in 0..exponent {
        // ten sixteenths
        bits = (bits >> 1) + (bits >> 3);
        let free = bits.leading_zeros();
        bits <<= free;
        two += 4 - free as i32;
    }
    let high = (bits >> 64) as u64 | u64::from(bits as u64 != 0);
    high as f64 * f64::from_bits(((1_023 + 64 + two) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(text: &str) {
        let theirs: Option<Value> = serde_json::from_str(text).ok();
        let ours = parse(text, 128);
        // negative zero is equal to zero: the texts are compared
        assert_eq!(ours.as_ref().map(Value::to_string), theirs.as_ref().map(Value::to_string), "{text}");
        assert_eq!(ours, theirs, "{text}");
    }

    #[test]
    fn powers_of_ten_are_exact() {
        for exponent in 0..=HIGHEST {
            assert_eq!(power_of_ten(exponent), format!("1e{exponent}").parse::<f64>().unwrap(), "{exponent}");
        }
    }

    #[test]
    fn reads_and_refuses_what_serde_json_does() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        for text in [&nested(127), &nested(128), &nested(129), &format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127))] {
            same(text);
        }
        for text in [
            "",
            " ",
            "null",
            " true\n",
            "false ",
            "nul",
            "truex",
            "True",
            "1 2",
            "\u{feff}1",
            "[]",
            "[ ]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1",
            "{}",
            "{\"a\":1,}",
            "{\"a\" : 1 , \"b\":[{}]}",
            "{\"a\":1,\"a\":2}",
            "{a:1}",
            "{\"a\"}",
            "{\"a\":}",
            "{1:2}",
            "{",
            "\"",
            "\"\\\"",
            "\"a\u{1}\"",
            "\"\u{7f}é\\u00e9\\\\\\/\\b\\f\\n\\r\\t\\\"\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ud83dx\"",
            "\"\\ud83d\\u0041\"",
            "\"\\ude00\"",
            "\"\\uD83D\\uDE00\"",
            "\"\\ud83d\\n\"",
            "0",
            "-0",
            "-0.0",
            "00",
            "01",
            "-",
            "+1",
            ".5",
            "1.",
            "1.e1",
            "1e",
            "1e+",
            "1e-",
            "0e",
            "1E5",
            "1e+5",
            "1e-5",
            "1.5e3",
            "-1.5E-3",
            "0.1",
            "0.30000000000000004",
            "3.141592653589793",
            "1e308",
            "1.7976931348623157e308",
            "1e309",
            "-1e400",
            "0e999999999999",
            "1e-999999999999",
            "1e999999999999",
            "-0e99999999999",
            "5e-324",
            "1e-400",
            "2.5e-320",
            "1e2147483647",
            "1e-2147483648",
            "0e-99",
            "18446744073709551615",
            "18446744073709551616",
            "18446744073709551619.05",
            "18446744073709551619e-3",
            "-9223372036854775808",
            "-9223372036854775809",
            "-18446744073709551616",
            "123456789012345678901234567890",
            "0.123456789012345678901234567890",
            "1844674407370955161955555555555.25e-20",
            "9007199254740993",
            "1.0",
            "100.0e-2",
            "0.00000000000000000000000000000000000001e-300",
        ] {
            same(text);
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_serde_json(text in "-?[0-9]{1,25}(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
            same(&text);
        }

        #[test]
        fn texts_are_those_of_serde_json(text in "[\\[\\]{}\",:\\\\u0-9a-fn .e-]{0,30}", inner in ".*") {
            same(&text);
            same(&format!("[{{\"a\":{text}}}]"));
            same(&serde_json::to_string(&inner).unwrap());
        }
    }
}
