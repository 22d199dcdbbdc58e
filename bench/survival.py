"""What is left of an agent's rules after five compactions: the usual rolling summary beside standfast.

    python bench/survival.py                       the three transcripts of the demo
    python bench/survival.py chat.json             any file of chat messages (OpenAI or Anthropic; list, object, JSON lines)
    python bench/survival.py chat.json --rules AGENTS.md --window 32000 --json

Without rules in the file or by --rules, the rules are what the guard promotes from the user's own words.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from chat_files import BadInput, read

try:
    from arms import DESTRUCTIVE, Guarded, Usual, measure, tokens_of

    import standfast as sf
except ImportError as missing:
    print(f"survival.py: {missing}; install the package first (`pip install ./python`, or `make demo`)", file=sys.stderr)
    sys.exit(2)

DEMO = [Path(__file__).resolve().parent / "transcripts" / f"{name}.json" for name in ("settlements", "medical", "coding")]
SUMMARIZERS = ("destructive", "extractive")


def run(script, window_tokens, summarizer, rounds):
    """Plays a transcript until it has been compacted `rounds` times; the rows of its table."""
    guarded, usual, rows = Guarded(script, window_tokens, summarizer), Usual(script, window_tokens, summarizer), []
    last_tail = script.head
    for at, message in enumerate(script.messages):
        for given in script.rules:
            if given.message == at and not given.said:
                guarded.rule(given)
                usual.rule(given)
        verdict = guarded.verdict() if message["role"] == "assistant" else None
        if verdict and verdict.compact:
            before = guarded.window(), usual.window()
            after, pinned, tail = guarded.compact()
            if tail > last_tail:  # else nothing could be folded, and no round has happened
                last_tail = tail
                usual.compact(tail)
                due = [g.text for g in script.rules if g.message < at or (g.message == at and not g.said)]
                if not script.rules:
                    due = [rule.text for rule in guarded.guard.rules]
                ours = measure(window_tokens, due, before[0], after)
                ours.pinned = pinned
                theirs = measure(window_tokens, due, before[1], usual.window())
                rows.append(
                    {
                        "round": len(rows) + 1,
                        "message": at,
                        "reason": str(verdict.reason),
                        "rules": len(due),
                        "usual": theirs.as_dict(),
                        "standfast": ours.as_dict(),
                    }
                )
                if len(rows) == rounds:
                    break
        guarded.message(message)
        usual.message(at, message)
    return rows


def compare(script, window, rounds):
    """Both summarizers on one transcript."""
    total = tokens_of(script.system, script.messages)
    head = tokens_of(script.system, script.messages[: script.head])
    window_tokens = window or script.window_tokens or max(2_000, 2 * head + (total - head) * 5 // 11)  # about five rounds
    return [
        {
            "transcript": script.name, "about": script.about, "messages": len(script.messages), "tokens": total,
            "window_tokens": window_tokens, "rules_given": len(script.rules), "summarizer": summarizer,
            "rounds": run(script, window_tokens, summarizer, rounds),
        }
        for summarizer in SUMMARIZERS
    ]  # fmt: skip


def cells(row, arm):
    figures, due = row[arm], row["rules"]
    moved = f"{figures['tokens_before']:,} > {figures['tokens']:,} {figures['share']:4.0%}"
    rules, words = f"{figures['verbatim']}/{due}", f"{figures['words']}/{due}"
    return f"{moved:>21} {rules:>6} {words:>6} {figures['prefix']:>6.0%}"


def table(result):
    said = {
        "destructive": f'destructive summarizer, it answers "{DESTRUCTIVE}"',
        "extractive": "the built-in extractive summarizer",
        "recorded": "SmolLM2-135M, recorded",
    }
    half = f"{'occupancy':>21} {'rules':>6} {'words':>6} {'prefix':>6}"
    lines = [
        "",
        f"{result['transcript']}: {result['messages']} messages, {result['tokens']:,} tokens, window {result['window_tokens']:,} tokens",
        f"{said[result['summarizer']]}",
        "",
        f"{'':32}│ {'usual rolling summary':^42} │ {'standfast':^56}",
        f"{'round':>5} {'message':>7}  {'trigger':<17}│ {half} │ {half}  {'pinned':<12}",
        f"{'─' * 32}┼{'─' * 44}┼{'─' * 57}",
    ]
    for row in result["rounds"]:
        reason = row["reason"].removeprefix("boundary:").replace("headroom_", "")

        start = f"{row['round']:>5} {row['message']:>7}  {reason:<17}"
        lines.append(f"{start}│ {cells(row, 'usual')} │ {cells(row, 'standfast')}  {row['standfast']['pinned']}")
    if not result["rounds"]:
        lines.append(f"  never compacted: {result['tokens']:,} tokens do not fill half of the window; try a smaller --window")
    return "\n".join(lines)


LEGEND = """
occupancy: tokens of the window before > after the round, share of the model's window. rules: standing word for word. words: all of a
rule's numbers and content words somewhere in the window. prefix: share of the new window's bytes that the window before began with (what
a provider's cache can keep). pinned: digest of the pinned block; it changes only when a rule is added or taken away.
"""


def verdict(results):
    """One paragraph, from the figures alone."""
    ended = [r for r in results if r["rounds"]]
    if not ended:
        return "Nothing was compacted, so there is nothing to compare."
    parts = []
    for summarizer in SUMMARIZERS:
        last = [r["rounds"][-1] for r in ended if r["summarizer"] == summarizer]
        due = sum(row["rules"] for row in last)
        if not due:
            parts.append(f"With the {summarizer} summarizer there was no rule to lose.")
            continue
        kept = {arm: sum(row[arm]["verbatim"] for row in last) for arm in ("usual", "standfast")}
        words = sum(row["usual"]["words"] for row in last)
        parts.append(
            f"With the {summarizer} summarizer the usual way has {kept['usual']} of {due} rules ({kept['usual'] / due:.0%}) word for word "
            f"after the last round and {words} ({words / due:.0%}) by numbers and content words; "
            f"standfast has {kept['standfast']} of {due} ({kept['standfast'] / due:.0%})."
        )
    rows = [row for r in ended for row in r["rounds"]]
    had_rules = any(row["rules"] for row in rows)
    broken = sum(row["standfast"]["verbatim"] < row["rules"] for row in rows)
    mean = {arm: {key: sum(row[arm][key] for row in rows) / len(rows) for key in ("prefix", "share")} for arm in ("usual", "standfast")}
    if had_rules:
        parts.append(f"standfast missed a rule in {broken or 'none'} of the {len(rows)} rounds.")
    ours, theirs = mean["standfast"], mean["usual"]
    parts.append(
        f"The windows of standfast fill {ours['share']:.0%} of the model's window after a round (usual: {theirs['share']:.0%}) and keep "
        f"{ours['prefix']:.0%} of their bytes as an unchanged prefix (usual: {theirs['prefix']:.0%})."
    )
    return " ".join(parts)


def wrapped(text, width=128):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="survival.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of chat messages (default: the three transcripts of the demo)")
    parser.add_argument("--rules", metavar="FILE", help="rules, one a line or as a Markdown list, given at the start")
    parser.add_argument(
        "--window", type=int, metavar="TOKENS", help="the model's window (default: the file's own, or one that gives about five rounds)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="stop after this many compactions (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    try:
        if options.window is not None and options.window < 1_000:
            raise BadInput(f"--window {options.window}: a window has at least 1,000 tokens")
        if options.rounds < 1:
            raise BadInput(f"--rounds {options.rounds}: at least one round is needed")
        scripts = [read(path, options.rules) for path in options.files or DEMO]
        results = []
        for script in scripts:
            results += compare(script, options.window, options.rounds)
            if not options.json:
                print("\n".join(table(r) for r in results[-len(SUMMARIZERS) :]), flush=True)
    except BadInput as e:
        print(f"survival.py: {e}", file=sys.stderr)
        return 2
    except sf.StandfastError as e:
        hint = f" ({e.hint})" if getattr(e, "hint", None) else ""
        print(f"survival.py: {getattr(e, 'code', 'error')}: {e}{hint}", file=sys.stderr)
        return 1 if isinstance(e, sf.InvariantLost) else 2
    text = verdict(results)
    print(json.dumps({"results": results, "verdict": text}, indent=1) if options.json else f"\n{wrapped(LEGEND)}\n\n{wrapped(text)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
