"""The world of one report case: a host with its list of messages, a guard beside it, and what came of each action."""

import asyncio
import copy
import json

import report_setup as setup
from report_setup import Absent, Untranslated

import standfast as sf

FILLER = (
    "Before we come to that, please read the minutes of the gardening club and tell me whether the plants of the north bed "
    "were watered in the second week, who wrote the minutes, and whether there is anything about the greenhouse in them.",
    "The minutes are from the second week and are written in a neat hand. The north bed was watered on two evenings, the "
    "greenhouse is mentioned once: its door sticks. There is nothing else of note in them, and nobody asked a question.",
)
MEMORY = ("<standfast-memory", "## MEMORY (notes")


class Step:
    """What an action came to."""

    def __init__(self, op):
        self.op, self.outcome, self.decision = op, None, None
        self.window = self.receipt = self.error = self.verdict = None
        self.flags, self.asked, self.tokens = [], 0, None

    def words(self):
        """Everything said about it, for `reason_mentions`."""
        said = [self.outcome, self.decision, self.verdict and self.verdict.reason]
        if self.receipt:
            said += [self.receipt.reason, self.receipt.outcome, *(f.kind for f in self.receipt.findings)]
        if self.error is not None:
            said += [getattr(self.error, "code", ""), str(self.error), getattr(self.error, "hint", "") or ""]
        return " ".join(str(word) for word in [*said, *self.flags] if word)


class FailingStore(sf.MemoryStore):
    fails = False
    puts = 0

    def put_many(self, texts, /):
        if self.fails:
            raise OSError("the disk is full")
        self.puts += len([digest for digest in texts if digest in self._texts])
        super().put_many(texts)


