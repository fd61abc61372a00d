//! The screen of agreement in the real workbench: numbers read off the screen, what keys do, what stays hidden.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod agreement_rig;
mod rig;

use agreement_rig::{Made, fill, linux_bugs, one, three_rounds};
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
    if let Some(data) =
        shared("linux-bugs-annotations/README.md").map(|path| path.parent().unwrap().to_owned())
    {
        linux_bugs(&mut made, &data);
    }
    fill(&mut made, 120, Phase::Adjudication);
}

/// Rows of the screen that hold a kappa: their words, and its three numbers where there are three.
fn kappas(rig: &Rig) -> Vec<String> {
    let text = rig.text();
    let rows = text.lines().skip(5).take_while(|line| !line.starts_with('─'));
    rows.map(|row| row.trim_start_matches('▌').trim().to_owned()).collect()
}

#[test]
fn the_first_thing_to_be_seen_is_kappa_with_interval_and_n() {
    let (made, _) = three_rounds(120, Phase::Discussion);
    let rig = opened(&made, "anna", Options::default());
    let rows = kappas(&rig);
    assert_eq!(rows.len(), 5, "{rows:?}");
    for row in &rows {
        let last: u32 = row.split_whitespace().last().unwrap().parse().unwrap();
        assert!(last == 120 || last == 66, "{row}");
    }
    assert!(rows[0].starts_with("bug-related") && rows[0].contains("0.755  0.635 to 0.875"), "{}", rows[0]);
    // What is undefined or surprises is told below.
    assert!(rows[1].contains("no interval"), "{}", rows[1]);
    let mut rig = rig;
    rig.press("j").expect("They agree on all of 66 items").expect("by the rule of three");
    // Revised labels stand apart and are so named.
    rig.press("b").expect("Revised labels, after discussion: not independent").expect_not("Blind labels");
    rig.press("b").expect("Blind labels, independent");
}

/// The numbers of the screen against those that were computed elsewhere.
#[test]
fn the_linux_bugs_study_has_its_numbers_on_the_screen() {
    let Some(expected) = shared("linux-bugs-annotations/expected_kappa.json") else { return };
    let entries: serde_json::Value = serde_json::from_slice(&std::fs::read(&expected).unwrap()).unwrap();
    let mut made = Made::new();
    let rounds = linux_bugs(&mut made, expected.parent().unwrap());
    assert_eq!(rounds.len(), 3);
    let mut rig = opened(&made, "lea", Options::sized(140, 40));
    let mut compared = 0;
    for round in (0..3u64).rev() {
        rig.expect(&format!("linux-bugs/round{round}"));
        let basis = if round == 0 { "Blind labels, independent" } else { "Revised labels, after discussion" };
        if round == 0 && !rig.shows(basis) {
            rig.press("b");
        }
        rig.expect(basis);
        for (number, row) in ["A1-A2", "A1-A3", "A2-A3"].iter().zip(0..).map(|(pair, row)| (row, *pair)) {
            let of = |wanted: &&serde_json::Value| wanted["round"] == round && wanted["pair"] == row;
            let entry = entries.as_array().unwrap().iter().find(of).unwrap();
            let [one, other] = [&row[..2], &row[3..]];
            let told = |value: &str| format!("{:.3}", entry[value].as_f64().unwrap());
            let rows = kappas(&rig);
            let of_pair: Vec<&String> =
                rows.iter().filter(|row| row.starts_with(&format!("{one} × {other}"))).collect();
            let [label, bfc] = of_pair.as_slice() else { panic!("{rows:?}") };
            for (shown, kappa) in [(label, "kappa_label"), (bfc, "kappa_bfc_0to4_unweighted")] {
                let words: Vec<&str> = shown.split_whitespace().collect();
                assert_eq!(words[3], told(kappa), "round {round} {row} {kappa}: {shown}");
                assert_eq!(*words.last().unwrap(), entry["n_common"].to_string(), "{shown}");
            }
            let percent = format!("{:.1} %", entry["observed"].as_f64().unwrap() * 100.0);
            assert!(label.contains(&percent), "{percent}: {label}");
            // The weighted ones, and the items that one has not, stand one key further.
            let down = "j ".repeat(number);
            rig.press("g g").press(&down);
            let only = [&entry["only_first"], &entry["only_second"]];
            if only.iter().any(|only| **only != 0) {
                rig.expect(&format!("By one only, and left out: {} {one}, {} {other}.", only[0], only[1]));
            }
            rig.press("j j j j 3");
            for (name, value) in
                [("kappa, linear", "kappa_bfc_linear"), ("kappa, quadratic", "kappa_bfc_quadratic")]
            {
                let row = rig.find(name);
                assert!(rig.row(row).contains(&told(value)), "{value}: {}", rig.row(row));
            }
            rig.press("1");
            compared += 5;
        }
        rig.press("{");
    }
    assert_eq!(compared, 45);
}

