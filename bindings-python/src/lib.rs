//! The Python binding: convert, call, convert. Nothing is decided here; `standfast.guard` keeps the host's objects.

mod convert;
mod error;
mod knowledge;

/// The native part of the package `standfast`. Use the package, not this module.
#[pyo3::pymodule]
mod _core {
    use std::sync::Mutex;

    use pyo3::prelude::*;
    use pyo3::types::PyType;
    use serde_json::{Map, Value};
    use standfast::{Code, DeclareOptions, Error, Guard as Core, ObserveOptions, Plan as CorePlan, RestoreOptions};

    use crate::convert::{self, to_py};
    use crate::error;

    #[pymodule_export]
    use crate::knowledge::{KnowledgeIndex, KnowledgeWork};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    type Any<'py> = Bound<'py, PyAny>;
    type Out<'py> = PyResult<Bound<'py, PyAny>>;

    /// A plan as the engine made it.
    #[pyclass(frozen, module = "standfast._core")]
    struct Plan {
        inner: CorePlan,
    }

    #[pymethods]
    impl Plan {
        /// All fields as plain data.
        fn wire<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.inner)
        }

        /// The stored form.
        fn to_json(&self, py: Python<'_>) -> PyResult<String> {
            serde_json::to_string(&self.inner).map_err(|_| error::exception(py, &Error::argument("the plan cannot be written")))
        }

        /// Reads the stored form.
        #[classmethod]
        #[pyo3(signature = (text, /))]
        fn from_json(cls: &Bound<'_, PyType>, text: &Any<'_>) -> PyResult<Self> {
            let bad = || error::exception(cls.py(), &Error::argument("`text` is not a stored plan"));
            let value: serde_json::Value = serde_json::from_str(&convert::text(text, "text")?).map_err(|_| bad())?;
            Ok(Self { inner: standfast::json::read(value).map_err(|_| bad())? })
        }
    }

    /// The engine of one run, behind a lock.
    #[pyclass(frozen, module = "standfast._core")]
    struct Guard {
        inner: Mutex<Core>,
    }

    impl Guard {
        fn of(inner: Core) -> Self {
            Self { inner: Mutex::new(inner) }
        }

        /// Runs `work` with the interpreter released. The lock is taken inside, so that it never waits for the interpreter.
        fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Core) -> standfast::Result<T> + Send) -> PyResult<T> {
            error::run(py, || work(&mut *self.inner.lock().map_err(|_| error::uncertain())?))
        }
    }

    #[pymethods]
    impl Guard {
        #[new]
        #[pyo3(signature = (policy, shape=None))]
        fn new(py: Python<'_>, policy: &Any<'_>, shape: Option<&Any<'_>>) -> PyResult<Self> {
            let (policy, shape) = (convert::policy(policy)?, convert::word(shape, "shape", Code::UnknownShape)?);
            error::run(py, || Core::new(policy, shape)).map(Self::of)
        }

        fn policy<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.policy()))?)
        }

        fn shape<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.shape()))?)
        }

        #[pyo3(signature = (text, source, scope=None, principal=None))]
        fn declare<'py>(&self, text: &Any<'py>, source: &Any<'py>, scope: Option<&Any<'py>>, principal: Option<&Any<'py>>) -> Out<'py> {
            let py = text.py();
            let (text, source) = (convert::rule_text(text, "text")?, convert::text(source, "source")?);
            let (scope, principal) = (convert::optional_text(scope, "scope")?, convert::optional_text(principal, "principal")?);
            let options = DeclareOptions { source, scope, principal };
            to_py(py, &self.run(py, |core| core.declare(&text, &options))?)
        }

        #[pyo3(signature = (source, texts))]
        fn set_rules<'py>(&self, source: &Any<'py>, texts: &Any<'py>) -> Out<'py> {
            let py = source.py();
            let (source, texts) = (convert::text(source, "source")?, convert::texts(texts, "texts")?);
            to_py(py, &self.run(py, |core| core.set_rules(&source, &texts))?)
        }

        #[pyo3(signature = (handle, text, by, source))]
        fn supersede<'py>(&self, handle: &Any<'py>, text: &Any<'py>, by: &Any<'py>, source: &Any<'py>) -> Out<'py> {
            let py = handle.py();
            let (handle, text) = (convert::text(handle, "handle")?, convert::rule_text(text, "text")?);
            let (by, source) = (convert::text(by, "by")?, convert::text(source, "source")?);
            to_py(py, &self.run(py, |core| core.supersede(&handle, &text, &by, &source))?)
        }

        #[pyo3(signature = (handle, by, source))]
        fn revoke<'py>(&self, handle: &Any<'py>, by: &Any<'py>, source: &Any<'py>) -> Out<'py> {
            let py = handle.py();
            let (handle, by, source) = (convert::text(handle, "handle")?, convert::text(by, "by")?, convert::text(source, "source")?);
            to_py(py, &self.run(py, |core| core.revoke(&handle, &by, &source))?)
        }

        #[pyo3(signature = (handle, by, source))]
        fn approve<'py>(&self, handle: &Any<'py>, by: &Any<'py>, source: &Any<'py>) -> Out<'py> {
            let py = handle.py();
            let (handle, by, source) = (convert::text(handle, "handle")?, convert::text(by, "by")?, convert::text(source, "source")?);
            to_py(py, &self.run(py, |core| core.approve(&handle, &by, &source))?)
        }

        #[pyo3(signature = (handle, by, source))]
        fn reject<'py>(&self, handle: &Any<'py>, by: &Any<'py>, source: &Any<'py>) -> Out<'py> {
            let py = handle.py();
            let (handle, by, source) = (convert::text(handle, "handle")?, convert::text(by, "by")?, convert::text(source, "source")?);
            to_py(py, &self.run(py, |core| core.reject(&handle, &by, &source))?)
        }

        fn rules<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.rules()))?)
        }

        fn all_rules<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.all_rules()))?)
        }

        fn held<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.held()))?)
        }

        fn review_queue<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.review_queue()))?)
        }

        fn changes<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.changes()))?)
        }

        #[pyo3(signature = (message, source=None, trust=None, principal=None))]
        fn observe<'py>(
            &self,
            message: &Any<'py>,
            source: Option<&Any<'py>>,
            trust: Option<&Any<'py>>,
            principal: Option<&Any<'py>>,
        ) -> Out<'py> {
            let py = message.py();
            let message = convert::json(message, "message")?;
            let options = observe_options(source, trust, principal, message.replaced)?;
            to_py(py, &self.run(py, |core| core.observe(&message.value, &options))?)
        }

        #[pyo3(signature = (unchanged, messages, source=None, trust=None, principal=None))]
        fn sync<'py>(
            &self,
            unchanged: u32,
            messages: &Any<'py>,
            source: Option<&Any<'py>>,
            trust: Option<&Any<'py>>,
            principal: Option<&Any<'py>>,
        ) -> Out<'py> {
            let py = messages.py();
            let messages = convert::messages(messages, "messages")?;
            let options = observe_options(source, trust, principal, messages.replaced)?;
            to_py(py, &self.run(py, |core| core.sync(unchanged, &messages.value, &options))?)
        }

        #[pyo3(signature = (what, why, polarity, source=None))]
        fn record_decision(&self, what: &Any<'_>, why: &Any<'_>, polarity: &Any<'_>, source: Option<&Any<'_>>) -> PyResult<()> {
            let (what_text, why) = (convert::text(what, "what")?, convert::text(why, "why")?);
            let (polarity, source) = (convert::text(polarity, "polarity")?, convert::optional_text(source, "source")?);
            self.run(what.py(), |core| core.record_decision(&what_text, &why, &polarity, source.as_deref()))
        }

        #[pyo3(signature = (text, source=None))]
        fn set_goal(&self, text: &Any<'_>, source: Option<&Any<'_>>) -> PyResult<()> {
            let (goal, source) = (convert::text(text, "text")?, convert::optional_text(source, "source")?);
            self.run(text.py(), |core| core.set_goal(&goal, source.as_deref()))
        }

        #[pyo3(signature = (steps, source=None))]
        fn set_plan(&self, steps: &Any<'_>, source: Option<&Any<'_>>) -> PyResult<()> {
            let (plan, source) = (convert::texts(steps, "steps")?, convert::optional_text(source, "source")?);
            self.run(steps.py(), |core| core.set_plan(&plan, source.as_deref()))
        }

        #[pyo3(signature = (text, source=None))]
        fn open_question(&self, text: &Any<'_>, source: Option<&Any<'_>>) -> PyResult<String> {
            let (question, source) = (convert::text(text, "text")?, convert::optional_text(source, "source")?);
            self.run(text.py(), |core| core.open_question(&question, source.as_deref()))
        }

        #[pyo3(signature = (which, source=None))]
        fn close_question(&self, which: &Any<'_>, source: Option<&Any<'_>>) -> PyResult<bool> {
            let (question, source) = (convert::text(which, "which")?, convert::optional_text(source, "source")?);
            self.run(which.py(), |core| core.close_question(&question, source.as_deref()))
        }

        fn task<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.task().clone()))?)
        }

        #[pyo3(signature = (name, /))]
        fn boundary(&self, name: &Any<'_>) -> PyResult<()> {
            let boundary = convert::text(name, "name")?;
            self.run(name.py(), |core| core.boundary(&boundary))
        }

        #[pyo3(signature = (tokens, /))]
        fn usage(&self, tokens: &Any<'_>) -> PyResult<()> {
            let used = convert::count(tokens, "tokens")?;
            self.run(tokens.py(), |core| core.usage(used))
        }

        #[pyo3(signature = (system=None, tools=None))]
        fn overhead(&self, py: Python<'_>, system: Option<&Any<'_>>, tools: Option<&Any<'_>>) -> PyResult<u32> {
            let system = system.map(|system| convert::json(system, "system")).transpose()?.map(|read| read.value);
            let tools = tools.map(|tools| convert::json(tools, "tools")).transpose()?.map(|read| read.value);
            self.run(py, |core| core.overhead(system.as_ref(), tools.as_ref()))
        }

        fn should_compact<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, Core::should_compact)?)
        }

        fn window<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| core.window())?)
        }

        #[pyo3(signature = (asked=None))]
        fn plan(&self, py: Python<'_>, asked: Option<&Any<'_>>) -> PyResult<Plan> {
            let asked = convert::word(asked, "asked", Code::InvalidArgument)?;
            Ok(Plan { inner: self.run(py, |core| core.plan(asked))? })
        }

        #[pyo3(signature = (plan, summaries))]
        fn commit<'py>(&self, plan: &Bound<'py, Plan>, summaries: &Any<'py>) -> Out<'py> {
            let (py, plan, summaries) = (summaries.py(), &plan.get().inner, convert::summaries(summaries)?);
            to_py(py, &self.run(py, |core| core.commit(plan, &summaries))?)
        }

        fn commit_extractive<'py>(&self, plan: &Bound<'py, Plan>) -> Out<'py> {
            let (py, plan) = (plan.py(), &plan.get().inner);
            to_py(py, &self.run(py, |core| core.commit_extractive(plan))?)
        }

        #[pyo3(signature = (messages, system=None))]
        fn assert_window<'py>(&self, messages: &Any<'py>, system: Option<&Any<'py>>) -> Out<'py> {
            let py = messages.py();
            let messages = convert::messages(messages, "messages")?.value;
            let system = system.map(|system| convert::json(system, "system")).transpose()?.map(|read| read.value);
            to_py(py, &self.run(py, |core| core.assert_window(&messages, system.as_ref()))?)
        }

        fn receipt<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.receipt().clone()))?)
        }

        fn evidence<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.evidence().to_vec()))?)
        }

        fn segments<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.segments()))?)
        }

        fn degraded<'py>(&self, py: Python<'py>) -> Out<'py> {
            to_py(py, &self.run(py, |core| Ok(core.degraded()))?)
        }

        #[pyo3(signature = (first, last))]
        fn recall<'py>(&self, first: &Any<'py>, last: &Any<'py>) -> Out<'py> {
            let span = (convert::count(first, "span")?, convert::count(last, "span")?);
            to_py(first.py(), &self.run(first.py(), |core| core.recall(span))?)
        }

        #[pyo3(signature = (query, span, k))]
        fn search<'py>(&self, query: &Any<'py>, span: Option<(Any<'py>, Any<'py>)>, k: &Any<'py>) -> Out<'py> {
            let (py, k) = (query.py(), convert::count(k, "k")?);
            let query = convert::text(query, "query")?;
            let span =
                span.map(|(first, last)| Ok::<_, PyErr>((convert::count(&first, "span")?, convert::count(&last, "span")?))).transpose()?;
            to_py(py, &self.run(py, |core| core.search(&query, span, k))?)
        }

        #[pyo3(signature = (before_seq, /))]
        fn page_out(&self, before_seq: &Any<'_>) -> PyResult<Vec<u32>> {
            let before = convert::count(before_seq, "before_seq")?;
            self.run(before_seq.py(), |core| core.page_out(before))
        }

        #[pyo3(signature = (messages, /))]
        fn page_in(&self, messages: &Any<'_>) -> PyResult<Vec<u32>> {
            let by_seq = convert::messages_by_seq(messages, "messages")?;
            self.run(messages.py(), |core| core.page_in(&by_seq))
        }

        #[pyo3(signature = (seqs, /))]
        fn forget(&self, seqs: &Any<'_>) -> PyResult<Vec<u32>> {
            let list = convert::counts(seqs, "seqs")?;
            self.run(seqs.py(), |core| core.forget(&list))
        }

        #[pyo3(signature = (scope=None))]
        fn fork(&self, py: Python<'_>, scope: Option<&Any<'_>>) -> PyResult<Self> {
            let scope = convert::optional_text(scope, "scope")?;
            self.run(py, |core| core.fork(scope.as_deref())).map(Self::of)
        }

        fn close(&self, py: Python<'_>) -> PyResult<()> {
            self.run(py, |core| {
                core.close();
                Ok(())
            })
        }

        /// The snapshot's text, and the texts that belong into a store.
        #[pyo3(signature = (key=None, detach=false))]
        fn snapshot<'py>(&self, py: Python<'py>, key: Option<&Any<'py>>, detach: bool) -> Out<'py> {
            let key = convert::optional_text(key, "key")?;
            let snapshot = self.run(py, |core| core.snapshot(key.as_deref().map(str::as_bytes), detach))?;
            to_py(py, &(snapshot.text, snapshot.texts))
        }

        /// A guard from a snapshot, and how it stands to the messages given.
        #[classmethod]
        #[pyo3(signature = (text, messages, texts, key=None, rules=None, policy=None, min_generation=None, on_bad_state=None))]
        #[expect(clippy::too_many_arguments, reason = "one argument for each keyword of Guard.restore")]
        fn restore<'py>(
            cls: &Bound<'py, PyType>,
            text: &Any<'py>,
            messages: Option<&Any<'py>>,
            texts: &Any<'py>,
            key: Option<&Any<'py>>,
            rules: Option<&Any<'py>>,
            policy: Option<&Any<'py>>,
            min_generation: Option<&Any<'py>>,
            on_bad_state: Option<&Any<'py>>,
        ) -> PyResult<(Self, Bound<'py, PyAny>)> {
            let py = cls.py();
            let text = convert::text(text, "text")?;
            let messages = messages.map(|messages| convert::messages(messages, "messages")).transpose()?.map(|read| read.value);
            let texts = convert::text_map(texts, "texts")?;
            let given = [
                ("key", convert::optional_text(key, "key")?.map(Value::from)),
                ("rules", rules.map(|rules| convert::texts_map(rules, "rules")).transpose()?.map(|rules| rules.into_iter().collect())),
                ("policy", policy.map(|policy| convert::json(policy, "policy")).transpose()?.map(|read| read.value)),
                ("min_generation", min_generation.map(|least| convert::count(least, "min_generation")).transpose()?.map(Value::from)),
                ("on_bad_state", convert::optional_text(on_bad_state, "on_bad_state")?.map(Value::from)),
            ];
            if let Some(policy) = policy {
                convert::policy(policy)?; // for an error that names the field
            }
            let options = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Map<_, _>>();
            let options: RestoreOptions = standfast::json::read(Value::Object(options))
                .map_err(|_| error::exception(py, &Error::argument("`on_bad_state` is \"raise\" or \"rebuild\"")))?;
            let restored = error::run(py, || Core::restore(&text, &options, messages.as_deref(), &texts))?;
            Ok((Self::of(restored.guard), to_py(py, &restored.verdict)?))
        }

        /// Digests of the texts that a store must give before `restore`.
        #[classmethod]
        #[pyo3(signature = (text, /))]
        fn texts_needed(cls: &Bound<'_, PyType>, text: &Any<'_>) -> PyResult<Vec<String>> {
            let snapshot = convert::text(text, "text")?;
            error::run(cls.py(), || Core::texts_needed(&snapshot))
        }
    }

    fn observe_options(
        source: Option<&Any<'_>>,
        trust: Option<&Any<'_>>,
        principal: Option<&Any<'_>>,
        replaced: bool,
    ) -> PyResult<ObserveOptions> {
        Ok(ObserveOptions {
            source: convert::optional_text(source, "source")?,
            trust: convert::word(trust, "trust", Code::InvalidArgument)?,
            principal: convert::optional_text(principal, "principal")?,
            replaced_surrogates: replaced,
        })
    }

    /// Estimated tokens of a text.
    #[pyfunction]
    #[pyo3(signature = (text, /))]
    fn count_tokens(text: &Any<'_>) -> PyResult<u32> {
        let read = convert::text(text, "text")?;
        error::run(text.py(), || Ok(standfast::count_tokens(&read)))
    }

    /// The built-in extractive summary of a text.
    #[pyfunction]
    #[pyo3(signature = (text, budget_tokens))]
    fn extract(text: &Any<'_>, budget_tokens: &Any<'_>) -> PyResult<String> {
        let (read, budget) = (convert::text(text, "text")?, convert::count(budget_tokens, "budget_tokens")?);
        error::run(text.py(), || Ok(standfast::extract_text(&read, budget)))
    }

    /// What a text did to each of some rules.
    #[pyfunction]
    #[pyo3(signature = (rules, text))]
    fn audit<'py>(rules: &Any<'py>, text: &Any<'py>) -> Out<'py> {
        let (rules, read) = (convert::texts(rules, "rules")?, convert::text(text, "text")?);
        to_py(text.py(), &error::run(text.py(), || Ok(standfast::audit(&rules, &read)))?)
    }

    /// One audit or single check, by name, with its arguments by name.
    #[pyfunction]
    #[pyo3(signature = (name, arguments, /))]
    fn audited<'py>(name: &Any<'py>, arguments: &Any<'py>) -> Out<'py> {
        let (call, read) = (convert::text(name, "name")?, convert::json(arguments, "arguments")?.value);
        let found = error::run(name.py(), || convert::stored(&standfast::audit::call(&call, read, false)?));
        to_py(name.py(), &found?)
    }

    /// Types texts: knowledge, tier, kind, polarity, confidence and likelihood of a constraint per mille, and whether it is
    /// suspected to be one, for each.
    #[pyfunction]
    #[pyo3(signature = (items, point=None, /))]
    fn classify_items<'py>(items: &Any<'py>, point: Option<&Any<'py>>) -> Out<'py> {
        let py = items.py();
        let (given, point) = (convert::given(items)?, convert::word(point, "point", Code::InvalidArgument)?.unwrap_or_default());
        let typed = error::run(py, || Ok(standfast::classify_items(&given, point)))?;
        convert::typed(py, &typed)
    }

    /// One other call of the classifier, by name, with its arguments by name.
    #[pyfunction]
    #[pyo3(signature = (name, arguments, /))]
    fn triaged<'py>(name: &Any<'py>, arguments: &Any<'py>) -> Out<'py> {
        let (call, read) = (convert::text(name, "name")?, convert::json(arguments, "arguments")?.value);
        let found = error::run(name.py(), || convert::stored(&standfast::triage::call(&call, read, false)?));
        to_py(name.py(), &found?)
    }

    /// One call of the published functional core, by name, with its arguments by name.
    #[pyfunction]
    #[pyo3(signature = (name, arguments, /))]
    fn published<'py>(name: &Any<'py>, arguments: &Any<'py>) -> Out<'py> {
        let (call, read) = (convert::text(name, "name")?, convert::json(arguments, "arguments")?.value);
        to_py(name.py(), &error::run(name.py(), || standfast::published::call(&call, read))?)
    }

    /// A message for a store: the digest by which it is known in every language, and its JSON.
    #[pyfunction]
    #[pyo3(signature = (message, /))]
    fn stored_message(message: &Any<'_>) -> PyResult<(String, String)> {
        let read = convert::json(message, "message")?.value;
        error::run(message.py(), || Ok((standfast::digest::of_message(&read).hex(), read.to_string())))
    }

    /// The exception of a code, for what the package finds wrong by itself.
    #[pyfunction]
    #[pyo3(signature = (code, message))]
    fn error_of<'py>(py: Python<'py>, code: &str, message: &str) -> Out<'py> {
        error::of_code(py, code, message)
    }

    /// Every error code with its class and its hint.
    #[pyfunction]
    fn codes() -> Vec<(&'static str, &'static str, &'static str)> {
        Code::ALL.iter().map(|code| (code.as_str(), code.class().name(), code.hint())).collect()
    }
}
