//! Prints what the engine costs as a run grows, beside the bars, and fails where one is missed:
//! `cargo run --release -p standfast --example scaling`, or some sections only: `… --example scaling times memory`.
//!
//! Times are processor time of this thread, so that other work on the machine does not count.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::float_arithmetic,
    reason = "an example that measures: it prints fractions and ends where something is not as expected"
)]
#![expect(unsafe_code, reason = "the counting allocator and the processor clock are foreign interfaces")]

#[path = "../benches/messages/mod.rs"]
mod messages;

use standfast::ordered::Map;
use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::Value;
use standfast::{Guard, ObserveOptions, Plan, Policy, RestoreOptions, Summaries, Summary};

/// Counts the bytes in use and their highest number.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn count(grown: usize, shrunk: usize) {
    let live = LIVE.fetch_add(grown, Relaxed) + grown;
    PEAK.fetch_max(live, Relaxed);
    LIVE.fetch_sub(shrunk, Relaxed);
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // the allocator may have both for a moment
        count(new_size, layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Processor time of this thread in nanoseconds.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    const THREAD: i32 = 3;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the struct is the C library's `timespec` on 64-bit Linux and outlives the call.
    unsafe { clock_gettime(THREAD, &raw mut time) };
    u64::try_from(time.seconds * 1_000_000_000 + time.nanoseconds).unwrap()
}

/// Wall clock where there is no other.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "an example may read the clock; the core may not")]
fn now() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    u64::try_from(START.get_or_init(std::time::Instant::now).elapsed().as_nanos()).unwrap()
}

/// The best of `rounds` times of `work` in nanoseconds; `prepare` does not count.
fn best<T, R>(rounds: u32, mut prepare: impl FnMut() -> T, mut work: impl FnMut(&mut T) -> R) -> u64 {
    let one = |_| {
        let mut ready = prepare();
        let start = now();
        let result = work(&mut ready);
        let taken = now() - start;
        drop(result);
        taken
    };
    (0..rounds).map(one).min().unwrap()
}

/// The table, and whether every bar held.
struct Table {
    held: bool,
}

impl Table {
    fn section(&self, title: &str) {
        println!("\n{title}");
    }

    fn row(&mut self, what: &str, measured: f64, unit: &str, bar: Option<f64>) {
        let ok = bar.is_none_or(|bar| measured <= bar);
        self.held &= ok;
        let bar = bar.map_or_else(String::new, |bar| format!("bar {bar:>8} {unit:3} {}", if ok { "held" } else { "MISSED" }));
        println!("  {what:58} {measured:>10.2} {unit:3} {bar}");
    }
}

fn guard(window: u32, rules: usize) -> Guard {
    let mut guard = Guard::new(Policy::for_window(window), None).unwrap();
    let texts: Vec<String> = (0..rules).map(messages::rule).collect();
    guard.set_rules("policy_loader", &texts).unwrap();
    guard
}

fn observed(window: u32, rules: usize, history: &[Value]) -> Guard {
    let mut guard = guard(window, rules);
    for message in history {
        guard.observe(message, &ObserveOptions::default()).unwrap();
    }
    guard
}

fn answered(plan: &Plan, text: &str) -> Summaries {
    let summary = Some(Summary { text: text.to_owned(), finish_reason: None });
    plan.requests.iter().map(|request| (request.id.clone(), summary.clone())).collect()
}

/// Compacts, and gives the bytes of text that were to be summarized.
fn compact(guard: &mut Guard) -> usize {
    let plan = guard.plan(None).unwrap();
    let summaries = answered(&plan, "x");
    guard.commit(&plan, &summaries).unwrap();
    plan.requests.iter().map(|request| request.text.len()).sum()
}

/// How a host hands its messages in.
#[derive(Clone, Copy)]
enum Entry {
    Observe,
    Sync,
}

/// Bytes of text in a message of the growing runs.
const GROWING_BYTES: usize = 300;

/// What a run came to.
struct Run {
    /// Nanoseconds an event.
    event: f64,
    /// Nanoseconds of compaction for each KB of text that the requests asked to summarize, remakes included.
    summarized_kb: f64,
    compactions: u32,
    /// Nanoseconds an event in the third and in the last quarter of the run.
    late: [f64; 2],
}

