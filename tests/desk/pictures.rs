//! Pictures of rounds and disagreements. A changed screen fails here; look at what changed, then record it:
//! `INSTA_UPDATE=always cargo test --test desk`.

use super::world::{World, draft, opened, options};
use crate::rig::{Rig, styles_of};
use mendbench::study::Draft;
use std::path::Path;

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

type Story = (&'static str, fn() -> World, &'static str, &'static str);

const STORIES: &[Story] = &[
    ("rounds_none", World::empty, "lea", ""),
    ("rounds_lead", several, "lea", ""),
    ("rounds_annotator", several, "anna", ""),
    ("rounds_desk", begun, "lea", "d"),
    ("rounds_ending", begun, "lea", "a"),
    ("rounds_forced", begun, "lea", "a F"),
    ("rounds_sheet", begun, "lea", "n"),
    ("rounds_sheet_last", begun, "lea", "n"),
    ("rounds_withdraw", World::with_round, "lea", "W"),
    ("rounds_assign", unassigned, "lea", "A"),
    ("rounds_methods", World::discussing, "lea", "m"),
    ("discuss_blind", begun, "anna", "g d"),
    ("discuss_list", World::discussing, "anna", "g d"),
    ("discuss_case", World::discussing, "anna", "g d enter"),
    ("discuss_chosen", World::discussing, "anna", "g d enter O"),
    ("discuss_comment", World::discussing, "anna", "g d enter O N"),
    ("discuss_taken_over", taken_over, "ben", "g d enter"),
    ("adjudicate_list", World::adjudicating, "zoe", "g d"),
    ("adjudicate_case", World::adjudicating, "zoe", "g d enter"),
    ("adjudicate_reason", World::adjudicating, "zoe", "g d enter y j"),
    ("adjudicate_cause", World::adjudicating, "zoe", "g d ] ] enter"),
    ("discuss_overruled", World::closed, "anna", "g d enter"),
    ("discuss_closed_lead", World::closed, "lea", "g d"),
];

/// Those whose styles are kept.
const STYLED: [&str; 4] = ["rounds_lead", "rounds_sheet", "discuss_case", "adjudicate_reason"];

fn several() -> World {
    let world = World::closed();
    world.make(Draft { name: "round-2".to_owned(), seed: 8, size: "half".parse().unwrap(), ..draft() });
    let round = world.studies.find(Some("round-2")).unwrap();
    let items: Vec<String> = round.items.list().iter().map(|item| item.name.clone()).collect();
    for (number, item) in items.iter().enumerate().take(4) {
        world.say("anna", item, &World::said("anna", number));
    }
    world
}

fn begun() -> World {
    let world = World::with_round();
    for (number, item) in world.items().iter().enumerate() {
        if number != 5 && number != 9 {
            world.say("anna", item, &World::said("anna", number));
        }
        if number < 7 {
            world.say("ben", item, &World::said("ben", number));
        }
    }
    world
}

fn unassigned() -> World {
    World::with(Draft { plan: None, ..draft() })
}

fn taken_over() -> World {
    let world = World::discussing();
    let item = world.items()[0].clone();
    world.say("anna", &item, &[("bug-related", "no")]);
    world
}

fn rig(story: &Story, world: &World, size: (u16, u16), theme: &'static str) -> Rig {
    let (name, _, who, keys) = story;
    let mut rig = opened(world, who, keys, options(size, theme));
    if *name == "discuss_comment" {
        rig.kind(": the bound is what counts");
    }
    if name.starts_with("rounds_sheet") {
        // The seed that is proposed is another each time.
        rig.press("down down down down down ctrl-u").kind("41").press("down down").rest();
    }
    if *name == "rounds_sheet_last" {
        rig.press("enter").rest();
    }
    rig
}

fn keep(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/desk"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn pictures() {
    for story in STORIES {
        let world = story.1();
        for size in SIZES {
            let name = format!("{}_{}x{}", story.0, size.0, size.1);
            let text = rig(story, &world, size, "dark").text();
            for theme in ["light", "mono"] {
                assert_eq!(
                    rig(story, &world, size, theme).text(),
                    text,
                    "the text depends on the theme {theme}"
                );
            }
            keep(&name, &text);
            for theme in ["dark", "light", "mono"] {
                if STYLED.contains(&story.0) && size == (80, 24) {
                    keep(&format!("{name}_{theme}"), &styles_of(&rig(story, &world, size, theme).buffer()));
                }
            }
        }
    }
}

#[test]
fn nothing_is_drawn_outside_at_any_size() {
    for story in STORIES {
        let mut rig = rig(story, &story.1(), (80, 24), "dark");
        for width in [1, 7, 19, 20, 21, 39, 60, 103, 104, 119, 120, 200] {
            for height in [1, 4, 5, 6, 9, 14, 23, 60] {
                rig.resize(width, height);
                rig.text();
            }
        }
        for keys in ["j", "k", "ctrl-d", "G", "enter", "esc"] {
            rig.press(keys).resize(33, 8).text();
        }
    }
}

#[test]
fn no_picture_is_left_over() {
    let mut expected = std::collections::BTreeSet::new();
    for story in STORIES {
        for size in SIZES {
            let name = format!("{}_{}x{}", story.0, size.0, size.1);
            if STYLED.contains(&story.0) && size == (80, 24) {
                expected.extend(["dark", "light", "mono"].map(|theme| format!("{name}_{theme}.snap")));
            }
            expected.insert(format!("{name}.snap"));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/desk");
    let kept =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> =
        kept.filter(|name| !expected.contains(name) && !name.ends_with(".snap.new")).collect();
    assert_eq!(left, Vec::<String>::new(), "delete them");
}
