//! The engine of repair loops, with scripted models and tests: what is stored, resumed, recorded, interrupted.
#![allow(clippy::unwrap_used)]

mod loops;
mod scripted;

use loops::{Heard, Says, answer, cell, drive, engine, engine_from, kinds, memory, run, task, tests};
use mendbench::config::Models as Settings;
use mendbench::model::{BudgetError, Connections, Machine as Surroundings, ModelError};
use mendbench::repair::FinishReason;
use mendbench::repair::event::{Call, Exposure, RequestFault, StopReason, What};
use mendbench::repair::{ApplicationOutcome, ExtractionOutcome, RunEvent};
use mendbench::report::Verdict;
use mendbench::runner::{
    Control, Drive, ModelSource, Models, RunRecord, RunSpec, RunnerError, Wish, compare,
};
use mendbench::sandbox::Exit;
use mendbench::store::gated::Gated;
use mendbench::store::{NewEvent, Store, StoreError};
use mendbench::task::{Content, FeedbackKind};
use scripted::Scripted;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Wrong at first, words only then, right in the end.
fn third_time() -> Arc<Says> {
    Says::new(|situation| {
        Ok(match situation.turn {
            1 => answer("return a * b"),
            2 => "I am not sure what is wanted.".to_owned(),
            _ => answer("return a + b"),
        })
    })
}

fn last(record: &RunRecord) -> RunEvent {
    record.events(&record.trajectories[0]).unwrap().pop().unwrap()
}