/// A run of `n` events. `window` decides how often a compaction falls due.
fn run(n: u64, window: u32, entry: Entry, compacting: bool) -> Run {
    let mut guard = guard(window, 20);
    let options = ObserveOptions::default();
    let (mut taken, mut in_compactions, mut summarized, mut compactions) = (0, 0, 0, 0);
    let mut quarters = [0_u64; 4];
    for chunk in 0..n / 500 {
        let messages: Vec<Value> = (chunk * 500..(chunk + 1) * 500).map(|at| messages::nth(at, GROWING_BYTES)).collect();
        let start = now();
        for (at, message) in (chunk * 500..).zip(&messages) {
            match entry {
                Entry::Observe => drop(guard.observe(message, &options).unwrap()),
                Entry::Sync => drop(guard.sync(u32::try_from(at).unwrap(), std::slice::from_ref(message), &options).unwrap()),
            }
            if guard.should_compact().unwrap().compact && compacting {
                let start = now();
                summarized += compact(&mut guard);
                in_compactions += now() - start;
                compactions += 1;
            }
        }
        let chunk_taken = now() - start;
        taken += chunk_taken;
        if let Some(quarter) = usize::try_from(chunk * 500 * 4 / n).ok().and_then(|quarter| quarters.get_mut(quarter)) {
            *quarter += chunk_taken;
        }
    }
    let summarized_kb = in_compactions as f64 / (summarized as f64 / 1_024.0);
    let [_, _, third, last] = quarters.map(|taken| taken as f64 / (n as f64 / 4.0));
    Run { event: taken as f64 / n as f64, summarized_kb, compactions, late: [third, last] }
}

/// The exponent of a power law through points of size and cost: 0 is flat, 1 grows with the history.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

fn growth(table: &mut Table) {
    let bar = Some(0.1);
    // The large window has no bar on an event over the whole run: at 1,000 events it has been compacted once, and until its
    // summaries fill their tenth of the window compactions fall due ever more often. See bench/README.md.
    let kinds = [
        ("observe + should_compact, never compacted", 20_000, Entry::Observe, false, bar),
        ("observe + should_compact, compacted as it falls due", 20_000, Entry::Observe, true, bar),
        ("sync of one new message + should_compact, compacted", 20_000, Entry::Sync, true, bar),
        ("observe + should_compact, compacted, large window", 200_000, Entry::Observe, true, None),
    ];
    for (name, window, entry, compacting, bar_on_event) in kinds {
        table.section(&format!("An event of {GROWING_BYTES} bytes: {name}, window {window}"));
        let (mut events, mut kilobytes, mut late) = (Vec::new(), Vec::new(), [0.0; 2]);
        for (n, rounds) in [(1_000, 9), (10_000, 5), (100_000, 2)] {
            let runs: Vec<Run> = (0..rounds).map(|_| run(n, window, entry, compacting)).collect();
            let best = |of: fn(&Run) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
            let (event, summarized) = (best(|run| run.event), best(|run| run.summarized_kb));
            late = [best(|run| run.late[0]), best(|run| run.late[1])];
            let compactions = runs.iter().map(|run| run.compactions).max().unwrap_or_default();
            table.row(&format!("{n:>7} events, {compactions:>4} compactions: an event"), event / 1_000.0, "µs", None);
            if compacting {
                table.row("                 a KB summarized", summarized / 1_000.0, "µs", None);
            }
            events.push((n as f64, event));
            kilobytes.push((n as f64, summarized));
        }
        table.row("exponent of an event, 1,000 to 100,000", exponent(&events), "", bar_on_event);
        if compacting {
            table.row("exponent of a KB summarized, 1,000 to 100,000", exponent(&kilobytes), "", bar);
        }
        table.row("  50,001 to  75,000: an event", late[0] / 1_000.0, "µs", None);
        table.row("  75,001 to 100,000: an event", late[1] / 1_000.0, "µs", None);
    }
}

