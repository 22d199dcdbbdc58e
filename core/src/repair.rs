//! What of a summary is taken: sentences that do not hold leave, changed identifiers are put right, lost decisions come back (P7-P9).
//!
//! [`Against`] is read once for a span. [`Against::repair`] asks the checks one after the other; a policy's `checks` say for
//! each whether its findings are repaired, refused or only reported.

use std::cell::OnceCell;

use serde::Serialize;

use crate::check::authority::{self, Claim, Ground, Said, Standing};
use crate::check::decisions::{self, Deciding, Decision, Fault, Told, Topic};
use crate::check::fate::{self, Probe};
use crate::check::identifiers;
use crate::check::statement::{Edited, Statement, statements, without_bare_labels};
use crate::error::{Code, Error, Result};
use crate::event::{Event, Presence};
use crate::item::Span;
use crate::policy::{Check, OnFinding, Policy};
use crate::receipt::Finding;
use crate::request::{self, Run};
use crate::rule::Rule;
use crate::task;
use crate::text::frame::Frames;
use crate::text::ident::{SECRET, redacted};
use crate::text::scan::quotations;
use crate::tokens;
use crate::trust::Trust;

/// What a check found in a summary, with the sentence it is about. Kept until the next commit, never stored nor exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// As in the receipt's finding: `claim_forged`, `identifier_changed`, ...
    pub kind: String,
    /// The request or the rule it is about.
    pub about: String,
    /// What was done.
    pub repair: String,
    /// The sentence or the identifier, at most 256 characters of it.
    pub text: String,
}

impl Evidence {
    pub(crate) fn new(kind: &str, about: &str, repair: &str, text: &str) -> Self {
        let text = text.chars().take(EVIDENCE).collect();
        Self { kind: kind.to_owned(), about: about.to_owned(), repair: repair.to_owned(), text }
    }
}

/// The error of a check that refuses.
pub(crate) fn refusal(check: Check, kind: &str, about: &str) -> Error {
    let error = Error::new(Code::CheckFailed, format!("`{}` found `{kind}` in `{about}`", check.as_str()));
    error.with("check", check.as_str()).with("kind", kind).with("request", about)
}

/// Longest text of an [`Evidence`], in characters.
const EVIDENCE: usize = 256;

/// Decisions of a span that are compared; of more, the newest.
const DECISIONS: usize = 64;

/// A summary that passed its checks.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// What is taken; empty where nothing held.
    pub text: String,
    /// What was found.
    pub evidence: Vec<Evidence>,
    /// What the decisions of the span are about, where they were compared.
    pub told: Vec<Topic>,
}

/// Rules in force and the decisions that the memory tells, read once for all summaries.
#[derive(Debug)]
pub struct Rules<'r> {
    rules: Vec<&'r Rule>,
    probes: Vec<Probe<'r>>,
    /// What they say, cut into statements, once somebody asked.
    statements: OnceCell<Vec<Vec<Statement>>>,
    /// The identifiers in it.
    texts: identifiers::Texts<'r>,
    /// The markers that stand for them.
    markers: String,
    told: Vec<Topic>,
}

impl<'r> Rules<'r> {
    /// Reads them.
    #[must_use]
    pub fn of(rules: Vec<&'r Rule>, memory: &str) -> Self {
        let probes = rules.iter().map(|rule| Probe::of(&rule.text)).collect();
        let texts = identifiers::Texts::of(rules.iter().map(|rule| (rule.trust, rule.text.as_str())).collect());
        let markers = rules.iter().map(|rule| format!("[rule {}]\n", rule.fingerprint)).collect();
        Self { rules, probes, statements: OnceCell::new(), texts, markers, told: decisions::topics(memory) }
    }

    /// Tells a ground what they say, as said before the span whose last turn it is.
    fn tell<'g>(&'g self, ground: &mut Ground<'g>, turn: u32) {
        let all = self.statements.get_or_init(|| self.rules.iter().map(|rule| statements(&rule.text)).collect());
        for (rule, statements) in self.rules.iter().zip(all) {
            ground.hear(&Said { text: &rule.text, trust: rule.trust, seq: 0, turn: rule.turn.min(turn) }, statements);
        }
    }

    /// The names of rules of which no sentence could be told to go against them: they have no frame.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().zip(&self.probes).filter(|(_, probe)| !probe.sound()).map(|(rule, _)| rule.fingerprint.as_str())
    }
}

