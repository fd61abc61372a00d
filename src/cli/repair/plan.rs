//! `mendbench repair --plan`: what would be run, and what it may cost.
//!
//! Promises: nothing is asked, tested or kept; what is estimated is called so, with what it rests on.
//! Leaves to others: the estimate (`repair::prompt::forecast`).

use super::{failure, tasks::Chosen, words};
use crate::cli::{DONE, Failure, Output};
use crate::config::{self, Models, Money};
use crate::repair::Cell;
use crate::repair::prompt::{Forecast, Load, Prompt, forecast};
use crate::runner::{Engine, RunSpec};
use crate::task::Task;
use crate::text::counted;
use crate::theme::Role;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What models cost, and how long their answers may get.
pub struct Prices(BTreeMap<String, (Option<config::Prices>, Option<u64>)>);

impl Prices {
    /// Those of the user's models; what is built in costs nothing.
    pub fn of(models: &Models) -> Prices {
        let of = |model: &config::ModelSettings| {
            let most = model.decoding.max_tokens.or(model.max_output);
            (model.name.clone(), (model.prices, most))
        };
        Prices(models.iter().map(of).collect())
    }

    fn cost(&self, model: &str, load: Load) -> Option<Money> {
        match self.0.get(model) {
            None => Some(Money::ZERO),
            Some((prices, _)) => {
                let prices = (*prices)?;
                Some(prices.cost(load.input, load.output))
            }
        }
    }

    fn most_output(&self, model: &str) -> Option<u64> {
        self.0.get(model).and_then(|(_, most)| *most)
    }
}

/// Runs the command.
pub fn run(
    engine: &Engine,
    spec: &RunSpec,
    chosen: &Chosen,
    prices: &Prices,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut planned: Vec<(Arc<Task>, Prompt)> = Vec::new();
    let mut refused: Vec<String> = Vec::new();
    let Some(cell) = spec.cells.first() else { return Err(Failure::usage("there is no cell to plan")) };
    for task in &chosen.tasks {
        match engine.preview(task, cell) {
            Ok(prompt) => planned.push((task.clone(), prompt)),
            Err(error) if chosen.named || chosen.tasks.len() == 1 => return Err(failure(error)),
            Err(error) => refused.push(error.to_string()),
        }
    }
    let samples = u64::from(spec.samples);
    let most_output = prices.most_output(&cell.model);
    let mut whole = Forecast::default();
    for (task, prompt) in &planned {
        whole = whole.plus(forecast(task, cell, prompt.tokens(), most_output).times(samples));
    }
    let Forecast { own, helper } = whole;
    let helper_name = cell.helper.as_deref().unwrap_or(&cell.model);
    let cost =
        prices.cost(&cell.model, own).and_then(|own| Some(own.plus(prices.cost(helper_name, helper)?)));
    let trajectories = (planned.len() as u64).saturating_mul(samples);
    let all = whole.all();
    let single = match planned.as_slice() {
        [(_, prompt)] => Some(prompt),
        _ => None,
    };
    if output.json {
        let names: Vec<String> = planned.iter().map(|(task, _)| task.name().to_string()).collect();
        output.object(&json!({
            "type": "plan", "v": 1, "spec": spec, "cell": cell.id(), "tasks": names, "left_out": refused,
            "trajectories": trajectories, "calls_at_most": all.calls, "helper_calls_at_most": helper.calls,
            "input_tokens_estimated": all.input, "output_tokens_estimated": all.output,
            "usd_estimated": cost.map(Money::dollars), "prompt": single,
        }))?;
        return Ok(DONE);
    }
    output.styled(&[(&words::cell(cell), Role::TextStrong)])?;
    let mut row = |label: &str, value: String| {
        output.styled(&[(&format!("  {label:<14}"), Role::TextDim), (&value, Role::Text)])
    };
    let tried = if samples > 1 { format!(", {samples} samples each") } else { String::new() };
    row("tasks", format!("{}{tried}: {}", planned.len(), counted(trajectories, "trajectory")))?;
    let helps = if helper.calls > 0 {
        format!(", {} of them of the helper {helper_name}", helper.calls)
    } else {
        String::new()
    };
    row("calls", format!("at most {}{helps}", all.calls))?;
    row("tokens", format!("about {} in, {} out, when every turn is needed", all.input, all.output))?;
    row(
        "cost",
        match cost {
            Some(Money::ZERO) => Money::ZERO.to_string(),
            Some(cost) => format!("about {cost}, when every turn is needed"),
            None => "not known: models.toml gives no prices".to_owned(),
        },
    )?;
    if let Some(budget) = spec.budget {
        row("budget", budget.to_string())?;
    }
    for why in refused.iter().take(10) {
        output.note(&format!("left out: {why}"));
    }
    if refused.len() > 10 {
        output.note(&format!("and {} more left out", refused.len() - 10));
    }
    if let Some(prompt) = single {
        show(prompt, cell, output)?;
    }
    Ok(DONE)
}

/// The first prompt, message by message.
fn show(prompt: &Prompt, cell: &Cell, output: &mut Output) -> Result<(), Failure> {
    let head = match cell.technique.preliminary_calls() {
        0 => "the first prompt",
        _ => "the prompt that is sent before the first",
    };
    let told = match cell.told() {
        Some(kind) => {
            format!(", without its {kind} feedback, which is made when the buggy version was tested")
        }
        None => String::new(),
    };
    output.line("")?;
    output.styled(&[
        (head, Role::Title),
        (&format!(" (about {} tokens{told})", prompt.tokens()), Role::TextDim),
    ])?;
    for message in &prompt.messages {
        output.line("")?;
        output.styled(&[(&format!("[{}]", message.role), Role::Accent)])?;
        for line in message.text.lines() {
            output.line(&crate::text::expand_tabs(line, 4))?;
        }
    }
    Ok(())
}
