//! Words of change as data, in eight languages, and the longest phrase of them at a place.

use std::sync::OnceLock;

use crate::text::frame::{Table, Token, hash, lexicon, packed, stem};

/// An explicit change, in the sentence itself.
pub(super) const CHANGE: u32 = 1;
/// One that counts in the sentences around it too.
pub(super) const STRONG: u32 = 1 << 1;
/// "No longer".
pub(super) const LONGER: u32 = 1 << 2;
/// From now on, and not just once.
pub(super) const STANDING: u32 = 1 << 3;
/// At the start of a sentence: "forget what I said about".
pub(super) const FORGET: u32 = 1 << 4;
/// At the start of a sentence, with "to" behind it: "change ... to".
pub(super) const TURN: u32 = 1 << 5;
/// Just this once.
pub(super) const ONCE: u32 = 1 << 6;
/// Says nothing.
pub(super) const FILLER: u32 = 1 << 7;
/// What follows is the old value.
pub(super) const OLD: u32 = 1 << 8;
/// What was said before.
pub(super) const SAID: u32 = 1 << 9;
/// At the start of a sentence: "make that".
pub(super) const MAKE: u32 = 1 << 10;
/// What can be more or less.
pub(super) const UNIT: u32 = 1 << 11;
/// Beside "no longer": what was asked for is not any more.
pub(super) const NEED: u32 = 1 << 12;
/// Beside "no longer": what was said does not hold any more.
pub(super) const VALID: u32 = 1 << 13;

/// One value takes the place of another.
pub(super) const INSTEAD: u32 = 1 << 14;
/// "Need to worry about": what was forbidden or asked for is not any more.
pub(super) const WORRY: u32 = 1 << 15;

/// Cue words by class; `_` joins the words of a phrase.
const CUES: &[(u32, &str)] = &[
    (CHANGE, "now as_of_now correction jetzt nun maintenant ahora agora 现在 現在 いま 이제"),
    (CHANGE | STRONG, "changed_my_mind change_of_plan on_second_thought 变更 変更 변경"),
    (CHANGE | STRONG | INSTEAD, "instead stattdessen plutot en_su_lugar em_vez_disso 改为 改成 代わりに 대신"),
    (
        CHANGE | STRONG | STANDING,
        "from_now_on from_now from_today from_today_on from_here_on going_forward in_future in_the_future starting_now starting_today effective_immediately ab_jetzt ab_sofort ab_heute von_nun_an kunftig in_zukunft desormais dorenavant a_partir_de_maintenant a_l_avenir de_ahora_en_adelante a_partir_de_ahora en_adelante a_partir_de_agora daqui_em_diante de_agora_em_diante 从现在起 从现在开始 从今以后 今后 以后 今後 これから これからは 지금부터 앞으로 이제부터",
    ),
    (
        CHANGE | STRONG | LONGER | STANDING,
        "no_longer not_any_longer not_any_more any_more anymore any_longer nicht_mehr ne_plus n'as_plus n'avez_plus n'est_plus ne_faut_plus ya_no ja_nao nao_mais 不再 もう 더_이상 더이상",
    ),
    (CHANGE | STRONG | LONGER | STANDING | NEED, "plus_besoin precisa_mais precisas_mais 不用再"),
    (
        CHANGE | STRONG | FORGET,
        "forget scratch scrap drop lift waive cancel rescind revoke withdraw disregard ignore undo vergiss streiche aufheben oublie oubliez annule olvida olvide anula esquece esqueca 忘记 取消 撤销 忘れて 取り消 잊어 취소",
    ),
    (
        CHANGE | STRONG | TURN,
        "change raise lower increase reduce set move switch extend shorten cut replace ersetze andere erhohe senke change_this passe augmente reduis cambia sube baja muda aumenta reduz",
    ),
    (CHANGE | STRONG | MAKE, "make_that make_it make_this mach_daraus que_sea que_seja"),
    (CHANGE | OLD, "instead_of rather_than in_place_of statt anstatt anstelle au_lieu_de en_lugar_de en_vez_de em_vez_de"),
    (
        ONCE,
        "this_time this_once just_once this_one for_today today_only for_now for_the_moment temporarily until_tomorrow diesmal ausnahmsweise nur_heute cette_fois pour_cette esta_vez por_hoy desta_vez so_hoje 这次 这一次 今天 今回 今回だけ 이번만 이번에",
    ),
    (
        FILLER,
        "ok okay please actually sorry well so and but then remember hey hi thanks also let's lets i want would like like_to could can you we it that the bitte danke bon merci porfavor gracias obrigado",
    ),
    (
        SAID,
        "said told asked wrote mentioned rule rules limit ban restriction requirement instruction instructions constraint cap regel vorgabe gesagt regle dit limite regla dicho regra disse 说 规则 ルール 言った 규칙",
    ),
    (
        NEED,
        "need needs needed have_to has_to require required necessary mandatory obligatory brauchst brauche braucht musst muss mussen notig erforderlich besoin necessaire faut obligatoire necesitas necesario hace_falta tienes_que hay_que precisa precisas preciso necessario 需要 必须 必要 必要は 필요",
    ),
    (
        VALID,
        "apply applies valid in_force hold holds stands counts binding forbidden prohibited banned off_limits gilt gelten verboten s'applique valable interdit aplica vale prohibido proibido 适用 禁止 適用 적용 금지",
    ),
    (NEED | VALID | WORRY, "need_to_worry_about have_to_worry_about need_to_worry need_to_care_about need_to_bother_about"),
    (
        UNIT,
        "percent day hour minute second week month year euro dollar pound token kilometre gram kilogram litre megabyte gigabyte character word line request attempt retry",
    ),
];