#[test]
fn a_cell_opens_its_items_and_an_item_its_task_in_three_keys() {
    let mut made = Made::new();
    let codebook = agreement_rig::defects4c();
    let samples = ["c-ring-buffer", "python-merge-sorted", "rust-parse-duration"];
    let all = mendbench::dataset::sample_tasks().tasks;
    let names: Vec<String> =
        all.iter().map(|task| format!("{}/{}", task.dataset, task.id)).take(samples.len().max(4)).collect();
    let items = names.iter().cloned().map(agreement_rig::item).collect();
    let round = made.round(("s", "r"), &codebook, &["anna", "ben"], items);
    for (number, name) in names.iter().enumerate() {
        made.answer(round.id, "anna", [one(name, "bug-related", "no")]);
        let ben = if number == 2 { "yes" } else { "no" };
        made.answer(round.id, "ben", [one(name, "bug-related", ben)]);
    }
    made.close(round.id);
    let mut rig = opened(&made, "ben", Options::default());
    rig.expect("anna always answered `no` (n = 4)");
    // Enter opens the matrix with the cursor on the cell that differs most.
    rig.press("enter").expect("1 item: anna said no, ben said yes").expect("[1]");
    rig.press("enter").expect("1 of 1").expect(&names[2]).expect("anna said no, ben said yes · 1 item");
    rig.press("enter");
    let id = names[2].split_once('/').unwrap().1;
    rig.expect(id).expect("1 Diff");
    // And the same way back.
    rig.press("esc").expect("1 of 1").press("esc").expect("2 Matrix").expect("shaded by count");
    rig.press("s").expect("shaded by share of the row");
    rig.press("right").expect("3 items: both said no").press("enter").expect("1 of 3").press("esc");
    // A category opens all of its items.
    rig.press("3").press("enter").expect("yes was an answer of anna × ben · 1 item");
}

/// In the blind phase the screen of an annotator does not depend on the partner's labels.
#[test]
fn nothing_of_a_partner_is_on_the_screen_while_labelling_is_blind() {
    let screens = |errs: u64, answers: usize| {
        let (mut made, ids) = three_rounds(60, Phase::Closed);
        let codebook = agreement_rig::defects4c();
        let items = agreement_rig::items("new", 40);
        let round = made.round(("kernel", "new"), &codebook, &["anna", "ben"], items);
        made.answer(round.id, "anna", agreement_rig::labels_of(&round, "anna", 10));
        let ben = agreement_rig::labels_of(&round, "ben", errs);
        made.answer(round.id, "ben", ben.into_iter().take(answers));
        let _ = ids;
        let mut all = Vec::new();
        for size in [(80, 24), (140, 40)] {
            let mut rig = opened(&made, "anna", Options::sized(size.0, size.1));
            rig.expect("Agreement is hidden").expect("Labelling is blind");
            for keys in ["", "2", "3", "4", "5", "5 enter j", "1 b", "1 L", "e", "esc 1 y"] {
                rig.press(keys);
                all.push(rig.buffer());
            }
            rig.press("esc esc");
            assert!(!rig.text().contains("ben "), "{}", rig.text());
        }
        all
    };
    let first = screens(5, 1_000);
    for (errs, answers) in [(90, 1_000), (5, 3), (5, 0)] {
        assert!(first == screens(errs, answers), "ben errs {errs}, {answers} answers");
    }
}

#[test]
fn a_lead_who_looks_early_is_asked_and_leaves_a_deviation() {
    let (made, ids) = three_rounds(60, Phase::Labelling);
    let deviations = || made.studies.open(ids[2]).unwrap().deviations.len();
    let mut rig = opened(&made, "lea", Options::default());
    rig.expect("Agreement is hidden").expect("look all the same with L").expect("L look all the same");
    assert_eq!(deviations(), 0);
    rig.press("L").expect("Look at agreement while it is blind?").expect("every export");
    rig.press("n").expect("labelling stays blind").expect("Agreement is hidden");
    assert_eq!(deviations(), 0);
    rig.press("L").press("y").expect("bug-related").expect("1 deviation").expect_not("Agreement is hidden");
    assert_eq!(deviations(), 1);
    // Tables, but not who said what.
    rig.press("enter").press("enter").expect("who said what is hidden from you here");
    // What was seen at a price is hidden again the next time.
    rig.press("g t").press("g k").expect("Agreement is hidden");
    assert_eq!(deviations(), 1);
    // Nobody else is offered that.
    let mut rig = opened(&made, "zoe", Options::default());
    rig.expect("Agreement is hidden").expect_not("look all the same").press("L").expect("labelling is blind");
    assert_eq!(deviations(), 1);
}

