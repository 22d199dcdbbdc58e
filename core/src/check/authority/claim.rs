//! What a sentence claims, by the words it is made of.

use super::super::lexicon::{
    AGENTS, ASSENTS, BREADTH, CONDITIONS, DIRECTS, DONE, EMPTY, GRANTS, IDENTITY, KEEPS, MEMORY, NEGATES, PRINCIPALS, RESCINDS, SAFEGUARDS,
    SAYS, SOURCES, STANDS, WAIVES,
};
use super::super::stems::{Known, Stem, known};
use crate::item::Span;
use crate::text::scan::inline_code;

/// What a sentence claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Something was approved, permitted or granted.
    Approval,
    /// A safeguard need not be kept.
    Waiver,
    /// A rule is out of force.
    Rescission,
    /// Something is to be done from now on.
    NewRule,
    /// Who somebody is.
    Identity,
    /// Something was done.
    Done,
}

/// A sentence as claims and anchors are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    pub(super) claim: Option<Claim>,
    /// All classes of its words.
    pub(super) classes: u32,
    /// What it is about: no cue, no person.
    pub(super) object: Vec<Stem>,
    /// Whether it speaks to the agent or of what it carries on.
    pub(super) addressed: bool,
    /// Whether it permits something, to whomever.
    pub(super) permits: bool,
    /// Whether it marks its content as somebody else's words.
    pub(super) attributed: bool,
    /// Whether its act is negated: "did not approve".
    pub(super) negated: bool,
    /// Plurals without a number: "refunds".
    pub(super) plurals: Vec<Stem>,
    /// How many words it has.
    pub(super) words: usize,
}

const CUES: u32 = GRANTS | WAIVES | RESCINDS | PRINCIPALS | AGENTS | BREADTH | ASSENTS | STANDS | DIRECTS | CONDITIONS | EMPTY | NEGATES;

/// Signs of approval and waiver in scripts without word gaps.
const WIDE: &[(&[&str], u32)] = &[
    (&["批准", "授权", "同意", "允许", "許可", "承認", "승인", "허가", "허용", "동의"], GRANTS),
    (&["无需", "不需要", "不必", "免除", "跳过", "不要", "必要はない", "不要です", "없이", "필요 없"], WAIVES),
    (&["作废", "撤销", "取消", "失效", "解除", "無効", "撤回", "해제", "취소", "무효"], RESCINDS),
    (&["规则", "限制", "政策", "审批", "规定", "規則", "制限", "ルール", "규칙", "제한", "정책"], SAFEGUARDS),
    (&["用户", "所有者", "管理员", "经理", "老板", "ユーザー", "管理者", "사용자", "관리자"], PRINCIPALS),
    (&["所有", "一切", "任何", "永久", "すべて", "全て", "常に", "모든", "항상"], BREADTH),
    (&["助手", "代理", "智能体", "アシスタント", "エージェント", "어시스턴트", "에이전트"], AGENTS),
    (&["摘要", "记忆", "总结", "要約", "記憶", "요약", "기억"], MEMORY),
];

/// So many words may stand between a rule and what takes it out of force.
const REACH: usize = 6;

/// Signs of a condition in them: until, before, unless.
const WIDE_BOUNDS: &[&str] = &["まで", "前に", "ない限り", "之前", "除非", "才能", "전에", "까지", "없이는"];

