// Checked by tsc, never run: what must compile and, with @ts-expect-error, what must not.
import { Guard, MemoryStore, StandfastError, audit, auditCompaction, checkAuthority, checkDecisions, checkDrift, checkIdempotence, checkIdentifiers, countTokens, extract, init, type AuditReport, type Summarizer, type Window } from "standfast";

interface Message {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
}

export async function use(messages: Message[]): Promise<Message[]> {
  await init();
  const guard = new Guard<Message>({ windowTokens: 200_000, shape: "openai", store: new MemoryStore() });
  const rule = guard.declare("Never deploy on a Friday.", { source: "policy_loader" });
  guard.supersede(rule.fingerprint, "Never deploy on a Friday or a Saturday.", { by: "ops" });
  const { appended, firstDivergence }: { appended: number; firstDivergence: number | null } = guard.sync(messages);
  const summarizer: Summarizer = async (request, { signal }) => {
    signal?.throwIfAborted();
    return { text: request.prompt.slice(0, request.budgetTokens), finishReason: "stop" };
  };
  const window: Window<Message> | null = await guard.maybeCompact(summarizer, { onError: "raise", concurrency: 2 });
  guard.compactSync((request) => request.text);
  const plan = guard.plan({ asked: "overflow" });
  guard.commit(plan.toJson(), { [plan.requests[0]!.id]: null });
  const found: string[] = guard.assertWindow(window?.messages ?? [], { system: window?.system }).map((f) => f.kind);
  const restored = Guard.restore<Message>(guard.snapshot({ key: "k" }), { messages, key: "k", onBadState: "rebuild" });
  using scoped = guard.fork({ scope: "research" });
  try {
    restored.recall({ span: [0, appended + found.length] });
  } catch (error) {
    if (error instanceof StandfastError) console.log(error.code, error.hint, error.details, error.cause, firstDivergence);
  }
  return (window ?? scoped.window()).messages;
}

export function looked(guard: Guard<Message>, before: readonly Message[], summary: string): string[] {
  const report: AuditReport = auditCompaction(before, guard.window(), guard.rules);
  const kinds: ("weakened" | string)[] = audit(["Never deploy on a Friday."], summary).map((fate) => fate.kind);
  const index: number | null | undefined = report.fates[0]?.place?.index;
  const faults = [...checkIdentifiers(summary, summary, { required: ["OPS-1"] }), ...checkDecisions(before, summary), ...checkAuthority(before, summary)];
  const left: readonly string[] = checkDrift(before, [summary]).rounds.flatMap((round) => round.lost);
  const differs: boolean[] = checkIdempotence(summary, summary).map((found) => found.inFirst);
  return [...left, ...differs.map(String), ...kinds, report.toJson(), String(report), String(index), ...faults.map((found) => found.evidence)];
}

export function misread(before: readonly Message[]): void {
  // @ts-expect-error a list of rules
  auditCompaction(before, before, "Never deploy.");
  // @ts-expect-error a summary is a text
  checkAuthority(before, before);
}

export function wrong(guard: Guard<Message>): void {
  // @ts-expect-error the window is required
  new Guard({});
  // @ts-expect-error one spelling: camelCase
  new Guard({ windowTokens: 1, quality_fraction: 0.5 });
  // @ts-expect-error no such shape
  new Guard({ windowTokens: 1, shape: "cobol" });
  // @ts-expect-error a rule is text
  guard.declare(5);
  // @ts-expect-error not a message of this guard
  guard.observe({ role: "nobody", content: "x" });
  // @ts-expect-error no such trust
  guard.observe({ role: "user", content: "x" }, { trust: "king" });
  // @ts-expect-error who changes a rule is required
  guard.revoke("0123456789abcdef");
  // @ts-expect-error no such seam
  guard.boundary("lunch");
  // @ts-expect-error no such polarity
  guard.recordDecision("x", "y", "perhaps");
  // @ts-expect-error a summary is text
  void guard.compact(async () => 5);
  // @ts-expect-error the synchronous one takes no promise
  guard.compactSync(async () => "x");
  // @ts-expect-error a span has two ends
  guard.recall({ span: [1] });
  // @ts-expect-error tokens are a number
  guard.usage("5");
  // @ts-expect-error results are not functions to be called
  guard.rules();
  // @ts-expect-error a fingerprint is not an index
  const n: number = guard.rules[0]!.fingerprint;
  // @ts-expect-error no budget
  extract("x");
  void [n, countTokens("x")];
}
