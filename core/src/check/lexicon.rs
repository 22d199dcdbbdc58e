//! The words that the checks look for, in several languages, by what they say. One look-up gives all classes of a word.
//!
//! `*` stands for any ending, `_` joins two words. All are as `text::words` reads them: folded, in lower case.

use std::sync::OnceLock;

/// They carry no topic.
pub(crate) const EMPTY: u64 = 1 << 0;
/// They refuse.
pub(crate) const REFUSES: u64 = 1 << 1;
/// They negate.
pub(crate) const NEGATES: u64 = 1 << 2;
/// They put off.
pub(crate) const PUTS_OFF: u64 = 1 << 3;
/// They put off what is known to wait.
pub(crate) const MAY_WAIT: u64 = 1 << 4;
/// They put off what is negated: not before, no decision when.
pub(crate) const NOT_BEFORE: u64 = 1 << 5;
/// They leave open what was taken, in a clause that does not take.
pub(crate) const DOUBTS: u64 = 1 << 6;
/// They put off in a sentence that does not take.
pub(crate) const LATER: u64 = 1 << 7;
/// They take.
pub(crate) const TAKES: u64 = 1 << 8;
/// They decide.
pub(crate) const DECIDES: u64 = 1 << 9;
/// They begin a reason.
pub(crate) const REASONS: u64 = 1 << 10;
/// They join clauses.
pub(crate) const JOINS: u64 = 1 << 11;
/// A sentence that begins so goes on about what the one before was about.
pub(crate) const GOES_ON: u64 = 1 << 12;
/// A clause that begins so belongs to what stood before it.
pub(crate) const PREDICATE: u64 = 1 << 13;
/// They approve.
pub(crate) const GRANTS: u64 = 1 << 14;
/// They waive.
pub(crate) const WAIVES: u64 = 1 << 15;
/// They take a rule out of force.
pub(crate) const RESCINDS: u64 = 1 << 16;
/// What guards.
pub(crate) const SAFEGUARDS: u64 = 1 << 17;
/// They order or permit.
pub(crate) const DIRECTS: u64 = 1 << 18;
/// Who has authority, or is said to.
pub(crate) const PRINCIPALS: u64 = 1 << 19;
/// The agent, as it is addressed.
pub(crate) const AGENTS: u64 = 1 << 20;
/// They widen.
pub(crate) const BREADTH: u64 = 1 << 21;
/// What carries a text on.
pub(crate) const MEMORY: u64 = 1 << 22;
/// Orders to the one who writes notes.
pub(crate) const KEEPS: u64 = 1 << 23;
/// They agree to what was asked.
pub(crate) const ASSENTS: u64 = 1 << 24;
/// They bound.
pub(crate) const CONDITIONS: u64 = 1 << 25;
/// They say that something was done.
pub(crate) const DONE: u64 = 1 << 26;
/// They say who somebody is.
pub(crate) const IDENTITY: u64 = 1 << 27;
/// Where outside words stand.
pub(crate) const SOURCES: u64 = 1 << 28;
/// They attribute words, or mark them.
pub(crate) const SAYS: u64 = 1 << 29;
/// They make a rule of it.
pub(crate) const STANDS: u64 = 1 << 30;
/// They permit.
pub(crate) const PERMITS: u64 = 1 << 31;
/// They leave something out.
pub(crate) const WITHOUT: u64 = 1 << 32;
/// What is still asked for follows.
pub(crate) const ASKS: u64 = 1 << 33;
/// Small numbers.
pub(crate) const NUMERALS: u64 = 1 << 34;
/// They stand for any act or object.
pub(crate) const GENERIC: u64 = 1 << 35;
/// Behind a negation they make it none: not only, no doubt.
pub(crate) const SCOPES: u64 = 1 << 36;
/// What follows is not done yet.
pub(crate) const TO_COME: u64 = 1 << 37;
/// What a person does who is asked.
pub(crate) const ASKING: u64 = 1 << 38;
/// They negate an act.
pub(crate) const FORBIDS: u64 = 1 << 39;
/// What was granted, as a thing: to take it back binds to more.
pub(crate) const GRANTED: u64 = 1 << 40;
/// They take back, a rule or what was granted.
pub(crate) const REVOKES: u64 = 1 << 41;
/// Forms of to be.
pub(crate) const IS: u64 = 1 << 42;
/// Who is spoken to.
pub(crate) const YOU: u64 = 1 << 43;
/// What they stand beside is not there.
pub(crate) const LACKS: u64 = 1 << 44;
/// They put one in the place of another.
pub(crate) const REPLACES: u64 = 1 << 45;
/// They leave it as it is.
pub(crate) const STAYS: u64 = 1 << 46;
/// They make it other than it is.
pub(crate) const CHANGES: u64 = 1 << 47;
/// It is there already.
pub(crate) const COMPLETES: u64 = 1 << 48;
/// They hold on to it, which may be what stays or what is new.
pub(crate) const RETAINS: u64 = 1 << 49;
/// They end it.
pub(crate) const ENDS: u64 = 1 << 50;

