//! Carries out what the state asks for: jobs on threads, timers.
//!
//! Promises: of a lane only the newest job is run: a new one replaces one that waits and cancels one that
//! runs; results come back as messages with their ticket; when it is dropped, sandboxes are killed and cleaned up
//! before it is gone. Leaves to others: what is asked (`app`, `screens`),
//! the terminal (`run`).

pub mod collector;
mod digest;
pub mod repair;
pub mod shelf;
pub mod study;
pub mod verify;

use super::msg::repair::Ask;
use super::msg::verify::VerifyJob;
use super::msg::{Job, JobResult, Msg, Said, Slot};
use crate::catalogue::{Catalogue, CatalogueError, LoadedTask, item_of};
use crate::diff::FileBody;
use crate::study::{Candidate, Source};
use crate::task::filter::Filter;
use crate::task::list::Arranged;
use crate::task::table::TaskTable;
use repair::{MakeEngine, Repairer};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use study::{MakeBench, Registry};
use tokio::sync::mpsc::UnboundedSender;
use verify::{MakeHarness, Verifier};

/// Threads for jobs.
pub struct Runtime {
    catalogue: Arc<dyn Catalogue>,
    sender: UnboundedSender<Msg>,
    lanes: HashMap<Slot, Arc<Lane>>,
    verifier: Verifier,
    repairer: Repairer,
    registry: Registry,
    stopping: Arc<AtomicBool>,
}

#[derive(Default)]
struct Lane {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    job: Option<(u64, Job, Arc<AtomicBool>)>,
    running: Option<Arc<AtomicBool>>,
    closed: bool,
}

impl Runtime {
    /// A runtime that reads tasks from this catalogue, verifies with this harness, repairs with this engine, keeps the
    /// studies of this bench and answers to this sender.
    pub fn new(
        catalogue: Arc<dyn Catalogue>,
        harness: MakeHarness,
        engine: MakeEngine,
        bench: MakeBench,
        sender: UnboundedSender<Msg>,
    ) -> Runtime {
        let verifier = Verifier::new(harness, sender.clone());
        let repairer = Repairer::new(engine, sender.clone());
        let registry = Registry::new(bench, sender.clone());
        let (lanes, stopping) = (HashMap::new(), Arc::default());
        Runtime { catalogue, sender, lanes, verifier, repairer, registry, stopping }
    }

    /// Asks something of the studies.
    pub fn study(&mut self, ticket: u64, ask: super::msg::study::Ask) {
        self.registry.ask(ticket, ask);
    }

    /// Asks something of the repair runs.
    pub fn repair(&mut self, ticket: u64, ask: Ask) {
        self.repairer.ask(ticket, ask);
    }

    /// Starts a verification.
    pub fn verify(&mut self, ticket: u64, job: VerifyJob) {
        self.verifier.start(ticket, job);
    }

    /// Ends the verification that runs.
    pub fn cancel_verify(&self) {
        self.verifier.cancel();
    }

    /// Starts reading the list of tasks.
    pub fn read_list(&self) {
        let (catalogue, sender, stopping) =
            (self.catalogue.clone(), self.sender.clone(), self.stopping.clone());
        std::thread::spawn(move || {
            let result = catalogue.list(&mut |progress| {
                !stopping.load(Ordering::Relaxed) && sender.send(Msg::Table(progress)).is_ok()
            });
            if let Err(error) = result
                && !stopping.load(Ordering::Relaxed)
            {
                let _ = sender.send(Msg::TableFailed(error.to_string()));
            }
        });
    }

    /// Starts a job in its lane.
    pub fn start(&mut self, slot: Slot, ticket: u64, job: Job) {
        let lane = self.lanes.entry(slot).or_insert_with(|| {
            let lane = Arc::new(Lane::default());
            let (catalogue, sender, worker) = (self.catalogue.clone(), self.sender.clone(), lane.clone());
            std::thread::spawn(move || {
                if matches!(slot, Slot::Colours | Slot::DisputeColours | Slot::ColoursAhead) {
                    give_way();
                }
                worker.run(&*catalogue, &sender);
            });
            lane
        });
        let mut waiting = lane.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &waiting.running {
            running.store(true, Ordering::Relaxed);
        }
        waiting.job = Some((ticket, job, Arc::default()));
        lane.arrived.notify_one();
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        for lane in self.lanes.values() {
            let mut waiting = lane.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.closed = true;
            if let Some(running) = &waiting.running {
                running.store(true, Ordering::Relaxed);
            }
            lane.arrived.notify_one();
        }
    }
}