/// What a quotation may be told in.
const QUOTES: &[char] = &['"', '\'', '“', '”', '„', '«', '»', ' '];

/// Removals that may make another one necessary.
const PASSES: usize = 3;

/// A text of the span.
#[derive(Debug)]
struct Heard<'s> {
    seq: u32,
    turn: u32,
    run: Run<'s>,
    statements: OnceCell<Vec<Statement>>,
}

impl Heard<'_> {
    fn statements(&self) -> &[Statement] {
        self.statements.get_or_init(|| statements(&self.run.text))
    }
}

/// What a summary of a span is held against.
#[derive(Debug)]
pub struct Against<'s> {
    policy: &'s Policy,
    rules: &'s Rules<'s>,
    made: &'s [task::Decision],
    /// What this commit took before.
    taken: &'s [Topic],
    said: Vec<Heard<'s>>,
    /// What came before the span.
    earlier: &'s [Event],
}

impl<'s> Against<'s> {
    /// The texts of `events`, the rules in force, the decisions that the host recorded, and what this commit took before.
    #[must_use]
    pub fn of(policy: &'s Policy, events: &'s [Event], rules: &'s Rules<'s>, made: &'s [task::Decision], taken: &'s [Topic]) -> Self {
        let mut said = Vec::new();
        for event in events {
            if !matches!(event.presence, Presence::Forgotten | Presence::Replayed) {
                let heard = |run| Heard { seq: event.seq, turn: event.turn, run, statements: OnceCell::new() };
                said.extend(request::runs(event).into_iter().map(heard));
            }
        }
        Self { policy, rules, made, taken, said, earlier: &[] }
    }

    /// The same with the events before the span, which a quotation may be from.
    #[must_use]
    pub fn after(mut self, earlier: &'s [Event]) -> Self {
        self.earlier = earlier;
        self
    }

    /// Whether a sentence quotes, and the user said all that it quotes before the span.
    fn said_before(&self, sentence: &str) -> bool {
        let quotes = quotations(sentence, Span::new(0, sentence.len()));
        let said = |quote: &Span| {
            let holds = |run: Run<'_>| run.trust == Trust::User && run.text.contains(quote.of(sentence).trim_matches(QUOTES));
            let mut users = self.earlier.iter().filter(|event| event.trust == Trust::User);
            quote.of(sentence).contains(' ') && users.any(|event| request::runs(event).into_iter().any(holds))
        };
        !quotes.is_empty() && quotes.iter().all(said)
    }

    /// What the decisions are about that user and agent told in the span.
    #[must_use]
    pub fn topics(&self) -> Vec<Topic> {
        said_decisions(self).iter().map(|(_, _, decision)| Topic::of(decision)).collect()
    }