const LISTS: &[(u64, &str)] = &[
    (
        EMPTY,
        "a about after again all already also although am an and any are as at be because been before being both but by can could \
         did do does doing done down during each either else even ever few for from further get gets given go going got had has \
         have having he her here hers him his how however i if in into is it its itself just last let like ll made make many may me \
         might more most much must my near need neither never no none nor not nothing now of off on once one only onto or other our \
         ours out over own per please rather re s same she should since so some still such t than that the their them then there \
         these they this those though through thus till to too under until up upon us use used ve very via was we well were what \
         when where whether which while who whom whose why will with within without would yes yet you your yours aber als am an \
         auch auf aus bei bis da damit das dass dem den der des die dies diese doch du durch ein eine einem einen einer eines er es \
         fur hat haben ich ihr im ist ja jetzt kein keine man mit nach nicht noch nun nur ob oder ohne sein sich sie sind so soll \
         sondern uber um und uns unter vom von vor wann war was weil wenn werden wird wir wo wurde wurden zu zum zur au aux avec \
         car ce ces cette comme d dans de des du elle en est et etre il ils j je l la le les leur lui mais n ne nous on ou par pas \
         plus pour qu que qui sa sans se ses son sont sur un une vous y al con del el ella ellos era es esta este fue ha han hasta \
         las lo los mas me mi muy no nos o para pero por porque que se ser si sin sobre son su sus te tu una y ya com da do dos e \
         em foi mais na nao nas nos os ou pela pelo seu sua uma",
    ),
    (
        REFUSES,
        "abandon* against an_end end_to cancel* declin* denied discard* dismiss* drop* exclud* forgo* forwent oppos* refus* reject* \
         scrap* veto* banned bans turned_down turns_down turn_down ruled_out rule_out rules_out voted_down struck off_the \
         decided_against abgelehn* ablehn* lehnt* lehnen verworf* verwarf* verzicht* gestrichen streich* abgesagt entfall* \
         fallt_weg weggefallen gegen raus rejet* ecart* renonc* exclu* abandonn* rechaz* descart* desech* elimin* rejeit* recus* \
         contra abolish* decided_not is_out are_out was_out were_out that's_out it's_out abgeschafft aboli*",
    ),
    (
        NEGATES,
        "no not none never neither nor nobody nothing without cannot longer nicht kein* nie niemals niemand weder ohne weg \
         pas aucun* jamais ni sans nunca tampoco ningun* nadie nao nem keinesfalls",
    ),
    (
        PUTS_OFF,
        "postpon* defer deferr* defers delay* shelv* undecided unresolved pending on_hold put_off puts_off pushed_back wait waits \
         waiting not_yet no_decision be_decided parked revisit* held_over await* vertag* verschob* verschieb* aufgeschoben \
         zuruckgestell* abwart* wart* warten vorerst_nicht ruht offen reporte reportee reportes ajourn* differe differee attente \
         aplaz* pospon* pospuest* pendiente* adiad* adiar pendente*",
    ),
    (
        MAY_WAIT,
        "later until till open once next first yet depend* follow* eventual* tomorrow hold earliest pending paus* suspend* review* \
         question reconsider* tbd spater bis noch sobald erst nachst* frage fruhestens plus_tard tard prochain* jusqu* suspens \
         attend* hasta luego adelante espera* proxim* depois ate",
    ),
    (NOT_BEFORE, "once sobald after before when then while vor nach wenn avant apres quand antes despues cuando quando"),
    (
        DOUBTS,
        "considered debated discussed proposed suggested under_discussion under_review might perhaps whether erwogen diskutiert \
         vielleicht envisage* propose* considera* propuest*",
    ),
    (
        LATER,
        "later until till tbd eventual* stays_open remains_open still_open next_month next_year next_quarter next_week spater bis \
         sobald plus_tard tard hasta adelante luego depois",
    ),
    (
        TAKES,
        "accept* adopt* agree* approv* award* chose* choos* consent* confirm* decided_on decided_for decided_to go_ahead goes_ahead \
         going_ahead goes_live go_live introduc* pick* select* sign* settl* allow* favor* favour* won wins win prefer* opted opt \
         switch* ship* angenommen akzept* beschloss* genehmig* gewahlt vereinbart zugestimm* einigt* kommt accepte* adopt* approuv* \
         choisi* retenu* valid* aprob* acept* acord* elig* adopta* escolh*",
    ),
    (DECIDES, "decide* decision entschied* beschloss* decidi* decidid* acord*"),
    (REASONS, "because since due owing given considering weil denn wegen damit aufgrund car parce puisque faute grace porque debido pois"),
    (JOINS, "and but while whereas although though however und aber wahrend sondern doch et mais tandis y pero mientras e mas"),
    (GOES_ON, "it this that these they both das dies es er sie cela ce elle il eso esto ello"),
    (PREDICATE, "was were is are has had have will would got gets be been wurde wird ist war sind fue es est sera etait a"),
    (
        GRANTS,
        "preapprov* authoris* authoriz* grant* permit permits permitted permitting permissible allow allows allowed allowing \
         entitl* sanctioned okay okayed okays ok ok'd green_light greenlit greenlight* go_ahead signed_off sign_off signs_off \
         signoff endors* cleared_for empower* whitelist* agreed agrees confirmed accepted given_access given_full given_write \
         full_access write_access root_access unrestricted free_to fine_with okay_with ok_with genehmig* erlaub* \
         freigegeb* freigab* zustimm* zugestimm* bewillig* berechtigt einverstanden gestattet autoris* approuv* accord accorde* \
         permis aprob* autoriz* permitid* permiso* consinti* conced* aprov* permissao approve approved approves approving \
         approval_for approval_by approval_from approval_granted approval_given approval_obtained approval_received approval_is \
         approval_was approval_has approvals_are consented consents consent_given consent_was consent_for \
         consent_to consent_obtained consent_is permission_to permission_for permission_was permission_is permission_granted \
         permission_given has_permission have_permission clearance_for clearance_to",
    ),
    (
        WAIVES,
        "waive* exempt* skip* bypass* unnecessary optional no_need need_not needn't not_required not_needed not_necessary \
         isn't_needed isn't_required isn't_necessary aren't_needed aren't_required without_asking without_confirming \
         without_checking needs_no need_no requires_no require_no don't_ask never_ask not_ask no_approval no_confirmation freely at_will no_second \
         no_review no_limit no_questions unlimited dispens* verzicht* entfallt entfallen ohne_ruckfrage ohne_freigabe \
         ohne_zustimmung nicht_notig nicht_mehr sans_plafond sans_limite sans_validation sans_demander sans_accord plus_besoin \
         sin_limite sin_pedir sin_preguntar sin_aprobacion sin_confirmacion sin_necesidad no_hace ya_no sem_limite sem_aprovacao \
         sem_pedir longer_need longer_needs longer_needed longer_require longer_requires longer_required longer_necessary \
         plus_necessaire plus_requise desnecessari* nao_precisa nao_requer ja_nao nao_mais longer_asked longer_has longer_have not_need not_require don't_need doesn't_need don't_require doesn't_require don't_check never_check not_check don't_confirm not_confirm",
    ),
    (
        RESCINDS,
        "rescind* revok* lift lifted lifts void voided withdraw* withdrew repeal* expire expires expired lapse* cancel* remove removed removes \
         removing gone abolish* scrap* nullif* retract* loosen* uncapped drop drops dropped suspend* supersed* obsolete outdated applique_plus aplica_mais removid* overrid* overrul* disabl* relax* deactivat* ended ends \
         replaced replaces replacing ignore* disregard* exclude* omit* forget* discard* invalid null no_longer \
         aufgehob* aufheb* ungultig widerruf* abgelaufen ausser_kraft ersetzt leve levee annul* abrog* supprim* caduc* revoc* \
         anula* deroga* caduc* elimina* ignor* revog*",
    ),
    (
        SAFEGUARDS,
        "rule rules restriction* limit limits limitation* policy policies constraint* prohibition* ban bans approval approvals \
         confirmation* check checks review reviews consent safety safeguard* guardrail* requirement* permission* instruction* \
         threshold* regel regeln vorschrift* grenze obergrenze beschrankung* verbot* richtlinie* freigabe* regle regles restriction consigne* \
         plafond interdiction* regla* limite* politica* restriccion* prohibicion* regra* restric* zustimmung* autorisation* autorizac* aprobacion aprovac*",
    ),
    (
        DIRECTS,
        "must never always shall only may can should do don't ought muss mussen darf durfen soll sollen nie immer kann doit doivent \
         peut peuvent jamais toujours debe deben puede pueden nunca siempre deve devem pode podem",
    ),
    (
        PRINCIPALS,
        "user users user's owner owner's operator admin admins administrator administrators boss ceo cto cfo coo ciso director chief \
         head lead manager managers supervisor management customer client human humans developer principal leadership \
         nutzer benutzer inhaber eigentumer chef leitung betreiber kunde utilisateur client proprietaire patron direction usuario \
         cliente dueno jefe propietario administrador usuaria dono chefe",
    ),
    (
        AGENTS,
        "assistant assistant's assistants agent agents ai llm llms bot chatbot copilot model language_model \
         automation claude gpt assistent agenten ki assistente asistente agente ia modele modelo",
    ),
    (
        BREADTH,
        "all any anything every everything everyone everybody everywhere anyone always unlimited unrestricted permanent* indefinite* \
         forever blanket whatever whenever whichever future entire whole both full regardless alle alles jede* immer unbegrenzt \
         dauerhaft samtliche tout toute toutes tous toujours illimit* todo toda todos todas siempre ilimitad* permanente* \
         cualquier* tudo qualquer sempre",
    ),
    (
        MEMORY,
        "compress* condens* memory memories context carry carried notes note record records hand handover hand-over history \
         persist* session sessions zusammenfassung* notizen gedachtnis resume memoire contexte consigne resumen notas memoria \
         contexto resumo summar* compact* recap* digest memo memos",
    ),
    (
        KEEPS,
        "carry keep kept retain preserve note write report repeat repeated record remember store save include exclude omit drop \
         forget mark treat add put merk* behalte* notier* schreib* conservez conserver notez gardez conserva* anota* recuerda* \
         guarda* mantenha* leave leaves left strip trim shorten skip hide suppress mention list remove combine append",
    ),
    (
        ASSENTS,
        "yes yep yeah sure ok okay approved agreed fine go do please correct confirmed proceed ja klar genau einverstanden bitte oui \
         vas d'accord si claro vale adelante sim",
    ),
    (
        CONDITIONS,
        "if unless until only except provided once under below above within most maximum max least just before after wenn falls nur \
         ausser bis hochstens unter si sauf seulement jusqu* hasta solo salvo maximo",
    ),
    (
        DONE,
        "sent paid refunded deployed deleted merged published signed transferred notified migrated installed released shipped \
         cancelled canceled booked ordered tested rotated restored reverted uploaded emailed charged issued submitted executed \
         gesendet bezahlt geloscht veroffentlicht envoye paye supprime enviado pagado eliminado pago",
    ),
    (IDENTITY, "verified authenticated identified identity validated authentifiziert verifiziert verifie verificado"),
    (
        SOURCES,
        "page website site email e-mail mail message log logs document file tool result output ticket comment attachment readme \
         letter response article thread payload text note invoice transcript seite datei fichier pagina archivo",
    ),
    (
        SAYS,
        "says said claims claimed claiming states stated contains contained reads asks asked tells told according alleges attempts \
         attempted tries tried injection injected suspicious untrusted unverified ignored instructs instructed behauptet laut \
         pretend dice segun",
    ),
    (
        STANDS,
        "from_now going_forward henceforth standing_rule standing_order new_rule new_policy new_rules rule_of ab_sofort kunftig \
         desormais dorenavant en_adelante a_partir",
    ),
    (PERMITS, "may can darf durfen kann peut peuvent puede pueden pode podem might"),
    (WITHOUT, "without ohne sans sin sem"),
    (
        ASKS,
        "requir* need* await* pending whether unless until before once seek seeks wait* erforder* bevor has_to have_to had_to only_with only_after only_if",
    ),
    (NUMERALS, "one two three four five six seven eight nine ten twelve both"),
    (
        GENERIC,
        "request requests requested step steps action actions task tasks work thing things operation operations proceed \
         proceeding perform performing execute executing run running following ask asked gave give given giving gives pre there \
         obtained received got exists light consent cleared",
    ),
    (SCOPES, "only doubt matter nur seulement solo"),
    (TO_COME, "to will be would could should must may can if unless when"),
    (ASKING, "asking ask asked rucksprache ruckfrage demander pedir preguntar"),
    (
        GRANTED,
        "approval approvals consent consents permission* genehmigung* zustimmung* autorisation* autorizac* permiso* permissao aprobacion aprovac*",
    ),
    (REVOKES, "revok* withdraw* withdrew rescind* expire expires expired lapse* retract* widerruf* entzogen retire revocad*"),
    (IS, "is are be ist sind est sont es son e sao"),
    (YOU, "you your yours yourself"),
    (
        STAYS,
        "stay stays stayed staying remain* left unchanged continu* bleib* unverandert reste* inchange queda* sigue* mantiene* permanec* \
         mantem",
    ),
    (RETAINS, "keep keeps kept keeping retain* behalt* conserv*"),
    (ENDS, "end ends ended stop stops stopped endet beendet"),
    (
        CHANGES,
        "switch* chang* replac* mov* migrat* public publish* releas* open rais* increas* lower* reduc* extend* conver* renam* relocat* \
         becom* turn* wechsel* umstieg umzug* erhoh* senk* ersetz* passage migration augment* remplac* cambi* mudanca* aument* \
         substitu*",
    ),
    (
        COMPLETES,
        "complete completed finished done live launched delivered implemented fertig abgeschlossen umgesetzt termine terminee \
         terminado terminada concluido concluida",
    ),
    (LACKS, "missing outstanding lack lacks lacking denied refused rejected restricted first due fehlt ausstehend manque falta"),
    (REPLACES, "overrid* supersed* replac* ersetzt"),
    (FORBIDS, "not never no none nor neither cannot nicht nie kein* pas jamais nunca nao"),
];

