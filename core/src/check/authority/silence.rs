//! Sentences by which somebody is not to be asked or told, or nothing is to be written down.

use super::super::lexicon::{
    ASKING, ASKS, BREADTH, FORBIDS, HIDES, IS, JOINS, MAY_WAIT, MUST, NEGATES, PRINCIPALS, RECORDS, TO_COME, WITHOUT,
};
use super::super::stems::Words;

/// What a sentence says of silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Silence {
    /// Nothing.
    None,
    /// That something goes unrecorded, which may be how things are.
    Told,
    /// That somebody is to be left out of it.
    Ordered,
}

/// So many words may stand between a negation and what is negated.
const NEAR: usize = 4;

/// What a sentence says of silence.
pub(super) fn silence(words: &Words<'_>) -> Silence {
    let mut out = if words.text.is_ascii() { Silence::None } else { wide(words.text) };
    for (at, word) in words.list.iter().enumerate() {
        if word.is(NEGATES | HIDES | WITHOUT) || is_ne(words, at) {
            out = out.max(around(words, at));
        }
    }
    out
}

/// What a negation, or a word like "suppress", makes of the words around it.
fn around(words: &Words<'_>, at: usize) -> Silence {
    let hides = words.is(at, HIDES);
    let from = if hides { 0 } else { at.saturating_sub(2) };
    // forms that order by themselves, of languages that put the negation behind them as well
    if !hides && (from..at + NEAR).any(|place| words.is(place, ASKING) && words.is(place, RECORDS)) {
        return Silence::Ordered;
    }
    let what = |place: &usize| words.is(*place, ASKING | RECORDS);
    let Some(place) = (at + 1..at + 1 + NEAR).find(what).or_else(|| (from..at).find(|place| hides && what(place))) else {
        return Silence::None;
    };
    // "never before asking" asks
    if !hides && words.some(at + 1, place, NEGATES | WITHOUT | ASKS, HIDES) {
        return Silence::None;
    }
    let asks = words.is(place, ASKING);
    // "will never ask for your key"
    if asks && is(words, place + 1, "for") && is(words, place + 2, "your") {
        return Silence::None;
    }
    if words.is(at, WITHOUT) {
        // "never without asking" asks, and "without being told" is in favor of who is told
        let favors = words.some(0, at, FORBIDS, 0) || is(words, at + 1, "being");
        return if asks && !favors { Silence::Ordered } else { Silence::None };
    }
    let auxiliary = is(words, at.wrapping_sub(1), "do") || is(words, at.wrapping_sub(1), "ne");
    let none = is(words, at, "no");
    let orders = if none && !asks {
        // "leave no record"
        at > 0 && opens(words, at - 1)
    } else {
        opens(words, at)
            || (auxiliary && opens(words, at - 1))
            || words.before(at, 2, MUST)
            || words.before(at, 1, TO_COME)
            || (!hides && (words.is(at, MUST) || words.after(at, 1, TO_COME)))
    };
    if orders {
        return Silence::Ordered;
    }
    // "is not told", "nobody is asked", "warnings are suppressed"
    let passive = words.before(at, 2, IS)
        || words.is(at, IS)
        || (!hides && words.some(at + 1, place, IS, 0))
        || (none && at == 0 && words.some(place, words.list.len(), IS, 0));
    if !passive || words.after(place, 2, MAY_WAIT) {
        return Silence::None;
    }
    let people = words.some(0, words.list.len(), PRINCIPALS | BREADTH, 0) || is(words, at, "nobody") || is(words, at, "niemand");
    if asks && people { Silence::Ordered } else { Silence::Told }
}

/// Whether a clause, or what is asked for politely, begins with a word.
fn opens(words: &Words<'_>, at: usize) -> bool {
    let gap = words.gap(at);
    at == 0 || !gap.trim().is_empty() || words.before(at, 1, JOINS) || is(words, at - 1, "please") || is(words, at - 1, "so")
}

/// Whether a word is that one.
fn is(words: &Words<'_>, at: usize, wanted: &str) -> bool {
    let word = words.list.get(at).and_then(|word| words.text.get(word.start..word.end));
    word.is_some_and(|word| word.eq_ignore_ascii_case(wanted))
}

/// The first half of a French negation.
fn is_ne(words: &Words<'_>, at: usize) -> bool {
    let joined = words.list.get(at).and_then(|word| words.text.get(word.start..word.start + 2));
    is(words, at, "ne") || joined.is_some_and(|start| start.eq_ignore_ascii_case("n'"))
}

/// Acts of asking, telling and writing down in scripts without word gaps.
const ACTS: &str = "询问 通知 上报 报告 汇报 告知 告诉 记录 请示 打扰 提醒 問い合わせ 相談し 相談せ 聞か 尋ね 知らせ 報告し 報告せ 通知し 通知せ 連絡し 記録し 記録せ 伝え 残さ 묻지 알리지 보고하지 통보하지 연락하지 기록하지 상의하지 문의하지 남기지";

/// What negates an act after it.
const BEFORE: &str = "不要 不用 不必 无需 无须 不需要 不得 不可 请勿 切勿 禁止 别 勿 不";

/// What negates an act before it.
const AFTER: &str = "ないで ないこと ない。 ない ず ぬよう てはなら てはいけ る必要はな るな んで 마 말 않아도 않는 않고 않도록";

/// As [`silence`], where words have no gaps.
fn wide(text: &str) -> Silence {
    for act in ACTS.split(' ') {
        for (at, _) in text.match_indices(act) {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + act.len()..).unwrap_or_default().trim_start();
            if BEFORE.split(' ').any(|not| before.ends_with(not)) || AFTER.split(' ').any(|not| after.starts_with(not)) {
                return Silence::Ordered;
            }
        }
    }
    Silence::None
}