    /// What was said, read for a summary.
    fn ground(&self, summary: &str) -> Ground<'_> {
        let mut ground = Ground::about(summary);
        self.rules.tell(&mut ground, self.said.last().map_or(0, |heard| heard.turn));
        for heard in &self.said {
            let Heard { seq, turn, run, .. } = heard;
            ground.hear(&Said { text: &run.text, trust: run.trust, seq: *seq, turn: *turn }, heard.statements());
        }
        ground.ready()
    }

    /// Whether a number behind these words is that of a turn or an event of the span, which requests show.
    fn cites(&self, before: &str, number: &str) -> bool {
        let (Some(first), Some(last)) = (self.said.first(), self.said.last()) else { return false };
        let word = before.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_lowercase();
        let known = match word.as_str() {
            "turn" | "turns" => first.turn..=last.turn,
            "event" | "events" | "seq" => first.seq..=last.seq,
            _ => return false,
        };
        number.parse().is_ok_and(|number: u32| known.contains(&number))
    }

    /// What user and agent said themselves.
    fn spoken(&self) -> String {
        let own = self.said.iter().map(|heard| &heard.run).filter(|run| run.tool.is_none() && run.trust >= Trust::Agent);
        own.map(|run| &*run.text).collect::<Vec<_>>().join("\n")
    }

    /// Checks a summary and repairs what can be repaired. `lost` is how much may be added for decisions that are missing, in
    /// tokens; of text that is the source's own, nothing is cited and nothing added.
    ///
    /// # Errors
    /// `check_failed` where a check that refuses found something.
    pub fn repair(&self, summary: &str, about: &str, lost: Option<u32>) -> Result<Repaired> {
        let (text, cite) = (summary.to_owned(), lost.is_some());
        let mut work =
            Work { against: self, about, cite, ground: None, evidence: Vec::new(), told: Vec::new(), quoted: String::new(), text };
        let repairs_claims = lost.is_some() && self.policy.on(Check::Authority) == OnFinding::Repair;
        if repairs_claims {
            // who said what is for us to say
            work.text = authority::without_labels(summary);
        }
        let mut given_back = if let Some(room) = lost { work.decisions(room)? } else { Vec::new() };
        work.contradictions()?;
        // what is taken out may leave a sentence under another heading
        for _ in 0..PASSES {
            if !work.claims()? {
                break;
            }
        }
        if lost.is_some() {
            work.identifiers()?;
            work.outdated(lost.unwrap_or_default(), &mut given_back)?;
        }
        if repairs_claims && authority::tells(&work.text) {
            let text = std::mem::take(&mut work.text);
            // what is cited by now is not asked about
            work.text = work.ground(&authority::without_labels(&text)).label(&text);
        }
        for line in given_back {
            work.text.truncate(work.text.trim_end().len());
            work.text.push('\n');
            work.text.push_str(&line);
        }
        let mut text = if work.evidence.is_empty() { work.text } else { without_bare_labels(&work.text) };
        if let Some(without) = redacted(&text) {
            work.evidence.push(Evidence::new("secret", about, "redacted", SECRET));
            text = without;
        }
        Ok(Repaired { text, evidence: work.evidence, told: work.told })
    }
}

/// A summary under repair.
struct Work<'w, 's> {
    against: &'w Against<'s>,
    about: &'w str,
    cite: bool,
    /// What it is held against, once somebody asked.
    ground: Option<Ground<'w>>,
    evidence: Vec<Evidence>,
    told: Vec<Topic>,
    /// Sentences that quote what was said before the span.
    quoted: String,
    text: String,
}

