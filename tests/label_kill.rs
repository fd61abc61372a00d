//! `kill -9` while labels stream in, and two processes as the same person: every answer that was said to be saved is
//! there.
#![allow(clippy::unwrap_used, clippy::explicit_write)]
#![cfg(unix)]

mod cli_rig;
mod study_rig;

use cli_rig::Home;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use study_rig::{by, create, labels, lines, queue};

const SET: [&str; 9] = ["label", "set", "-", "--json", "--workspace", "w", "--as", "anna", "--round=r"];

fn spawn(home: &Home) -> Child {
    Command::new(env!("CARGO_BIN_EXE_mendbench"))
        .current_dir(home.path(""))
        .env_clear()
        .envs(home.variables())
        .args(SET)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Answers that go to and fro, so that the last one of each item tells how far it came.
fn script(items: &[String], start: u64) -> String {
    let answer = |turn: u64| if (turn + start).is_multiple_of(2) { "yes" } else { "no" };
    let turns = (0..4).flat_map(|turn| items.iter().map(move |item| (turn, item)));
    turns.map(|(turn, item)| lines(item, &[("bug-related", answer(turn))])).collect()
}

fn saved(line: &str) -> Option<(String, String)> {
    let object: Value = serde_json::from_str(line).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    (object["type"] == "label-saved").then_some(())?;
    let question = text(&object["question"])?;
    Some((format!("{} {question}", text(&object["item"])?), text(&object["value"]["one"])?))
}

fn rounds(count: u64, seed: u64) {
    let home = Home::new();
    home.rows("set.jsonl", 20);
    create(&home, "r", &["--seed", "1"]).done();
    let items = queue(&home, "anna", "r");
    let (mut state, mut known, mut all) = (seed | 1, BTreeMap::new(), 0);
    for round in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let text = script(&items, state >> 40);
        let read = (state >> 33) % 60;
        let mut child = spawn(&home);
        let mut input = child.stdin.take().unwrap();
        // The child may be gone before it has read everything.
        let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acknowledged: Vec<(String, String)> = Vec::new();
        while (acknowledged.len() as u64) < read {
            let Some(Ok(line)) = output.next() else { break };
            acknowledged.extend(saved(&line));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had said before it died counts, too; half a line does not.
        acknowledged.extend(output.map_while(Result::ok).filter_map(|line| saved(&line)));
        writer.join().unwrap();
        all += acknowledged.len();
        known.extend(acknowledged.iter().cloned());
        let present: BTreeMap<String, String> = labels(&home, "anna", "r", &[]).into_iter().collect();
        // One answer may be on disk that was not said to be.
        let differing: Vec<&String> = known
            .iter()
            .filter(|(cell, value)| present.get(*cell) != Some(value))
            .map(|(cell, _)| cell)
            .collect();
        assert!(differing.len() <= 1, "round {round}: {differing:?}");
        if let [cell] = differing.as_slice() {
            let last = acknowledged.iter().map(|(cell, _)| cell).next_back();
            let place =
                |cell: &String| items.iter().position(|item| cell.starts_with(&format!("{item} "))).unwrap();
            let next = last.map_or(0, |last| (place(last) + 1) % items.len());
            assert_eq!(place(cell), next, "round {round}: the one behind the last that was acknowledged");
        }
        known = present;
        let ran = by(&home, "anna", &["label", "list", "--conflicts", "--json"]).done();
        assert!(ran.out.is_empty(), "round {round}: {}", ran.out);
    }
    writeln!(std::io::stderr(), "{count} kills, {all} answers acknowledged").unwrap();
    assert!(all as u64 >= count, "{all}");
}

#[test]
fn ten_kills_at_random_moments() {
    rounds(10, 7);
}

#[test]
#[ignore = "soak: 200 kills"]
fn soak() {
    rounds(200, 99);
}

#[test]
fn two_processes_as_the_same_person_lose_nothing() {
    let home = Home::new();
    home.rows("set.jsonl", 20);
    create(&home, "r", &["--seed", "1"]).done();
    let items = queue(&home, "anna", "r");
    let runs: Vec<(Child, Vec<(String, String)>)> = (0..2)
        .map(|number| {
            let mut child = spawn(&home);
            let mut input = child.stdin.take().unwrap();
            let text = script(&items, number);
            std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
            (child, Vec::new())
        })
        .collect();
    let mut said = 0;
    for (child, mut saved_here) in runs {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        saved_here.extend(String::from_utf8(output.stdout).unwrap().lines().filter_map(saved));
        assert_eq!(saved_here.len(), 80);
        said += saved_here.len();
    }
    // Every answer of both is an event, each knew the one before, and so nothing contradicts.
    let export = by(&home, "anna", &["label", "export"]).done().out;
    assert_eq!(export.matches("\"kind\":\"answered\"").count(), said);
    assert!(by(&home, "anna", &["label", "list", "--conflicts", "--json"]).done().out.is_empty());
    assert_eq!(labels(&home, "anna", "r", &[]).len(), 20);
}
