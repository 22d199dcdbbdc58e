"""How close the token estimator comes to the o200k vocabulary.

Needs `pip install bpe-openai` and STANDFAST_DATA (a folder with `labels/lines.jsonl`). Prints, for each half of the
files, the mean absolute relative error per line, the total ratio and the share of lines under-estimated.

    STANDFAST_DATA=... python bench/tokens.py [--worst N] [more .txt or .jsonl files, one text a line]
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def ours(texts):
    command = ["cargo", "run", "-q", "--release", "-p", "standfast", "--example", "count_tokens"]
    feed = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(command, cwd=ROOT, input=feed, text=True, capture_output=True, check=True)
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]


def report(name, texts, encode, worst=0):
    texts = [text for text in texts if text.strip()]
    if not texts:
        return
    truth = [len(encode(text)) for text in texts]
    guess = ours(texts)
    error = [abs(low - true) / true for (low, _), true in zip(guess, truth)]
    total = sum(low for low, _ in guess) / sum(truth)
    high = sum(up for _, up in guess) / sum(truth)
    under = sum(low < true for (low, _), true in zip(guess, truth)) / len(truth)
    under_upper = sum(up < true for (_, up), true in zip(guess, truth)) / len(truth)
    print(
        f"{name:24} lines {len(truth):6}  error {sum(error) / len(error):6.1%}  total {total:.3f}  upper total {high:.3f}"
        f"  under {under:6.1%}  upper under {under_upper:6.2%}"
    )
    ranked = sorted(zip(error, truth, guess, texts), key=lambda row: row[0], reverse=True)
    for row in ranked[:worst]:
        print(f"    true {row[1]} estimate {row[2][0]} upper {row[2][1]}: {row[3][:100]!r}")


def half(group):
    return hashlib.sha256(group.encode()).digest()[0] & 1


def main():
    try:
        from bpe_openai import get_encoding
    except ImportError:
        sys.exit("skipped: pip install bpe-openai")
    encode = get_encoding("o200k_base").encode_ordinary
    arguments = sys.argv[1:]
    worst = 0
    if arguments[:1] == ["--worst"]:
        worst, arguments = int(arguments[1]), arguments[2:]
    folder = os.environ.get("STANDFAST_DATA")
    if not folder or not (pathlib.Path(folder) / "labels" / "lines.jsonl").is_file():
        print("skipped: STANDFAST_DATA does not name a folder with labels/lines.jsonl")
    else:
        data = pathlib.Path(folder)
        rows = [json.loads(line) for line in (data / "labels" / "lines.jsonl").open(encoding="utf-8")]
        parts = ([], [])
        for row in rows:
            parts[half(row.get("file") or row["repo"].split("/")[0])].append(row["text"])
        report("labels, tuned on", parts[0], encode, worst)
        report("labels, other half", parts[1], encode, worst)
        lines = []
        for path in sorted((data / "trajectories").glob("*")):
            lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
        report("transcript lines", [line[:2000] for line in lines], encode, worst)
        turns = [json.loads(line) for line in (data / "directives.jsonl").open(encoding="utf-8")]
        for lang in sorted({turn["lang"] for turn in turns}):
            report(f"user turns, {lang}", [turn["text"] for turn in turns if turn["lang"] == lang], encode, worst)
    for path in arguments:
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        if path.endswith(".jsonl"):
            lines = [json.loads(line) for line in lines]
        report(pathlib.Path(path).name, lines, encode, worst)


if __name__ == "__main__":
    main()
