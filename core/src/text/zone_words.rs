//! Words by which a line hands over what follows it, folded as a skeleton is.

/// What stands at the end of a line that hands somebody else's words over.
pub(super) const HANDS_OVER: &[&str] = &[
    "here is",
    "here's",
    "here are",
    "heres",
    "this is",
    "below",
    "pasted",
    "says",
    "said",
    "reads",
    "reported",
    "wrote",
    "writes",
    "contents of",
    "content of",
    "attached",
    "forwarded",
    "copy of",
    "got this",
    "received",
    "returned",
    "prints",
    "printed",
    "came in",
    "came",
    "arrived",
    "shows",
    "the following",
    "from the",
];

/// Texts that others write. "Here are the rules:" hands nothing over, "here is the e-mail:" does.
pub(super) const DOCUMENTS: &[&str] = &[
    "article",
    "attachment",
    "body",
    "chat",
    "code",
    "comment",
    "comments",
    "console",
    "content",
    "contents",
    "csv",
    "description",
    "diff",
    "doc",
    "document",
    "e-mail",
    "e-mails",
    "email",
    "emails",
    "error",
    "excerpt",
    "export",
    "file",
    "invoice",
    "issue",
    "json",
    "letter",
    "log",
    "logs",
    "mail",
    "message",
    "messages",
    "output",
    "page",
    "post",
    "readme",
    "report",
    "response",
    "result",
    "results",
    "reviews",
    "screenshot",
    "snippet",
    "text",
    "thread",
    "ticket",
    "trace",
    "traceback",
    "transcript",
    "webpage",
    "website",
];

/// Lines that hand over by themselves, in several languages.
pub(super) const HAND_OVER_PHRASES: &[&str] = &[
    "see below",
    "pasted below",
    "copied below",
    "quoted below",
    "text below",
    "it says",
    "as follows from",
    "voici le mail",
    "voici l'e-mail",
    "voici l'email",
    "voici le message",
    "voici le texte",
    "hier ist die mail",
    "hier ist die e-mail",
    "hier die mail",
    "hier ist der text",
    "hier ist die nachricht",
    "aqui esta el correo",
    "este es el correo",
    "aqui esta el mensaje",
    "segue o e-mail",
    "segue o email",
    "aqui esta o e-mail",
    "ecco la mail",
    "ecco l'email",
    "以下是",
    "邮件如下",
    "郵件如下",
    "内容如下",
    "以下のメール",
    "メールは以下",
    "메일입니다",
];

/// Words that make a line ending in a colon the author's own list, whatever else it says.
pub(super) const OWN_LISTS: &[&str] =
    &["rules", "rule", "instructions", "constraints", "requirements", "guidelines", "steps", "conditions", "limits"];

/// Verbs that are done to a text that follows.
pub(super) const WORKS_ON: &[&str] = &[
    "analyse",
    "analyze",
    "classify",
    "extract",
    "paraphrase",
    "proofread",
    "review",
    "rewrite",
    "shorten",
    "summarise",
    "summarize",
    "translate",
];

/// Verbs that are done to a text that follows if it is named.
pub(super) const READS: &[&str] =
    &["answer", "check", "correct", "critique", "debug", "edit", "evaluate", "explain", "improve", "read", "reply", "respond"];

/// How somebody came by what follows.
pub(super) const CAME_BY: &[&str] =
    &["copied", "forwarded", "found", "gave", "got", "pasted", "posted", "received", "sent", "shared", "wrote", "emailed", "messaged"];

/// Labels of tool results, as whole clauses or their ends.
pub(super) const RESULTS: &[&str] = &[
    "command output",
    "console output",
    "function output",
    "function result",
    "observation",
    "stderr",
    "stdout",
    "tool output",
    "tool response",
    "tool result",
    "tool results",
    "terminal output",
];