fn reason(record: &RunRecord) -> (StopReason, String) {
    match last(record).what {
        What::Stopped(stopped) => (stopped.reason, stopped.detail),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_loop_goes_its_way_and_everything_is_stored() {
    let says = third_time();
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let heard = Heard::default();
    let (record, driven) = run(&engine, cell("iterative:5"), &heard);
    assert_eq!((driven.over, driven.interrupted, driven.troubles.len()), (1, 0, 0));
    let turn = |usable: bool| {
        let mut kinds = vec!["prompt-built", "request-started", "answer-finished", "extracted"];
        if usable {
            kinds.extend(["applied", "verified"]);
        }
        kinds
    };
    let expected = [
        vec!["verified", "feedback-made"],
        turn(true),
        vec!["feedback-made"],
        turn(false),
        vec!["feedback-made"],
        turn(true),
        vec!["stopped"],
    ];
    assert_eq!(kinds(&record), expected.concat());
    assert_eq!(reason(&record).0, StopReason::Passed);
    let machine = record.machine(&record.trajectories[0]).unwrap();
    let trajectory = machine.trajectory();
    assert_eq!(trajectory.repaired_at(), Some((1, 3)));
    let turns: Vec<_> = trajectory
        .turns
        .iter()
        .map(|turn| (turn.extraction, turn.application, turn.verdict, turn.counts))
        .collect();
    use ApplicationOutcome::Exact;
    use ExtractionOutcome::{Found, NoCode};
    assert_eq!(
        turns,
        [
            (None, None, Some(Verdict::Failed), Some((1, 3))),
            (Some(Found), Some(Exact), Some(Verdict::Failed), Some((2, 3))),
            (Some(NoCode), None, None, None),
            (Some(Found), Some(Exact), Some(Verdict::Passed), Some((3, 3))),
        ]
    );
    // What the prompts said: the newest code, its feedback, and why the answer before was of no use.
    let asked: Vec<String> = says
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(_, request)| request.messages.last().unwrap().content.clone())
        .collect();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].contains("return a - b") && asked[0].contains("t2"), "{}", asked[0]);
    assert!(
        asked[1].contains("return a * b") && asked[1].contains("t2") && !asked[1].contains("- t3 ("),
        "{}",
        asked[1]
    );
    assert!(asked[2].contains("return a * b") && asked[2].contains("could not be used"), "{}", asked[2]);
    // Everything that is named is there, and is what it says.
    let contents = record.contents();
    let code = contents.code(trajectory.turns[3].code.as_ref().unwrap()).unwrap();
    assert_eq!(code["add.py"], Some(Content::from("def add(a, b):\n    return a + b\n")));
    let report = contents.report(trajectory.turns[3].report.as_ref().unwrap()).unwrap();
    assert_eq!(report.verdict, Verdict::Passed);
    // What was heard is what is stored, and transient events in between come back in their order.
    let replayed = record.replay(&record.trajectories[0]).unwrap();
    let heard = heard.events.lock().unwrap();
    let kept = |event: &&RunEvent| event.is_durable() || !matches!(event.what, What::Waiting(_));
    let of = |events: &[RunEvent]| events.iter().filter(kept).cloned().collect::<Vec<_>>();
    assert_eq!(of(&replayed), of(&heard));
    assert!(replayed.iter().filter(|event| event.kind() == "test-finished").count() == 9);
    assert!(replayed.windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

#[test]
fn right_code_is_not_repaired_and_impossible_tasks_are_refused() {
    let says = third_time();
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let mut right = task("t");
    right.files.buggy.insert("add.py".to_owned(), Content::from("def add(a, b):\n    return a + b\n"));
    let record = engine.create(RunSpec::new(cell("single")), &[Arc::new(right)]).unwrap();
    engine.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap();
    assert_eq!(reason(&record).0, StopReason::NotFaulty);
    assert!(says.asked.lock().unwrap().is_empty());

    let mut stored = cell("single");
    stored.feedback_source = mendbench::repair::cell::FeedbackSource::Stored;
    let error = engine.create(RunSpec::new(stored), &[Arc::new(task("t"))]).unwrap_err();
    assert!(error.to_string().contains("no stored feedback `test`"), "{error}");
    assert!(matches!(engine.create(RunSpec::new(cell("single")), &[]), Err(RunnerError::NoTask)));
    assert_eq!(engine.runs().list().unwrap().len(), 1, "nothing is stored of what was refused");
}

#[test]
fn helpers_are_asked_and_their_words_are_exposed() {
    let says = Says::new(|situation| {
        Ok(match situation.call {
            Call::Helper => "Look at the operator.".to_owned(),
            _ => answer("return a + b"),
        })
    });
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let mut mixed = cell("iterative:2");
    (mixed.feedback, mixed.helper) = (FeedbackKind::LlmExpert, Some("h".to_owned()));
    let (record, _) = run(&engine, mixed, &Heard::default());
    assert_eq!(reason(&record).0, StopReason::Passed);
    let asked = says.asked.lock().unwrap();
    assert_eq!(asked.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["h", "m"]);
    assert!(asked[1].1.messages.last().unwrap().content.contains("Look at the operator."));
    let machine = record.machine(&record.trajectories[0]).unwrap();
    assert!(machine.trajectory().turns[1].exposure.contains(&Exposure::ReferenceText));
}

#[test]
fn faults_of_models_are_not_the_models_and_end_as_what_they_are() {
    let broken = || ModelError::BrokenStream { why: "cut".to_owned() };
    let unauthorized = || ModelError::Unauthorized { status: 401, said: "no".to_owned() };
    // Twice broken, then answered.
    let count = AtomicUsize::new(0);
    let says = Says::new(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Err(broken()),
        _ => Ok(answer("return a + b")),
    });
    let first = engine(memory(), &Scripted::new(tests), &says);
    let (record, _) = run(&first, cell("single"), &Heard::default());
    assert_eq!(reason(&record).0, StopReason::Passed);
    let machine = record.machine(&record.trajectories[0]).unwrap();
    assert_eq!(machine.trajectory().turns_taken(), 1);
    let faults: Vec<_> = record
        .events(&record.trajectories[0])
        .unwrap()
        .into_iter()
        .filter_map(|event| match event.what {
            What::AnswerFinished(data) => Some((data.fault, data.other.contains_key("partial"))),
            _ => None,
        })
        .collect();
    assert_eq!(
        faults,
        [
            (Some(RequestFault::IncompleteStream), true),
            (Some(RequestFault::IncompleteStream), true),
            (None, false)
        ]
    );

    let endings: [(ModelError, usize, StopReason); 3] = [
        (broken(), 3, StopReason::Infrastructure),
        (unauthorized(), 1, StopReason::Infrastructure),
        (ModelError::Budget(BudgetError::Closed), 1, StopReason::Budget),
    ];
    for (error, asked, expected) in endings {
        let said = error.to_string();
        let says = Says::new(move |_| Err(error.clone()));
        let engine = engine(memory(), &Scripted::new(tests), &says);
        let (record, _) = run(&engine, cell("iterative:3"), &Heard::default());
        assert_eq!((reason(&record).0, says.asked.lock().unwrap().len()), (expected, asked), "{said}");
        assert!(record.machine(&record.trajectories[0]).unwrap().trajectory().turns_taken() == 0);
    }
}