#[test]
fn who_may_not_see_labels_gets_the_tables_alone() {
    let (made, _) = three_rounds(60, Phase::Discussion);
    let mut rig = opened(&made, "zoe", Options::default());
    rig.expect("bug-related").press("enter").expect("anna ↓").press("enter");
    rig.expect("who said what is hidden from you here");
    rig.press("5").expect("How others label may be seen when the round is further");
}

#[test]
fn labels_leave_as_a_file_that_is_never_written_over() {
    let (made, _) = three_rounds(60, Phase::Closed);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.csv");
    let mut rig = opened(&made, "lea", Options::sized(140, 40));
    rig.press("e").expect("kernel-round-3-long.csv").expect("--form long --round");
    assert_eq!(
        rig.copy("y"),
        "mendbench label export kernel-round-3-long.csv --form long --round kernel/round-3"
    );
    rig.press("l").expect("all rounds of the study").expect("--all-rounds").press("h");
    rig.press("enter ctrl-u").kind(&path.display().to_string()).press("enter");
    rig.expect("labels written");
    let written = std::fs::read_to_string(&path).unwrap();
    let mut desk = made.studies.desk(Some("round-3"), "lea").unwrap();
    let (text, labels) = desk.table_text(mendbench::study::TableForm::Long, false, "", false).unwrap();
    assert_eq!(written, text);
    assert!(labels > 100 && rig.shows(&format!("{labels} labels written")), "{}", rig.text());
    rig.press("e enter ctrl-u").kind(&path.display().to_string()).press("enter");
    rig.expect("exists already and is left as it is").expect("Export");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    rig.press("esc");
    assert_eq!(rig.copy("y"), "mendbench agreement --round kernel/round-3 --basis blind");
}

#[test]
fn rounds_are_gone_through_and_stay_the_ones_in_hand() {
    let (made, _) = three_rounds(60, Phase::Closed);
    let mut rig = opened(&made, "anna", Options::default());
    rig.expect("kernel/round-3").expect("round 3 of 3").press("{").expect("kernel/round-2");
    rig.press("}").press("}").expect("this is the newest round");
    rig.press("4").expect("● blind").expect("○ revised").press("g g enter").expect("kernel/round-1");
    rig.press("g t").press("g k").expect("kernel/round-1");
}

#[test]
fn the_kappa_paradox_is_explained() {
    let mut made = Made::new();
    let names = agreement_rig::names("p", 125);
    let items = names.iter().cloned().map(agreement_rig::item).collect();
    let codebook = agreement_rig::defects4c();
    let round = made.round(("s", "r"), &codebook, &["anna", "ben"], items);
    for (who, yes) in [("anna", 118..123), ("ben", 123..125)] {
        let answer = |(number, name): (usize, &String)| {
            one(name, "bug-related", if yes.contains(&number) { "yes" } else { "no" })
        };
        made.answer(round.id, who, names.iter().enumerate().map(answer));
    }
    made.close(round.id);
    let mut rig = opened(&made, "ben", Options::default());
    rig.expect("The kappa paradox: they agree on 94.4 %").expect("-0.023").expect("PABAK (0.888)");
    // Nobody was asked the cause by both: that is told, not left out.
    rig.press("j").expect("undefined: no jointly rated item").expect("nothing can be compared");
}

#[test]
fn without_a_workspace_the_screen_says_what_to_do() {
    let mut rig = Rig::samples(Options::default());
    rig.studies = Some(Made::new().clerks("anna"));
    rig.press("g k").expect("No agreement to show").expect("mendbench round create");
    for keys in ["enter", "j", "2", "3", "4", "5", "b", "]", "}", "y", "e", "L", "esc"] {
        rig.press(keys);
    }
}

