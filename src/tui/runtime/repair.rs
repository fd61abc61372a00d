//! Drives repair runs beside the keys, and looks up what their events name.
//!
//! Promises: whatever streams, the thread that draws hears of a run at most 30 times a second and never while it has not
//! taken in the last news; pieces of one text are joined while they wait, so that the queue stays short; leaving lets
//! every run be resumed and waits until its sandbox is cleaned up. Leaves to others: driving (`runner`), what is shown.

use super::shelf;
use crate::catalogue::{recording, recording_names};
use crate::repair::RunEvent;
use crate::repair::event::What;
use crate::runner::{Control, Drive, Engine, Listener, RunSpec, Runs, TrajectoryHead};
use crate::sandbox::Rung;
use crate::task::Task;
use crate::tui::msg::repair::{Ask, LaunchChoice, News, Started, Steer, Told};
use crate::tui::msg::verify::Heard;
use crate::tui::msg::{JobResult, Msg};
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// Time between two pieces of news at least.
const PACE: Duration = Duration::from_millis(33);
/// While nothing happens, news tell the time.
const TICK: Duration = Duration::from_secs(1);
/// Longest time that leaving waits for sandboxes to be cleaned up.
const PATIENCE: Duration = Duration::from_secs(15);
/// Longest text that pieces are joined to, bytes.
const MOST_JOINED: usize = 64 << 10;
/// Bytes of output that wait at most; what comes beyond is in the record, not on the screen.
const MOST_OUTPUT: usize = 2 << 20;
/// What is said of a panic.
const PANICKED: &str = "something went wrong inside mendbench; the message is printed when it ends";

/// Which engine is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EngineWish {
    /// Whether a workspace is made where there is none: to look at runs none is needed.
    pub keeps: bool,
    /// Where tests run; `None`: the best that stands.
    pub rung: Option<Rung>,
}

/// Makes the engine when it is wanted first: starting the workbench opens no workspace and looks for no sandbox.
pub type MakeEngine = Arc<dyn Fn(EngineWish) -> Result<Arc<Engine>, String> + Send + Sync>;

/// Engines that were made.
pub struct Engines {
    make: MakeEngine,
    made: Mutex<HashMap<EngineWish, Arc<Engine>>>,
    recordings: OnceLock<Vec<(&'static str, Runs)>>,
}

impl Engines {
    /// None made yet.
    pub fn new(make: MakeEngine) -> Engines {
        Engines { make, made: Mutex::default(), recordings: OnceLock::new() }
    }

    /// Without the recordings that come with the sample tasks.
    #[must_use]
    pub fn without_recordings(self) -> Engines {
        Engines { recordings: OnceLock::from(Vec::new()), ..self }
    }

    /// What is looked at next is looked for anew: a workspace may have been made meanwhile.
    pub fn look_anew(&self) {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).retain(|known, _| known.keeps);
    }

    /// The recordings that come with the sample tasks; one that is not whole is left out.
    pub fn recordings(&self) -> &[(&'static str, Runs)] {
        self.recordings.get_or_init(|| {
            let names = recording_names().into_iter();
            names.filter_map(|name| Some((name, Runs::new(recording(name)?.ok()?)))).collect()
        })
    }

    /// The engine of a wish; one that could not be made is tried again the next time.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn get(&self, wish: EngineWish) -> Result<Arc<Engine>, String> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // One that keeps what it does can be looked at as well.
        let keeping = made.iter().find(|(known, _)| !wish.keeps && known.keeps);
        if let Some((_, engine)) = keeping.or(made.get_key_value(&wish)) {
            return Ok(engine.clone());
        }
        let engine = (self.make)(wish)?;
        made.insert(wish, engine.clone());
        Ok(engine)
    }
}

/// Drives runs.
pub struct Repairer {
    engines: Arc<Engines>,
    sender: UnboundedSender<Msg>,
    running: HashMap<u64, Running>,
    shelf: Option<Sender<(u64, Ask)>>,
}

struct Running {
    control: Control,
    /// Closed when it is over and cleaned up.
    over: Receiver<()>,
}

fn done(ticket: u64, told: Told) -> Msg {
    Msg::Done { ticket, result: Box::new(JobResult::Repair(told)) }
}

impl Repairer {
    /// One that answers to this sender.
    pub fn new(make: MakeEngine, sender: UnboundedSender<Msg>) -> Repairer {
        let engines = Arc::new(Engines::new(make));
        Repairer { engines, sender, running: HashMap::new(), shelf: None }
    }

