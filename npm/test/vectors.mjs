// Runs a vector file against the package; the same file serves Node and a browser. The format: tests/vectors/README.md.

/** Reads a vector file. Integers that a double cannot hold become BigInts, as a host would have them. */
export function readFile(text) {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) => (token.startsWith('"') ? token : `{"$bigint":"${token}"}`));
  return JSON.parse(marked, (_, value) => (typeof value?.$bigint === "string" ? BigInt(value.$bigint) : value));
}

/** Runs a vector file. `api` is the package, with `messageDigest` beside it; gives the failures as text. */
export async function runFile(api, file) {
  const failures = [];
  for (const each of file.cases) {
    const run = new Case(api);
    for (const [index, step] of each.steps.entries()) {
      const why = await run.step(step).catch((error) => `the runner failed: ${error.stack ?? error}`);
      if (why !== null) failures.push(`${file.name}/${each.name} step ${index} \`${step.call}\`: ${why}`);
    }
    run.close();
  }
  return failures;
}

class Case {
  #api;
  #saved = new Map();
  #guards = new Map();
  #current;
  /** The host's objects of this case, by their JSON text, to see that a window carries the very ones. */
  #given = new Set();

  constructor(api) {
    this.#api = api;
  }

  close() {
    for (const guard of new Set([...this.#guards.values(), this.#current])) guard?.close?.();
  }

  /** Null, or why the step is not what was wanted. */
  async step(step) {
    let result;
    try {
      result = await this.#call(step, this.#filled(step.args ?? {}));
    } catch (error) {
      if (!(error instanceof this.#api.StandfastError)) return `not an error of ours: ${error.stack ?? error}`;
      if (error.code !== step.error) return `error ${error.code} (${error.message}), wanted ${step.error ?? "none"}`;
      return step.details === undefined ? null : contains(error.details, step.details, "details");
    }
    if (step.error !== undefined) return `no error, wanted ${step.error}`;
    if (step.save !== undefined) this.#saved.set(step.save, result);
    if ("returns" in step && !equal(result, step.returns)) return `got ${JSON.stringify(result)}, wanted ${JSON.stringify(step.returns)}`;
    const why = "matches" in step ? contains(result, step.matches, "result") : null;
    const missing = step.has?.find((text) => !has(result, text));
    const extra = step.lacks?.find((text) => has(result, text));
    if (missing !== undefined) return `no text has ${JSON.stringify(missing)}: ${JSON.stringify(result)}`;
    return extra === undefined ? why : `a text has ${JSON.stringify(extra)}: ${JSON.stringify(result)}`;
  }

  async #call({ call, on, save }, args) {
    const make = (guard) => {
      this.#current = guard;
      if (save !== undefined) this.#guards.set(save, guard);
    };
    // `compact` is a method where the case has a guard, else the published function
    const ofGuard = call in METHODS && this.#current !== undefined;
    if (call in FUNCTIONS && !ofGuard) return FUNCTIONS[call](this.#api, args);
    if (call === "guard") {
      const { trusted_sources, ...policy } = args.policy ?? {};
      make(new this.#api.Guard({ ...camel(policy), ...(trusted_sources && { trustedSources: trusted_sources }), ...(args.shape && { shape: args.shape }) }));
      return null;
    }
    if (call === "restore") {
      const { text, policy, ...options } = args;
      const { rules, messages } = options;
      messages?.forEach((message) => this.#given.add(message));
      make(this.#api.Guard.restore(text, { ...camel({ ...options, rules: undefined, messages: undefined }), rules, messages, ...(policy && { policy: camel(policy) }) }));
      return stored(this.#current.restored);
    }
    const guard = on === undefined ? this.#current : this.#guards.get(on);
    if (guard === undefined) throw new Error("the step has no guard");
    for (const message of [args.message, ...(Array.isArray(args.messages) ? args.messages : [])]) if (typeof message === "object") this.#given.add(message);
    if (call === "fork") {
      make(guard.fork(args));
      return null;
    }
    const method = METHODS[call] ?? ((g, given) => plain(call, g, given));
    const result = await method(guard, args);
    return isWindow(result) ? this.#window(result) : stored(result);
  }

  /** The stored form of a window, after a look at whose objects it carries. */
  #window({ messages, system, pinned, receipt }) {
    const texts = new Map([...this.#given].map((message) => [JSON.stringify(message), message]));
    for (const message of messages) {
      const given = texts.get(JSON.stringify(message));
      if (given !== undefined && !this.#given.has(message)) throw new Error("a message of the host was copied");
    }
    return { messages, system, pinned, receipt: JSON.parse(receipt.toJson()) };
  }

  /** Arguments with saved results in the place of references. */
  #filled(value) {
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (typeof value !== "object" || value === null) return value;
    if (Object.keys(value).length === 1 && "$ref" in value) {
      return value.$ref.split(".").reduce((found, part, i) => {
        const next = i === 0 ? this.#saved.get(part) : found?.[part];
        if (next === undefined) throw new Error(`nothing is saved as \`${value.$ref}\``);
        return next;
      }, undefined);
    }
    return entries(value, (key, item) => [key, this.#filled(item)]);
  }
}

/** Counters that a vector can name; without one the estimator's tokens count. */
const COUNTERS = {
  characters: (text) => [...text].length,
  square: (text) => Math.floor([...text].length ** 2 / 100),
};
const camelItems = (items) => (Array.isArray(items) ? items.map(camel) : items);
/** An item's fields in the spelling of JavaScript. */
const spelled = ({ heading_path, lead_in, ...rest }) => ({ ...rest, headingPath: heading_path, leadIn: lead_in });

/** Free functions: stored arguments by name in, the stored form of the result out. */
const FUNCTIONS = {
  count_tokens: (api, { text }) => api.countTokens(text),
  audit: (api, { rules, text }) => api.audit(rules, text),
  audit_compaction: (api, { before, after, rules }) => {
    const report = api.auditCompaction(before, after, rules);
    return { report: JSON.parse(report.toJson()), text: String(report) };
  },
  // messages are data: their fields stay as they are
  read_session: (api, { text }) => api.readSession(text),
  audit_session: (api, { text, rules }) => {
    const report = api.auditSession(text, rules);
    return { report: JSON.parse(report.toJson()), texts: report.rounds.map(({ report }) => String(report)) };
  },
  render_request: (api, { provider, messages, system }) => {
    const { messages: chat, input, contents, system: slot, instructions, config } = api.renderRequest(provider, messages, { system });
    return { messages: chat ?? input ?? contents, system: slot ?? instructions ?? config?.systemInstruction ?? null };
  },
  check_identifiers: (api, { source, summary, required }) => api.checkIdentifiers(source, summary, { required }),
  check_decisions: (api, { events, summary }) => api.checkDecisions(events, summary),
  check_authority: (api, { events, summary }) => api.checkAuthority(events, summary),
  check_drift: (api, { events, rounds, required }) => api.checkDrift(events, rounds, { required }),
  check_idempotence: (api, { first, second }) => stored(api.checkIdempotence(first, second)),
  compact_knowledge: (api, { items, count, ...options }) => stored(api.compactKnowledge(camelItems(items), { ...options, count: COUNTERS[count] })),
  decompose_knowledge: (api, { items, count, max_tokens }) => stored(api.decomposeKnowledge(camelItems(items), { maxTokens: max_tokens, count: COUNTERS[count] })),
  retrieve_knowledge: (api, { items, query, ...options }) => stored(new api.KnowledgeIndex(camelItems(items)).retrieve(query, options)),
  classify_items: (api, { items, point }) => stored(api.classifyItems(items.map(spelled), { point })),
  triage: (api, { document, source, trust, point }) => stored(api.triage(document, { source, trust, point })),
  explain_item: (api, { item, point }) => stored(api.classifyItems([spelled(item)], { point })[0].explain({ point })),
  extract: (api, { text, budget_tokens }) => api.extract(text, budget_tokens),
  message_digest: (api, { message }) => api.messageDigest(message),
  fingerprint: (api, { text }) => api.fingerprint(text),
  constants: (api) => ({
    CONSTRAINT_SHAPED: `(?i)${api.CONSTRAINT_SHAPED.source}`,
    DISCARDABLE_SHAPED: `(?i)${api.DISCARDABLE_SHAPED.source}`,
    INVARIANT_SOURCES: [...api.INVARIANT_SOURCES],
    PINNED_FOOTER: api.PINNED_FOOTER,
    PINNED_HEADER: api.PINNED_HEADER,
  }),
  classify: (api, { text, source, turn, trust }) => {
    let review = null;
    const item = api.classify(text, source, turn, (flag) => (review = flag), trust === undefined ? {} : { trust });
    return { item, review };
  },
  render_pinned_block: (api, { items }) => api.renderPinnedBlock(items),
  invariants: (api, { items }) => new api.AgentContext(items).invariants,
  render_task_state: (api, { state }) => api.renderTaskState(state),
  compact: async (api, { items, state, summary, round_no }) => {
    const context = new api.AgentContext(items);
    let text = null;
    const messages = await api.compact(context, state, (given) => ((text = given), summary ?? null), round_no);
    return { text, messages, items: context.items.map((item) => ({ declared: false, status: null, ...item })) };
  },
  assert_invariants_present: (api, { messages, items }) => {
    api.assertInvariantsPresent(messages, items);
    return null;
  },
  trigger_policy: (api, args) => {
    const { mechanical, backstop, softFloor } = new api.TriggerPolicy(camel(args));
    return { mechanical, backstop, soft_floor: softFloor };
  },
  trigger_should_compact: (api, { policy, used, boundary }) => {
    const [compact, reason] = new api.TriggerPolicy(camel(policy)).shouldCompact(used, boundary);
    return { compact, reason };
  },
  compact_session: async (api, { source_events, prior_summary, budget_tokens, summary_schema, summary }) =>
    JSON.parse((await api.compactSession(source_events, prior_summary, budget_tokens, summary_schema, () => summary ?? null)).toJson()),
};

/** Methods whose arguments are not simply positional. The others take their arguments in the order they are written. */
const METHODS = {
  declare: (g, { text, ...options }) => g.declare(text, options),
  set_rules: (g, { source, rules, texts }) => g.setRules(source, rules ?? texts),
  supersede: (g, { fp, handle, text, ...options }) => g.supersede(fp ?? handle, text, options),
  revoke: (g, { fp, handle, ...options }) => g.revoke(fp ?? handle, options),
  approve: (g, { fp, handle, ...options }) => g.approve(fp ?? handle, options),
  reject: (g, { fp, handle, ...options }) => g.reject(fp ?? handle, options),
  observe: (g, { message, ...options }) => g.observe(message, options),
  observe_all: (g, { messages, ...options }) => g.observeAll(messages, options),
  sync: (g, { messages, ...options }) => {
    const { appended, edited, removed, firstDivergence } = g.sync(messages, options);
    return { appended, edited, removed, firstDivergence };
  },
  record_decision: (g, { what, why, polarity, ...options }) => g.recordDecision(what, why, polarity, options),
  set_goal: (g, { text, ...options }) => g.setGoal(text, options),
  set_plan: (g, { steps, ...options }) => g.setPlan(steps, options),
  open_question: (g, { text, ...options }) => g.openQuestion(text, options),
  close_question: (g, { which, question, ...options }) => g.closeQuestion(which ?? question, options),
  boundary: (g, { name }) => g.boundary(name),
  usage: (g, { tokens }) => g.usage(tokens),
  overhead: (g, args) => g.overhead(args),
  plan: (g, args) => g.plan(args),
  commit: (g, { plan, summaries }) => g.commit(JSON.stringify(plan), pairs(summaries, camelSummary)),
  compact: (g, { summary = null, ...options }) => (summary === null ? g.compact(null, options) : g.compact(() => camelSummary(summary), options)),
  assert_window: (g, { messages, system }) => g.assertWindow(messages, { system }),
  recall: (g, options) => g.recall(options),
  page_out: (g, { before_seq }) => g.pageOut(before_seq),
  page_in: (g, { messages }) => g.pageIn(pairs(messages, (message) => message, Number)),
  forget: (g, { seqs }) => g.forget(seqs),
  snapshot: (g, { key }) => g.snapshot({ key }),
};

/** A property, or a method without arguments. */
function plain(call, guard, args) {
  const name = camelName(call);
  if (!(name in guard)) throw new Error(`the runner does not know \`${call}\``);
  if (Object.keys(args).length > 0) throw new Error(`the runner knows no arguments of \`${call}\``);
  return typeof guard[name] === "function" ? guard[name]() : guard[name];
}

const camelName = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const snakeName = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const entries = (object, each) => Object.fromEntries(Object.entries(object).map(([key, value]) => each(key, value)));
/** An option object in the package's spelling. */
const camel = (object) => entries(object, (key, value) => [camelName(key), value]);
const camelSummary = (summary) => (typeof summary === "object" && summary !== null ? camel(summary) : summary);
/** A map written as an object or as a list of pairs. */
const pairs = (given, value, key = String) => new Map((Array.isArray(given) ? given : Object.entries(given ?? {})).map(([k, v]) => [key(k), value(v)]));
const isWindow = (value) => typeof value === "object" && value !== null && "messages" in value && "pinned" in value;

/** Fields whose keys are data, so that they are not renamed. */
const DATA = new Set(["items", "undeclared", "trustedSources"]);

/** The stored form of a result. */
function stored(value) {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value.toJson === "function") return JSON.parse(value.toJson());
  return entries(value, (key, item) => [snakeName(key), DATA.has(key) && !Array.isArray(item) ? item : stored(item)]);
}

/** Whether a text of a result, at any depth, has `text` in it. */
const has = (value, text) =>
  typeof value === "string" ? value.includes(text) : typeof value === "object" && value !== null && Object.values(value).some((item) => has(item, text));

function equal(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

/** Null, or where `whole` has not what `part` names: objects may have more fields, lists may not have more entries. */
function contains(whole, part, place) {
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return `${place} is ${JSON.stringify(whole)}, wanted ${JSON.stringify(part)}`;
    for (const [i, item] of part.entries()) {
      const why = contains(whole[i], item, `${place}.${i}`);
      if (why !== null) return why;
    }
    return null;
  }
  if (typeof part === "object" && part !== null && typeof whole === "object" && whole !== null && !Array.isArray(whole)) {
    for (const [key, item] of Object.entries(part)) {
      if (!Object.hasOwn(whole, key)) return `${place} has no \`${key}\``;
      const why = contains(whole[key], item, `${place}.${key}`);
      if (why !== null) return why;
    }
    return null;
  }
  return equal(whole, part) ? null : `${place} is ${JSON.stringify(whole)}, wanted ${JSON.stringify(part)}`;
}
