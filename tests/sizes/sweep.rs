//! Every key in every place at awkward sizes, and every place at every width and height: not at random.

use super::whole::check;
use crate::rig::{Memory, Options, Rig, task};
use crate::scripted::Scripted;
use crate::talker::{RIGHT, Say, engine, engine_on, models};
use mendbench::keymap::Keymap;
use mendbench::sandbox::Exit;
use mendbench::task::Command;
use std::sync::Arc;

/// Where one can be, and the keys that lead there from the list.
const PLACES: &[(&str, &str)] = &[
    ("list", ""),
    ("grouped", "o o"),
    ("folded", "o o Z"),
    ("filter", "/ l a n g : c"),
    ("nothing found", "/ z z q q enter"),
    ("unified", "enter"),
    ("wrapped", "enter w"),
    ("side by side", "enter v"),
    ("wrapped side by side", "enter v w Z"),
    ("search", "enter / r e t"),
    ("description", "enter 2"),
    ("context", "enter 4 w"),
    ("provenance", "enter 5"),
    ("tests", "enter 3"),
    ("tested", "enter t"),
    ("output", "enter T o"),
    ("marked", "enter t 1 d"),
    ("palette", ":"),
    ("help", "?"),
    ("skipped", "!"),
    ("pending", "g"),
    ("launch", "r"),
    ("repair", "G r enter"),
    ("change", "G r enter 2 d"),
    ("turns", "G r enter 4 left"),
    ("repair tests", "G r enter left 3"),
    ("repair output", "G r enter left o"),
    ("prompt", "G r enter p"),
    ("runs", "G r enter g u"),
    ("trajectories", "G r enter g u enter"),
    ("recorded", "G r enter g u enter enter P"),
];

fn samples() -> Memory {
    let mut catalogue = Memory::samples();
    let mut wide = task("漢字-👩‍👩‍👧‍👦", "\tprint('漢字')\r\nreturn\n", "\tprint('\u{202e}字')\nreturn");
    wide.title = "漢字かな交じり文 e\u{301} \u{1b}[31m".repeat(4);
    wide.language = "c".to_owned();
    wide.test.command = Some(Command::Arguments(vec!["./run_tests".to_owned()]));
    wide.test.parser = Some("tap".to_owned());
    wide.test.fail_to_pass = vec!["wrap 漢字".to_owned(), "e\u{301}\u{202e}".to_owned()];
    catalogue.tasks.insert(0, wide);
    catalogue.tasks.push(task("identical", "a\n", "a\n"));
    catalogue
}

fn arrive(place: &str, options: Options) -> Rig {
    let mut rig = Rig::on(samples(), Options { models: models(), ..options });
    let scripted = Scripted::new(|run| {
        run.err("code.py:1:2: error: 漢字 \u{1b}[2J\u{202e}\ncode.py:2:1: warning: \u{1b}[31mred\n");
        run.out("1..3\nnot ok 1 - wrap 漢字\n# code.py:1:1: runtime error: 漢字漢字漢字漢字 long and wide\n");
        run.out("ok 2 - e\u{301}\u{202e}\nok 3 - more # SKIP 漢\n\u{1b}[1;35m👩‍👩‍👧‍👦\t\u{7}\r");
        Exit::Code(1)
    });
    rig.harness = Some(Arc::new(scripted.harness(None)));
    rig.engines =
        Some(engine_on(&[Say::Text("漢字\u{202e}\n", WIDE_ANSWER), Say::Text("", RIGHT)], scripted));
    rig.rest().press(place);
    rig
}

/// An answer with everything that is hard to show.
const WIDE_ANSWER: &str = "# 漢字 `e\u{301}` \u{1b}[31m\u{202e}`\n```\n\t漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n```\nend";

#[test]
fn every_place_at_every_size() {
    for (name, keys) in PLACES {
        let mut rig = arrive(keys, Options { unicode: name.len() % 2 == 0, ..Options::default() });
        let mut at = |width: u16, height: u16| {
            rig.resize(width, height);
            assert_eq!(check(&rig), Ok(()), "{name}");
        };
        for width in 0..=140 {
            at(width, 24);
            at(width, width % 9);
        }
        for height in 0..=45 {
            at(80, height);
            at(20, height);
            at(101, height);
        }
        for (width, height) in [(400, 120), (2_000, 3), (3, 2_000), (u16::MAX, 1), (1, u16::MAX)] {
            at(width, height);
        }
    }
}

#[test]
fn every_key_in_every_place() {
    let keymap = Keymap::new();
    let keys: Vec<String> = keymap.rows().flat_map(|(_, _, keys)| keys).collect();
    for (width, height) in [(20, 5), (21, 9), (40, 12), (80, 24), (130, 11)] {
        for (name, place) in PLACES {
            let mut rig = arrive(place, Options::sized(width, height));
            // A key that starts one more repair need not wait for its end.
            rig.hold_repairs = true;
            for key in &keys {
                rig.press(key);
                assert_eq!(check(&rig), Ok(()), "`{key}` in {name} at {width}×{height}");
            }
        }
    }
}

/// Plain text on a terminal that shows no Unicode gives a screen of ASCII.
#[test]
fn without_unicode_a_screen_is_ascii() {
    for (name, keys) in PLACES {
        for (width, height) in [(40, 12), (80, 24), (120, 40)] {
            let options = Options { unicode: false, models: models(), ..Options::sized(width, height) };
            let mut rig = Rig::samples(options);
            rig.engines = Some(engine(&[Say::Text("so\n", RIGHT)]));
            rig.harness = Some(Arc::new(Scripted::new(|_| Exit::Timeout).harness(None)));
            rig.rest().press(keys).rest();
            let text = rig.text();
            let odd = text.chars().find(|character| !character.is_ascii());
            assert_eq!(odd, None, "{name} at {width}×{height}:\n{text}");
        }
    }
}
