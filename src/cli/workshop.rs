//! What commands that run tests have in common: their flags, the harness, progress, Ctrl-C.
//!
//! Promises: Ctrl-C, SIGTERM and SIGHUP end what runs, and the command still says what it knows; a workspace that cannot
//! be used costs memory of verdicts, and is said once. Leaves to others: what is run.

use super::output::reason;
use super::{Arguments, Failure, Output, request};
use crate::catalogue::workspace_for;
use crate::config::{Config, Languages};
use crate::harness::many::{InOrder, each};
use crate::harness::{Cancel, Choice, Harness, Ladders, Seal};
use crate::store::{Store, SystemClock, Workspace};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::time::Duration;

/// Flags of commands that run tests.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Sandboxing {
    /// Where tests run: auto, docker, bubblewrap, namespaces, landlock; default: the setting `sandbox`
    #[arg(long, value_name = "RUNG")]
    pub sandbox: Option<String>,
    /// Image for Docker, by name or digest; default: of the language, then the setting `image`
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// Run without a sandbox where none can be made; every report then says so
    #[arg(long)]
    pub unsafe_local: bool,
    /// How many at once; default: the setting `jobs`, then the number of processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: Option<u16>,
}

/// The harness with its surroundings.
pub struct Workshop {
    /// The harness.
    pub harness: Harness,
    /// How many at once.
    pub jobs: usize,
    /// Ends everything.
    pub cancel: Cancel,
}

/// Sets the workshop up.
pub fn set_up(
    arguments: &Arguments,
    flags: &Sandboxing,
    config: &Config,
    output: &mut Output,
) -> Result<Workshop, Failure> {
    let (choice, languages) = chosen(flags, config)?;
    let jobs = choice.jobs;
    let ladders = Ladders::new(choice, Box::new(super::note));
    // A folder of tasks may bring a workspace along; verdicts are remembered in the user's own.
    let workspace = workspace_for(&request(arguments, None))?;
    let (store, seal) = match remembered(&workspace) {
        Ok((store, seal)) => (Some(store), seal),
        Err(failure) => {
            output.note(&format!("verdicts are not remembered: {}", failure.message));
            (None, Seal::default())
        }
    };
    let cancel = Cancel::new();
    let ends = cancel.clone();
    listen(move || ends.cancel())?;
    let harness = Harness::new(languages, Box::new(ladders), store, Arc::new(SystemClock)).sealed(seal);
    Ok(Workshop { harness, jobs, cancel })
}

/// What flags and settings choose: the sandbox with the number of jobs, and the languages.
pub fn chosen(flags: &Sandboxing, config: &Config) -> Result<(Choice, Languages), Failure> {
    let (rung, image) = (flags.sandbox.as_deref(), flags.image.as_deref());
    let mut choice =
        Choice::new(&config.settings, rung, image, flags.unsafe_local).map_err(Failure::usage)?;
    let configured = config.settings.number("jobs");
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    choice.jobs = match flags.jobs {
        Some(jobs) => usize::from(jobs),
        None if configured > 0 => configured,
        None => processors,
    };
    Ok((choice, config.languages().map_err(Failure::usage)?))
}

/// Where verdicts are remembered, and the seal by which they are known.
pub fn remembered(workspace: &Workspace) -> Result<(Arc<dyn Store>, Seal), Failure> {
    let store = workspace.open_or_create()?;
    let seal = Seal::of_user()
        .map_err(|error| Failure::infrastructure(format!("no secret can be kept: {}", reason(&error))))?;
    Ok((Arc::new(store), seal))
}

/// Calls `end` when somebody wants this process to end. A second Ctrl-C ends it at once.
pub fn listen(end: impl Fn() + Send + 'static) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::infrastructure(format!("signals cannot be heard: {error}")))?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else { return };
            let mut calls = 0;
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                calls += 1;
                if calls > 1 {
                    std::process::exit(i32::from(super::INTERRUPTED));
                }
                end();
            }
        });
    });
    Ok(())
}

/// A bar for so many pieces of work, where somebody is there to see it.
pub fn bar(output: &Output, count: usize) -> ProgressBar {
    if output.json || count < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Workshop {
    /// Does `work` for each number, as many at once as the workshop has jobs, and hands the results to `tell` in their
    /// order. What fails ends everything; none is work that was not begun or broken off. `tell` prints with the bar
    /// suspended, and may change it only outside of that: a suspended bar is locked.
    pub fn each<T: Send>(
        &self,
        bar: &ProgressBar,
        count: usize,
        work: impl Fn(usize) -> Option<Result<T, Failure>> + Sync,
        mut tell: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut order = InOrder::default();
        let mut trouble: Option<Failure> = None;
        each(self.jobs, count, work, |number, result| {
            bar.inc(1);
            for result in order.take(number, result).into_iter().flatten() {
                if let Err(failure) = result.and_then(&mut tell) {
                    self.cancel.cancel();
                    trouble.get_or_insert(failure);
                }
            }
        });
        bar.finish_and_clear();
        trouble.map_or(Ok(()), Err)
    }
}