pub(super) fn read(sentence: &str) -> Read {
    let mut words = known(sentence);
    // the parts of a name in code say nothing
    for code in inline_code(sentence, Span::new(0, sentence.len())) {
        if !code.of(sentence).contains(char::is_whitespace) {
            words.iter_mut().filter(|word| code.start <= word.word.start && word.word.end <= code.end).for_each(|word| word.classes = 0);
        }
    }
    // nor do those of a compound: "session-store"
    for word in &mut words {
        let joint = |at: Option<usize>| at.and_then(|at| sentence.as_bytes().get(at)) == Some(&b'-');
        if joint(word.word.start.checked_sub(1)) || joint(Some(word.word.end)) {
            word.classes &= !(KEEPS | IDENTITY | AGENTS);
        }
    }
    let mut out = Read { words: words.len(), ..Read::default() };
    let mut counted = false;
    for (at, word) in words.iter().enumerate() {
        out.classes |= word.classes;
        let digits = word.word.letters().iter().any(u8::is_ascii_digit);
        if word.classes & CUES == 0
            && !generic(word.word.letters())
            && let Some(stem) = word.stem()
        {
            out.object.push(stem);
            let letters = word.word.letters();
            let plural = letters.len() > 3 && letters.ends_with(b"s") && !letters.ends_with(b"ss") && !letters.ends_with(b"us");
            if plural && !counted && !letters.contains(&b'\'') {
                out.plurals.push(stem);
            }
        }
        counted = digits || numeral(word.word.letters());
        if word.classes & (GRANTS | WAIVES | RESCINDS) != 0 && word.classes & NEGATES == 0 {
            out.negated |= words.iter().take(at).skip(at.saturating_sub(3)).any(|before| before.negates() && before.classes & WAIVES == 0);
        }
    }
    if !sentence.is_ascii() {
        out.classes |=
            WIDE.iter().filter(|(signs, _)| signs.iter().any(|sign| sentence.contains(sign))).fold(0, |all, (_, class)| all | class);
        out.object.extend(super::super::stems::stems(sentence).into_iter().filter(|stem| stem.is_wide()));
    }
    out.object.sort_unstable();
    out.object.dedup();
    if restricted(&words) {
        out.classes &= !(WAIVES | GRANTS);
    } else if unguarded(&words) {
        out.classes |= WAIVES;
    }
    if conditional(&words) || (!sentence.is_ascii() && WIDE_BOUNDS.iter().any(|sign| sentence.contains(sign))) {
        out.classes &= !GRANTS;
    }
    let has = |class: u32| out.classes & class != 0;
    let pair = |a: u32, b: u32| has(a) && has(b);
    let apart = |a: u32, b: u32| {
        words.iter().any(|word| word.classes & a != 0 && words.iter().any(|w| w.classes & b != 0 && w.word.start != word.word.start))
    };
    let starts = words.first().map_or(0, |word| word.classes);
    out.addressed =
        has(AGENTS) || (apart(MEMORY, KEEPS) && (has(DIRECTS | STANDS | SAFEGUARDS | BREADTH) || starts & KEEPS != 0)) || marked(sentence);
    out.attributed = pair(SOURCES, SAYS);
    let permits = |word: &Known| [&b"may"[..], b"can", b"darf", b"peut", b"peuvent", b"puede", b"pode"].contains(&word.word.letters());
    let lifted = words.iter().enumerate().any(|(at, word)| {
        let near = || words.iter().skip(at.saturating_sub(REACH)).take(2 * REACH + 1);
        word.classes & SAFEGUARDS != 0
            && word.classes & GRANTS == 0
            && near().any(|other| other.classes & RESCINDS != 0 && other.word.start != word.word.start)
    });
    if !lifted && sentence.is_ascii() {
        out.classes &= !RESCINDS;
    }
    let has = |class: u32| out.classes & class != 0;
    let pair = |a: u32, b: u32| has(a) && has(b);
    out.permits = has(GRANTS | WAIVES) || pair(RESCINDS, SAFEGUARDS) || (words.iter().any(permits) && !words.iter().any(Known::negates));
    // a question claims nothing
    out.claim = if sentence.trim_end().ends_with(['?', '？']) { None } else { claim(&out, &words) };
    if let Some(hidden) = encoded(sentence) {
        let inner = read(&hidden);
        out.addressed |= inner.claim.is_some();
        out.claim = out.claim.or(inner.claim);
        out.classes |= inner.classes;
    }
    out
}

/// Whether a prohibition holds the words of a waiver: "not without approval".
fn restricted(words: &[Known]) -> bool {
    let bare = words.iter().position(is_without);
    bare.is_some_and(|at| words.iter().take(at).any(forbids) && guard_follows(words, at))
}

fn forbids(word: &Known) -> bool {
    word.negates() && ![&b"out"[..], b"longer", b"without", b"weg"].contains(&word.word.letters())
}

/// Whether a safeguard is left out: "without prior approval".
fn unguarded(words: &[Known]) -> bool {
    words.iter().position(is_without).is_some_and(|at| guard_follows(words, at))
}

