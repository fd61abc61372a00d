//! `mendbench repair`: repair loops without a screen.
//!
//! Promises: what cannot be run is refused before anything is spent; everything that happens is on disk before it is
//! printed; Ctrl-C leaves a run that can be gone on with. Exit codes: 0 every trajectory that could be repaired was;
//! 1 the model failed at one, or the money ended; 3 the infrastructure failed at one (it wins over 1); 130 Ctrl-C.
//! Leaves to others: driving (`runner`), how it looks (`stage`, `closing`).

mod choices;
pub mod closing;
mod flags;
mod flow;
mod plan;
mod pool;
pub mod regrade;
pub mod stage;
mod tasks;
pub mod words;

pub use flags::{Flags, nearest};

use super::workshop::{Sandboxing, chosen as sandbox_chosen, listen, remembered};
use super::{Arguments, DONE, FAILED, Failure, INFRASTRUCTURE, INTERRUPTED, Output, request_beside};
use crate::catalogue::workspace_for;
use crate::config::{Config, Models};
use crate::harness::Seal;
use crate::harness::check::Standing;
use crate::repair::RunEvent;
use crate::repair::event::StopReason;
use crate::repair::metrics::Tally;
use crate::repair::prompt::{Example, Templates};
use crate::runner::{
    Assembly, Control, Drive, Driven, Engine, Listener, RunRecord, RunnerError, Runs, TrajectoryHead,
};
use crate::store::workspace::{ChosenBy, FOLDER, Workspace};
use crate::store::{MemoryStore, Store};
use crate::task::Task;
use crate::text::counted;
use closing::Commands;
use stage::{Look, Stage};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;
use uuid::Uuid;

/// Events that wait to be printed; beyond it those who drive wait, too.
const MOST_WAITING: usize = 4_096;

/// Runs the command.
pub fn run(
    arguments: &Arguments,
    flags: &Flags,
    config: &Config,
    output: &mut Output,
) -> Result<u8, Failure> {
    let models = config.models().map_err(Failure::usage)?;
    let templates = choices::templates(config)?;
    let workspace = workspace_for(&request_beside(arguments, tasks::place(flags).as_ref()))?;
    if let Some(name) = &flags.resume {
        let (store, seal) = remembered(&workspace)?;
        return resume(
            arguments,
            &workspace,
            flags,
            config,
            Parts { models, templates, store, seal },
            name,
            output,
        );
    }
    let cell = choices::cell(flags, &templates)?;
    if flags.plan {
        let held = workspace.open_if_exists()?.map(|store| Runs::new(Arc::new(store)));
        let cell = choices::pinned(cell, held.as_ref())?;
        choices::check_models(std::slice::from_ref(&cell), &models, held.as_ref(), output)?;
        choices::check_budget(flags, &cell, &models)?;
        let chosen = tasks::chosen(arguments, flags, output)?;
        let examples = examples(arguments, &chosen, &cell)?;
        let prices = plan::Prices::of(&models);
        // Nothing of a plan is kept.
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let shop = Shop::open(
            &flags.sandboxing,
            config,
            Parts { models, templates, store, seal: Seal::default() },
            examples,
            None,
        )?;
        let spec = choices::spec(flags, cell);
        return plan::run(&shop.engine, &spec, &chosen, &prices, output);
    }
    let (store, seal) = remembered(&workspace)?;
    let runs = Runs::new(store.clone());
    let cell = choices::pinned(cell, Some(&runs))?;
    choices::check_models(std::slice::from_ref(&cell), &models, Some(&runs), output)?;
    choices::check_budget(flags, &cell, &models)?;
    let chosen = tasks::chosen(arguments, flags, output)?;
    let examples = examples(arguments, &chosen, &cell)?;
    let mut spec = choices::spec(flags, cell);
    pool::keep(store.as_ref(), &mut spec, &examples)?;
    let locks = Some(workspace.folder.join(FOLDER).join("locks"));
    let shop =
        Shop::open(&flags.sandboxing, config, Parts { models, templates, store, seal }, examples, locks)?;
    let tasks = runnable(&shop.engine, &spec.cells, chosen, output)?;
    let record = shop.engine.create(spec, &tasks).map_err(failure)?;
    go(arguments, &workspace, How::of(flags), &shop, &record, output)
}