fn times(table: &mut Table) {
    table.section("Single calls, best of many");
    let before = observed(1_000_000, 20, &messages::history(60, 1_000));
    let options = ObserveOptions::default();
    // twenty messages at once: the clock is coarse
    let mut observe = |name: &str, bar: f64, make: &dyn Fn(u64) -> Value| {
        let messages: Vec<Value> = (0..20).map(make).collect();
        let all = |guard: &mut Guard| messages.iter().map(|message| guard.observe(message, &options).unwrap()).collect::<Vec<_>>();
        table.row(&format!("observe, 1 KB, {name}"), best(200, || before.clone(), all) as f64 / 20_000.0, "µs", Some(bar));
    };
    observe("text", 25.0, &|n| messages::plain(n, 1_024));
    observe("tool call", 25.0, &|n| messages::call(n + 1_000_000, 1_024));
    observe("tool result", 25.0, &|n| messages::result(n + 1_000_000, 1_024));
    observe("a rule in it, said before", 80.0, &|_| messages::ask_with_rule(5_000, 1_024));
    observe("a new rule in it", 80.0, &|n| messages::ask_with_rule(n + 5_000, 1_024));

    let history = messages::history(1_000, 1_024);
    let mut warm = observed(1_000_000, 20, &history);
    let same = best(50, || (), |()| warm.sync(1_000, &[], &options).unwrap());
    table.row("sync, 1,000 messages known to be the same", same as f64 / 1e6, "ms", Some(1.0));
    let equal = best(50, || (), |()| warm.sync(0, &history, &options).unwrap());
    table.row("sync, 1,000 messages compared by content (1 MB)", equal as f64 / 1e6, "ms", Some(1.0));
    for (name, commits) in [("nothing folded", 0), ("folded", 1)] {
        for _ in 0..commits {
            compact(&mut warm);
        }
        let text = warm.snapshot(None, false).unwrap().text;
        let load = || {
            let mut guard = Guard::restore(&text, &RestoreOptions::default(), None, &Map::new()).unwrap().guard;
            guard.sync(0, &history, &options).unwrap();
            guard
        };
        table.row(&format!("load and first sync of 1,000 messages, {name}"), best(20, || (), |()| load()) as f64 / 1e6, "ms", Some(15.0));
    }

    let history = messages::history(10_000, 400);
    let mut full = observed(1_000_000, 20, &history);
    let planned = best(15, || (), |()| full.plan(None).unwrap());
    table.row("plan of 10,000 events, 4 MB", planned as f64 / 1e6, "ms", None);
    let plan = full.plan(None).unwrap();
    let summaries = answered(&plan, "x");
    let committed = best(15, || full.clone(), |guard| guard.commit(&plan, &summaries).unwrap());
    table.row("commit of it", committed as f64 / 1e6, "ms", None);
    table.row("plan + commit", (planned + committed) as f64 / 1e6, "ms", Some(60.0));
    table.row("should_compact", best(200, || (), |()| full.should_compact().unwrap()) as f64 / 1e3, "µs", None);
    let history = messages::history(1_000, 1_024);
    let warm = observed(1_000_000, 20, &history);
    table.row("window with 1,000 messages", best(50, || (), |()| warm.window().unwrap()) as f64 / 1e3, "µs", None);
}

/// Bytes of the strings of a message that are text.
fn text_bytes(message: &Value) -> usize {
    let of = |value: &Value, place: &str| value.pointer(place).and_then(Value::as_str).map_or(0, str::len);
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    of(message, "/content") + calls.map(|call| of(call, "/function/arguments")).sum::<usize>()
}

fn memory(table: &mut Table) {
    table.section("Peak memory of 10,000 events, 4 MB: (peak - 512 B an event) / text");
    let history = messages::history(10_000, 400);
    let text: usize = history.iter().map(text_bytes).sum();
    let options = ObserveOptions::default();
    let mut peak = |name: &str, work: &mut dyn FnMut()| {
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        work();
        let peak = PEAK.load(Relaxed) - before;
        let multiple = (peak as f64 - 512.0 * history.len() as f64) / text as f64;
        table.row(name, multiple.max(0.0), "x", Some(4.0));
    };
    peak("observe", &mut || drop(observed(1_000_000, 20, &history)));
    peak("observe, plan, commit", &mut || {
        compact(&mut observed(1_000_000, 20, &history));
    });
    peak("first sync of the whole list", &mut || {
        guard(1_000_000, 20).sync(0, &history, &options).unwrap();
    });
    let mut full = observed(1_000_000, 20, &history);
    compact(&mut full);
    let snapshot = full.snapshot(None, false).unwrap().text;
    drop(full);
    peak("load, first sync", &mut || {
        let mut guard = Guard::restore(&snapshot, &RestoreOptions::default(), None, &Map::new()).unwrap().guard;
        guard.sync(0, &history, &options).unwrap();
    });
}

