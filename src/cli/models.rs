//! `mendbench models list|test`.
//!
//! Promises: a key is never printed, only where it is kept and whether it is there; a test makes one small request a model,
//! without tries, and tells what went wrong and what to do.

use super::arguments::Models as What;
use super::{DONE, Failure, INFRASTRUCTURE, INTERRUPTED, Output};
use crate::config::{Config, Decoding, KeySource, ModelSettings, Models, Prices, folder, models_file};
use crate::model::{
    Answer, Budget, Call, CancellationToken, ChatRequest, Connections, Failed, Machine, ModelError,
    ModelEvent, Timed, check_key,
};
use crate::text::counted;
use crate::text::{pad, shown, truncate, width};
use crate::theme::Role;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What a test asks: enough words for a speed, few enough to cost nothing.
const QUESTION: &str = "Count from 1 to 20, separated by commas. Write nothing else.";

/// Longest answer of a test, in tokens.
const LENGTH: u64 = 96;

/// Runs the command.
pub fn run(what: Option<&What>, config: &Config, output: &mut Output) -> Result<u8, Failure> {
    let models = config.models().map_err(Failure::usage)?;
    match what {
        None | Some(What::List) => list(&models, output),
        Some(What::Test { name }) => test(models, name.as_deref(), output),
    }
}

/// The value of an environment variable.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Where the models would be written down, and what the least of it is.
pub fn advice() -> String {
    let file = folder().map_or_else(|| "models.toml".to_owned(), |folder| shown(&models_file(&folder)));
    format!(
        "there are no models yet; write them into {file}, for instance\n[local]\naddress = \"http://127.0.0.1:8080/v1\"\nmodel = \"the server's name for it\""
    )
}

/// Where a key is kept.
fn key_place(key: &KeySource) -> String {
    match key {
        KeySource::None => "none".to_owned(),
        KeySource::Variable(name) => format!("${name}"),
        KeySource::File(path) => shown(path),
    }
}

fn prices(prices: &Prices) -> String {
    format!("{} in, {} out", prices.input, prices.output)
}

fn list(models: &Models, output: &mut Output) -> Result<u8, Failure> {
    if models.iter().next().is_none() {
        output.note(&advice());
        return Ok(DONE);
    }
    let longest = |part: &dyn Fn(&ModelSettings) -> usize| models.iter().map(part).max().unwrap_or(0) + 2;
    let names = longest(&|model| width(&model.name)).min(42);
    let addresses = longest(&|model| width(model.address.as_str())).min(52);
    let served = longest(&|model| width(&model.model)).min(42);
    for model in models.iter() {
        let problem = check_key(model, &variable).err();
        if output.json {
            output.object(&described(model, problem.as_ref()))?;
            continue;
        }
        let context = match model.context {
            Some(context) => format!("{context} tokens"),
            None => "context unknown".to_owned(),
        };
        let cost = model.prices.as_ref().map_or_else(|| "cost not known".to_owned(), prices);
        let (key, role) = match (&model.key, &problem) {
            (KeySource::None, _) => ("no key".to_owned(), Role::TextDim),
            (key, None) => (format!("key in {}", key_place(key)), Role::TextDim),
            (_, Some(error)) => (error.to_string(), Role::StatusError),
        };
        let address = truncate(model.address.as_str(), addresses - 2).into_owned();
        output.styled(&[
            (&pad(&truncate(&model.name, names - 2), names), Role::Accent),
            (&pad(&address, addresses), Role::Text),
            (&pad(&truncate(&model.model, served - 2), served), Role::Text),
            (&format!("{context}  {cost}  "), Role::TextDim),
            (&key, role),
        ])?;
    }
    for model in models.iter().filter(|model| model.sends_key_in_clear()) {
        output.note(&clear_warning(model));
    }
    Ok(DONE)
}

/// That a key can be read on its way.
pub fn clear_warning(model: &ModelSettings) -> String {
    format!(
        "`{}` sends its key over http, where others on the way can read it: use an https address",
        model.name
    )
}

fn described(model: &ModelSettings, problem: Option<&ModelError>) -> Value {
    let key = match &model.key {
        KeySource::None => json!({ "kind": "none" }),
        KeySource::Variable(name) => {
            json!({ "kind": "variable", "name": name, "present": problem.is_none() })
        }
        KeySource::File(path) => {
            json!({ "kind": "file", "path": path.to_string_lossy(), "present": problem.is_none() })
        }
    };
    json!({
        "type": "model", "v": 1, "name": model.name, "address": model.address.as_str(), "model": model.model,
        "wire": model.wire.name(), "key": key, "key_problem": problem.map(ToString::to_string),
        "key_in_clear": model.sends_key_in_clear(), "context": model.context, "max_output": model.max_output,
        "decoding": model.decoding, "limits": model.limits, "retries": model.retries,
        "prices": model.prices.map(|prices| json!({
            "input": prices.input.dollars(), "output": prices.output.dollars(),
            "cached": prices.cached.map(|price| price.dollars()), "unit": "USD per million tokens",
        })),
    })
}