class World:
    def __init__(self, case, padded=False):
        self.case, self.padded = case, padded
        given = case["setup"]
        self.policy = dict(given.get("policy") or {})
        self.shape, messages = setup.messages_of(given)
        self.given = copy.deepcopy(messages)
        self.host = self.with_filler(messages, at_front=True)
        self.running = set(given.get("running_tools") or ())
        self.store = FailingStore() if given.get("store") else None
        self.steps, self.requests, self.fillers, self.sizes = [], [], [], []
        self.calls = self.warnings = self.applied = 0
        self.others = []
        self.rules = {}
        self.guard = self.pending = self.saved = self.before_restore = self.crash = None
        self.tail = None

    # the host

    def with_filler(self, messages, at_front):
        """In a padded world each stretch of talk begins with enough of it to be worth a request."""
        if not self.padded:
            return list(messages)
        extra = [{"role": "user", "content": FILLER[0]}, {"role": "assistant", "content": FILLER[1]}]
        at = 0
        while at_front and at < len(messages) and messages[at].get("role") in ("system", "developer"):
            at += 1
        # an answer to a call that is open belongs right behind it
        if not at_front and messages and messages[0].get("role") == "tool":
            return list(messages)
        return [*messages[:at], *extra, *messages[at:]]

    def open(self, tail=None):
        """The guard: made at the first need, with another tail restored from its own snapshot."""
        if tail is None:
            tail = self.tail
        if self.guard is None:
            self.tail = tail
            unknown = self.policy.keys() - setup.KNOWN.keys()
            if unknown:
                raise Untranslated(f"policy fields {sorted(unknown)}")
            self.guard = sf.Guard(setup.fields_of(self.policy, tail), shape=self.shape, store=self.store)
            for name, text, scope in setup.rules_of(self.policy):
                rule = self.guard.declare(text, scope=scope)
                self.rules[name] = rule
                if scope in ("finished", "done", "inactive", "expired"):
                    self.guard.revoke(rule.fingerprint, by="host")
            beside = self.case["setup"]
            if "system" in beside or "tools" in beside:
                self.guard.overhead(system=setup.long_texts(beside.get("system")), tools=setup.long_texts(beside.get("tools")))
        elif tail != self.tail:
            self.tail = tail
            self.reopen()
        self.guard.sync(self.host)
        return self.guard

    def reopen(self, **more):
        """The same guard in another process, with the host's present rules, policy and list."""
        text = self.guard.snapshot()
        rules = {"policy_loader": [rule.text for rule in self.guard.rules if "policy_loader" in rule.sources]}
        fields = setup.fields_of(self.policy, self.tail)
        self.guard = sf.Guard.restore(text, messages=self.host, rules=rules, policy=fields, store=self.store, **more)

    def tail_of(self, n):
        """What the last `n` messages cost, as the guard counts."""
        probe = sf.Guard(window_tokens=100_000, shape=self.shape)
        sizes = [seen.tokens for seen in probe.observe_all(self.host)]
        return max(1, sum(sizes[len(sizes) - n :])) if n else 1

    def report_usage(self):
        usage = self.case["setup"].get("reported_usage")
        if usage is not None:
            self.guard.usage(setup.usage_of(usage))
        elif self.policy.get("counter") == "chars/4":
            window = self.guard.window()
            beside = self.case["setup"]
            more = [setup.long_texts(beside.get("system")), setup.long_texts(beside.get("tools"))]
            self.guard.usage(setup.characters(window.messages, window.system, more))

    def summarizer(self, step, returns):
        answers = returns if isinstance(returns, list) else [returns]

        def answer(request):
            self.requests.append(request)
            self.calls += 1
            step.asked += 1
            now = setup.long_texts(answers[min(step.asked, len(answers)) - 1])
            if now is None or isinstance(now, str):
                return now if now is not None else ""
            if any(key in now for key in ("error", "raises", "raise", "status")):
                raise RuntimeError("the provider failed")
            return {"text": now.get("text") or "", "finish_reason": now.get("finish_reason")}

        return answer

    # actions

    def run(self):
        for action in self.case["action"]:
            self.act(action)
        return self

    def act(self, action):
        step = Step(action["op"])
        method = getattr(self, "do_" + action["op"], None)
        if method is None:
            raise Untranslated(f"action `{action['op']}`")
        self.steps.append(step)
        try:
            method(step, {key: value for key, value in action.items() if key != "op"})
        except sf.StandfastError as error:
            step.error = error
            refusals = (sf.CommitRefused, sf.PlanRefused, sf.StalePlan)
            step.outcome = "refused" if isinstance(error, refusals) else "error"
        except (Absent, Untranslated):
            raise
        except OSError as error:
            step.error, step.outcome = error, "error"
        except Exception as error:
            step.error, step.outcome, self.crash = error, "crash", error
        self.look(step)

    def look(self, step):
        """The window after the action, where there is one."""
        try:
            if step.window is None and self.guard is not None and step.op != "configure":
                self.guard.sync(self.host)
                step.window = self.guard.window()
            if self.store is not None and self.guard is not None:
                step.size = len(self.guard.snapshot())
                self.sizes.append(step.size)
        except (sf.StandfastError, OSError) as error:
            step.error = step.error or error

    def settle(self, step, window):
        """The outcome of a window, in the words of the cases."""
        step.window, step.receipt = window, window.receipt
        repairs = {finding.repair for finding in window.receipt.findings}
        if window.receipt.outcome != "compacted":
            step.outcome = "skipped"
            return
        self.applied += 1
        if "extractive" in repairs:
            step.outcome = "degraded"
        elif repairs & {"removed", "restored", "appended"}:
            step.outcome = "repaired"
        else:
            step.outcome = "applied"

    def do_compact(self, step, args):
        returns = args.get("summariser_returns", args.get("summarizer_returns"))
        n = args.get("keep_last_messages", args.get("keep_last"))
        if n is None and "messages" in (self.policy.get("keep") or {}):
            n = self.policy["keep"]["messages"]
        guard = self.open(self.tail if n is None else self.tail_of(n))
        if args.get("cancel_during"):
            return self.cancelled(step, guard)
        failing = next((args[key] for key in ("summariser_raises", "summariser_fails", "summariser_error") if key in args), None)
        if failing is not None:
            returns = [{"error": failing}]
        if returns is None:
            return self.settle(step, guard.compact(None))
        window = guard.compact(self.summarizer(step, returns))
        self.settle(step, window)
        if args.get("store_fails_on"):
            self.store.fails = True
            guard.snapshot()

    def cancelled(self, step, guard):
        async def main():
            async def never(request):
                self.requests.append(request)
                started.set()
                await asyncio.sleep(60)

            started = asyncio.Event()
            work = asyncio.ensure_future(guard.acompact(never))
            waiting = asyncio.ensure_future(started.wait())
            await asyncio.wait([work, waiting], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            work.cancel()
            try:
                return await work
            except asyncio.CancelledError:
                return None

        window = asyncio.run(main())
        step.outcome = "cancelled"
        if window is not None:
            self.settle(step, window)

    def do_maybe_compact(self, step, args):
        messages = (self.policy.get("trigger") or {}).get("messages")
        guard = self.open()
        self.report_usage()
        step.verdict = guard.should_compact()
        step.receipt = guard.receipt
        step.decision = "compact" if step.verdict else "keep"
        if not step.verdict and not args.get("force"):
            if messages is not None and len(self.host) >= messages:
                raise Absent("there is no trigger by the number of messages; tokens and seams decide")
            step.outcome = "skipped"
            return
        given = args.get("summariser_returns") or {"text": "The talk so far, in short.", "finish_reason": "stop"}
        self.settle(step, guard.compact(self.summarizer(step, given)))

    def do_decide(self, step, _):
        if "messages" in (self.policy.get("trigger") or {}):
            raise Absent("there is no trigger by the number of messages; tokens and seams decide")
        guard = self.open()
        self.report_usage()
        step.verdict = guard.should_compact()
        step.receipt = guard.receipt
        step.decision = "compact" if step.verdict else "keep"

    def do_on_overflow_error(self, step, args):
        guard = self.open()
        if self.policy.get("auto") is False or self.policy.get("enabled") is False:
            # an integration asks before it answers an overflow, and is told `off`
            step.verdict = guard.should_compact()
            step.receipt, step.outcome = guard.receipt, "refused"
            return
        given = args.get("summariser_returns")
        summarizer = self.summarizer(step, given) if given else None
        self.settle(step, guard.compact(summarizer, asked="overflow"))

    def do_configure(self, step, _):
        step.outcome = "configured"
        self.guard = sf.Guard(setup.fields_of(self.policy, None))

    def do_set_policy(self, _, args):
        self.policy |= args
        if self.guard is not None:
            self.reopen()

    def do_append(self, _, args):
        if self.guard is not None:
            self.guard.sync(self.host)
        self.host = self.host + self.with_filler(setup.long_texts(args["messages"]), at_front=False)
        if self.guard is not None:
            self.guard.sync(self.host)

    def do_insert_before(self, _, args):
        at = next(i for i, message in enumerate(self.host) if message.get("id") == args["id"])
        self.host = [*self.host[:at], *setup.long_texts(args["messages"]), *self.host[at:]]
        self.open()

    def do_edit(self, _, args):
        at = next(i for i, message in enumerate(self.host) if message.get("id") == args["id"])
        self.host = [
            *self.host[:at],
            {**self.host[at], **setup.long_texts(args.get("with", {"content": args.get("content")}))},
            *self.host[at + 1 :],
        ]
        self.open()

    def do_delete(self, _, args):
        self.host = [message for message in self.host if message.get("id") not in (args.get("ids") or [args.get("id")])]
        self.open()

    def do_truncate(self, _, args):
        self.host = self.host[: args.get("to", args.get("n"))]
        self.open()

    def do_effective_messages(self, step, _):
        step.window = self.open().window()

    def do_render(self, step, _):
        step.window = self.open().window()

    def do_plan(self, step, args):
        n = args.get("keep_last_messages")
        guard = self.open(self.tail if n is None else self.tail_of(n))
        self.pending = guard.plan()
        self.requests += self.pending.requests
        step.outcome = "planned"

    def do_apply_plan(self, step, args):
        given = args.get("summariser_returns")
        answer = self.summarizer(step, given)
        answers = {request.id: answer(request) for request in self.pending.requests}
        guard = self.open()
        self.settle(step, guard.commit(self.pending, answers))

    def do_parallel(self, step, args):
        """Branches as two workers would run them: all plan, then each commits."""
        plans = []
        for branch in args["branches"]:
            for action in branch:
                if action["op"] != "compact":
                    raise Untranslated(f"a branch with `{action['op']}`")
                guard = self.open(self.tail_of(action["keep_last_messages"]))
                plans.append((guard.plan(), action.get("summariser_returns")))
        for plan, returns in plans:
            one = Step("compact")
            answer = self.summarizer(one, returns)
            try:
                self.settle(one, self.guard.commit(plan, {request.id: answer(request) for request in plan.requests}))
            except (sf.StalePlan, sf.CommitRefused) as error:
                one.error, one.outcome = error, "refused"
            self.others.append(one)
        step.outcome = self.others[-1].outcome
        step.window = self.guard.window()

    def do_loop(self, _, args):
        for _turn in range(args["times"]):
            for action in args["body"]:
                self.act(copy.deepcopy(action))

    def do_serialise(self, step, _):
        self.before_restore = self.open().window()
        self.saved = self.guard.snapshot()
        step.outcome = "saved"

    def do_restore_from_json(self, step, _):
        json.loads(self.saved)
        rules = {"policy_loader": [rule.text for rule in self.guard.rules if "policy_loader" in rule.sources]}
        fields = setup.fields_of(self.policy, self.tail)
        self.guard = sf.Guard.restore(self.saved, messages=self.host, rules=rules, policy=fields, store=self.store)
        step.outcome = "restored"
        step.window = self.guard.window()

    def do_restore(self, step, args):
        if "messages" in args:
            self.host = setup.long_texts(args["messages"])
        if self.saved is not None:
            return self.do_restore_from_json(step, args)
        self.guard = None  # nothing was stored: the host's list is all there is
        step.outcome = "restored"
        step.window = self.open().window()

    def do_check(self, step, _):
        """Reads a history as it is, then folds it, since a repair is only ever in a window."""
        guard = sf.Guard(window_tokens=100_000, shape=self.shape)
        step.flags = [flag for seen in guard.observe_all(self.host) for flag in seen.flags]
        self.guard = guard
        step.window = guard.window()

    def do_verify(self, step, args):
        guard = self.open()
        if any("scope" in rule for rule in self.policy.get("pins") or []):
            raise Untranslated("verify with scopes")
        try:
            found = guard.assert_window(setup.long_texts(args["candidate"]))
            step.outcome, step.flags = "pass", [finding.kind for finding in found]
        except sf.InvariantLost as error:
            step.outcome, step.error, step.flags = "fail", error, ["pin_missing"]

    def do_count(self, step, _):
        probe = sf.Guard(window_tokens=10_000_000, shape=self.shape)
        step.tokens = sum(seen.tokens for seen in probe.observe_all(m for m in self.host if m.get("content") not in FILLER))

    def do_render_for_summariser(self, step, _):
        guard = self.open(1)
        plan = guard.plan()
        self.requests += plan.requests
        step.outcome = "planned"

    do_render_for_summarizer = do_render_for_summariser

    def do_report_usage(self, _, args):
        self.open()
        self.guard.usage(args.get("tokens") or setup.usage_of(args))

    def do_declare(self, _, args):
        rule = self.open().declare(setup.long_texts(args["text"]))
        self.rules[args.get("id", args["text"])] = rule

    do_add_pin = do_declare

    def do_revoke(self, _, args):
        name = args.get("pin", args.get("id"))
        self.open().revoke(self.rules[name].fingerprint, by="host")

    do_remove_pin = do_revoke

    def do_supersede(self, _, args):
        name = args.get("pin", args.get("id"))
        self.rules[name] = self.open().supersede(self.rules[name].fingerprint, setup.long_texts(args["text"]), by="host")

    do_update_pin = do_supersede

    def do_fork(self, step, args):
        self.guard = self.open().fork(args.get("scope"))
        step.outcome = "forked"

    def do_limit(self, _step, _args):
        raise Absent("messages are never cut off without a summary")

    def do_clear_tool_results(self, _step, _args):
        raise Absent("results are folded with their calls, never cleared alone")

    do_maybe_clear = do_clear_tool_results

    # what a window shows

    def last(self):
        return next((step for step in reversed(self.steps) if step.window is not None), None)

    def window(self):
        step = self.last()
        return step.window if step else None

    def is_memory(self, message):
        return any(any(mark in text for mark in MEMORY) for text in setup.texts_of(message.get("content")))

    def place(self, where):
        """The texts of a part of the last window, or of the requests."""
        if where in ("summariser_input", "summarizer_input"):
            return [request.prompt for request in self.requests]
        window = self.window()
        if window is None:
            return [text for message in self.host for text in setup.texts_of(message)]
        system = setup.texts_of(window.system) if window.system else []
        memory = [text for message in window.messages if self.is_memory(message) for text in setup.texts_of(message)]
        rest = [text for message in window.messages if not self.is_memory(message) for text in setup.texts_of(message)]
        if where == "summary":
            return memory
        if where in ("outside_summary", "outside summary"):
            return system + rest
        if where in ("messages", "items", "window", "anywhere"):
            return system + [text for message in window.messages for text in setup.texts_of(message)]
        if where == "system":
            return system + [t for m in window.messages if m.get("role") in ("system", "developer") for t in setup.texts_of(m)]
        if where in ("tail", "kept", "kept_tail"):
            return rest
        raise Untranslated(f"the place `{where}`")