#[test]
fn an_answer_without_end_is_the_models_failure() {
    let says = Says::new(|_| Err(ModelError::TooLarge { most: 32 << 20 }));
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let (record, _) = run(&engine, cell("iterative:2"), &Heard::default());
    assert_eq!(reason(&record).0, StopReason::Exhausted);
    let machine = record.machine(&record.trajectories[0]).unwrap();
    assert_eq!(machine.trajectory().turns_taken(), 2);
    let finish =
        record.events(&record.trajectories[0]).unwrap().into_iter().find_map(|event| match event.what {
            What::AnswerFinished(data) => Some((data.fault, data.finish, data.answer.is_some())),
            _ => None,
        });
    assert_eq!(finish, Some((None, FinishReason::Length, true)));
}

#[test]
fn a_sandbox_that_fails_is_the_infrastructure() {
    let says = third_time();
    let made = Arc::new(AtomicUsize::new(0));
    let mut scripted = Scripted::new(tests);
    let count = made.clone();
    scripted.script = Arc::new(move |run| {
        // The buggy code is tested; then the sandbox is broken.
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            tests(run)
        } else {
            Exit::Broken("no room".to_owned())
        }
    });
    let engine = engine(memory(), &scripted, &says);
    let (record, _) = run(&engine, cell("iterative:3"), &Heard::default());
    assert_eq!(reason(&record).0, StopReason::Infrastructure);
    let machine = record.machine(&record.trajectories[0]).unwrap();
    assert!(machine.trajectory().is_excluded());
    assert_eq!(made.load(Ordering::SeqCst), 4, "three tries");
}

/// A store that fails after so many appends to trajectories, like a process that is killed there.
fn failing(store: Arc<dyn Store>, left: u64) -> Arc<dyn Store> {
    let left = AtomicU64::new(left);
    let gate = move |stream: &str, _: &[NewEvent]| {
        let takes = |left: u64| left.checked_sub(1);
        let killed = stream.starts_with("trajectory/")
            && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, takes).is_err();
        match killed {
            true => Err(StoreError::BadStreamName { stream: "killed".to_owned() }),
            false => Ok(()),
        }
    };
    Arc::new(Gated { store, gate })
}