/// Compares a picture with the one that is kept.
fn keep(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/agreement");
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Every part at two sizes: as text once for each size, as styles for each theme.
#[test]
fn pictures_of_every_part() {
    let (made, _) = three_rounds(120, Phase::Adjudication);
    let (blind, _) = three_rounds(60, Phase::Labelling);
    for (name, made, who, keys, styled) in [
        ("kappas", &made, "anna", "j", true),
        ("matrix", &made, "anna", "] ] ] ] 2", true),
        ("cases", &made, "anna", "] ] ] ] 2 enter", false),
        ("categories", &made, "anna", "3 ] ] ] ]", false),
        ("rounds", &made, "anna", "4", true),
        ("people", &made, "lea", "5 ] ] enter l j", true),
        ("export", &made, "lea", "e j", false),
        ("hidden", &blind, "anna", "", false),
        ("asked", &blind, "lea", "L", false),
    ] {
        for (width, height) in [(80, 24), (140, 40)] {
            let mut text: Option<String> = None;
            for theme in ["dark", "light", "mono"] {
                let mut rig = opened(made, who, Options { theme, ..Options::sized(width, height) });
                rig.press(keys);
                let shown = rig.text();
                assert_eq!(*text.get_or_insert_with(|| shown.clone()), shown, "{name} in {theme}");
                if styled {
                    let styles = rig::styles_of(&rig.buffer());
                    keep(&format!("{name}_{width}x{height}_{theme}_styles"), &styles);
                }
            }
            keep(&format!("{name}_{width}x{height}"), &text.unwrap_or_default());
        }
    }
    // Terminals without Unicode.
    let mut rig = opened(&made, "anna", Options { unicode: false, ..Options::default() });
    rig.press("4");
    assert!(rig.text().is_ascii(), "{}", rig.text());
    keep("rounds_ascii", &rig.text());
    rig.press("2");
    keep("matrix_ascii", &rig.text());
}

#[test]
fn no_size_makes_it_fall() {
    let (made, _) = three_rounds(40, Phase::Closed);
    let mut rig = opened(&made, "lea", Options::default());
    for keys in ["1", "2", "3", "4", "5", "5 enter", "2 enter", "e"] {
        rig.press(keys);
        for (width, height) in [(20, 5), (21, 9), (33, 7), (47, 11), (60, 60), (79, 12), (111, 9), (300, 100)]
        {
            rig.resize(width, height);
            let _ = rig.text();
        }
        rig.press("esc esc");
        rig.press("g k");
    }
}

/// What it costs to open: `cargo test --release --test agreement_screen opening -- --ignored --nocapture`.
#[test]
#[ignore = "prints figures"]
fn opening() {
    use mendbench::tui::msg::study::{Ask, agreement};
    use mendbench::tui::msg::{JobResult, Msg};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap());
    let mut made = Made::on(store);
    let ids = agreement_rig::large(&mut made, 3_887);
    let time = |what: &str, action: &mut dyn FnMut()| {
        let start = std::time::Instant::now();
        action();
        println!("{what}: {:.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    };
    for round in 0..3 {
        let mut clerks = made.clerks("anna");
        println!("--- {round}");
        if round == 2 {
            time("made ready beside the keys", &mut || {
                clerks.answer(Ask::Agreement(agreement::Ask::Prepare));
            });
        }
        let mut rig = Rig::samples(Options::sized(140, 40));
        rig.studies = Some(clerks);
        time("key to painted, with all rounds", &mut || {
            rig.press("g k");
            let _ = rig.buffer();
        });
        assert!(rig.shows("root-cause"), "{}", rig.text());
        time("again", &mut || {
            rig.press("g t g k");
            let _ = rig.buffer();
        });
        time("another round", &mut || {
            rig.press("{");
            let _ = rig.buffer();
        });
        let mut clerks = made.clerks("anna");
        time("the round in hand alone, read for the first time", &mut || {
            let ask = agreement::Ask::Open { round: Some(ids[2]), live: false };
            let told = clerks.answer(Ask::Agreement(ask));
            let result = Box::new(JobResult::Study(told));
            rig.send(Msg::Done { ticket: 0, result });
        });
        let desk = made.studies.desk(Some("round-3"), "anna").unwrap();
        time("reading two sheets", &mut || {
            let _ = (desk.sheet(0).unwrap(), desk.sheet(1).unwrap());
        });
        let sheets = [desk.sheet(0).unwrap(), desk.sheet(1).unwrap()];
        let mut all = Vec::new();
        time("reading the labels by the codebook", &mut || {
            all = mendbench::label::reading::Labelled::all(&desk.round, sheets.clone());
        });
        time("lines of one round", &mut || {
            let _ = mendbench::label::overview::lines(&desk.round, &all, true);
        });
        time("opening the round", &mut || {
            let _ = made.studies.open(ids[2]).unwrap();
        });
    }
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
