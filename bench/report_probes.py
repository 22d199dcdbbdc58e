"""Cases about the packages themselves: what can be run here is run, the rest names the test that does it."""

import threading

from report_setup import Absent

import standfast as sf

NPM = "run by npm/packaging/packaging.test.mjs: "
WHERE = (
    ("next", "not tried with Next.js; the server entry is the same for any Node bundle, " + NPM + "'Node, CommonJS', 'Node, ES module'"),
    ("jest", NPM + "'Node, CommonJS' (plain `require` without a transform)"),
    ("vite", NPM + "'bundled by vite, without a plugin'"),
    ("webpack", NPM + "'bundled by esbuild'; webpack is not tried"),
    ("esbuild", NPM + "'bundled by esbuild, with the wasm as bytes'"),
    ("typescript", NPM + "'attw has nothing to say'"),
    ("worker", NPM + "'a web worker', 'Node, a worker thread'"),
    ("browser", NPM + "'every vector in the browser'"),
    ("node", "run by npm/test/input.test.mjs: malformed input is an error of ours, and later calls work"),
    ("deno", "not tried with Deno"),
    ("bun", "not tried with Bun"),
)


def malformed():
    cyclic = {"role": "user", "content": []}
    cyclic["content"].append(cyclic)
    deep = "x"
    for _ in range(50_000):
        deep = [deep]
    return [
        None,
        7,
        "text",
        [],
        {"role": 3},
        cyclic,
        {"role": "user", "content": float("nan")},
        {"role": "user", "content": deep},
        {"role": "user", "content": "\ud800"},
    ]


def bad_input():
    """Whatever comes in, an error of ours or a value: never a panic, and the guard works afterwards."""
    guard = sf.Guard(window_tokens=10_000)
    for message in malformed():
        try:
            guard.observe(message)
        except sf.StandfastError:
            pass
        except Exception as error:
            return f"{type(error).__name__} is none of ours"
    guard.observe({"role": "user", "content": "hello"})
    return None if sf.count_tokens("hello") > 0 and guard.window().messages else "the guard is of no use afterwards"


def threads(seconds):
    """Eight threads compact, their summarizers start threads that call again."""
    faults = []

    def summarize(request):
        inner = threading.Thread(target=lambda: sf.count_tokens(request.text))
        inner.start()
        inner.join(seconds)
        if inner.is_alive():
            faults.append("an inner thread hangs")
        return "Short."

    def work():
        guard = sf.Guard(window_tokens=4_000)
        for i in range(40):
            guard.observe({"role": "user", "content": f"Please look at the beds of garden {i} and say what grows there. " * 4})
            guard.observe({"role": "assistant", "content": f"In garden {i} there are roses, as in the last one. " * 4})
        guard.compact(summarize)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(seconds)
    return "threads hang" if any(worker.is_alive() for worker in workers) else next(iter(faults), None)


def probe(case):
    setup = case["setup"]
    code = " ".join(str(action.get("code", "")) for action in case["action"]).lower()
    if "project" in setup:
        project = str(setup["project"]).lower()
        why = next((why for word, why in WHERE if word in project), None)
        raise Absent(why or "no such project is tried; " + NPM + "see there")
    if "image" in setup or any(action["op"] == "pip_install" for action in case["action"]):
        raise Absent("wheels for other systems are not built here; the extension is abi3 for CPython 3.10 and later")
    if "python" in setup:
        if "thread" in code:
            fault = threads(max([e.get("n", 20) for e in case["expect"]]))
        elif any(word in code for word in ("malformed", "except", "invalid")):
            fault = bad_input()
        else:
            raise Absent("a program of its own; see python/tests")
        return ("wrong", [fault]) if fault else ("right", [])
    raise Absent("not about compaction of messages")