fn resume(
    arguments: &Arguments,
    workspace: &Workspace,
    flags: &Flags,
    config: &Config,
    parts: Parts,
    name: &str,
    output: &mut Output,
) -> Result<u8, Failure> {
    let runs = Runs::new(parts.store.clone());
    let record = runs.find(name).and_then(|id| runs.open(id)).map_err(failure)?;
    same_templates(&record, &parts.templates)?;
    choices::check_models(&record.spec.cells, &parts.models, Some(&runs), output)?;
    let examples = pool::read(parts.store.as_ref(), &record.spec)?;
    let locks = Some(workspace.folder.join(FOLDER).join("locks"));
    let shop = Shop::open(&flags.sandboxing, config, parts, examples, locks)?;
    go(arguments, workspace, How::of(flags), &shop, &record, output)
}

/// Prompts of a run are laid out with the templates that it was begun with.
fn same_templates(record: &RunRecord, templates: &Templates) -> Result<(), Failure> {
    if record.spec.cells.iter().all(|cell| cell.templates == templates.hash()) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "run {} was begun with other prompt templates: put them back into `prompts` of the configuration, or begin a new run",
        record.id
    )))
}

/// What an engine is made of.
struct Parts {
    models: Models,
    templates: Templates,
    store: Arc<dyn Store>,
    seal: Seal,
}

/// An engine with what it runs on.
struct Shop {
    engine: Engine,
    jobs: usize,
    /// Lives as long as the engine asks models.
    _runtime: tokio::runtime::Runtime,
}

impl Shop {
    fn open(
        sandboxing: &Sandboxing,
        config: &Config,
        parts: Parts,
        examples: Vec<Example>,
        locks: Option<PathBuf>,
    ) -> Result<Shop, Failure> {
        let Parts { models, templates, store, seal } = parts;
        let (choice, languages) = sandbox_chosen(sandboxing, config)?;
        let jobs = choice.jobs;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| Failure::infrastructure(format!("no network can be used: {error}")))?;
        let assembly = Assembly {
            choice,
            languages,
            models,
            templates,
            examples,
            store,
            seal,
            locks,
            handle: runtime.handle().clone(),
            say: Box::new(super::note),
        };
        let engine = assembly.engine();
        Ok(Shop { engine, jobs, _runtime: runtime })
    }
}

fn examples(
    arguments: &Arguments,
    chosen: &tasks::Chosen,
    cell: &crate::repair::Cell,
) -> Result<Vec<Example>, Failure> {
    if cell.technique.shows_examples() { chosen.examples(arguments, cell.told()) } else { Ok(Vec::new()) }
}

/// The tasks that can be run; of a whole place those that cannot are left out, which is said.
fn runnable(
    engine: &Engine,
    cells: &[crate::repair::Cell],
    chosen: tasks::Chosen,
    output: &mut Output,
) -> Result<Vec<Arc<Task>>, Failure> {
    if chosen.named {
        return Ok(chosen.tasks);
    }
    let all = chosen.tasks.len();
    let mut left_out: Vec<String> = Vec::new();
    let mut runnable = Vec::new();
    for task in chosen.tasks {
        let quarantined =
            engine.harness.checked(&task).filter(|check| check.standing == Standing::Quarantined);
        let refused = cells.iter().find_map(|cell| engine.preview(&task, cell).err());
        match (quarantined, refused) {
            (None, None) => runnable.push(task),
            (_, Some(error)) => left_out.push(error.to_string()),
            (Some(check), None) => {
                left_out.push(format!(
                    "`{}` is quarantined: {} (name it to run it all the same)",
                    task.name(),
                    check.why
                ));
            }
        }
    }
    if runnable.is_empty() {
        let first = left_out.first().cloned().unwrap_or_default();
        return Err(Failure::usage(format!(
            "none of {} can be run like this; the first: {first}",
            counted(all, "task")
        )));
    }
    if !left_out.is_empty() {
        output.note(&format!("{} of {} left out", left_out.len(), counted(all, "task")));
        for why in left_out.iter().take(10) {
            output.note(&format!("  {why}"));
        }
        if left_out.len() > 10 {
            output.note(&format!("  and {} more", left_out.len() - 10));
        }
    }
    Ok(runnable)
}

/// Hands what happens on to the thread that prints.
struct Heard(SyncSender<Told>);

/// What that thread is told.
enum Told {
    Event(Uuid, Box<RunEvent>),
    Refused(String),
}

impl Listener for Heard {
    fn heard(&self, head: &TrajectoryHead, event: &RunEvent) {
        // Nobody is left to be told when printing has ended.
        let _ = self.0.send(Told::Event(head.id, Box::new(event.clone())));
    }

    fn refused(&self, head: &TrajectoryHead, why: &str) {
        let _ = self.0.send(Told::Refused(format!("{}: {why}", head.task)));
    }
}

