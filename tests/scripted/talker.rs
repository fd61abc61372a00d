//! A model that says what it is told to, and a workbench with an engine around it: the ring buffer of the samples, its
//! tests played by a script. Time moves only while it speaks.
#![allow(dead_code, clippy::unwrap_used)]

use crate::scripted::{Run, Scripted};
use futures_util::future::BoxFuture;
use mendbench::config::Money;
use mendbench::model::{
    Answer, Call, ChatRequest, Failed, Finish, Model, ModelError, ModelEvent, Received, Timed, Usage,
};
use mendbench::repair::prompt::Templates;
use mendbench::runner::{Engine, ModelSource, Situation};
use mendbench::sandbox::Exit;
use mendbench::store::{FixedClock, FixedIds, MemoryStore};
use mendbench::tui::msg::repair::ModelChoice;
use mendbench::tui::runtime::repair::{Engines, MakeEngine};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// What the model does when it is asked.
#[derive(Clone)]
pub enum Say {
    /// It reasons, then says this.
    Text(&'static str, &'static str),
    /// There is no model of this name.
    Nothing,
}

/// Takes the check away, so that nothing is refused any more.
pub const WRONG: &str = "## Cause\n\nThe check runs before the increment, so the buffer reports full one slot early. \
    Without it the last slot can be used.\n\n```c\nint rb_push(struct rb *rb, int v)\n{\n    size_t next = (rb->head + 1) \
    % rb->cap;\n    rb->buf[rb->head] = v;\n    rb->head = next;\n    rb->len++;\n    return 0;\n}\n```\n\nI removed the \
    condition `next == rb->tail`.\n";

/// Counts elements.
pub const RIGHT: &str = "`len` is the only truth about how full the buffer is.\n\n```c\nint rb_push(struct rb *rb, int \
    v)\n{\n    size_t next = (rb->head + 1) % rb->cap;\n    if (rb->len == rb->cap) return -1;\n    \
    rb->buf[rb->head] = v;\n    rb->head = next;\n    rb->len++;\n    return 0;\n}\n```\n";

/// Words only.
pub const WORDS: &str = "The condition in `rb_push` looks wrong to me; I would compare lengths.\n";

pub const THOUGHTS: &str = "One slot is always left free.\nThe full test compares with the tail.\n";

struct Talker {
    says: Mutex<VecDeque<Say>>,
    clock: Arc<FixedClock>,
}

impl ModelSource for Talker {
    fn model(&self, name: &str, _situation: &Situation<'_>) -> Result<Arc<dyn Model>, ModelError> {
        match self.says.lock().unwrap().pop_front() {
            Some(Say::Text(reasoning, text)) => {
                Ok(Arc::new(Speaker { name: name.to_owned(), reasoning, text, clock: self.clock.clone() }))
            }
            Some(Say::Nothing) | None => {
                let why = "the server does not know it".to_owned();
                Err(ModelError::Settings { model: name.to_owned(), why })
            }
        }
    }
}

struct Speaker {
    name: String,
    reasoning: &'static str,
    text: &'static str,
    clock: Arc<FixedClock>,
}

impl Model for Speaker {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        _request: &'a ChatRequest,
        call: Call<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>> {
        Box::pin(async move {
            let mut at = Duration::ZERO;
            let mut tell = |event| {
                (call.events)(Timed { at, event });
                at += Duration::from_millis(100);
                self.clock.advance(jiff::SignedDuration::from_millis(100));
            };
            tell(ModelEvent::Connecting);
            tell(ModelEvent::Started);
            for piece in self.reasoning.split_inclusive('\n') {
                tell(ModelEvent::Reasoning { text: piece.to_owned() });
            }
            for piece in self.text.split_inclusive(' ') {
                tell(ModelEvent::Text { text: piece.to_owned() });
            }
            tell(ModelEvent::Finished { finish: Finish::Stop });
            let mut received = Received {
                reasoning: self.reasoning.to_owned(),
                usage: Some(Usage { input: 600, output: 200, ..Usage::default() }),
                cost: Some(Money(1_200_000)),
                ..Received::at_once(self.text)
            };
            let timing = &mut received.timing;
            timing.first_byte = Some(Duration::from_millis(200));
            timing.first_token = Some(Duration::from_millis(400));
            timing.last_token = Some(Duration::from_millis(5_400));
            timing.ended = Duration::from_millis(5_400);
            Ok(Answer { finish: Finish::Stop, received })
        })
    }
}

