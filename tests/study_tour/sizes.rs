//! Every screen of studies in terminals of every size: nothing panics, and the same place is shown again afterwards.

use crate::rig::{Options, Rig};
use crate::study::{Plot, Study, changes, fingers};
use mendbench::label::phase::Phase;

/// Keys to a place, and to what opens over it.
const PLACES: [&str; 14] = [
    "g a",
    "g a right down E",
    "g a y",
    "g a L",
    "g a S",
    "g d",
    "g d enter",
    "g d enter K",
    "g k",
    "g k 2",
    "g k 4",
    "g k e",
    "g s d",
    "g s n",
];

fn swept(rig: &mut Rig, place: &str) {
    for key in place.split(' ') {
        fingers(rig, key);
    }
    rig.rest();
    rig.resize(80, 24);
    let before = rig.text();
    for height in (1..=10).chain([16, 24, 26, 60]) {
        for width in [1, 2, 3, 5, 8, 13, 19, 20, 21, 22, 23, 24, 39, 80, 104, 118, 200] {
            rig.resize(width, height);
            let _ = rig.buffer();
        }
    }
    rig.resize(80, 24);
    assert_eq!(rig.text(), before, "{place}");
    fingers(rig, "esc esc");
}

#[test]
fn no_screen_of_a_study_panics_at_any_size_in_any_phase() {
    for phase in [Phase::Labelling, Phase::Discussion, Phase::Adjudication, Phase::Closed] {
        let study = Study::new(Plot { tasks: changes(6), training: 1, ..Plot::default() });
        let items = study.queue(0);
        for (number, item) in items.iter().enumerate().skip(1) {
            study.label("anna", item, "bug-related", "no");
            study.label("ben", item, "bug-related", if number % 2 == 0 { "no" } else { "yes" });
        }
        for next in [Phase::Discussion, Phase::Adjudication, Phase::Closed] {
            if next <= phase {
                study.advance(next);
            }
        }
        let people: &[&str] = match phase {
            Phase::Labelling => &["anna", "lea"],
            Phase::Discussion => &["anna"],
            Phase::Adjudication => &["anna", "zoe"],
            Phase::Closed => &["anna", "lea"],
        };
        for who in people {
            let mut rig = study.rig(who, Options::default());
            rig.rest();
            for place in PLACES {
                swept(&mut rig, place);
            }
        }
    }
}