impl<'w> Work<'w, '_> {
    /// What was said, read when it is first asked about the summary, or about words that a repair put into it.
    fn ground(&mut self, text: &str) -> &Ground<'w> {
        let known = self.ground.take().filter(|ground| ground.is_about(text));
        let ground = known.unwrap_or_else(|| self.against.ground(text));
        self.ground.insert(ground)
    }

    /// Records a finding. Whether it is to be repaired.
    fn found(&mut self, check: Check, kind: &str, about: Option<&str>, repair: &str, text: &str) -> Result<bool> {
        let on = self.against.policy.on(check);
        if on == OnFinding::Refuse {
            return Err(refusal(check, kind, self.about));
        }
        let repairs = on == OnFinding::Repair;
        let evidence = Evidence::new(kind, about.unwrap_or(self.about), if repairs { repair } else { "none" }, text);
        // a check that only reports sees the same twice
        if !self.evidence.contains(&evidence) {
            self.evidence.push(evidence);
        }
        Ok(repairs)
    }

    /// Sentences against a rule in force leave.
    fn contradictions(&mut self) -> Result<()> {
        let rules = self.against.rules;
        let text = std::mem::take(&mut self.text);
        let mut found = fate::contradictions(&rules.probes, &Frames::of(&text));
        found.sort_unstable_by_key(|(_, span)| *span);
        let (mut edited, mut end) = (Edited::of(&text), 0);
        for (rule, span) in found {
            let name = rules.rules.get(rule).map(|rule| rule.fingerprint.as_str());
            // what the user did say is told, and cited; the rule stands all the same
            let anchored = self.ground(&text).check(span.of(&text)).iter().any(authority::Finding::has_authority);
            if anchored {
                self.found(Check::Fate, "rule_contradicted", name, "kept", span.of(&text))?;
                continue;
            }
            if self.found(Check::Fate, "rule_contradicted", name, "removed", span.of(&text))? && span.start >= end {
                edited.remove(authority::behind_label(&text, span));
                end = span.end;
            }
        }
        self.text = edited.finish();
        Ok(())
    }

    /// Claims without an anchor leave; where all others have one, approvals are cited (P8). Whether something left.
    fn claims(&mut self) -> Result<bool> {
        let against = self.against;
        let text = std::mem::take(&mut self.text);
        // a text that claims nothing is not held against anything
        let mut findings = if authority::claims(&text) { self.ground(&text).check(&text) } else { Vec::new() };
        findings.retain(|finding| {
            let proved = finding.claim == Claim::Wish && finding.leaves() && against.said_before(finding.sentence);
            if proved {
                self.quoted.push_str(finding.sentence);
            }
            !proved
        });
        let mut leaves = false;
        for finding in findings.iter().filter(|finding| finding.leaves()) {
            let kind = match finding.standing {
                Standing::Forged { .. } => "claim_forged",
                _ => "claim_unanchored",
            };
            leaves |= self.found(Check::Authority, kind, None, "removed", finding.sentence)?;
        }
        findings.retain(|finding| leaves == finding.leaves());
        self.text = authority::repair(&text, &findings, self.cite && !leaves).0;
        Ok(leaves)
    }

    /// Near misses are put right, sentences with invented identifiers leave (P9).
    fn identifiers(&mut self) -> Result<()> {
        let against = self.against;
        let mut texts: Vec<(Trust, &str)> = against.said.iter().map(|heard| (heard.run.trust, &*heard.run.text)).collect();
        let quoted = std::mem::take(&mut self.quoted);
        texts.push((Trust::User, &quoted));
        let text = std::mem::take(&mut self.text);
        let mut findings = against.rules.texts.check_in(&text, &texts, (Trust::Operator, &against.rules.markers));
        findings.retain(|finding| !against.cites(text.get(..finding.span.start).unwrap_or_default(), finding.text));
        for finding in &findings {
            let (kind, repair) = match finding.fault {
                identifiers::Fault::Changed if finding.is_restorable() => ("identifier_changed", "restored"),
                identifiers::Fault::Changed => ("identifier_changed", "removed"),
                identifiers::Fault::Invented => ("identifier_invented", "removed"),
            };
            self.found(Check::Identifiers, kind, None, repair, finding.text)?;
        }
        let repairs = against.policy.on(Check::Identifiers) == OnFinding::Repair && !findings.is_empty();
        self.text = if repairs { identifiers::repair(&text, &findings).text } else { text };
        Ok(())
    }

    /// Behind a value that the user put right stands what the user said then.
    fn outdated(&mut self, room: u32, given_back: &mut Vec<String>) -> Result<()> {
        let said = self.against.said.iter().filter(|heard| heard.run.trust == Trust::User);
        // most texts put nothing right, and need not be cut into sentences
        if !identifiers::may_be_outdated(&self.text, said.clone().map(|heard| &*heard.run.text)) {
            return Ok(());
        }
        let texts: Vec<(&str, &[Statement])> = said.clone().map(|heard| (&*heard.run.text, heard.statements())).collect();
        let text = self.text.clone();
        for found in identifiers::outdated(&text, &texts) {
            let line = said.clone().nth(found.text).map(|heard| format!("- (user, turn {}) {}", heard.turn, found.line));
            if self.found(Check::Identifiers, "value_outdated", None, "appended", found.old)? {
                given_back.extend(line.filter(|line| !given_back.contains(line) && tokens::estimate(line) <= room));
            }
        }
        Ok(())
    }

    /// Sentences that turn a decision round leave; decisions of the span that are turned round, lost or without their reason
    /// are given back in the words of the source, the newest first where there is no room for all.
    fn decisions(&mut self, room: u32) -> Result<Vec<String>> {
        let against = self.against;
        let said = said_decisions(against);
        if said.len() >= DECISIONS {
            self.evidence.push(Evidence::new("decisions_unchecked", self.about, "none", ""));
        }
        let mut made: Vec<Decision<'_>> = said.iter().map(|(_, _, decision)| decision.clone()).collect();
        let recorded = against.made;
        made.extend(recorded.iter().map(|decision| Decision { topic: &decision.what, polarity: decision.polarity, reason: &decision.why }));
        if made.is_empty() && against.rules.told.is_empty() && against.taken.is_empty() {
            return Ok(Vec::new());
        }
        let topics: Vec<Topic> = made.iter().map(Topic::of).collect();
        let text = std::mem::take(&mut self.text);
        let source = said.iter().map(|(_, line, _)| *line).collect::<Vec<_>>().join("\n");
        let revised = OnceCell::new();
        let (mut gone, mut added, mut left) = (Vec::new(), Vec::new(), room);
        for finding in Told::of(&text).check_about(&made, &topics).into_iter().rev() {
            let (known, flipped) = (said.get(finding.decision), finding.fault == Fault::Flipped);
            let kind = match finding.fault {
                Fault::Flipped if was_revised(finding.evidence, revised.get_or_init(|| Told::of(&source))) => continue,
                Fault::Flipped => "decision_flipped",
                // what was recorded stands in the task state
                _ if known.is_none() => continue,
                Fault::ReasonLost | Fault::ReasonChanged => "decision_reason_lost",
                Fault::Dropped => "decision_lost",
            };
            let words = known.map_or(finding.evidence, |(_, line, _)| *line);
            let given = known.map(|(label, line, _)| format!("- {label} {line}"));
            let size = given.as_deref().map_or(u32::MAX, tokens::estimate).saturating_add(1);
            let repair = if size <= left {
                "appended"
            } else if flipped {
                "removed"
            } else {
                "none"
            };
            if !self.found(Check::Decisions, kind, None, repair, words)? {
                continue;
            }
            if flipped && let Some(at) = text.find(finding.evidence) {
                gone.push(Span::new(at, at + finding.evidence.len()));
            }
            if let Some(line) = given.filter(|_| size <= left) {
                left -= size;
                added.push(line);
            }
        }
        let told = [&against.rules.told[..], against.taken];
        let deciding = Deciding::of(&text);
        let mut turned = deciding.turning(&told);
        if !turned.is_empty() {
            // what was decided anew in this span is told; other decisions stand
            let spoken = against.spoken();
            let anew = Deciding::of(&spoken).only(&told);
            let stands = |topic: &&Topic| anew.turning(&[std::slice::from_ref(*topic)]).is_empty();
            let standing: Vec<Topic> = told.iter().flat_map(|known| known.iter()).filter(stands).cloned().collect();
            turned = deciding.turning(&[&standing]);
        }
        for sentence in turned {
            if let Some(at) = text.find(sentence)
                && !gone.iter().any(|span| (span.start..span.end).contains(&at))
                && self.found(Check::Decisions, "decision_flipped", None, "removed", sentence)?
            {
                gone.push(Span::new(at, at + sentence.len()));
            }
        }
        gone.sort_unstable_by_key(|span| span.start);
        gone.dedup();
        let mut edited = Edited::of(&text);
        gone.into_iter().for_each(|span| edited.remove(span));
        self.text = edited.finish();
        self.told = topics;
        added.reverse();
        Ok(added)
    }
}