#[test]
fn wherever_it_breaks_off_resuming_gives_the_same_and_no_answered_call_is_made_again() {
    for strategy in ["iterative:4", "conversation:2x2"] {
        let whole = engine(memory(), &Scripted::new(tests), &third_time());
        let (unbroken, _) = run(&whole, cell(strategy), &Heard::default());
        let events = kinds(&unbroken).len() as u64;
        assert!(events > 15);
        for left in 0..events {
            let store = memory();
            let failing = failing(store.clone(), left);
            let says = third_time();
            let first = engine(failing, &Scripted::new(tests), &says);
            let record = first.create(RunSpec::new(cell(strategy)), &[Arc::new(task("t"))]).unwrap();
            let driven = first.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap();
            if driven.troubles.is_empty() {
                assert!(left > 10, "there are more places than that to break off at");
                assert_eq!(compare(&unbroken, &record).unwrap(), []);
                break;
            }
            let before = says.asked.lock().unwrap().len();
            let stored = record.events(&record.trajectories[0]).unwrap();
            let answered = stored.iter().filter(|event| event.kind() == "answer-finished").count();
            let lost = stored.last().is_some_and(|event| event.kind() == "request-started");
            assert!(before - answered <= 1, "at most one call is lost");

            let again = engine_from(store, &Scripted::new(tests), &says, 1 << 20);
            let record = again.runs().open(record.id).unwrap();
            let driven = again.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap();
            assert_eq!((driven.over, driven.troubles.len()), (1, 0), "{left}");
            assert_eq!(compare(&unbroken, &record).unwrap(), [], "{strategy}, broken off after {left}");
            let asked = says.asked.lock().unwrap().len() - before;
            let whole_calls = kinds(&unbroken).iter().filter(|kind| *kind == "request-started").count();
            assert_eq!(asked + answered, whole_calls, "{left}");
            // The lost call's cost is booked, as lost.
            let booked: Vec<_> = record
                .events(&record.trajectories[0])
                .unwrap()
                .into_iter()
                .filter_map(|event| match event.what {
                    What::AnswerFinished(data) if data.fault.is_some() => Some(data),
                    _ => None,
                })
                .collect();
            assert_eq!(booked.len(), usize::from(lost));
            for data in booked {
                assert_eq!(
                    (data.fault, data.other.get("lost")),
                    (Some(RequestFault::Aborted), Some(&true.into()))
                );
                assert!(data.usage.usd.unwrap() > 0.0 && data.usage.input_tokens.unwrap() > 0);
            }
        }
    }
}

fn recorded(store: &Arc<dyn Store>) -> Box<dyn ModelSource> {
    let connections = Connections::new(Settings::default(), Arc::new(Surroundings::new()));
    Box::new(Models::new(connections, Box::new(|_| None), mendbench::runner::Runs::new(store.clone())))
}

fn run_recorded(store: &Arc<dyn Store>, model: String, strategy: &str) -> RunRecord {
    let mut says = Says::new(|_| panic!("nothing but the record is asked"));
    Arc::get_mut(&mut says).unwrap().others = Some(recorded(store));
    let engine = engine_from(store.clone(), &Scripted::new(tests), &says, 1 << 30);
    let mut cell = cell(strategy);
    cell.model = model;
    run(&engine, cell, &Heard::default()).0
}

#[test]
fn a_recorded_run_answers_the_same_again_and_a_flipped_byte_is_noticed() {
    for strategy in ["iterative:4", "conversation:2x2"] {
        let store = memory();
        let first = engine(store.clone(), &Scripted::new(tests), &third_time());
        let (original, _) = run(&first, cell(strategy), &Heard::default());
        let again = run_recorded(&store, format!("recorded:{}", original.id), strategy);
        assert_eq!(compare(&original, &again).unwrap(), []);
        assert_eq!(kinds(&original), kinds(&again));

        // The same run with one byte of its first answer flipped.
        let flipped = memory();
        let changed = Says::new(|situation| {
            Ok(match situation.turn {
                1 => answer("return a / b"),
                2 => "I am not sure what is wanted.".to_owned(),
                _ => answer("return a + b"),
            })
        });
        let second = engine(flipped.clone(), &Scripted::new(tests), &changed);
        let (other, _) = run(&second, cell(strategy), &Heard::default());
        let found = compare(&original, &other).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains("turn 1: `answer` is"), "{}", found[0]);
    }
    // Another prompt has no answer, and that is not the model's failure.
    let store = memory();
    let first = engine(store.clone(), &Scripted::new(tests), &third_time());
    let (original, _) = run(&first, cell("iterative:4"), &Heard::default());
    let mut says = Says::new(|_| panic!("nothing but the record is asked"));
    Arc::get_mut(&mut says).unwrap().others = Some(recorded(&store));
    let second = engine_from(store.clone(), &Scripted::new(tests), &says, 1 << 30);
    let mut minimal = cell("iterative:4");
    (minimal.model, minimal.feedback) = (format!("recorded:{}", original.id), FeedbackKind::Minimal);
    let (record, _) = run(&second, minimal, &Heard::default());
    assert_eq!(reason(&record).0, StopReason::Infrastructure);
    let told =
        record.events(&record.trajectories[0]).unwrap().into_iter().find_map(|event| match event.what {
            What::AnswerFinished(data) => Some((data.fault, data.detail)),
            _ => None,
        });
    let (fault, detail) = told.unwrap();
    assert_eq!(fault, Some(RequestFault::NotRecorded));
    assert!(detail.contains("its prompt differs"), "{detail}");
}