/// The tests of the ring buffer, by what stands in its code.
fn ring_buffer(run: &mut Run<'_>) -> Exit {
    if run.command.starts_with("gcc") {
        run.out("compiling ring_buffer.c\n");
        return Exit::Code(0);
    }
    let code = run.tree.get("src/ring_buffer.c").cloned().unwrap_or_default();
    let code = String::from_utf8_lossy(&code);
    let refuses_early = code.contains("next == rb->tail");
    let refuses = refuses_early || code.contains("rb->len == rb->cap");
    run.out("1..6\n");
    let tests = [
        ("empty", true, ""),
        ("push_pop", true, ""),
        ("wrap", !refuses_early, "expected 0, got -1"),
        ("fill", !refuses_early, "expected 4, got 3"),
        ("full_rejects", refuses, "expected -1, got 0"),
        ("drain", true, ""),
    ];
    for (number, (name, passed, message)) in (1..).zip(tests) {
        let sign = if passed { "ok" } else { "not ok" };
        run.out(&format!("{sign} {number} - {name}\n"));
        if !passed {
            run.out(&format!("# {message}\n"));
        }
    }
    Exit::Code(i32::from(tests.iter().any(|(_, passed, _)| !passed)))
}

/// An engine whose model says these things, one after the other.
pub fn engine(says: &[Say]) -> Arc<Engines> {
    engine_on(says, Scripted::new(ring_buffer))
}

/// The same with other tests.
pub fn engine_on(says: &[Say], scripted: Scripted) -> Arc<Engines> {
    Arc::new(Engines::new(maker_on(says, scripted)).without_recordings())
}

/// What makes the engine of the ring buffer.
pub fn maker(says: &[Say]) -> MakeEngine {
    maker_on(says, Scripted::new(ring_buffer))
}

/// What makes an engine with other tests.
pub fn maker_on(says: &[Say], scripted: Scripted) -> MakeEngine {
    static THREADS: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let threads = THREADS.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    });
    let clock = Arc::new(FixedClock::default());
    let store = Arc::new(MemoryStore::default());
    let engine = Arc::new(Engine {
        store: store.clone(),
        harness: Arc::new(scripted.harness(Some(store))),
        models: Arc::new(Talker { says: Mutex::new(says.to_vec().into()), clock: clock.clone() }),
        templates: Arc::new(Templates::embedded().unwrap()),
        examples: Arc::default(),
        clock,
        ids: Arc::new(FixedIds::starting_at(0)),
        handle: threads.handle().clone(),
        locks: None,
    });
    Arc::new(move |_| Ok(engine.clone()))
}

/// The ring buffer of the samples.
pub fn ring() -> mendbench::task::Task {
    let samples = crate::rig::Memory::samples();
    samples.tasks.into_iter().find(|task| task.id == "c-ring-buffer").unwrap()
}

/// A workbench with that task alone, and an engine whose model says these things.
pub fn workbench(options: crate::rig::Options, says: &[Say]) -> crate::rig::Rig {
    let options = crate::rig::Options { models: models(), ..options };
    let mut rig = crate::rig::Rig::tasks(vec![ring()], options);
    rig.engines = Some(engine(says));
    rig.rest();
    rig
}

/// Models for the launch sheet.
pub fn models() -> Vec<ModelChoice> {
    let prices =
        mendbench::config::Prices { input: Money(200_000_000), output: Money(900_000_000), cached: None };
    let coder = ModelChoice {
        name: "qwen-coder".to_owned(),
        prices: Some(prices),
        is_free: false,
        max_tokens: Some(2_048),
        remark: "127.0.0.1".to_owned(),
    };
    let recorded = ModelChoice {
        name: "recorded:last".to_owned(),
        prices: None,
        is_free: true,
        max_tokens: None,
        remark: "answers as the newest run did".to_owned(),
    };
    vec![coder, recorded]
}
