// The same few steps in every environment; gives what each must see.
export async function smoke({ Guard, StandfastError, init }) {
  await init();
  const guard = new Guard({ windowTokens: 8_000 });
  const rule = guard.declare("Never issue a refund above GBP 500 without a human approver.");
  const messages = Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `Step ${i}: ${"rows were read. ".repeat(20)}` }));
  guard.sync(messages);
  const window = await guard.compact(async () => "x");
  let code = "";
  try {
    guard.assertWindow([{ role: "user", content: "no rules here" }]);
  } catch (error) {
    code = error instanceof StandfastError && error instanceof Error ? `${error.name}/${error.code}` : String(error);
  }
  const last = window.messages[window.messages.length - 1] === messages[messages.length - 1];
  guard.close();
  return JSON.stringify({ fingerprint: rule.fingerprint, outcome: window.receipt.outcome, digest: window.receipt.pinnedDigest, code, last });
}