    /// Does what is asked.
    pub fn ask(&mut self, ticket: u64, ask: Ask) {
        match ask {
            Ask::Start { task, choice } => self.start(ticket, task, choice),
            Ask::Steer(steer) => {
                if let Some(running) = self.running.get(&ticket) {
                    steer_run(&running.control, steer);
                }
            }
            ask => {
                let shelf = self.shelf.get_or_insert_with(|| {
                    let (sender, receiver) = channel::<(u64, Ask)>();
                    let (engines, answers) = (self.engines.clone(), self.sender.clone());
                    std::thread::spawn(move || {
                        for (ticket, ask) in receiver {
                            let look = || shelf::look(&engines, &ask);
                            let told = catch_unwind(AssertUnwindSafe(look))
                                .unwrap_or_else(|_| Told::Refused(PANICKED.to_owned()));
                            if answers.send(done(ticket, told)).is_err() {
                                return;
                            }
                        }
                    });
                    sender
                });
                // The thread ends only with this.
                let _ = shelf.send((ticket, ask));
            }
        }
    }

    fn start(&mut self, ticket: u64, task: Arc<Task>, choice: LaunchChoice) {
        self.running.retain(|_, running| {
            !matches!(running.over.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected))
        });
        let control = Control::new();
        let (alive, over) = channel::<()>();
        self.running.insert(ticket, Running { control: control.clone(), over });
        let (engines, sender) = (self.engines.clone(), self.sender.clone());
        std::thread::spawn(move || {
            // Held to the end of the thread, whatever happens in it.
            let _alive = alive;
            let desk = Arc::new(Desk::default());
            let courier = {
                let (desk, sender) = (desk.clone(), sender.clone());
                std::thread::spawn(move || desk.deliver(ticket, &sender))
            };
            let mut begins = |started| {
                let _ = sender.send(done(ticket, Told::Started(Box::new(started))));
            };
            let work = || run(&engines, &task, &choice, control, &*desk, &mut begins);
            let told = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|_| Told::Ended(Some(PANICKED.to_owned())));
            desk.close();
            // The last news come before the end.
            let _ = courier.join();
            let _ = sender.send(done(ticket, told));
        });
    }
}

impl Drop for Repairer {
    fn drop(&mut self) {
        for running in self.running.values() {
            running.control.leave();
        }
        let end = Instant::now() + PATIENCE;
        for running in self.running.values() {
            // Longer than that nobody waits for a program to end; what is left is swept at the next start.
            let _ = running.over.recv_timeout(end.saturating_duration_since(Instant::now()));
        }
    }
}

/// Does something to a run.
pub fn steer_run(control: &Control, steer: Steer) {
    match steer {
        Steer::Pause => control.pause(),
        Steer::GoOn => control.go_on(),
        Steer::Step => control.step(),
        Steer::Cancel => control.cancel(),
        Steer::Wish(trajectory, wish) => control.wish(trajectory, *wish),
    }
}

