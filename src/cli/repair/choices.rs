//! From flags to a cell and the models that it names.
//!
//! Promises: what cannot be run is refused before anything is spent or stored; a model that is not known names the nearest
//! one. Leaves to others: the words of the flags (`flags`), the tasks (`tasks`).

use super::flags::{Flags, nearest};
use crate::cli::{Failure, Output, models};
use crate::config::{Config, Decoding, Models};
use crate::model::{BudgetError, check_key};
use crate::repair::Cell;
use crate::repair::prompt::Templates;
use crate::repair::template;
use crate::runner::{self, RunSpec, Runs};
use crate::task::FeedbackKind;

/// Models that need no address.
const BUILT_IN: [&str; 2] = [template::NAME, template::RANDOM_NAME];

/// The prompts' words: those that come with mendbench, with the user's laid over them.
pub fn templates(config: &Config) -> Result<Templates, Failure> {
    runner::templates(config).map_err(Failure::usage)
}

/// The cell that flags describe.
pub fn cell(flags: &Flags, templates: &Templates) -> Result<Cell, Failure> {
    let cell = Cell {
        temperature: flags.temperature,
        top_p: flags.top_p,
        seed: flags.seed,
        max_tokens: flags.max_tokens,
        feedback: flags.feedback,
        feedback_source: flags.feedback_source,
        helper: flags.helper.clone(),
        technique: flags.technique,
        without: flags.without.iter().copied().collect(),
        form: flags.form,
        context: flags.context,
        hints: flags.hints.iter().copied().collect(),
        strategy: flags.strategy,
        extraction: flags.extraction,
        ..Cell::new(flags.model.clone().unwrap_or_default(), templates.hash())
    };
    if cell.told() == Some(FeedbackKind::Human) {
        return Err(Failure::usage(
            "feedback `human` needs a person, and nobody is there: use the workbench, or another kind of feedback",
        ));
    }
    cell.check().map_err(Failure::usage)?;
    Ok(cell.settled())
}

/// The cell with runs that it names by their whole ids: `last` is another one as soon as there is a new run.
pub fn pinned(mut cell: Cell, runs: Option<&Runs>) -> Result<Cell, Failure> {
    let names = std::iter::once(&mut cell.model).chain(cell.helper.as_mut());
    for name in names {
        let Some(run) = name.strip_prefix(runner::Models::RECORDED) else { continue };
        let Some(runs) = runs else {
            let run = crate::text::truncate(run, 80);
            return Err(Failure::usage(format!("there is no run `{run}`: this workspace holds no runs yet")));
        };
        let id = runs.find(run).map_err(super::failure)?;
        *name = format!("{}{id}", runner::Models::RECORDED);
    }
    Ok(cell)
}

/// The rules of a run of this cell.
pub fn spec(flags: &Flags, cell: Cell) -> RunSpec {
    RunSpec {
        samples: flags.samples,
        stop_on: flags.stop_on.iter().copied().collect(),
        budget: flags.budget,
        ..RunSpec::new(cell)
    }
}

/// Whether all models that cells name are there, and their keys, too. `runs`: none where there is no workspace yet.
pub fn check_models(
    cells: &[Cell],
    models: &Models,
    runs: Option<&Runs>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut names: Vec<&str> = cells
        .iter()
        .flat_map(|cell| std::iter::once(&cell.model).chain(&cell.helper))
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        check_model(name, models, runs, output)?;
    }
    Ok(())
}

/// A budget that cannot hold is refused before anything is made.
pub fn check_budget(flags: &Flags, cell: &Cell, models: &Models) -> Result<(), Failure> {
    let Some(budget) = flags.budget.filter(|_| !flags.unknown_prices) else { return Ok(()) };
    let over = Decoding { max_tokens: cell.max_tokens.map(u64::from), ..Decoding::default() };
    let names = std::iter::once(&cell.model).chain(&cell.helper);
    for settings in names.filter_map(|name| models.get(name)) {
        let name = &settings.name;
        let Some(prices) = &settings.prices else {
            return Err(Failure::usage(format!(
                "`{name}` has no `prices` in models.toml, so --budget cannot hold for it: write them down (0 for what is free), or allow it with --unknown-prices"
            )));
        };
        let Some(tokens) = settings.longest_answer(&over) else {
            return Err(Failure::usage(BudgetError::NoLength { model: name.clone() }.to_string()));
        };
        let answer = prices.output.for_tokens(tokens);
        if answer > budget {
            return Err(Failure::usage(format!(
                "--budget {budget} holds no single call of `{name}`: the longest answer, {tokens} tokens, costs {answer} beside its prompt; give more, or set a smaller `max_output`"
            )));
        }
    }
    Ok(())
}

fn check_model(name: &str, models: &Models, runs: Option<&Runs>, output: &mut Output) -> Result<(), Failure> {
    if BUILT_IN.contains(&name) {
        return Ok(());
    }
    if let Some(run) = name.strip_prefix(runner::Models::RECORDED) {
        return match runs {
            Some(runs) => runs.find(run).map(|_| ()).map_err(super::failure),
            None => Err(Failure::usage(format!("there is no run `{run}`: this workspace holds no runs yet"))),
        };
    }
    let Some(settings) = models.get(name) else {
        let known = models.iter().map(|model| model.name.as_str()).chain(BUILT_IN);
        let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
        let hint = near.unwrap_or_else(|| match models.iter().next() {
            Some(_) => {
                "; `mendbench models list` shows which there are, and `template` needs no key".to_owned()
            }
            None => format!("; `template` needs no key, and {}", models::advice()),
        });
        return Err(Failure::usage(format!("there is no model `{}`{hint}", crate::text::truncate(name, 80))));
    };
    if settings.sends_key_in_clear() {
        output.note(&models::clear_warning(settings));
    }
    check_key(settings, &models::variable).map(|_| ()).map_err(Failure::infrastructure)
}
