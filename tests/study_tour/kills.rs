//! `kill -9` while somebody labels in the workbench: every answer that was followed by the next item is on disk, nothing is
//! there twice, and the next start goes on where the last one ended.

use crate::cli_rig::{Home, Ran};
use crate::hands::Hands;
use crate::labelling::{Asked, Then, asked, is_finished, key_of};
use crate::study_rig::{by, create, labels, queue, said};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// A row of numbers as a seed gives it.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn script(item: &str) -> Vec<(&'static str, &'static str)> {
    said("anna", item, 20)
}

/// Events of answers in an export, as `item question`, the earliest first.
fn events(home: &Home) -> Vec<String> {
    let export: Ran = by(home, "anna", &["label", "export", "--round", "r"]).done();
    let event = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["event"].clone();
    let all = export.out.lines().map(event);
    let answered = all.filter(|event| event["kind"] == "answered");
    let words = |event: &serde_json::Value| {
        let text = |name: &str| event["data"]["data"][name].as_str().unwrap().to_owned();
        format!("{} {}", text("item"), text("question"))
    };
    answered.map(|event| words(&event)).collect()
}

/// What is open first, as the command line has it.
fn first_open(home: &Home) -> Option<String> {
    queue(home, "anna", "r").into_iter().next()
}

fn kills(count: u64, items: usize, seed: u64) {
    let home = Home::new();
    home.rows("set.jsonl", items);
    create(&home, "r", &["--seed", "1"]).done();
    let all_items = queue(&home, "anna", "r");
    let mut chance = Chance(seed);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    // How many answers were followed by the next item, and how many keys were on their way when it ended.
    let (mut followed, mut kept, mut lost, mut unseen) = (0, 0, 0, 0);
    for turn in 0..count {
        let Some(first) = first_open(&home) else { break };
        let size = if turn % 2 == 0 { (24, 80) } else { (40, 140) };
        let mut hands = Hands::open(&home, "anna", size);
        hands.go("a", "labelling · item ");
        let mut now = hands.asked(&all_items);
        assert_eq!(now.item, first, "kill {turn}: it goes on at the first item that is open");
        let open = script(&now.item)
            .into_iter()
            .find(|(question, _)| !known.contains_key(&format!("{} {question}", now.item)));
        assert_eq!(Some(now.question), open.map(|(question, _)| question), "kill {turn}");
        let answers = chance.below(4);
        let mut given = 0;
        while given < answers {
            let answer = answer_to(&now);
            hands.press(key_of(now.question, answer));
            match hands.then(&now, &all_items) {
                Then::Refused => {
                    hands.calm();
                    now = hands.asked(&all_items);
                }
                Then::Next(next) => {
                    known.insert(format!("{} {}", now.item, now.question), answer.to_owned());
                    (given, followed, now) = (given + 1, followed + 1, next);
                }
                Then::Finished => break,
            }
        }
        if is_finished(&hands.session.screen().contents()) {
            break;
        }
        // The last key, and the end at some moment after it.
        let answer = answer_to(&now);
        hands.press(key_of(now.question, answer));
        hands.session.watch_until(Instant::now() + Duration::from_micros(chance.below(90_000)));
        hands.session.signal(libc::SIGKILL);
        hands.session.watch_to_the_end();
        let cell = format!("{} {}", now.item, now.question);
        let screen = hands.session.screen().contents();
        let painted = asked(&screen, &all_items).is_some_and(|next| next != now);
        let present: BTreeMap<String, String> = labels(&home, "anna", "r", &[]).into_iter().collect();
        if painted {
            followed += 1;
            assert!(present.contains_key(&cell), "kill {turn}: {cell} was followed by the next item");
        }
        match (present.get(&cell), painted) {
            (Some(_), true) => kept += 1,
            (Some(_), false) => unseen += 1,
            (None, _) => lost += 1,
        }
        if present.contains_key(&cell) {
            known.insert(cell, answer.to_owned());
        }
        assert_eq!(present, known, "kill {turn}");
        let mut events = events(&home);
        let before = events.len();
        events.sort();
        events.dedup();
        assert_eq!((before, before), (events.len(), known.len()), "kill {turn}: nothing is there twice");
        assert!(by(&home, "anna", &["label", "list", "--conflicts", "--json"]).done().out.is_empty());
    }
    writeln!(
        std::io::stderr(),
        "{count} kills, {followed} answers followed by the next item, all on disk; of the last keys {kept} were on disk \
         and on the screen, {unseen} on disk only, {lost} nowhere"
    )
    .unwrap();
    assert!(followed as u64 >= count, "{followed}");
}

fn answer_to(now: &Asked) -> &'static str {
    let script = script(&now.item);
    let answer = script.iter().find(|(question, _)| *question == now.question);
    answer.unwrap_or_else(|| panic!("nobody should ask {now:?}")).1
}

#[test]
fn ten_kills_at_random_moments_lose_no_answer_that_was_followed_by_the_next_item() {
    kills(10, 40, 7);
}

#[test]
#[ignore = "soak: 200 kills"]
fn soak() {
    kills(200, 400, 99);
}