struct Cue {
    first: &'static str,
    any_ending: bool,
    second: &'static str,
    class: u64,
}

/// The beginning that cues are sorted by.
fn start(word: &[u8]) -> [u8; 2] {
    [word.first().copied().unwrap_or_default(), word.get(1).copied().unwrap_or_default()]
}

fn cues() -> &'static [Cue] {
    static CUES: OnceLock<Vec<Cue>> = OnceLock::new();
    CUES.get_or_init(|| {
        let mut all = Vec::new();
        for (class, list) in LISTS {
            for entry in list.split_ascii_whitespace() {
                let (first, second) = entry.split_once('_').unwrap_or((entry, ""));
                let bare = first.strip_suffix('*');
                all.push(Cue { first: bare.unwrap_or(first), any_ending: bare.is_some(), second, class: *class });
            }
        }
        all.sort_unstable_by_key(|cue| start(cue.first.as_bytes()));
        all
    })
}

/// The classes of a word, and those that it has together with the word right after it.
pub(crate) fn classes(word: &[u8], next: &[u8]) -> (u64, u64) {
    // names of columns and functions say nothing
    if word.contains(&b'_') {
        return (0, 0);
    }
    let cues = cues();
    let wanted = start(word);
    let from = cues.partition_point(|cue| start(cue.first.as_bytes()) < wanted);
    let near = cues.iter().skip(from).take_while(|cue| start(cue.first.as_bytes()) == wanted);
    let fits = |cue: &&Cue| {
        let first = cue.first.as_bytes();
        let head = if cue.any_ending { word.starts_with(first) } else { word == first };
        head && (cue.second.is_empty() || next == cue.second.as_bytes())
    };
    let mut all = (0, 0);
    for cue in near.filter(fits) {
        let part = if cue.second.is_empty() { &mut all.0 } else { &mut all.1 };
        *part |= cue.class;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_classes() {
        assert_eq!(classes(b"approved", b"").0 & (GRANTS | TAKES | SAFEGUARDS), GRANTS | TAKES);
        assert_eq!(classes(b"put", b"off").1 & PUTS_OFF, PUTS_OFF);
        assert_eq!(classes(b"put", b"on").1 & PUTS_OFF, 0);
        assert_eq!(classes(b"a", b"").0 & EMPTY, EMPTY);
        assert_eq!((classes(b"", b""), classes(b"zebra", b"")), ((0, 0), (0, 0)));
    }

    #[test]
    fn cues_are_as_words_are_read() {
        assert!(LISTS.iter().all(|(_, list)| list.bytes().all(|b| b.is_ascii_lowercase() || b" *_'-".contains(&b))));
        assert!(cues().iter().all(|cue| cue.first.len() > usize::from(cue.any_ending) && !cue.second.contains(['_', '*'])));
    }
}
