//! The flags of `mendbench repair`, and the words that they take.
//!
//! Promises: a word that is not known is refused before anything is opened, with the nearest known one.
//! Leaves to others: what a cell is made of them (`choices`).

use crate::cli::workshop::Sandboxing;
use crate::config::Money;
use crate::repair::cell::{Context, Decimal, FeedbackSource, Hint, Section, Strategy, Technique};
use crate::repair::machine::StopRule;
use crate::repair::{Form, Policy};
use crate::task::FeedbackKind;
use clap::ValueHint;
use std::path::PathBuf;

/// Arguments of `repair`.
#[derive(Debug, clap::Args)]
pub struct Flags {
    /// Tasks (`dataset/id`, `id`, or a task folder), or one dataset file, folder of tasks or workspace;
    /// default: all tasks of --in, else the sample tasks
    #[arg(value_hint = ValueHint::AnyPath, value_name = "TASK|PATH")]
    pub what: Vec<String>,
    /// Where to look for the tasks: dataset file, folder of tasks, or workspace
    #[arg(long = "in", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub within: Option<PathBuf>,
    /// Only tasks that pass, as `lang:c type:B words`
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Model of models.toml, `template`, or `recorded:RUN`
    #[arg(long, short = 'm', value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<String>,
    /// What the model is told: compiler, test, minimal, llm-skilled, llm-expert, mixed
    #[arg(long, short = 'f', value_name = "KIND", default_value = "test", value_parser = feedback, help_heading = CELL)]
    pub feedback: FeedbackKind,
    /// Where feedback on the buggy code comes from: fresh, or stored in the dataset
    #[arg(long, value_name = "SOURCE", default_value = "fresh", help_heading = CELL)]
    pub feedback_source: FeedbackSource,
    /// Model that writes feedback, for llm-skilled, llm-expert and mixed
    #[arg(long, value_name = "MODEL", help_heading = CELL)]
    pub helper: Option<String>,
    /// How it is asked: baseline, cot, few-shot, es-shot, self-ask, sg-icl, step-back, rephrase
    #[arg(long, value_name = "NAME", default_value = "baseline", help_heading = CELL)]
    pub technique: Technique,
    /// Sections that are left out of the prompt, as `role,guidelines`
    #[arg(long, value_name = "SECTION,…", value_delimiter = ',', help_heading = CELL)]
    pub without: Vec<Section>,
    /// Shape of the answer: function, hunk, line, file, patch, search-replace
    #[arg(long, value_name = "FORM", default_value = "function", value_parser = form, help_heading = CELL)]
    pub form: Form,
    /// What is shown beside the code: task, none
    #[arg(long, value_name = "CONTEXT", default_value = "task", help_heading = CELL)]
    pub context: Context,
    /// Help that is given: components, discussion, location
    #[arg(long, value_name = "HINT,…", value_delimiter = ',', help_heading = CELL)]
    pub hints: Vec<Hint>,
    /// How often it may try: single, iterative:K, conversation:MxN
    #[arg(long, short = 's', value_name = "STRATEGY", default_value = "iterative:3", help_heading = CELL)]
    pub strategy: Strategy,
    /// How much is forgiven when an answer is read: lenient, strict
    #[arg(long, value_name = "POLICY", default_value = "lenient", value_parser = policy, help_heading = CELL)]
    pub extraction: Policy,
    /// Temperature; default: the model's own
    #[arg(long, value_name = "NUMBER", help_heading = CELL)]
    pub temperature: Option<Decimal>,
    /// Share of probability that is drawn from; default: the model's own
    #[arg(long, value_name = "NUMBER", help_heading = CELL)]
    pub top_p: Option<Decimal>,
    /// Seed that is sent; sample N draws with seed + N - 1
    #[arg(long, value_name = "NUMBER", help_heading = CELL)]
    pub seed: Option<u64>,
    /// Longest answer, in tokens
    #[arg(long, value_name = "NUMBER", help_heading = CELL, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: Option<u32>,
    /// Trajectories for each task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = RUN)]
    pub samples: u32,
    /// Most US dollars that may be spent
    #[arg(long, value_name = "USD", value_parser = money, allow_hyphen_values = true, help_heading = RUN)]
    pub budget: Option<Money>,
    /// Make calls whose price nobody knows, although there is a budget
    #[arg(long, help_heading = RUN)]
    pub unknown_prices: bool,
    /// What else ends an attempt: repeat (code that was there before), no-code (nothing usable)
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', help_heading = RUN)]
    pub stop_on: Vec<StopRule>,
    /// Test anew, whatever is remembered
    #[arg(long, help_heading = RUN)]
    pub fresh: bool,
    /// Say what would be run and what it may cost, and run nothing
    #[arg(long, conflicts_with = "resume", help_heading = RUN)]
    pub plan: bool,
    /// Go on with a run that was left: its id, the beginning of it, or `last`
    #[arg(long, value_name = "RUN", help_heading = RUN, conflicts_with_all = NOT_WITH_RESUME)]
    pub resume: Option<String>,
    /// Where tests run
    #[command(flatten)]
    pub sandboxing: Sandboxing,
}

