//! What a run came to, after its last event: for `repair` and `replay` alike.
//!
//! Promises: what counts stands first; every number has its n; failures of the infrastructure are never among those of
//! the model; it says how to see the run again and how to go on with it. Leaves to others: counting (`repair::metrics`).

use super::words;
use crate::cli::{Failure, Output};
use crate::config::Money;
use crate::repair::event::StopReason;
use crate::repair::metrics::{Counts, Rates, Tally};
use crate::runner::RunRecord;
use crate::text::{pad, shown};
use crate::theme::Role;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Most k of repair@k that `--json` lists.
const MOST_K: u32 = 100;
/// Most k of repair@k on a line for people.
const MOST_SHOWN: usize = 8;
/// Columns of the labels.
const LABEL: usize = 16;

/// How driving ended, or playing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ended {
    /// Wall-clock time, seconds; `None`: nothing was driven.
    pub seconds: Option<f64>,
    /// Whether somebody ended it.
    pub interrupted: bool,
    /// Trajectories whose record failed.
    pub troubles: usize,
}

/// The commands that concern a run.
pub struct Commands {
    workspace: String,
}

impl Commands {
    /// With the workspace that has to be named.
    pub fn of(folder: Option<&PathBuf>) -> Commands {
        let quoted = folder.map(|folder| {
            let folder = shown(folder);
            shlex::try_quote(&folder).map_or(folder.clone(), |quoted| quoted.into_owned())
        });
        Commands { workspace: quoted.map(|folder| format!(" --workspace {folder}")).unwrap_or_default() }
    }

    fn replay(&self, run: &str) -> String {
        format!("mendbench replay {run}{}", self.workspace)
    }

    fn resume(&self, run: &str) -> String {
        format!("mendbench repair --resume {run}{}", self.workspace)
    }
}

/// Shows it.
pub fn show(
    record: &RunRecord,
    tally: &Tally,
    ended: &Ended,
    commands: &Commands,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        return output.object(&object(record, tally, ended));
    }
    let most = record.spec.cells.iter().map(|cell| cell.strategy.most_turns()).max().unwrap_or(1);
    output.line("")?;
    headline(tally, output)?;
    let mut row = |label: &str, value: &str, role: Role| -> Result<(), Failure> {
        output.styled(&[(&format!("  {}", pad(label, LABEL)), Role::TextDim), (value, role)])
    };
    let excluded = excluded(tally);
    let without =
        if excluded.is_empty() { "nothing is left out".to_owned() } else { format!("without {excluded}") };
    row("all", &tally.repaired().all.to_string(), Role::Text)?;
    row("counted", &format!("{}, {without}", tally.repaired().counted), Role::Text)?;
    row("repair@k", &at_k(tally, most), Role::Text)?;
    let failed = tally.failed().all;
    let kinds = [StopReason::Exhausted, StopReason::Repeat, StopReason::NoCode];
    let kinds = kinds.map(|reason| (reason.as_str(), tally.ended(reason)));
    row("not repaired", &with_parts(&format!("{} of {}", failed.hits, failed.n), &kinds), Role::Text)?;
    let infrastructure = tally.ended(StopReason::Infrastructure);
    let role = if infrastructure > 0 { Role::StatusError } else { Role::Text };
    row("infrastructure", &format!("{infrastructure} of {}", tally.all()), role)?;
    let rest = [
        ("not faulty", tally.ended(StopReason::NotFaulty)),
        ("budget spent", tally.ended(StopReason::Budget)),
        ("cancelled", tally.ended(StopReason::Cancelled)),
        ("not finished", tally.unfinished()),
        ("stepped into", tally.intervened()),
        ("saw reference", tally.saw_reference()),
    ];
    for (label, count) in rest.into_iter().filter(|(_, count)| *count > 0) {
        let parts: &[(&str, u64)] = match label {
            "stepped into" => &stepped_into(tally),
            _ => &[],
        };
        row(label, &with_parts(&format!("{count} of {}", tally.all()), parts), Role::Text)?;
    }
    row("turns", &turns(tally), Role::Text)?;
    row("calls", &calls(tally), Role::Text)?;
    if let Some(seconds) = ended.seconds {
        // Seconds of a run are far below 2^53 milliseconds, and never negative.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        row("time", &words::seconds((seconds * 1_000.0) as u64), Role::Text)?;
    }
    let run = words::short(record.id);
    row("see it again", &commands.replay(&run), Role::Accent)?;
    if open(tally) > 0 {
        row("go on", &commands.resume(&run), Role::Accent)?;
    }
    Ok(())
}