impl Lane {
    fn run(&self, catalogue: &dyn Catalogue, sender: &UnboundedSender<Msg>) {
        loop {
            let (ticket, job, cancelled) = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.running = None;
                loop {
                    if waiting.closed {
                        return;
                    }
                    if let Some(next) = waiting.job.take() {
                        waiting.running = Some(next.2.clone());
                        break next;
                    }
                    waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let report = |result: JobResult| {
                if !cancelled.load(Ordering::Relaxed) {
                    let _ = sender.send(Msg::Done { ticket, result: Box::new(result) });
                }
            };
            // A job that panics must not take its lane along: later ones still want to be answered.
            let outcome = catch_unwind(AssertUnwindSafe(|| carry_out(catalogue, job, &cancelled, &report)));
            if outcome.is_err() {
                let text = "something went wrong inside mendbench; the message is printed when it ends";
                let _ = sender.send(Msg::Said(Said::error(text)));
            }
        }
    }
}

/// Lets this thread, and those it starts, wait whenever another one has something to do: colours take all processors
/// for a while, and a key must not wait for them.
fn give_way() {
    // Elsewhere it would hold for the whole program.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

/// Does the work of a job. Also called by tests, which have no threads.
pub fn carry_out(catalogue: &dyn Catalogue, job: Job, cancelled: &AtomicBool, report: &dyn Fn(JobResult)) {
    match job {
        Job::Arrange { table, filter, arrangement, candidates } => {
            let stop = || cancelled.load(Ordering::Relaxed);
            let texts = match full_text(catalogue, &filter, &stop) {
                Ok(texts) => texts,
                Err(error) => return report(JobResult::ArrangeFailed(error.to_string())),
            };
            let rows = candidates.unwrap_or_else(|| Arc::new((0..table.len() as u32).collect()));
            let mut selected = filter.select(&table, &rows, &stop);
            keep_found(&table, &texts, &mut selected);
            if stop() {
                return;
            }
            let in_table_order = Arc::new(selected.iter().map(|(row, _)| *row).collect());
            let arranged = Arranged::new(&table, &filter, selected, arrangement);
            report(JobResult::Arranged { filter, selected: in_table_order, arranged });
        }
        Job::Load { key, options } => {
            report(JobResult::Loaded(LoadedTask::load(catalogue, key, options).map(Arc::new)));
        }
        Job::Choose { table, filter } => {
            let stop = || cancelled.load(Ordering::Relaxed);
            let texts = match full_text(catalogue, &filter, &stop) {
                Ok(texts) => texts,
                Err(error) => return report(JobResult::ArrangeFailed(error.to_string())),
            };
            let rows: Vec<u32> = (0..table.len() as u32).collect();
            let mut selected = filter.select(&table, &rows, &stop);
            keep_found(&table, &texts, &mut selected);
            selected.sort_unstable();
            if stop() {
                return;
            }
            let rows = selected.iter().filter_map(|(row, _)| table.get(*row));
            report(JobResult::Chosen(rows.map(|row| Candidate::of(&row)).collect()));
        }
        Job::Items(chosen) => {
            let mut items = Vec::with_capacity(chosen.len());
            for (candidate, purpose) in chosen {
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
                let Source::Task(key) = candidate.source else { continue };
                match item_of(catalogue, key, candidate.stratum, purpose) {
                    Ok(item) => items.push(item),
                    Err(error) => {
                        let why = format!("{} cannot be read: {error}", candidate.name);
                        return report(JobResult::Items(Err(why)));
                    }
                }
            }
            report(JobResult::Items(Ok(items)));
        }
        Job::Colours(loaded) => {
            for (file, entry) in loaded.diff.files.iter().enumerate() {
                let FileBody::Text { diff: body, .. } = &entry.body else { continue };
                if loaded.colours.get(file).is_some_and(Option::is_some) {
                    continue;
                }
                let language = &loaded.task.language;
                crate::catalogue::colour_in_steps(language, &entry.path, body, cancelled, &mut |colours| {
                    report(JobResult::Colours { key: loaded.key, file, colours: Some(colours) });
                });
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }
}

/// Keys that the full-text terms of a filter find, and whether they must be absent.
type Texts = Vec<(HashSet<u64>, bool)>;

/// Asks the catalogue for the full-text terms of a filter.
pub fn full_text(
    catalogue: &dyn Catalogue,
    filter: &Filter,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Texts, CatalogueError> {
    filter.texts().iter().map(|(text, absent)| Ok((catalogue.search(text, cancelled)?, *absent))).collect()
}

/// Keeps the rows that pass the full-text terms.
pub fn keep_found(table: &TaskTable, texts: &Texts, selected: &mut Vec<(u32, u16)>) {
    if !texts.is_empty() {
        selected.retain(|(row, _)| {
            let key = table.get(*row).map_or(u64::MAX, |summary| summary.key);
            texts.iter().all(|(found, absent)| found.contains(&key) != *absent)
        });
    }
}