/// How a run is driven, beside what it runs on.
struct How {
    /// Whether verdicts that are remembered are ignored.
    fresh: bool,
    /// Whether calls are made whose price nobody knows, although there is a budget.
    unknown_prices: bool,
}

impl How {
    fn of(flags: &Flags) -> How {
        How { fresh: flags.fresh, unknown_prices: flags.unknown_prices }
    }
}

/// Drives a run, and prints what happens.
fn go(
    arguments: &Arguments,
    workspace: &Workspace,
    how: How,
    shop: &Shop,
    record: &RunRecord,
    output: &mut Output,
) -> Result<u8, Failure> {
    let control = Control::new();
    let ends = control.clone();
    listen(move || ends.leave())?;
    let drive = Drive {
        jobs: shop.jobs.min(record.trajectories.len()),
        fresh: how.fresh,
        unknown_prices: how.unknown_prices,
        ..Drive::new(control.clone())
    };
    let look = Look::of(output, drive.jobs > 1 && record.trajectories.len() > 1);
    let mut stage = Stage::new(record, look);
    stage.catch_up();
    stage.open(output)?;
    let began = Instant::now();
    let (driven, printed) = drive_and_print(shop, record, &drive, &mut stage, output);
    let Driven { troubles, .. } = driven.map_err(failure)?;
    printed?;
    for (head, error) in &troubles {
        output.note(&format!("{}: {error}", head.task));
    }
    for trouble in shop.engine.harness.troubles() {
        output.note(&format!("the workspace does not remember all of this: {trouble}"));
    }
    let mut tally = Tally::new();
    for head in &record.trajectories {
        match record.machine(head) {
            Ok(machine) => tally.add(machine.trajectory()),
            // It is among the troubles already, or nothing of it could be read.
            Err(error) => output.note(&format!("{}: not counted: {error}", head.task)),
        }
    }
    let interrupted = control.is_ended();
    let ended = closing::Ended {
        seconds: Some(began.elapsed().as_secs_f64()),
        interrupted,
        troubles: troubles.len(),
    };
    let own = (workspace.chosen_by == ChosenBy::Path).then_some(&workspace.folder);
    let named = arguments.workspace.as_ref().or(own);
    closing::show(record, &tally, &ended, &Commands::of(named), output)?;
    // An open database outlives its name: what was written to it is lost all the same.
    if !workspace.database.is_file() {
        let database = crate::text::shown(&workspace.database);
        return Err(Failure::infrastructure(format!(
            "{database} was removed while the run was driven: nothing of the run is kept"
        )));
    }
    Ok(code(&tally, &ended))
}

type Printed = Result<(), Failure>;

fn drive_and_print(
    shop: &Shop,
    record: &RunRecord,
    drive: &Drive,
    stage: &mut Stage<'_>,
    output: &mut Output,
) -> (Result<Driven, RunnerError>, Printed) {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    std::thread::scope(|scope| {
        let driving = scope.spawn(move || shop.engine.drive(record, drive, &Heard(sender)));
        let mut printed: Printed = Ok(());
        for told in receiver {
            // Those who drive never wait for somebody who has gone.
            if printed.is_err() {
                continue;
            }
            printed = match told {
                Told::Event(head, event) => stage.show(head, &event, output),
                Told::Refused(why) => {
                    output.note(&why);
                    Ok(())
                }
            };
            if printed.is_err() {
                drive.control.leave();
            }
        }
        let driven = driving.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (driven, printed)
    })
}

/// The exit code of a run.
fn code(tally: &Tally, ended: &closing::Ended) -> u8 {
    if ended.interrupted {
        return INTERRUPTED;
    }
    if ended.troubles > 0 || tally.ended(StopReason::Infrastructure) > 0 {
        return INFRASTRUCTURE;
    }
    let unrepaired = tally.failed().all.hits + tally.ended(StopReason::Budget);
    let unrepaired = unrepaired + tally.unfinished() + tally.intervened_unfinished();
    if unrepaired > 0 { FAILED } else { DONE }
}

/// What a run could not be made, read or driven for.
pub fn failure(error: RunnerError) -> Failure {
    match error {
        RunnerError::Store(error) => error.into(),
        RunnerError::Cell(_)
        | RunnerError::NoTask
        | RunnerError::Task { .. }
        | RunnerError::NoRun { .. }
        | RunnerError::ManyRuns { .. } => Failure::usage(error),
        error => Failure::infrastructure(error),
    }
}