const CELL: &str = "What the model is asked";
const RUN: &str = "The run";

/// What a run that exists has settled already.
const NOT_WITH_RESUME: [&str; 22] = [
    "what",
    "within",
    "filter",
    "model",
    "feedback",
    "feedback_source",
    "helper",
    "technique",
    "without",
    "form",
    "context",
    "hints",
    "strategy",
    "extraction",
    "temperature",
    "top_p",
    "seed",
    "max_tokens",
    "samples",
    "budget",
    "stop_on",
    "plan",
];

fn feedback(text: &str) -> Result<FeedbackKind, String> {
    word("feedback", text, FeedbackKind::ALL.map(|kind| (kind.as_str(), kind)))
}

fn form(text: &str) -> Result<Form, String> {
    word("form", text, Form::ALL.map(|form| (form.as_str(), form)))
}

fn policy(text: &str) -> Result<Policy, String> {
    word("extraction", text, [Policy::Lenient, Policy::Strict].map(|policy| (policy.as_str(), policy)))
}

fn money(text: &str) -> Result<Money, String> {
    let dollars: Option<f64> = text.trim().trim_start_matches('$').parse().ok();
    match dollars {
        None => Err("a budget is a number of US dollars, such as 2.50".to_owned()),
        Some(dollars) => Money::from_dollars(dollars)
            .filter(|_| dollars > 0.0)
            .ok_or_else(|| "a budget must be a number above 0, in US dollars, such as 2.50".to_owned()),
    }
}

/// The value of a word; the error names the nearest word and all of them.
fn word<T: Copy, const N: usize>(what: &str, text: &str, all: [(&str, T); N]) -> Result<T, String> {
    if let Some((_, value)) = all.iter().find(|(word, _)| *word == text) {
        return Ok(*value);
    }
    let words = all.map(|(word, _)| word);
    let near = nearest(text, words).map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
    Err(format!("there is no such {what}{near}; known: {}", words.join(", ")))
}

/// The word that is most like a text, if one is like it at all.
pub fn nearest<'a>(text: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > 80 {
        return None;
    }
    let text = text.trim().to_lowercase().replace(['_', ' '], "-");
    words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&text, word), word))
        .filter(|(distance, word)| *distance <= (word.len() / 3).max(1))
        .min()
        .map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_names_the_nearest() {
        assert_eq!(feedback("llm-expert"), Ok(FeedbackKind::LlmExpert));
        for (found, near) in [
            (feedback("tests").err(), "did you mean `test`?"),
            (form("functon").err(), "did you mean `function`?"),
            (policy("strikt").err(), "did you mean `strict`?"),
            (form("xyzzy").err(), "known: function, hunk, line"),
            (money("-1").err(), "such as 2.50"),
        ] {
            assert!(found.as_ref().is_some_and(|error| error.contains(near)), "{found:?}");
        }
        assert_eq!(money("$2.5"), Ok(Money(2_500_000_000)));
        assert_eq!(nearest(&"x".repeat(500), ["x"]), None);
    }
}