fn test(models: Models, name: Option<&str>, output: &mut Output) -> Result<u8, Failure> {
    let chosen: Vec<ModelSettings> = match name {
        None => models.iter().cloned().collect(),
        Some(name) => match models.get(name) {
            Some(model) => vec![model.clone()],
            None => {
                let near = models.nearest(name).map(|near| format!("; did you mean `{near}`?"));
                let hint =
                    near.unwrap_or_else(|| "; `mendbench models list` shows which there are".to_owned());
                return Err(Failure::usage(format!("there is no model `{name}`{hint}")));
            }
        },
    };
    if chosen.is_empty() {
        return Err(Failure::usage(advice()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::infrastructure(format!("no network can be used: {error}")))?;
    let connections = Connections::new(models, Arc::new(Machine::new()));
    let cancel = CancellationToken::new();
    let count = chosen.len();
    let mut failed = 0;
    for settings in chosen {
        if settings.sends_key_in_clear() {
            output.note(&clear_warning(&settings));
        }
        let tested = runtime.block_on(one(&connections, &settings, &cancel));
        if cancel.is_cancelled() {
            return Ok(INTERRUPTED);
        }
        failed += usize::from(tested.is_err());
        report(&settings, &tested, output)?;
    }
    if failed == 0 {
        return Ok(DONE);
    }
    if count > 1 && !output.json {
        output.note(&format!("{failed} of {} failed", counted(count, "model")));
    }
    Ok(INFRASTRUCTURE)
}

/// A model that could not even be asked, or what came of asking.
enum Trial {
    Unusable(ModelError),
    Asked(Result<Box<Answer>, Box<Failed>>),
}

impl Trial {
    fn is_err(&self) -> bool {
        !matches!(self, Trial::Asked(Ok(_)))
    }
}

async fn one(connections: &Connections, settings: &ModelSettings, cancel: &CancellationToken) -> Trial {
    // What is wrong is to be said, not waited for.
    let settings = ModelSettings { retries: 0, ..settings.clone() };
    let model = match connections.connect(settings, &variable) {
        Ok(model) => model,
        Err(error) => return Trial::Unusable(error),
    };
    let request = ChatRequest {
        decoding: Decoding { max_tokens: Some(LENGTH), ..Decoding::default() },
        ..ChatRequest::ask(QUESTION)
    };
    let mut hear = |timed: Timed| {
        if let ModelEvent::Waiting { why, until } = timed.event {
            let left = until.map(|until| format!(" ({:.0} s)", until.saturating_sub(timed.at).as_secs_f64()));
            super::note(&format!("{}: {why}{}", model.name(), left.unwrap_or_default()));
        }
    };
    let call = Call { cancel: cancel.clone(), budget: Budget::new(None), events: &mut hear };
    let asking = model.complete(&request, call);
    tokio::pin!(asking);
    tokio::select! {
        biased;
        tested = &mut asking => Trial::Asked(tested.map(Box::new)),
        heard = tokio::signal::ctrl_c() => {
            // Where Ctrl-C cannot be heard it ends the process by itself, and this is not reached.
            if heard.is_ok() {
                cancel.cancel();
            }
            Trial::Asked(asking.await.map(Box::new))
        }
    }
}

fn report(settings: &ModelSettings, trial: &Trial, output: &mut Output) -> Result<(), Failure> {
    let answer = match trial {
        Trial::Asked(Ok(answer)) => answer,
        Trial::Asked(Err(failed)) => return report_failure(settings, &failed.error, Some(failed), output),
        Trial::Unusable(error) => return report_failure(settings, error, None, output),
    };
    let received = &answer.received;
    let timing = &received.timing;
    let first = timing.time_to_first_token();
    let speed = received.usage.and_then(|usage| timing.tokens_per_second(usage.output));
    let quirks = received.quirks.describe();
    if output.json {
        return output.object(&json!({
            "type": "model-test", "v": 1, "name": settings.name, "passed": true, "model": received.model,
            "finish": answer.finish, "text": received.text, "reasoning": received.reasoning, "usage": received.usage,
            "cost": received.cost.map(|cost| cost.dollars()), "time_to_first_token_s": first.map(rounded),
            "tokens_per_second": speed.map(|speed| (speed * 10.0).round() / 10.0),
            "total_s": rounded(timing.ended), "quirks": received.quirks,
        }));
    }
    let mut facts = Vec::new();
    if let Some(first) = first {
        facts.push(format!("first token after {}", seconds(first)));
    }
    if let Some(speed) = speed {
        facts.push(format!("{speed:.1} tokens/s"));
    }
    if let Some(usage) = received.usage {
        facts.push(format!("{} + {} tokens", usage.input, usage.output));
    }
    if let Some(cost) = received.cost {
        facts.push(cost.to_string());
    }
    facts.push(format!("finish: {}", answer.finish));
    output.styled(&[
        ("ok      ", Role::StatusOk),
        (&settings.name, Role::Accent),
        (&format!("  {}", facts.join(", ")), Role::Text),
    ])?;
    let said = if received.text.is_empty() { &received.reasoning } else { &received.text };
    let words: Vec<&str> = said.split_whitespace().collect();
    output.styled(&[("        it said: ", Role::TextDim), (&truncate(&words.join(" "), 90), Role::Text)])?;
    if let Some(model) = received.model.as_ref().filter(|model| **model != settings.model) {
        let line = format!("        it calls itself `{}`", truncate(model, 80));
        output.styled(&[(&line, Role::TextDim)])?;
    }
    for quirk in quirks {
        output.styled(&[("        ", Role::Text), (&quirk, Role::TextDim)])?;
    }
    Ok(())
}

fn report_failure(
    settings: &ModelSettings,
    error: &ModelError,
    failed: Option<&Failed>,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        return output.object(&json!({
            "type": "model-test", "v": 1, "name": settings.name, "passed": false, "error": error.name(),
            "message": error.to_string(), "text": failed.map(|failed| &failed.received.text),
        }));
    }
    output.styled(&[
        ("failed  ", Role::StatusError),
        (&settings.name, Role::Accent),
        (&format!("  {error}"), Role::Text),
    ])
}

fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

fn seconds(time: Duration) -> String {
    match time.as_millis() {
        short @ 0..=999 => format!("{short} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