/// Words between what is changed and what it becomes.
pub(super) const TO: &[&str] = &["to", "auf", "a", "à", "para", "by", "with", "durch", "por"];

/// What stands before what is waited for.
pub(super) const WITHOUT: &[&str] = &["without", "Without", "ohne", "Ohne", "sans", "sin", "sem"];

/// Another word follows in a longer phrase.
const GOES_ON: u32 = 1 << 31;
/// Sets units apart from words.
const IS_UNIT: u32 = 0x5bd1_e995;

fn joined(before: u32, word: u32) -> u32 {
    before.wrapping_mul(0x9e37_79b1) ^ word
}

/// What says that a value is corrected.
pub(in crate::registry) const CORRECT: u32 = 1;
/// The value behind it is the old one.
pub(in crate::registry) const NOT: u32 = 1 << 1;
/// Says nothing in a correction.
pub(in crate::registry) const LIGHT: u32 = 1 << 2;

/// Words of a correction that names the value alone: "Sorry, make that 15, not 20."
const CORRECTIONS: &[(u32, &str)] = &[
    (
        CORRECT,
        "make_that make_it make_this i_meant i_mean meant should_be should_have_been correction rather scratch_that sorry no nope wait \
         oops actually instead mach mache machen_wir draus daraus doch lieber ich_meinte ich_meine gemeint korrektur nein moment \
         entschuldigung stattdessen sondern vielmehr mets mettez plutot en_fait disons je_voulais_dire pardon non correction corrige \
         desole mejor pon ponlo ponle que_sean que_sea mas_bien quise_decir queria_decir perdon correccion en_realidad digo que_sejam \
         que_seja melhor poe ponha na_verdade quis_dizer queria_dizer desculpa desculpe nao correcao alias 改成 改为 改為 换成 換成 应该是 \
         我是说 我的意思是 不对 更正 抱歉 にして に変更 のつもり 訂正 すみません 間違え 으로_해 로_해 으로_바꿔 로_바꿔 정정 아니 죄송",
    ),
    (
        NOT,
        "not nicht pas statt anstatt instead_of rather_than in_place_of anstelle au_lieu_de en_lugar_de en_vez_de em_vez_de 不是 而不是 \
         ではなく じゃなくて 말고 아니라",
    ),
    (
        LIGHT,
        "ok okay oh ah hm please the a an to of then now just at most max maximum minimum least up only limit cap it this that is was \
         bitte die der das den ein eine auf hochstens maximal jetzt zu le la les l' un une a au plus maintenant s'il vous te plait merci \
         el los las un una o os as um uma de du des por favor thanks danke gracias obrigado agora ahora uns 请 吧 了 的 在 现在 请_改 を は が に で す \
         し て く だ さ い お 願 ま せ ん た 을 를 은 는 로 으 해 주 세 요 줘 이 가",
    ),
];

/// Hashes of phrases, of their beginnings and of units, each with its classes.
fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| build(CUES))
}

fn corrections() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| build(CORRECTIONS))
}

fn build(classes: &[(u32, &str)]) -> Table {
    let mut table = Vec::new();
    for (class, entries) in classes {
        for entry in entries.split_ascii_whitespace() {
            if *class == UNIT {
                table.push(packed(lexicon().canon(hash(stem(entry))) ^ IS_UNIT, UNIT as usize));
                continue;
            }
            let mut sum = 0;
            let mut put = |word: u32| {
                sum = joined(sum, word);
                table.push(packed(sum, GOES_ON as usize));
            };
            for word in entry.split('_') {
                if word.chars().all(|c| u32::from(c) >= 0x2e80) {
                    word.chars().for_each(|c| put(hash(c.encode_utf8(&mut [0; 4]))));
                } else {
                    put(hash(word));
                }
            }
            table.pop();
            table.push(packed(sum, *class as usize));
        }
    }
    Table::of(table)
}

/// The classes of a hash.
fn classes(table: &Table, sum: u32) -> u32 {
    table.rows(sum).fold(0, |classes, class| classes | class as u32)
}

/// The classes of the longest phrase that begins at a token, and its length.
pub(super) fn phrase(tokens: &[Token], at: usize) -> (u32, usize) {
    longest(table(), tokens, at)
}

/// The same for words of a correction.
pub(in crate::registry) fn corrects(tokens: &[Token], at: usize) -> (u32, usize) {
    longest(corrections(), tokens, at)
}

fn longest(table: &Table, tokens: &[Token], at: usize) -> (u32, usize) {
    let (mut found, mut sum) = ((0, 1), 0);
    for (length, token) in (1..).zip(tokens.iter().skip(at)) {
        sum = joined(sum, token.exact);
        let classes = classes(table, sum);
        if classes & !GOES_ON != 0 {
            found = (classes & !GOES_ON, length);
        }
        if classes & GOES_ON == 0 {
            break;
        }
    }
    found
}

/// Whether a word names what can be more or less.
pub(super) fn is_unit(token: &Token) -> bool {
    classes(table(), token.canon ^ IS_UNIT) & UNIT != 0
}
