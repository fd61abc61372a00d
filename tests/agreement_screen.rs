//! The screen of agreement in the real workbench: numbers read off the screen, what keys do, what stays hidden.
#![allow(clippy::unwrap_used)]

mod agreement_rig;
mod rig;

use agreement_rig::{Made, fill, linux_bugs, one, said, three_rounds};
use mendbench::label::phase::Phase;
use mendbench::store::{OpenMode, SqliteStore, Store};
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
    let database = folder.join(".mendbench/workspace.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&database, OpenMode::CreateIfMissing).unwrap());
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

/// Pictures for people: `MENDBENCH_PICTURES=DIR cargo test --test agreement_screen pictures -- --ignored`.
#[test]
#[ignore = "writes pictures, on request"]
fn pictures() {
    let Ok(folder) = std::env::var("MENDBENCH_PICTURES") else { return };
    let folder = std::path::PathBuf::from(folder);
    let (made, _) = three_rounds(120, Phase::Adjudication);
    let (blind, _) = three_rounds(120, Phase::Labelling);
    let mut linux = Made::new();
    if let Some(data) = shared("linux-bugs-annotations/README.md") {
        linux_bugs(&mut linux, data.parent().unwrap());
    }
    let stories: [(&str, &Made, &str, &str); 12] = [
        ("kappa", &made, "anna", ""),
        ("matrix", &made, "anna", "] ] ] ] 2"),
        ("categories", &made, "anna", "] ] ] ] 3"),
        ("rounds", &made, "anna", "4"),
        ("people", &made, "lea", "5 ] ] enter l j"),
        ("export", &made, "lea", "e j j"),
        ("hidden", &blind, "anna", ""),
        ("asked", &blind, "lea", "L"),
        ("linux-kappa", &linux, "lea", "j"),
        ("linux-matrix", &linux, "lea", "j enter"),
        ("linux-rounds", &linux, "lea", "4"),
        ("linux-cases", &linux, "lea", "enter enter"),
    ];
    for (name, made, who, keys) in stories {
        for (width, height) in [(80, 24), (140, 40)] {
            for theme in ["dark", "light", "mono", "colourblind-dark"] {
                let options = Options { theme, ..Options::sized(width, height) };
                let mut rig = opened(made, who, options);
                rig.press(keys);
                let file = folder.join(format!("{name}-{width}-{theme}.cast"));
                std::fs::write(file, cast(&rig.buffer())).unwrap();
            }
        }
    }
}

/// A screen as a recorded session of one picture.
fn cast(buffer: &ratatui::buffer::Buffer) -> String {
    use ratatui::style::{Color, Modifier};
    let mut out = String::from("\u{1b}[2J\u{1b}[H");
    for y in 0..buffer.area.height {
        out.push_str(&format!("\u{1b}[{};1H", y + 1));
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let mut codes = vec!["0".to_owned()];
            for (modifier, code) in [
                (Modifier::BOLD, "1"),
                (Modifier::DIM, "2"),
                (Modifier::ITALIC, "3"),
                (Modifier::UNDERLINED, "4"),
                (Modifier::REVERSED, "7"),
            ] {
                if cell.modifier.contains(modifier) {
                    codes.push(code.to_owned());
                }
            }
            for (colour, ground) in [(cell.fg, 38), (cell.bg, 48)] {
                match colour {
                    Color::Rgb(r, g, b) => codes.push(format!("{ground};2;{r};{g};{b}")),
                    Color::Indexed(number) => codes.push(format!("{ground};5;{number}")),
                    _ => {}
                }
            }
            out.push_str(&format!("\u{1b}[{}m{}", codes.join(";"), cell.symbol()));
        }
    }
    let head = serde_json::json!({
        "version": 2, "width": buffer.area.width, "height": buffer.area.height,
    });
    format!("{head}\n{}\n", serde_json::json!([0.1, "o", out]))
}