#[test]
fn wishes_are_granted_where_they_can_be_and_refused_in_words() {
    let says = Says::new(|situation| {
        Ok(if situation.turn < 3 { answer("return a * b") } else { answer("return a + b") })
    });
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let (wisher, id) = (control.clone(), record.trajectories[0].id);
    let once = AtomicUsize::new(0);
    let heard = Heard {
        act: Some(Box::new(move |_, event| match (&event.what, event.turn) {
            // While the second turn's prompt is built: words in the place of the tests' output.
            (What::PromptBuilt(_), 2) if once.fetch_add(1, Ordering::SeqCst) == 0 => {
                wisher.wish(
                    id,
                    Wish::GiveFeedback { text: "It should be a sum.".to_owned(), saw_reference: true },
                );
            }
            // Before anything was answered code cannot be edited.
            (What::FeedbackMade(_), 0) => {
                let changes = [("add.py".to_owned(), Some(Content::from("x\n")))].into();
                wisher.wish(id, Wish::EditCode { changes, saw_reference: false });
            }
            _ => {}
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    let trajectory = record.machine(&record.trajectories[0]).unwrap().trajectory().clone();
    assert!(trajectory.intervened && trajectory.is_excluded());
    // In the list of runs it is counted apart, too.
    let listed = &engine.runs().list().unwrap()[0];
    assert_eq!((listed.over, listed.intervened, listed.ends.len()), (1, 1, 0));
    assert!(trajectory.turns[2].exposure.contains(&Exposure::HumanSawReference));
    let asked = says.asked.lock().unwrap();
    let second: Vec<bool> = asked
        .iter()
        .map(|(_, request)| request.messages.last().unwrap().content.contains("It should be a sum."))
        .collect();
    assert!(second.contains(&true), "{second:?}");
    let refused = heard.refused.lock().unwrap();
    assert_eq!(
        refused.len(),
        usize::from(refused.iter().any(|why| why.contains("buggy code"))),
        "{refused:?}"
    );
}

/// Words that are given while an answer streams leave the answer alone, and take the place of the feedback on it.
#[test]
fn words_given_while_an_answer_streams_wait_for_the_end_of_its_turn() {
    let says = Says::new(|situation| {
        Ok(if situation.turn < 3 { answer("return a * b") } else { answer("return a + b") })
    });
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let record = engine.create(RunSpec::new(cell("iterative:4")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let (wisher, id) = (control.clone(), record.trajectories[0].id);
    let given = AtomicUsize::new(0);
    let heard = Heard {
        act: Some(Box::new(move |_, event| {
            let pieces = matches!(&event.what, What::AnswerDelta(_));
            // In the turn that another follows, and in the one that repairs.
            let wanted = [(2, 0), (3, 1)].contains(&(event.turn, given.load(Ordering::SeqCst)));
            if pieces && wanted {
                given.fetch_add(1, Ordering::SeqCst);
                let text = format!("Words in turn {}.", event.turn);
                wisher.wish(id, Wish::GiveFeedback { text, saw_reference: false });
            }
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    assert_eq!(reason(&record).0, StopReason::Passed);
    let kinds = kinds(&record);
    let requests = kinds.iter().filter(|kind| *kind == "request-started").count();
    assert_eq!(requests, 3, "no call was broken off: {kinds:?}");
    let asked = says.asked.lock().unwrap();
    let told = |number: usize| asked[number].1.messages.last().unwrap().content.contains("Words in turn 2.");
    assert_eq!([told(0), told(1), told(2)], [false, false, true]);
    let trajectory = record.machine(&record.trajectories[0]).unwrap().trajectory().clone();
    assert!(trajectory.turns[3].exposure.contains(&Exposure::Human));
    assert!(!trajectory.turns[2].exposure.contains(&Exposure::Human));
    let refused = heard.refused.lock().unwrap();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].contains("found its end"), "{refused:?}");
}

/// What a person did, and what was waited for meanwhile, is replayed in the order in which it happened.
#[test]
fn a_trajectory_that_was_stepped_into_is_replayed_in_the_order_of_time() {
    let engine = engine(memory(), &Scripted::new(tests), &third_time());
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let (person, id) = (control.clone(), record.trajectories[0].id);
    let heard = Heard {
        act: Some(Box::new(move |_, event| match (&event.what, event.turn) {
            (What::FeedbackMade(_), 1) => person.pause(),
            (What::Waiting(waiting), _) if waiting.what == "a person" => {
                let text = "It should be a sum.".to_owned();
                person.wish(id, Wish::GiveFeedback { text, saw_reference: false });
                person.go_on();
            }
            _ => {}
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    let heard: Vec<u64> = heard.events.lock().unwrap().iter().map(|event| event.seq).collect();
    let replayed = record.replay(&record.trajectories[0]).unwrap();
    let numbers: Vec<u64> = replayed.iter().map(|event| event.seq).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(replayed.iter().map(|event| event.at).is_sorted());
    assert!(replayed.iter().any(|event| event.kind() == "intervened"));
    assert_eq!(numbers.len(), heard.len(), "all that was heard");
}

/// A trajectory that the infrastructure has ended is over: nothing is waited for any more, and nothing follows.
#[test]
fn after_its_end_nothing_is_heard_of_a_trajectory() {
    let says = Says::new(|_| Err(ModelError::BrokenStream { why: "cut".to_owned() }));
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let heard = Heard::default();
    // Short, and not zero: what is not waited for is not told either.
    let how = Drive { backoff: std::time::Duration::from_micros(1), ..Drive::new(Control::new()) };
    engine.drive(&record, &how, &heard).unwrap();
    assert_eq!(reason(&record).0, StopReason::Infrastructure);
    let events = heard.events.lock().unwrap();
    assert_eq!(events.last().unwrap().kind(), "stopped");
    let tries = events.iter().filter(|event| matches!(&event.what, What::Waiting(_)));
    assert_eq!(tries.filter(|event| event.what.data()["what"] == "another try").count(), 2);
}

#[test]
fn pausing_cancelling_and_leaving() {
    // Cancelled while the first answer streams: over, and not the model's failure.
    let engine = engine(memory(), &Scripted::new(tests), &third_time());
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let ender = control.clone();
    let heard = Heard {
        act: Some(Box::new(move |_, event| {
            if event.kind() == "answer-delta" {
                ender.cancel();
            }
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    assert_eq!(reason(&record).0, StopReason::Cancelled);
    // Left at the same point: not over, and it goes on to its end another time.
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let leaver = control.clone();
    let heard = Heard {
        act: Some(Box::new(move |_, event| {
            if event.kind() == "answer-delta" {
                leaver.leave();
            }
        })),
        ..Heard::default()
    };
    let driven = engine.drive(&record, &drive(&control), &heard).unwrap();
    assert_eq!((driven.over, driven.interrupted), (0, 1));
    assert_eq!(record.stopped(&record.trajectories[0]).unwrap(), None);
    engine.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap();
    assert_eq!(reason(&record).0, StopReason::Passed);
    // Paused, it waits for a person and says so; steps are made one by one.
    let record = engine.create(RunSpec::new(cell("iterative:3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    control.pause();
    let stepper = control.clone();
    let waits = Arc::new(AtomicUsize::new(0));
    let count = waits.clone();
    let heard = Heard {
        act: Some(Box::new(move |_, event| {
            if matches!(&event.what, What::Waiting(waiting) if waiting.what == "a person") {
                match count.fetch_add(1, Ordering::SeqCst) {
                    0..4 => stepper.step(),
                    _ => stepper.go_on(),
                }
            }
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    assert_eq!(reason(&record).0, StopReason::Passed);
    assert_eq!(waits.load(Ordering::SeqCst), 5);
}

#[test]
fn several_at_once_and_what_was_spent_counts_when_it_is_resumed() {
    let says = third_time();
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let tasks: Vec<_> = (0..6).map(|number| Arc::new(task(&format!("t{number}")))).collect();
    let mut spec = RunSpec::new(cell("iterative:4"));
    spec.samples = 2;
    let record = engine.create(spec, &tasks).unwrap();
    let heard = Heard::default();
    let how = Drive { jobs: 4, ..drive(&Control::new()) };
    let driven = engine.drive(&record, &how, &heard).unwrap();
    assert_eq!((driven.over, record.trajectories.len()), (12, 12));
    for head in &record.trajectories {
        assert_eq!(record.stopped(head).unwrap(), Some(StopReason::Passed));
    }
    let heads = engine.runs().list().unwrap();
    assert_eq!((heads.len(), heads[0].trajectories, heads[0].over), (1, 12, 12));
    assert_eq!(engine.runs().find("last").unwrap(), record.id);
    assert_eq!(engine.runs().find(&record.id.to_string()[..13]).unwrap(), record.id);
    assert!(engine.runs().find("zz").is_err());
    // Driving it again does nothing.
    let before = says.asked.lock().unwrap().len();
    engine.drive(&record, &how, &Heard::default()).unwrap();
    assert_eq!(says.asked.lock().unwrap().len(), before);
}

#[test]
fn a_run_can_be_taken_out_alone_and_is_whole() {
    let store = memory();
    let first = engine(store.clone(), &Scripted::new(tests), &third_time());
    let (record, _) = run(&first, cell("iterative:4"), &Heard::default());
    run(&first, cell("single"), &Heard::default());
    let alone = memory();
    record.copy_into(alone.as_ref()).unwrap();
    let runs = mendbench::runner::Runs::new(alone.clone());
    assert_eq!(runs.list().unwrap().len(), 1);
    let copy = runs.open(record.id).unwrap();
    assert_eq!(compare(&record, &copy).unwrap(), []);
    let head = &copy.trajectories[0];
    assert_eq!(copy.task(head).unwrap().name(), head.task);
    assert_eq!(copy.replay(head).unwrap(), record.replay(&record.trajectories[0]).unwrap());
    // Nothing of it is missing: it can be gone through again.
    let again = run_recorded(&alone, format!("recorded:{}", record.id), "iterative:4");
    assert_eq!(compare(&record, &again).unwrap(), []);
}

#[test]
fn one_process_at_a_time_drives_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = engine(memory(), &Scripted::new(tests), &third_time());
    first.locks = Some(folder.path().join("locks"));
    let record = first.create(RunSpec::new(cell("single")), &[Arc::new(task("t"))]).unwrap();
    let other = std::fs::create_dir_all(folder.path().join("locks"));
    other.unwrap();
    let file =
        std::fs::File::create(folder.path().join("locks").join(format!("{}.lock", record.id))).unwrap();
    file.try_lock().unwrap();
    let error = first.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap_err();
    assert!(matches!(error, RunnerError::Busy { .. }), "{error}");
    drop(file);
    first.drive(&record, &drive(&Control::new()), &Heard::default()).unwrap();
    assert_eq!(reason(&record).0, StopReason::Exhausted);
}