/// Makes a run and drives it on this thread. Also called by tests, which have no threads.
pub fn run(
    engines: &Engines,
    task: &Arc<Task>,
    choice: &LaunchChoice,
    control: Control,
    listener: &dyn Listener,
    begins: &mut dyn FnMut(Started),
) -> Told {
    let engine = match engines.get(EngineWish { keeps: true, rung: choice.rung }) {
        Ok(engine) => engine,
        Err(why) => return Told::Refused(why),
    };
    let cell = choice.cell(engine.templates.hash());
    let spec = RunSpec { samples: choice.samples.max(1), ..RunSpec::new(cell.clone()) };
    let record = match engine.create(spec, std::slice::from_ref(task)) {
        Ok(record) => record,
        Err(error) => return Told::Refused(error.to_string()),
    };
    begins(Started {
        run: record.id,
        heads: record.trajectories.clone(),
        cell: cell.settled(),
        task: task.clone(),
    });
    let how = Drive { person: true, ..Drive::new(control) };
    match engine.drive(&record, &how, listener) {
        Ok(driven) => Told::Ended(driven.troubles.first().map(|(_, error)| error.to_string())),
        Err(error) => Told::Ended(Some(error.to_string())),
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
    events: Events,
    refused: Vec<String>,
    /// The last news were not taken in yet.
    unheard: bool,
    closed: bool,
}

/// Events that wait, pieces of one text joined.
#[derive(Debug, Default)]
pub struct Events {
    waiting: VecDeque<RunEvent>,
    output: usize,
}

impl Events {
    /// Takes an event in.
    pub fn push(&mut self, event: &RunEvent) {
        let mut event = event.clone();
        if let What::BuildOutput(data) = &mut event.what {
            let room = MOST_OUTPUT.saturating_sub(self.output);
            data.text.truncate(data.text.floor_char_boundary(room.min(data.text.len())));
            self.output += data.text.len();
        }
        let joined = self.waiting.back_mut().is_some_and(|last| join(last, &event));
        if !joined {
            self.waiting.push_back(event);
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// All that wait.
    pub fn take(&mut self) -> Vec<RunEvent> {
        self.output = 0;
        std::mem::take(&mut self.waiting).into()
    }
}

/// Joins a piece of text to the one before it, if they belong together.
fn join(last: &mut RunEvent, next: &RunEvent) -> bool {
    if (last.trajectory, last.attempt, last.turn) != (next.trajectory, next.attempt, next.turn) {
        return false;
    }
    let text = match (&mut last.what, &next.what) {
        (What::AnswerDelta(one), What::AnswerDelta(two))
            if (one.call, one.channel, &one.other) == (two.call, two.channel, &two.other) =>
        {
            (&mut one.text, &two.text)
        }
        (What::BuildOutput(one), What::BuildOutput(two))
            if (one.channel, &one.other) == (two.channel, &two.other) =>
        {
            (&mut one.text, &two.text)
        }
        _ => return false,
    };
    if text.0.len() + text.1.len() > MOST_JOINED {
        return false;
    }
    text.0.push_str(text.1);
    (last.seq, last.at) = (next.seq, next.at);
    true
}

impl Listener for Desk {
    fn heard(&self, _trajectory: &TrajectoryHead, event: &RunEvent) {
        let mut pile = self.pile();
        let was_empty = pile.events.is_empty();
        pile.events.push(event);
        drop(pile);
        if was_empty {
            self.changed.notify_all();
        }
    }

    fn refused(&self, _trajectory: &TrajectoryHead, why: &str) {
        self.pile().refused.push(why.to_owned());
        self.changed.notify_all();
    }
}

impl Desk {
    fn pile(&self) -> MutexGuard<'_, Pile> {
        self.pile.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.pile().closed = true;
        self.changed.notify_all();
    }

    /// Delivers news until there will be no more.
    fn deliver(self: Arc<Self>, ticket: u64, sender: &UnboundedSender<Msg>) {
        loop {
            let mut pile = self.pile();
            let tick = Instant::now() + TICK;
            let quiet = |pile: &Pile| pile.events.is_empty() && pile.refused.is_empty();
            while !pile.closed && (pile.unheard || quiet(&pile)) {
                let left = tick.saturating_duration_since(Instant::now());
                if left.is_zero() && !pile.unheard {
                    break;
                }
                let wait = if pile.unheard { TICK } else { left };
                pile = self.changed.wait_timeout(pile, wait).unwrap_or_else(PoisonError::into_inner).0;
            }
            let closed = pile.closed;
            let (events, refused) = (pile.events.take(), std::mem::take(&mut pile.refused));
            pile.unheard = true;
            drop(pile);
            let desk = self.clone();
            let heard = Heard(Some(Box::new(move || {
                desk.pile().unheard = false;
                desk.changed.notify_all();
            })));
            let news = News { now: jiff::Timestamp::now(), events, refused, heard };
            let sent = sender.send(done(ticket, Told::News(news)));
            if closed || sent.is_err() {
                return;
            }
            let pile = self.pile();
            let _rest = self.changed.wait_timeout_while(pile, PACE, |pile| !pile.closed);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::repair::event::{AnswerDelta, BuildOutput, Call, Channel, Unknown, VERSION};
    use uuid::Uuid;

    fn event(seq: u64, what: What) -> RunEvent {
        RunEvent {
            v: VERSION,
            run: Uuid::nil(),
            trajectory: Uuid::nil(),
            attempt: 1,
            turn: 1,
            seq,
            at: jiff::Timestamp::UNIX_EPOCH,
            what,
            other: Unknown::new(),
        }
    }

    fn delta(channel: Channel, text: &str) -> What {
        let (call, text, other) = (Call::Repair, text.to_owned(), Unknown::new());
        What::AnswerDelta(AnswerDelta { call, channel, text, other })
    }

    #[test]
    fn a_flood_of_pieces_waits_as_a_few_events() {
        let mut events = Events::default();
        for seq in 1..=100_000 {
            events.push(&event(seq, delta(Channel::Answer, "ab")));
        }
        events.push(&event(100_001, delta(Channel::Reasoning, "x")));
        assert!(events.len() <= 6, "{}", events.len());
        let taken = events.take();
        let text: usize = taken
            .iter()
            .filter_map(|event| match &event.what {
                What::AnswerDelta(data) if data.channel == Channel::Answer => Some(data.text.len()),
                _ => None,
            })
            .sum();
        assert_eq!((text, taken.last().unwrap().seq), (200_000, 100_001));
        assert!(taken.is_sorted_by_key(|event| event.seq));
        assert!(events.is_empty());
    }

    #[test]
    fn output_that_nobody_takes_is_bounded() {
        let mut events = Events::default();
        let text = "é".repeat(30_000);
        for seq in 1..=1_000 {
            let (channel, text, other) = (Channel::Output, text.clone(), Unknown::new());
            events.push(&event(seq, What::BuildOutput(BuildOutput { channel, text, other })));
        }
        let kept: usize = events
            .take()
            .iter()
            .map(|event| match &event.what {
                What::BuildOutput(data) => data.text.len(),
                _ => 0,
            })
            .sum();
        assert!(kept <= MOST_OUTPUT);
    }
}
