//! Runs verifications beside the keys.
//!
//! Promises: one at a time, and a new one begins when the one before is cleaned up; whatever is written, the thread
//! that draws hears of it at most 30 times a second and never while it has not taken in the last news; a cancelled
//! one, or one that is dropped, has its sandbox killed, and dropping waits until that is cleaned up. Leaves to
//! others: verifying (`harness`), what is shown.

use super::collector::Collector;
use super::digest::digest;
use crate::harness::{Cancel, Changes, Happening, Harness, State, Wanted, Watcher};
use crate::report::diagnostics::Form;
use crate::tui::msg::verify::{Heard, VerifyJob};
use crate::tui::msg::{JobResult, Msg};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Time between two pieces of news at least.
const PACE: Duration = Duration::from_millis(33);
/// While nothing happens, news tell how long it has been going on.
const TICK: Duration = Duration::from_secs(1);
/// Longest time that leaving waits for a sandbox to be cleaned up.
const PATIENCE: Duration = Duration::from_secs(15);

/// Makes the harness when the first verification wants it: starting the workbench looks for no sandbox.
pub type MakeHarness = Arc<dyn Fn() -> Result<Arc<Harness>, String> + Send + Sync>;

/// Runs verifications.
pub struct Verifier {
    make: MakeHarness,
    made: Arc<Mutex<Option<Arc<Harness>>>>,
    sender: UnboundedSender<Msg>,
    current: Option<Current>,
}

struct Current {
    cancel: Cancel,
    /// Closed when it is over and cleaned up.
    over: Receiver<()>,
}

impl Verifier {
    /// One that answers to this sender.
    pub fn new(make: MakeHarness, sender: UnboundedSender<Msg>) -> Verifier {
        Verifier { make, made: Arc::default(), sender, current: None }
    }

    /// Starts a verification; one that still runs is cancelled.
    pub fn start(&mut self, ticket: u64, job: VerifyJob) {
        self.cancel();
        let before = self.current.take();
        let cancel = Cancel::new();
        let (alive, over) = channel::<()>();
        self.current = Some(Current { cancel: cancel.clone(), over });
        let (make, made, sender) = (self.make.clone(), self.made.clone(), self.sender.clone());
        std::thread::spawn(move || {
            // Held to the end of the thread, whatever happens in it.
            let _alive = alive;
            if let Some(before) = before {
                // Its end is all that is waited for.
                let _ = before.over.recv();
            }
            let desk = Arc::new(Desk::default());
            let began = Instant::now();
            let courier = {
                let (desk, sender) = (desk.clone(), sender.clone());
                std::thread::spawn(move || desk.deliver(ticket, began, &sender))
            };
            let harness = || harness(&make, &made);
            let work = || verify(&harness, &job, &cancel, &mut |what| desk.happened(what));
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
                JobResult::VerifyFailed(
                    "something went wrong inside mendbench; the message is printed when it ends".to_owned(),
                )
            });
            desk.close();
            // The last news come before the result.
            let _ = courier.join();
            let _ = sender.send(Msg::Done { ticket, result: Box::new(result) });
        });
    }

    /// Ends the one that runs.
    pub fn cancel(&self) {
        if let Some(current) = &self.current {
            current.cancel.cancel();
        }
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        self.cancel();
        if let Some(current) = self.current.take() {
            // Longer than that nobody waits for a program to end; what is left is swept at the next start.
            let _ = current.over.recv_timeout(PATIENCE);
        }
    }
}

/// The harness; one that could not be made is tried again the next time.
fn harness(make: &MakeHarness, made: &Mutex<Option<Arc<Harness>>>) -> Result<Arc<Harness>, String> {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(harness) = &*made {
        return Ok(harness.clone());
    }
    let harness = make()?;
    *made = Some(harness.clone());
    Ok(harness)
}

struct Ears<'a>(&'a mut dyn FnMut(Happening<'_>));

impl Watcher for Ears<'_> {
    fn happened(&mut self, what: Happening<'_>) {
        (self.0)(what);
    }
}

/// Verifies on this thread. Also called by tests, which have no threads.
pub fn verify(
    harness: &dyn Fn() -> Result<Arc<Harness>, String>,
    job: &VerifyJob,
    cancel: &Cancel,
    ears: &mut dyn FnMut(Happening<'_>),
) -> JobResult {
    // The first time it looks for a sandbox.
    ears(Happening::State(State::Preparing));
    let harness = match harness() {
        Ok(harness) => harness,
        Err(why) => return JobResult::VerifyFailed(why),
    };
    let task = &job.loaded.task;
    let changes = Changes::new();
    let wanted = Wanted { task, version: job.version, changes: &changes, fresh: job.fresh };
    match harness.verify(&wanted, cancel, &mut Ears(ears)) {
        Ok(verified) => {
            let expected = harness.expected(task);
            let trouble = harness.troubles().first().cloned();
            let language = harness.languages().get(&task.language);
            let analysers = language.into_iter().flat_map(|language| &language.analysers);
            // A build prints text, whatever form the analysers of its language are asked for.
            let forms: BTreeSet<&str> = analysers
                .map(|analyser| match analyser.form {
                    Form::GccJson => Form::Gcc.name(),
                    Form::RustcJson => Form::Rustc.name(),
                    form => form.name(),
                })
                .collect();
            let forms: Vec<Form> = forms.into_iter().filter_map(Form::by_name).collect();
            JobResult::Verified(Box::new(digest(task, job.version, &forms, expected, verified, trouble)))
        }
        Err(error) => JobResult::VerifyFailed(error.to_string()),
    }
}

/// Where news lie until they are taken.
#[derive(Default)]
struct Desk {
    pile: Mutex<Pile>,
    changed: Condvar,
}

#[derive(Default)]
struct Pile {
    collector: Collector,
    /// The last news were not taken in yet.
    unheard: bool,
    closed: bool,
}

impl Desk {
    fn pile(&self) -> MutexGuard<'_, Pile> {
        self.pile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn happened(&self, what: Happening<'_>) {
        let mut pile = self.pile();
        let was_dirty = pile.collector.dirty;
        pile.collector.take_in(what);
        drop(pile);
        if !was_dirty {
            self.changed.notify_all();
        }
    }

    fn close(&self) {
        self.pile().closed = true;
        self.changed.notify_all();
    }

    /// Delivers news until there will be no more.
    fn deliver(self: Arc<Self>, ticket: u64, began: Instant, sender: &UnboundedSender<Msg>) {
        loop {
            let mut pile = self.pile();
            let tick = Instant::now() + TICK;
            while !pile.closed && (pile.unheard || !pile.collector.dirty) {
                let left = tick.saturating_duration_since(Instant::now());
                if left.is_zero() && !pile.unheard {
                    break;
                }
                let wait = if pile.unheard { TICK } else { left };
                pile = self.changed.wait_timeout(pile, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            let closed = pile.closed;
            let mut news = pile.collector.news(began.elapsed());
            pile.unheard = true;
            drop(pile);
            let desk = self.clone();
            news.heard = Heard(Some(Box::new(move || {
                desk.pile().unheard = false;
                desk.changed.notify_all();
            })));
            let sent = sender.send(Msg::Done { ticket, result: Box::new(JobResult::Verifying(news)) });
            if closed || sent.is_err() {
                return;
            }
            let pile = self.pile();
            let _rest = self.changed.wait_timeout_while(pile, PACE, |pile| !pile.closed);
        }
    }
}