/// The decisions that user and agent told in the span, oldest first, each with who said it when.
fn said_decisions<'a>(against: &'a Against<'_>) -> Vec<(String, &'a str, Decision<'a>)> {
    let mut out = Vec::new();
    for heard in against.said.iter().rev() {
        let Heard { turn, run, .. } = heard;
        if run.tool.is_some() || run.trust < Trust::Agent || out.len() >= DECISIONS || !decisions::may_tell(&run.text) {
            continue;
        }
        let label = format!("({}, turn {turn})", run.trust.as_str());
        for (line, made) in decisions::told_in(&run.text, heard.statements()).into_iter().rev() {
            // what the agent claims on somebody's authority is not given back
            let claims = || authority::claim_of(line).is_some_and(|claim| claim != Claim::Done);
            if run.trust >= Trust::User || !claims() {
                out.push((label.clone(), line, made));
            }
        }
    }
    out.reverse();
    out
}

/// Whether the source itself says, somewhere, what the summary says of a decision.
fn was_revised(sentence: &str, source: &Told<'_>) -> bool {
    let claimed = decisions::read(sentence);
    !source.check(&[claimed]).iter().any(|finding| matches!(finding.fault, Fault::Flipped | Fault::Dropped))
}

/// The findings of a receipt: one for each kind, place and repair, with how often.
pub fn findings(evidence: &[Evidence], out: &mut Vec<Finding>) {
    for Evidence { kind, about, repair, .. } in evidence {
        match out.iter_mut().find(|known| known.kind == *kind && known.about == *about && known.repair == *repair) {
            Some(known) => known.count = known.count.saturating_add(1),
            None => out.push(Finding::new(kind, about, repair)),
        }
    }
}
