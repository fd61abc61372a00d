//! Repair loops without a model and without a sandbox: answers are a closure over the situation, tests are a closure over
//! the tree, everything is kept in memory. What lies between is real.
#![allow(dead_code, clippy::unwrap_used)]

use crate::scripted::{Run, Scripted};
use futures_util::future::BoxFuture;
use mendbench::model::{
    Answer, Call, ChatRequest, Failed, Finish, Model, ModelError, ModelEvent, Received, Timed, Usage,
};
use mendbench::repair::prompt::Templates;
use mendbench::repair::{Cell, RunEvent};
use mendbench::runner::{
    Control, Drive, Driven, Engine, Listener, ModelSource, RunRecord, RunSpec, Runs, Situation,
    TrajectoryHead,
};
use mendbench::sandbox::Exit;
use mendbench::store::{FixedClock, FixedIds, MemoryStore, Store};
use mendbench::task::{Command, Content, Target, Task};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// A function that adds wrongly, and a test that says so.
pub fn task(id: &str) -> Task {
    let mut task = Task::new("d", id);
    task.language = "python".to_owned();
    task.description = "add gives the sum.".to_owned();
    task.files.base.insert("test_add.py".to_owned(), Content::from("# the tests\n"));
    task.files.buggy.insert("add.py".to_owned(), Content::from("def add(a, b):\n    return a - b\n"));
    task.files.reference.insert("add.py".to_owned(), Content::from("def add(a, b):\n    return a + b\n"));
    task.targets = vec![Target { file: "add.py".to_owned(), function: Some("add".to_owned()) }];
    task.protected = vec!["test_add.py".to_owned()];
    task.test.command = Some(Command::Arguments(vec!["./tests".to_owned()]));
    task.test.parser = Some("tap".to_owned());
    task
}

/// Three tests: the first always passes, the others want the right operator and no `pass`.
pub fn tests(run: &mut Run<'_>) -> Exit {
    let code = String::from_utf8_lossy(&run.tree["add.py"]).into_owned();
    let results = [true, code.contains("a + b") || code.contains("b + a"), !code.contains('-')];
    run.out("1..3\n");
    for (number, passed) in results.iter().enumerate() {
        let word = if *passed { "ok" } else { "not ok" };
        run.out(&format!("{word} {} - t{}\n", number + 1, number + 1));
    }
    Exit::Code(i32::from(results.contains(&false)))
}

/// A whole answer with this function.
pub fn answer(body: &str) -> String {
    format!("Here it is.\n\n```python\ndef add(a, b):\n    {body}\n```\n")
}

