//! Labels on the Task screen and in the filter of the list, within the bounds of blindness.

use super::study::{Plot, Study, fingers};
use crate::rig::{Options, Rig};
use mendbench::label::phase::Phase;

/// The ids that a filter leaves in the list.
fn left(rig: &mut Rig, filter: &str) -> Vec<String> {
    rig.press("g t backspace /").kind(filter).rest().press("enter");
    let ids = rig
        .text()
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("sum-")).map(str::to_owned))
        .collect::<std::collections::BTreeSet<_>>();
    ids.into_iter().collect()
}

fn ids(names: &[&String]) -> Vec<String> {
    let mut ids: Vec<String> =
        names.iter().filter_map(|name| Some(name.split_once('/')?.1.to_owned())).collect();
    ids.sort();
    ids
}

#[test]
fn the_list_is_filtered_by_own_labels() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    study.label("anna", &queue[0], "bug-related", "no");
    study.label("ben", &queue[1], "bug-related", "yes");
    let mut rig = study.rig("anna", Options { preview: false, ..Options::sized(100, 24) });
    assert_eq!(left(&mut rig, "label:unlabelled"), ids(&[&queue[1], &queue[2], &queue[3]]));
    assert_eq!(left(&mut rig, "label:labelled"), ids(&[&queue[0]]));
    assert_eq!(left(&mut rig, "-label:labelled"), ids(&[&queue[1], &queue[2], &queue[3]]));
    assert_eq!(left(&mut rig, "label:bug-related=no"), ids(&[&queue[0]]));
    assert!(left(&mut rig, "label:bug-related=yes").is_empty(), "that is what ben said");
    // What is labelled meanwhile is there when the list is gone to.
    rig.press("g a").wait(500);
    fingers(&mut rig, "*");
    assert_eq!(left(&mut rig, "label:flagged"), ids(&[&queue[1]]));
    rig.press("/").kind("label:flaged").rest();
    rig.expect("is not a label");
}

#[test]
fn disagreement_is_found_when_it_may_be_seen() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    for item in &queue {
        study.label("anna", item, "bug-related", "no");
        study.label("ben", item, "bug-related", if *item == queue[2] { "yes" } else { "no" });
    }
    let options = || Options { preview: false, ..Options::sized(100, 24) };
    for who in ["anna", "zoe", "max", "lea"] {
        let mut rig = study.rig(who, options());
        assert!(left(&mut rig, "disagree:any").is_empty(), "{who}");
    }
    let mut rig = study.rig("anna", options());
    rig.press("/").kind("disagree:any").rest().expect("labelling is blind");
    study.advance(Phase::Discussion);
    for who in ["anna", "ben", "lea"] {
        let mut rig = study.rig(who, options());
        assert_eq!(left(&mut rig, "disagree:bug-related"), ids(&[&queue[2]]), "{who}");
        assert!(left(&mut rig, "disagree:root-cause").is_empty());
    }
    for who in ["zoe", "max"] {
        let mut rig = study.rig(who, options());
        assert!(left(&mut rig, "disagree:any").is_empty(), "{who}");
    }
}

#[test]
fn the_labels_tab_shows_own_labels_and_later_those_of_all() {
    let study = Study::new(Plot::default());
    let queue = study.queue(0);
    study.label("anna", &queue[0], "bug-related", "no");
    study.label("ben", &queue[0], "bug-related", "yes");
    study
        .writer("ben")
        .mark(&queue[0], &|item| mendbench::label::event::What::Noted { item, text: "hm".to_owned() })
        .unwrap();
    let id = queue[0].split_once('/').unwrap().1.to_owned();
    let tab = |who: &str| {
        let mut rig = study.rig(who, Options::default());
        rig.press("/").kind(&format!("id:{id}")).rest().press("enter enter 6");
        rig
    };
    let mut rig = tab("anna");
    rig.expect("sums/pilot").expect("no · anna").expect("cannot be seen in its phase").expect_not(" ben");
    rig.expect_not("hm ·");
    tab("max").expect("No labels that you can see").expect_not("anna");
    study.advance(Phase::Discussion);
    tab("anna").expect("no · anna").expect("yes · ben").expect("hm · ben").expect("codebook defects4c 1-");
    tab("zoe").expect("No labels that you can see");
    // What was said anew stands beside what was said blind.
    study.label("anna", &queue[0], "bug-related", "yes");
    tab("anna").expect("yes · anna, blind no");
    let mut none = Rig::samples(Options::default());
    none.press("enter 6").expect("there are no studies");
}
