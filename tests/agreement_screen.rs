//! The screen of agreement in the real workbench: numbers read off the screen, what keys do, what stays hidden.
#![allow(clippy::unwrap_used)]

mod agreement_rig;
mod rig;

use agreement_rig::{Made, fill, linux_bugs, one, said, three_rounds};
use mendbench::label::phase::Phase;
use mendbench::store::SqliteStore;
use rig::{Options, Rig, shared};
use std::sync::Arc;

/// The screen as somebody sees it.
fn opened(made: &Made, who: &str, options: Options) -> Rig {
    let mut rig = Rig::samples(options);
    rig.studies = Some(made.clerks(who));
    rig.press("g k");
    rig
}

/// A workspace to look at: `MENDBENCH_AGREEMENT_WORKSPACE=DIR cargo test --test agreement_screen workspace -- --ignored`.
#[test]
#[ignore = "makes a workspace for pictures, on request"]
fn workspace() {
    let Ok(folder) = std::env::var("MENDBENCH_AGREEMENT_WORKSPACE") else { return };
    let folder = std::path::PathBuf::from(folder);
    let workspace = mendbench::store::Workspace::at(&folder);
    let store: Arc<dyn mendbench::store::Store> = Arc::new(SqliteStore::open(&workspace.database).unwrap());
    let mut made = Made::on(store);
    if let Some(data) = shared("linux-bugs-annotations") {
        linux_bugs(&mut made, &data);
    }
    fill(&mut made, 120, Phase::Adjudication);
}

#[test]
fn the_first_thing_to_be_seen_is_kappa_with_interval_and_n() {
    let (made, _) = three_rounds(120, Phase::Discussion);
    let rig = opened(&made, "anna", Options::default());
    println!("{}", rig.text());
    for tab in ["1", "2", "3", "4", "5"] {
        let mut rig = opened(&made, "anna", Options::default());
        rig.press(tab);
        println!("{}", rig.text());
        let mut rig = opened(&made, "anna", Options::sized(140, 40));
        rig.press(tab);
        println!("{}", rig.text());
    }
    let _ = (one("", "", ""), said("", "", 0));
}