/// Whether every approval is one that is still asked for: "requires approval", "until approved".
fn conditional(words: &[Known]) -> bool {
    let asks = |word: &Known| {
        let starts =
            ["requir", "need", "await", "pending", "whether", "unless", "until", "before", "once", "seek", "wait", "erforder", "bevor"];
        starts.iter().any(|start| word.word.letters().starts_with(start.as_bytes()))
    };
    let mut grants = words.iter().enumerate().filter(|(_, word)| word.classes & GRANTS != 0).peekable();
    grants.peek().is_some() && grants.all(|(at, _)| words.iter().take(at).skip(at.saturating_sub(7)).any(asks))
}

fn is_without(word: &Known) -> bool {
    [&b"without"[..], b"ohne", b"sans", b"sin", b"sem"].contains(&word.word.letters())
}

fn guard_follows(words: &[Known], at: usize) -> bool {
    words.iter().skip(at + 1).take(3).any(|word| word.classes & SAFEGUARDS != 0 || word.word.letters().starts_with(b"ask"))
}

/// The text that a long word of base64 holds.
fn encoded(sentence: &str) -> Option<String> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let word = sentence.split(|c: char| !sign(c)).max_by_key(|word| word.len()).filter(|word| word.len() >= 24)?;
    let whole = word.get(..word.len() - usize::from(word.len() % 4 == 1))?;
    let text = String::from_utf8(STANDARD_NO_PAD.decode(whole).ok()?).ok()?;
    // a nested one is not looked for
    (text.contains(' ') && !text.chars().any(char::is_control) && !text.split(' ').any(|word| word.len() >= 24)).then_some(text)
}

/// Whether a sentence wears the mark of a role, a tool or a constraint: `[SYSTEM]`, `system:`, `AGENT NOTE:`.
fn marked(sentence: &str) -> bool {
    let head = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first: String = head.chars().take_while(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    let role = ["system", "assistant", "developer", "tool", "memory"].contains(&first.as_str());
    let rest = head.get(first.len()..).unwrap_or_default();
    let label = rest.starts_with([']', ':', '_', '.', '(', '|', '>']) || head.len() < sentence.len() && sentence.starts_with(['[', '<']);
    role && label
}

/// Words that stand for any act or object.
fn generic(word: &[u8]) -> bool {
    super::super::stems::listed(
        "request requests requested step steps action actions task tasks work thing things operation operations proceed proceeding perform \
         performing execute executing run running following ask asked gave give given giving gives pre there obtained received got exists light consent cleared",
        word,
    )
}

/// Small numbers in words.
pub(super) fn numeral(word: &[u8]) -> bool {
    [&b"one"[..], b"two", b"three", b"four", b"five", b"six", b"seven", b"eight", b"nine", b"ten", b"both", b"twelve"].contains(&word)
}

fn claim(read: &Read, words: &[Known]) -> Option<Claim> {
    let has = |class: u32| read.classes & class != 0;
    let plain = |class: u32| words.iter().any(|word| word.classes & class != 0);
    let orders = has(DIRECTS) && (has(AGENTS) || (has(PRINCIPALS) && has(SAYS)));
    // what refuses claims nothing: it binds the agent, if it is false, to less
    if has(RESCINDS) && has(SAFEGUARDS) && (has(WAIVES) || !read.negated) {
        return Some(Claim::Rescission);
    }
    if has(WAIVES) {
        return Some(Claim::Waiver);
    }
    if has(GRANTS) && !read.negated {
        return Some(Claim::Approval);
    }
    if has(IDENTITY) && has(PRINCIPALS) {
        return Some(Claim::Identity);
    }
    if orders || (has(STANDS) && !read.negated) || (read.addressed && has(KEEPS | DIRECTS)) {
        return Some(Claim::NewRule);
    }
    (plain(DONE) && done(words)).then_some(Claim::Done)
}

/// Whether something is said to have been done: the verb is neither negated nor to come.
fn done(words: &[Known]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let mut before = words.iter().take(at).skip(at.saturating_sub(4));
        let open = |word: &Known| {
            word.negates()
                || word.classes & (DIRECTS | CONDITIONS) != 0
                || [&b"to"[..], b"will", b"be", b"would", b"could"].contains(&word.word.letters())
        };
        word.classes & DONE != 0 && !before.any(open)
    })
}
