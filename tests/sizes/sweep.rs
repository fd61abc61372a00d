//! Every key in every place at awkward sizes, and every place at every width and height: not at random.

use super::whole::check;
use crate::rig::{Memory, Options, Rig, task};
use mendbench::keymap::Keymap;

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
    ("palette", ":"),
    ("help", "?"),
    ("skipped", "!"),
    ("pending", "g"),
];

fn samples() -> Memory {
    let mut catalogue = Memory::samples();
    let mut wide = task("漢字-👩‍👩‍👧‍👦", "\tprint('漢字')\r\nreturn\n", "\tprint('\u{202e}字')\nreturn");
    wide.title = "漢字かな交じり文 e\u{301} \u{1b}[31m".repeat(4);
    wide.language = "c".to_owned();
    catalogue.tasks.insert(0, wide);
    catalogue.tasks.push(task("identical", "a\n", "a\n"));
    catalogue
}

fn arrive(place: &str, options: Options) -> Rig {
    let mut rig = Rig::on(samples(), options);
    rig.rest().press(place);
    rig
}

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
            let options = Options { unicode: false, ..Options::sized(width, height) };
            let mut rig = Rig::samples(options);
            rig.rest().press(keys).rest();
            let text = rig.text();
            let odd = text.chars().find(|character| !character.is_ascii());
            assert_eq!(odd, None, "{name} at {width}×{height}:\n{text}");
        }
    }
}
