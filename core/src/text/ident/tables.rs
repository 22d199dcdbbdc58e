//! The closed word lists of the identifier scanner.

/// ISO currency codes that stand before or after an amount.
pub(super) const CURRENCIES: &[&str] = &[
    "AUD", "BRL", "BTC", "CAD", "CHF", "CNY", "CZK", "DKK", "ETH", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "MXN",
    "NOK", "NZD", "PLN", "RUB", "SEK", "SGD", "THB", "TRY", "USD", "ZAR",
];

/// Units that make a number an amount, compared without regard to case.
const UNITS: &[&str] = &[
    "%",
    "percent",
    "bps", // shares
    "mg",
    "g",
    "kg",
    "mcg",
    "µg",
    "μg",
    "ng",
    "ml",
    "l",
    "dl",
    "iu",
    "units",
    "mmol",
    "mmol/l",
    "mg/dl",
    "mg/kg",
    "mg/ml",
    "tablets",
    "tablet",
    "doses",
    "bpm",
    "mmhg",
    "kcal", // medicine
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hr",
    "hrs",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years", // time
    "b",
    "kb",
    "mb",
    "gb",
    "tb",
    "kib",
    "mib",
    "gib",
    "tib",
    "byte",
    "bytes",
    "kbps",
    "mbps",
    "gbps",
    "hz",
    "khz",
    "mhz",
    "ghz",
    "rps",
    "qps",
    "px",
    "dpi", // machines
    "m",
    "km",
    "cm",
    "mm",
    "mi",
    "ft",
    "°c",
    "°f",
    "kw",
    "kwh",
    "v",
    "w",
    "a", // measures
    "row",
    "rows",
    "record",
    "records",
    "item",
    "items",
    "file",
    "files",
    "line",
    "lines",
    "token",
    "tokens",
    "test",
    "tests",
    "user",
    "users",
    "batch",
    "batches",
    "request",
    "requests",
    "call",
    "calls",
    "error",
    "errors",
    "warning",
    "warnings",
    "retries",
    "attempts",
    "events",
    "messages",
    "payments",
    "payment",
    "invoices",
    "orders",
    "transactions",
    "refunds",
    "pages",
    "commits",
    "workers",
    "nodes",
    "replicas",
    "dollars",
    "euros",
    "pounds",
    "cents",
    "pence",
    "bits",
    "cores",
    "threads",
    "connections",
    "points",
    "shares",
    "seats",
    "million",
    "billion",
    "thousand",
];

/// Units that may touch their number only (`5 a` and `3 s` are prose, `5A` and `3s` are not).
pub(super) const TIGHT_UNITS: &[&str] = &["a", "b", "s", "h", "m", "v", "w", "l", "g"];

/// Multipliers that touch a number.
pub(super) const MULTIPLIERS: &[&str] = &["k", "m", "bn", "x"];

/// Month names and their usual short forms, lower case.
pub(super) const MONTHS: &[&str] = &[
    "jan",
    "january",
    "feb",
    "february",
    "mar",
    "march",
    "apr",
    "april",
    "may",
    "jun",
    "june",
    "jul",
    "july",
    "aug",
    "august",
    "sep",
    "sept",
    "september",
    "oct",
    "october",
    "nov",
    "november",
    "dec",
    "december",
];

/// File extensions that make a bare `name.ext` a file name.
pub(super) const EXTENSIONS: &[&str] = &[
    "7z",
    "avif",
    "bak",
    "bash",
    "bat",
    "bin",
    "bmp",
    "bz2",
    "c",
    "cc",
    "cer",
    "cfg",
    "cjs",
    "clj",
    "conf",
    "cpp",
    "crt",
    "cs",
    "csr",
    "css",
    "csv",
    "cts",
    "dart",
    "db",
    "diff",
    "dll",
    "doc",
    "docx",
    "dylib",
    "eml",
    "env",
    "erl",
    "ex",
    "exe",
    "exs",
    "gif",
    "go",
    "gradle",
    "gz",
    "h",
    "hcl",
    "hpp",
    "hs",
    "htm",
    "html",
    "ico",
    "ics",
    "ini",
    "ipynb",
    "jar",
    "java",
    "jl",
    "jpeg",
    "jpg",
    "js",
    "json",
    "jsonl",
    "jsx",
    "key",
    "kt",
    "lock",
    "log",
    "lua",
    "md",
    "mdc",
    "mdx",
    "mjs",
    "ml",
    "mov",
    "mp3",
    "mp4",
    "msg",
    "mts",
    "ndjson",
    "odt",
    "parquet",
    "patch",
    "pdf",
    "pem",
    "php",
    "pl",
    "png",
    "ppt",
    "pptx",
    "properties",
    "proto",
    "ps1",
    "py",
    "pyi",
    "rar",
    "rb",
    "rs",
    "rst",
    "rtf",
    "sass",
    "scala",
    "scss",
    "sh",
    "so",
    "sql",
    "sqlite",
    "svelte",
    "svg",
    "swift",
    "tar",
    "tf",
    "tfvars",
    "tgz",
    "tmp",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "ttf",
    "txt",
    "vue",
    "wasm",
    "wav",
    "webp",
    "whl",
    "woff2",
    "xls",
    "xlsx",
    "xml",
    "xz",
    "yaml",
    "yml",
    "zip",
    "zsh",
    "zst",
];