fn snapshots(table: &mut Table) {
    table.section("Snapshot of 50 rules and 20 segments");
    // a tenth of the window for segments would merge them before there are twenty
    let policy = Policy { segments_tokens: Some(10_000), ..Policy::for_window(50_000) };
    let mut guard = Guard::new(policy, None).unwrap();
    let texts: Vec<String> = (0..50).map(messages::rule).collect();
    guard.set_rules("policy_loader", &texts).unwrap();
    let mut at = 0;
    while guard.segments().len() < 20 {
        for _ in 0..60 {
            guard.observe(&messages::nth(at, 1_024), &ObserveOptions::default()).unwrap();
            at += 1;
        }
        let plan = guard.plan(None).unwrap();
        let summaries = answered(&plan, &messages::prose(at, 400));
        guard.commit(&plan, &summaries).unwrap();
    }
    let (rules, segments) = (guard.rules().len(), guard.segments().len());
    let inline = guard.snapshot(None, false).unwrap().text.len();
    let detached = guard.snapshot(None, true).unwrap().text.len();
    println!("  {rules} rules, {segments} segments, {at} events");
    table.row("with its texts", inline as f64 / 1024.0, "KB", None);
    table.row("texts in a store", detached as f64 / 1024.0, "KB", Some(8.0));
}

/// A summary of about 2 KB of the messages of a request: what a model writes, with identifiers, a decision and a claim.
fn written(number: usize, request: &standfast::Request) -> String {
    let mut out = format!("Work on part {number}. The user asked to look at the orders one by one; results were noted.\n");
    for line in request.text.lines().filter(|line| !line.contains("[rule ")) {
        let text = line.split_once("\"text\":\"").map_or("", |(_, text)| text.trim_end_matches("\"}"));
        if out.len() < 1_900 && text.len() > 20 {
            out.push_str("- ");
            out.push_str(text.get(..text.len().min(160)).unwrap_or(text));
            out.push_str(".\n");
        }
    }
    out + "It was decided to keep the plan, and the second queue was rejected because it doubles the latency.\n"
}

/// What the checks add to a commit: the same plan with answers of one character, and with ten of 2 KB beside 50 rules.
fn checks(table: &mut Table) {
    table.section("Checks in the commit path, best of many");
    for (events, name) in [(1_000, "400 KB"), (2_500, "1 MB")] {
        let history = messages::history(events, 400);
        let text: usize = history.iter().map(text_bytes).sum();
        let per_request = u32::try_from(text / 4 / 8).unwrap_or(u32::MAX);
        let policy = Policy {
            summarizer_window_tokens: Some(per_request),
            summary_tokens: Some(12_000),
            tail_tokens: Some(2_000),
            ..Policy::for_window(1_000_000)
        };
        let mut full = Guard::new(policy, None).unwrap();
        full.set_rules("policy_loader", &(0..50).map(messages::rule).collect::<Vec<_>>()).unwrap();
        for message in &history {
            full.observe(message, &ObserveOptions::default()).unwrap();
        }
        let plan = full.plan(None).unwrap();
        let one = answered(&plan, "x");
        let whole: Summaries = plan
            .requests
            .iter()
            .enumerate()
            .map(|(number, request)| (request.id.clone(), Some(Summary { text: written(number, request), finish_reason: None })))
            .collect();
        let short = best(15, || full.clone(), |guard| guard.commit(&plan, &one).unwrap());
        let long = best(15, || full.clone(), |guard| guard.commit(&plan, &whole).unwrap());
        let n = plan.requests.len();
        table.row(&format!("{n} answers of one character, 50 rules, source {name}"), short as f64 / 1e6, "ms", None);
        let added = (long.saturating_sub(short)) as f64 / 1e6;
        table.row(&format!("{n} answers of 2 KB: added"), added, "ms", None);
        table.row("the same for ten answers", added * 10.0 / n as f64, "ms", (events == 1_000).then_some(40.0));
    }
}

type Section = fn(&mut Table);

/// The parts of the table by name.
const SECTIONS: &[(&str, Section)] =
    &[("times", times), ("checks", checks), ("memory", memory), ("snapshots", snapshots), ("growth", growth)];

#[expect(clippy::disallowed_methods, reason = "an example may read its arguments; the core may not")]
fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut table = Table { held: true };
    for (name, section) in SECTIONS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            section(&mut table);
        }
    }
    if table.held {
        println!("\nevery bar held");
        ExitCode::SUCCESS
    } else {
        println!("\na bar was MISSED");
        ExitCode::FAILURE
    }
}
