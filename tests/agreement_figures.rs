//! Many ratings: what 200,000 rows come to, and, when asked, what a million cost in time and memory.
//!
//!     cargo test --release --test agreement_figures -- --ignored --nocapture
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod cli_rig;

use cli_rig::Home;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

/// Most that a million rows may take, bytes.
const MOST_MEMORY: u64 = 1 << 30;

/// Two raters who differ on every fifth item, each row with a name as long as exports have them.
fn ratings(home: &Home, name: &str, rows: u64) {
    const LABELS: [&str; 6] = ["A.1", "A.2", "B", "C.3", "D.1", "no"];
    let mut text = "item,rater,label\n".to_owned();
    for item in 0..rows / 2 {
        let (one, other) = (item % 6, (item + u64::from(item % 5 == 4)) % 6);
        for (rater, label) in [("anna", one), ("ben", other)] {
            let label = LABELS[label as usize];
            writeln!(text, "feedbackeval/HumanEval_{item}@{item:064x},{rater},{label}").unwrap();
        }
    }
    home.write(name, text);
}

fn measured(home: &Home, name: &str) -> Value {
    home.run(&["agreement", "--ratings", name, "--json"]).done().object("agreement")
}

fn is_right(found: &Value, rows: u64) {
    let items = rows / 2;
    assert_eq!(
        (&found["n_items"], &found["n_joint"], &found["n_one_sided"]),
        (&json!(items), &json!(items), &json!(0))
    );
    assert_eq!(found["percent_agreement"]["value"], json!(0.8));
    // Every label comes as often as any other, but for what is over at the end: chance is a sixth.
    let kappa = found["cohen_kappa"]["value"].as_f64().unwrap();
    assert!((kappa - (0.8 - 1.0 / 6.0) / (5.0 / 6.0)).abs() < 1e-4, "{kappa}");
    let interval: Vec<f64> = serde_json::from_value(found["cohen_kappa"]["ci95"].clone()).unwrap();
    assert!(interval[0] < kappa && kappa < interval[1], "{interval:?}");
}

#[test]
fn two_hundred_thousand_rows_come_to_what_they_must() {
    let home = Home::new();
    ratings(&home, "ratings.csv", 200_000);
    is_right(&measured(&home, "ratings.csv"), 200_000);
}

#[test]
#[ignore = "takes long in a debug build"]
fn a_million_rows() {
    let home = Home::new();
    ratings(&home, "ratings.csv", 1_000_000);
    let begin = Instant::now();
    is_right(&measured(&home, "ratings.csv"), 1_000_000);
    let took = begin.elapsed();
    // SAFETY: the structure is plain data that the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage), 0);
        usage
    };
    // KiB here, bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.ru_maxrss).unwrap() * unit;
    let told = format!("1,000,000 rows: {:.2} s, peak {} MiB\n", took.as_secs_f64(), peak >> 20);
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    assert!(peak < MOST_MEMORY, "{told}");
}
