//! Pictures of the screen as text, and the styles of some in three themes.
//!
//! Look at what changed, then record it: `INSTA_UPDATE=always cargo test --test annotate pictures`.

use super::scripts;
use super::study::{Plot, Study, changes, fingers};
use crate::rig::{Memory, Options, Rig, styles_of};
use mendbench::label::phase::Phase;
use std::sync::atomic::Ordering;

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

type Story = fn(Options) -> Rig;

fn samples() -> Plot {
    Plot { tasks: Memory::samples().tasks, ..Plot::default() }
}

fn at(study: &Study, options: Options, keys: &str) -> Rig {
    let mut rig = study.rig("anna", options);
    fingers(&mut rig, "g a");
    fingers(&mut rig, keys);
    rig
}

/// Screens by name; the second part says whether their styles are kept.
const STORIES: &[(&str, bool, Story)] = &[
    ("question", true, |options| at(&Study::new(samples()), options, "")),
    ("taxonomy", true, |options| at(&Study::new(samples()), options, "n y y")),
    ("explained", true, |options| at(&Study::new(samples()), options, "y y E down down")),
    ("issue", false, |options| at(&Study::new(samples()), options, "I")),
    ("tests", false, |options| at(&Study::new(samples()), options, "T")),
    ("marked", false, |options| {
        let mut rig = at(&Study::new(samples()), options, "* + N");
        rig.kind("is the test indirect?");
        rig
    }),
    ("list", false, |options| at(&Study::new(samples()), options, "n y y 3 n * L")),
    ("not_saved", true, |options| {
        let study = Study::new(samples());
        let mut rig = at(&study, options, "n");
        study.store.gate.full.store(true, Ordering::Relaxed);
        fingers(&mut rig, "n");
        rig
    }),
    ("tasks", false, |options| {
        let study = Study::new(samples());
        let mut rig = at(&study, Options { preview: false, ..options }, "n y y 3 y * N");
        rig.kind("which test?").wait(200);
        fingers(&mut rig, "enter S enter g t");
        rig
    }),
    ("tasks_lead", false, |options| {
        let study = Study::new(samples());
        drop(at(&study, options.clone(), "n y y 3"));
        for item in study.queue(1).iter().take(4) {
            study.label("ben", item, "bug-related", "no");
        }
        study.advance(Phase::Discussion);
        let mut rig = study.rig("lea", options);
        fingers(&mut rig, "g t");
        rig
    }),
    ("two_scripts", false, |options| at(&scripts::study(), options, "down E")),
    ("two_scripts_labelled", false, |options| {
        let study = scripts::study();
        let mut rig = study.rig("anna", options);
        scripts::labelled(&mut rig);
        fingers(&mut rig, "right");
        rig
    }),
    ("two_scripts_list", false, |options| {
        let study = scripts::study();
        let mut rig = study.rig("anna", Options { preview: false, ..options });
        scripts::labelled(&mut rig);
        fingers(&mut rig, "g t");
        rig
    }),
    ("training", false, |options| at(&Study::new(Plot { training: 1, ..samples() }), options, "n")),
    ("closed", false, |options| {
        let study = Study::new(samples());
        let mut rig = at(&study, options, "n");
        for phase in [Phase::Discussion, Phase::Adjudication, Phase::Closed] {
            study.advance(phase);
        }
        fingers(&mut rig, "ctrl-r [");
        rig
    }),
    ("gone", false, |options| {
        let study = Study::new(Plot { tasks: changes(3), ..Plot::default() });
        let mut rig = study.rig_on("anna", Memory::samples(), options);
        fingers(&mut rig, "g a");
        rig
    }),
    ("nobody", false, |options| {
        let mut rig = Study::new(samples()).rig("max", options);
        fingers(&mut rig, "g a");
        rig
    }),
];

fn keep(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/annotate");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, without_times(text)));
}

/// The hour depends on where the machine stands.
fn without_times(text: &str) -> String {
    let mut parts = text.split("saved ");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_time = part.len() >= 5 && part.as_bytes()[2] == b':';
        whole.push_str("saved ");
        whole.push_str(if is_time { "HH:MM" } else { "" });
        whole.push_str(if is_time { &part[5..] } else { part });
    }
    whole
}

#[test]
fn pictures() {
    for (name, styled, story) in STORIES {
        for (width, height) in SIZES {
            let options = |theme| Options { theme, ..Options::sized(width, height) };
            let rig = story(options("dark"));
            keep(&format!("{name}_{width}x{height}"), &rig.text());
            for theme in ["dark", "light", "mono"].into_iter().filter(|_| *styled) {
                let themed = story(options(theme));
                assert_eq!(rig.text(), themed.text(), "what is shown does not depend on the theme");
                keep(&format!("{name}_{width}x{height}_{theme}"), &styles_of(&themed.buffer()));
            }
        }
    }
}
