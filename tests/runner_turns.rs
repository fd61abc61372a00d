//! Turns of stored runs as something to look at: those of the model that made other code, and what they made.
#![allow(clippy::unwrap_used)]

mod loops;
mod scripted;

use loops::{Heard, Says, answer, cell, drive, engine, memory, run, task, tests};
use mendbench::repair::event::{ContentHash, What};
use mendbench::runner::{AppliedTurns, Control, RunSpec, RunnerError, Wish};
use mendbench::task::Content;
use scripted::Scripted;
use std::sync::Arc;

/// The turns by attempt and number, and whether the tests passed.
fn places(applied: &AppliedTurns) -> Vec<(u32, u32, bool)> {
    applied.turns.iter().map(|turn| (turn.attempt, turn.turn, turn.is_plausible)).collect()
}

fn content(text: &str) -> Content {
    Content::from(format!("def add(a, b):\n    return {text}\n").as_str())
}

#[test]
fn only_turns_that_made_other_code_are_told() {
    // Other code, no code, the buggy code again, right code.
    let says = Says::new(|situation| {
        Ok(match situation.turn {
            1 => answer("return a * b"),
            2 => "I am not sure.".to_owned(),
            3 => answer("return a - b"),
            _ => answer("return a + b"),
        })
    });
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let (record, _) = run(&engine, cell("iterative:5"), &Heard::default());
    let head = &record.trajectories[0];
    let applied = record.applied(head).unwrap();
    assert_eq!((places(&applied), applied.of_persons), (vec![(1, 1, false), (1, 4, true)], 0));
    // The task as a turn left it: with its code in the place of the reference.
    let after = record.task_after(head, &applied.turns[0].code).unwrap();
    assert_eq!(after.files.buggy["add.py"], content("a - b"));
    assert_eq!(after.files.reference["add.py"], content("a * b"));
    assert!(after.files.reference.contains_key("test_add.py"), "the whole tree");
    let after = record.task_after(head, &applied.turns[1].code).unwrap();
    assert_eq!(after.files.reference["add.py"], content("a + b"));
    let error = record.task_after(head, &ContentHash::of("nothing")).unwrap_err();
    assert!(matches!(error, RunnerError::Missing { what: "the code", .. }), "{error}");
}

#[test]
fn what_a_person_wrote_and_what_builds_on_it_is_left_out_and_counted() {
    // The first attempt is a person's from its second turn on, the second attempt is the model's.
    let says = Says::new(|situation| {
        Ok(match (situation.attempt, situation.turn) {
            (2, 2) => answer("return a + b"),
            (_, turn) => answer(&format!("return a * b * {turn}")),
        })
    });
    let engine = engine(memory(), &Scripted::new(tests), &says);
    let record = engine.create(RunSpec::new(cell("conversation:2x3")), &[Arc::new(task("t"))]).unwrap();
    let control = Control::new();
    let (wisher, id) = (control.clone(), record.trajectories[0].id);
    let heard = Heard {
        act: Some(Box::new(move |_, event| {
            let is_model = matches!(&event.what, What::Applied(_));
            if is_model && (event.attempt, event.turn) == (1, 2) {
                let changes = [("add.py".to_owned(), Some(content("b * a")))].into();
                wisher.wish(id, Wish::EditCode { changes, saw_reference: false });
            }
        })),
        ..Heard::default()
    };
    engine.drive(&record, &drive(&control), &heard).unwrap();
    let applied = record.applied(&record.trajectories[0]).unwrap();
    assert_eq!(places(&applied), [(1, 1, false), (2, 1, false), (2, 2, true)]);
    assert_eq!(applied.of_persons, 2);
}