type Say = dyn Fn(&Situation<'_>) -> Result<String, ModelError> + Send + Sync;

/// Models that answer by a closure; remembers what they were asked.
pub struct Says {
    say: Box<Say>,
    pub asked: Mutex<Vec<(String, ChatRequest)>>,
    /// Beside it: real ones, for `recorded:`.
    pub others: Option<Box<dyn ModelSource>>,
}

impl Says {
    pub fn new(
        say: impl Fn(&Situation<'_>) -> Result<String, ModelError> + Send + Sync + 'static,
    ) -> Arc<Says> {
        Arc::new(Says { say: Box::new(say), asked: Mutex::default(), others: None })
    }
}

/// What is asked of [`Says`].
pub struct Source(pub Arc<Says>);

impl ModelSource for Source {
    fn model(&self, name: &str, situation: &Situation<'_>) -> Result<Arc<dyn Model>, ModelError> {
        if let Some(others) = self.0.others.as_ref().filter(|_| name.starts_with("recorded:")) {
            return others.model(name, situation);
        }
        let answer = (self.0.say)(situation);
        Ok(Arc::new(One { name: name.to_owned(), answer, says: self.0.clone() }))
    }

    fn prices(&self, _name: &str) -> Option<mendbench::config::Prices> {
        let dollar = mendbench::config::Money::from_dollars(1.0).unwrap();
        Some(mendbench::config::Prices { input: dollar, output: dollar, cached: None })
    }
}

struct One {
    name: String,
    answer: Result<String, ModelError>,
    says: Arc<Says>,
}

fn received(text: &str) -> Received {
    Received {
        usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
        cost: mendbench::config::Money::from_dollars(0.001),
        ..Received::at_once(text)
    }
}

impl Model for One {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest,
        call: Call<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>> {
        Box::pin(async move {
            self.says.asked.lock().unwrap().push((self.name.clone(), request.clone()));
            if call.cancel.is_cancelled() {
                let received = Received::nothing(jiff::Timestamp::UNIX_EPOCH);
                return Err(Box::new(Failed { error: ModelError::Cancelled, received }));
            }
            match &self.answer {
                Ok(text) => {
                    for piece in text.split_inclusive(' ') {
                        let event = ModelEvent::Text { text: piece.to_owned() };
                        (call.events)(Timed { at: Duration::ZERO, event });
                        if call.cancel.is_cancelled() {
                            let error = ModelError::Cancelled;
                            return Err(Box::new(Failed { error, received: received(piece) }));
                        }
                    }
                    Ok(Answer { finish: Finish::Stop, received: received(text) })
                }
                Err(error) => Err(Box::new(Failed { error: error.clone(), received: received("half of") })),
            }
        })
    }
}

fn handle() -> tokio::runtime::Handle {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let make = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    RUNTIME.get_or_init(make).handle().clone()
}

/// An engine over these parts.
pub fn engine(store: Arc<dyn Store>, scripted: &Scripted, says: &Arc<Says>) -> Engine {
    engine_from(store, scripted, says, 1)
}

/// The same, whose ids begin elsewhere.
pub fn engine_from(store: Arc<dyn Store>, scripted: &Scripted, says: &Arc<Says>, ids: u64) -> Engine {
    Engine {
        store: store.clone(),
        harness: Arc::new(scripted.harness(None)),
        models: Arc::new(Source(says.clone())),
        templates: Arc::new(Templates::embedded().unwrap()),
        examples: Arc::default(),
        clock: Arc::new(FixedClock::default()),
        ids: Arc::new(FixedIds::starting_at(ids)),
        handle: handle(),
        locks: None,
    }
}

pub fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::default())
}

/// A cell that is iterated.
pub fn cell(strategy: &str) -> Cell {
    let templates = Templates::embedded().unwrap();
    let mut cell = Cell::new("m", templates.hash());
    cell.strategy = strategy.parse().unwrap();
    cell
}

pub fn drive(control: &Control) -> Drive {
    Drive { backoff: Duration::ZERO, ..Drive::new(control.clone()) }
}

/// Remembers what it heard, and may act on it.
#[derive(Default)]
pub struct Heard {
    pub events: Mutex<Vec<RunEvent>>,
    pub refused: Mutex<Vec<String>>,
    #[allow(clippy::type_complexity)]
    pub act: Option<Box<dyn Fn(&TrajectoryHead, &RunEvent) + Send + Sync>>,
}

impl Listener for Heard {
    fn heard(&self, trajectory: &TrajectoryHead, event: &RunEvent) {
        self.events.lock().unwrap().push(event.clone());
        if let Some(act) = &self.act {
            act(trajectory, event);
        }
    }

    fn refused(&self, _trajectory: &TrajectoryHead, why: &str) {
        self.refused.lock().unwrap().push(why.to_owned());
    }
}

/// Makes a run of one task and drives it to its end.
pub fn run(engine: &Engine, cell: Cell, heard: &Heard) -> (RunRecord, Driven) {
    let record = engine.create(RunSpec::new(cell), &[Arc::new(task("t"))]).unwrap();
    let driven = engine.drive(&record, &drive(&Control::new()), heard).unwrap();
    (record, driven)
}

/// The kinds of the durable events of the only trajectory.
pub fn kinds(record: &RunRecord) -> Vec<String> {
    let events = record.events(&record.trajectories[0]).unwrap();
    events.iter().map(|event| event.kind().to_owned()).collect()
}

pub fn runs(engine: &Engine) -> Runs {
    engine.runs()
}