/// Products whose name ends like a file.
pub(super) const NOT_FILES: &[&str] = &[
    "node.js",
    "next.js",
    "vue.js",
    "nuxt.js",
    "d3.js",
    "three.js",
    "express.js",
    "chart.js",
    "react.js",
    "ember.js",
    "backbone.js",
    "asp.net",
];

/// Abbreviations with a dot inside.
pub(super) const ABBREVIATIONS: &[&str] =
    &["e.g", "i.e", "a.m", "p.m", "u.s", "u.k", "u.s.a", "u.n", "e.u", "ph.d", "d.c", "n.b", "q.v", "a.k.a"];

/// Last labels of a bare host name.
pub(super) const HOST_ENDS: &[&str] = &[
    "ai", "app", "ch", "cloud", "co", "com", "de", "dev", "edu", "eu", "fr", "gov", "info", "internal", "io", "local", "net", "nl", "org",
    "test", "uk",
];

/// First segments of relative paths and branch names.
pub(super) const ROOTS: &[&str] = &[
    ".ci",
    ".claude",
    ".cursor",
    ".github",
    ".vscode",
    "api",
    "app",
    "apps",
    "assets",
    "backend",
    "bench",
    "bin",
    "bugfix",
    "build",
    "chore",
    "client",
    "cmd",
    "components",
    "config",
    "core",
    "crates",
    "data",
    "dist",
    "docs",
    "etc",
    "examples",
    "feat",
    "feature",
    "fix",
    "frontend",
    "home",
    "hotfix",
    "include",
    "infra",
    "internal",
    "lib",
    "libs",
    "migrations",
    "node_modules",
    "npm",
    "opt",
    "origin",
    "packages",
    "pkg",
    "public",
    "python",
    "refs",
    "release",
    "releases",
    "scripts",
    "server",
    "services",
    "src",
    "static",
    "target",
    "test",
    "tests",
    "tmp",
    "tools",
    "upstream",
    "usr",
    "var",
    "vendor",
];

/// Standards written like ticket ids.
pub(super) const NOT_TICKETS: &[&str] =
    &["AES", "BASE", "COVID", "ES", "GPT", "HTTP", "IPV", "ISO", "LATIN", "MD", "MPEG", "RSA", "SHA", "TLS", "UCS", "USB", "UTF"];

/// Lengths and first letters of the units, a bit for each letter whatever its case: most words are none of them.
const UNIT_INITIALS: [u32; 16] = {
    let mut initials = [0; 16];
    let mut at = 0;
    while at < UNITS.len() {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let unit = UNITS[at].as_bytes();
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let of_length = &mut initials[unit.len()];
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let first = unit[0];
        *of_length |= 1 << (first & 31);
        at += 1;
    }
    initials
};

/// Whether a word is a unit, in any case of its ASCII letters.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn is_unit(word: &str) -> bool {
    let (Some(initials), Some(first)) = (UNIT_INITIALS.get(word.len()), word.as_bytes().first()) else { return false };
    initials >> (first & 31) & 1 == 1 && has_caseless(UNITS, word)
}

/// Whether a list holds `word`.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn has(list: &[&str], word: &str) -> bool {
    let first = word.as_bytes().first();
    for known in list {
        if known.len() == word.len() && known.as_bytes().first() == first && *known == word {
            return true;
        }
    }
    false
}

/// Whether a list of lower-case words holds `word` in any case of its ASCII letters.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn has_caseless(list: &[&str], word: &str) -> bool {
    let Some(first) = word.as_bytes().first().map(u8::to_ascii_lowercase) else { return false };
    for known in list {
        if known.len() == word.len() && known.as_bytes().first() == Some(&first) && known.eq_ignore_ascii_case(word) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_found_in_any_case() {
        for unit in UNITS {
            assert!(is_unit(unit) && is_unit(&unit.to_ascii_uppercase()), "{unit}");
            assert!(!is_unit(&format!("{unit}x")) || UNITS.contains(&format!("{unit}x").as_str()), "{unit}");
        }
        assert!(!is_unit(""));
    }
}