/// What counts most.
fn headline(tally: &Tally, output: &mut Output) -> Result<(), Failure> {
    let Rates { all, .. } = tally.repaired();
    let role = match (all.hits, tally.failed().all.hits) {
        (1.., 0) => Role::StatusOk,
        (0, _) => Role::VerdictFailed,
        _ => Role::TextStrong,
    };
    let mut words = format!("{} of {} repaired", all.hits, all.n);
    if open(tally) > 0 {
        words.push_str(&format!("; {} not finished", open(tally)));
    }
    output.styled(&[(&words, role)])
}

/// Those that have no end yet, whether a person stepped into them or not.
fn open(tally: &Tally) -> u64 {
    tally.unfinished() + tally.intervened_unfinished()
}

/// What became of those that a person stepped into.
fn stepped_into(tally: &Tally) -> [(&'static str, u64); 3] {
    let (repaired, unfinished) = (tally.intervened_repaired(), tally.intervened_unfinished());
    let rest = tally.intervened().saturating_sub(repaired + unfinished);
    [("repaired", repaired), ("ended without a repair", rest), ("not finished", unfinished)]
}

/// What leaves the second denominator, in words.
fn excluded(tally: &Tally) -> String {
    let parts = [
        (tally.ended(StopReason::Infrastructure), "failed by the infrastructure"),
        (tally.ended(StopReason::NotFaulty), "not faulty"),
        (tally.ended(StopReason::Budget) + tally.ended(StopReason::Cancelled), "cut short"),
        (tally.unfinished(), "not finished"),
        (tally.intervened(), "a person stepped into"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

/// `@1 2 of 4 (50 %)  @3 …`, over those that count: the first k, those at which more are repaired, and the last.
fn at_k(tally: &Tally, most: u32) -> String {
    let one = |k: u32| {
        let rate = tally.repaired_within(k).counted;
        let share = rate.share().map(|share| format!(" ({:.0} %)", share * 100.0)).unwrap_or_default();
        format!("@{k} {} of {}{share}", rate.hits, rate.n)
    };
    let hits = |k: u32| tally.repaired_within(k).counted.hits;
    let grows = |k: &u32| *k == 1 || *k == most || hits(*k) > hits(*k - 1);
    let mut parts: Vec<String> = (1..=most).filter(grows).map(one).collect();
    if parts.len() > MOST_SHOWN {
        let last = parts.pop();
        parts.truncate(MOST_SHOWN - 2);
        parts.push("…".to_owned());
        parts.extend(last);
    }
    parts.join("  ")
}

fn with_parts(head: &str, parts: &[(&str, u64)]) -> String {
    let parts: Vec<String> =
        parts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!("{count} {word}")).collect();
    if parts.is_empty() { head.to_owned() } else { format!("{head}: {}", parts.join(", ")) }
}

fn turns(tally: &Tally) -> String {
    let listed = |counts: &Counts| {
        let mut all: Vec<(&&str, &u64)> = counts.iter().collect();
        all.sort_by_key(|(word, count)| (std::cmp::Reverse(**count), **word));
        all.into_iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    let groups = [tally.extractions(), tally.applications(), tally.verdicts(), tally.flags()];
    let groups: Vec<String> = groups.into_iter().map(listed).filter(|group| !group.is_empty()).collect();
    let count = tally.turns();
    if groups.is_empty() { count.to_string() } else { format!("{count}: {}", groups.join(" · ")) }
}

fn calls(tally: &Tally) -> String {
    let spent = tally.spending();
    let mut kinds = vec![("helper", spent.helper), ("beforehand", spent.preliminary)];
    kinds.push(("without an answer", spent.requests.saturating_sub(spent.answered + spent.lost)));
    kinds.push(("lost", spent.lost));
    let mut parts = vec![with_parts(&spent.requests.to_string(), &kinds)];
    if spent.unsent > 0 {
        parts.push(format!("{} that failed before anything was sent", spent.unsent));
    }
    if spent.requests == 0 {
        return parts.join(", ");
    }
    parts.push(format!("{} + {} tokens", spent.input_tokens, spent.output_tokens));
    if spent.uncounted > 0 {
        parts.push(format!("tokens of {} not told", spent.uncounted));
    }
    let money = |usd: f64| Money::from_dollars(usd).unwrap_or_default().to_string();
    if spent.unpriced < spent.requests {
        parts.push(money(spent.known_usd()));
        if spent.estimated_usd() > 0.0 {
            parts.push(format!("and about {} estimated", money(spent.estimated_usd())));
        }
    }
    if spent.unpriced > 0 {
        parts.push(format!("cost of {} not known", spent.unpriced));
    }
    parts.join(", ")
}

fn object(record: &RunRecord, tally: &Tally, ended: &Ended) -> Value {
    let most = record.spec.cells.iter().map(|cell| cell.strategy.most_turns()).max().unwrap_or(1);
    let at_k: Vec<Value> = (1..=most.min(MOST_K))
        .map(|k| {
            let Rates { all, counted } = tally.repaired_within(k);
            json!({ "k": k, "all": all, "counted": counted })
        })
        .collect();
    let ends: serde_json::Map<String, Value> = StopReason::ALL
        .into_iter()
        .map(|reason| (reason.as_str().to_owned(), json!(tally.ended(reason))))
        .collect();
    json!({
        "type": "summary", "v": 1, "run": record.id, "trajectories": tally.all(), "counted": tally.counted(),
        "repaired": tally.repaired(), "failed": tally.failed(), "repair_at_k": at_k, "ends": ends,
        "unfinished": tally.unfinished(), "intervened": tally.intervened(),
        "intervened_repaired": tally.intervened_repaired(),
        "intervened_unfinished": tally.intervened_unfinished(), "saw_reference": tally.saw_reference(),
        "turns": {
            "n": tally.turns(), "extractions": tally.extractions(), "applications": tally.applications(),
            "verdicts": tally.verdicts(), "flags": tally.flags(),
        },
        "spending": tally.spending(), "seconds": ended.seconds, "interrupted": ended.interrupted,
        "troubles": ended.troubles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::event::{Call, ContentHash, Usage};
    use crate::repair::machine::{Request, Trajectory, Turn};
    use crate::report::Verdict;

    /// A trajectory that is repaired in this turn.
    fn repaired(in_turn: u32) -> Trajectory {
        let turn = |turn| Turn {
            attempt: 1,
            turn,
            answer: Some(ContentHash::of("a")),
            verdict: Some(if turn == in_turn { Verdict::Passed } else { Verdict::Failed }),
            ..Turn::default()
        };
        let turns = (1..=in_turn).map(turn).collect();
        Trajectory { turns, stopped: Some(StopReason::Passed), ..Trajectory::default() }
    }

    #[test]
    fn only_those_k_are_shown_at_which_something_changes() {
        let tally: Tally = [repaired(2), repaired(5)].iter().collect();
        let shown = "@1 0 of 2 (0 %)  @2 1 of 2 (50 %)  @5 2 of 2 (100 %)  @12 2 of 2 (100 %)";
        assert_eq!(at_k(&tally, 12), shown);
        assert_eq!(at_k(&tally, 1), "@1 0 of 2 (0 %)");
        let many: Vec<Trajectory> = (1..=20).map(repaired).collect();
        let line = at_k(&many.iter().collect(), 20);
        assert!(line.ends_with("@6 6 of 20 (30 %)  …  @20 20 of 20 (100 %)"), "{line}");
    }

    #[test]
    fn what_a_person_stepped_into_is_told_with_what_became_of_it() {
        let with = |stopped| Trajectory { intervened: true, stopped, ..Trajectory::default() };
        let all = [None, None, Some(StopReason::Passed), Some(StopReason::Exhausted)].map(with);
        let tally: Tally = all.iter().collect();
        let shown = with_parts("4 of 4", &stepped_into(&tally));
        assert_eq!(shown, "4 of 4: 1 repaired, 1 ended without a repair, 2 not finished");
        assert_eq!((open(&tally), tally.unfinished()), (2, 0));
    }

    #[test]
    fn calls_that_were_never_sent_cost_nothing() {
        let request = |unsent: bool| Request {
            call: Call::Repair,
            model: "m".to_owned(),
            answered: !unsent,
            usage: Usage::default(),
            estimated: false,
            lost: false,
            unsent,
        };
        let with = |requests: Vec<Request>| Trajectory {
            turns: vec![Turn { turn: 1, requests, ..Turn::default() }],
            ..Trajectory::default()
        };
        let of = |requests| calls(&[with(requests)].iter().collect());
        assert_eq!(of(vec![]), "0");
        assert_eq!(of(vec![request(true)]), "0, 1 that failed before anything was sent");
        let shown = "1, 1 that failed before anything was sent, 0 + 0 tokens, tokens of 1 not told, cost of 1 not known";
        assert_eq!(of(vec![request(true), request(false)]), shown);
    }

    #[test]
    fn what_leaves_the_second_denominator_is_named() {
        let with = |reason| Trajectory { stopped: Some(reason), ..Trajectory::default() };
        let all = [with(StopReason::Infrastructure), with(StopReason::Budget), Trajectory::default()];
        let tally: Tally = all.iter().collect();
        assert_eq!(excluded(&tally), "1 failed by the infrastructure, 1 cut short, 1 not finished");
        assert_eq!(excluded(&Tally::new()), "");
    }
}
