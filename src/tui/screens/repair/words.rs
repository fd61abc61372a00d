//! What is said of a trajectory: its state, whose a failure is, what it took.
//!
//! Promises: pure; a failure of the harness or the infrastructure never reads as one of the model; every count has its n.

use super::{Against, Shown};
use crate::config::Money;
use crate::repair::event::{Exposure, StopReason};
use crate::repair::live::State;
use crate::report::Verdict;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::screens::Context;

/// What runs and how far it is, for the right end of the header: the longest first, then shorter ones.
pub fn header(shown: &Shown, place: Option<(usize, usize)>) -> Vec<String> {
    let cell = &shown.cell;
    let model = text::truncate(&cell.model, 30);
    let full = format!("{model} · {} feedback · {}", cell.feedback, cell.strategy);
    let mut clock = String::new();
    if let Some(turn) = shown.live.turns().last().filter(|turn| turn.facts.turn > 0) {
        let (attempt, number) = turn.position();
        if cell.strategy.attempts() > 1 {
            clock = format!("attempt {attempt} of {} · ", cell.strategy.attempts());
        }
        clock.push_str(&format!("turn {number} of {} · ", cell.strategy.turns()));
    }
    let seconds = shown.elapsed();
    clock.push_str(&format!("{:02}:{:02}", seconds / 60, seconds % 60));
    let here = place.map_or(String::new(), |(number, all)| format!("   {number} of {all} here"));
    vec![format!("{full}{here}   {clock}"), format!("{full}   {clock}"), format!("{model}   {clock}"), clock]
}

/// The word that heads the screen, and its role.
pub fn badge(shown: &Shown) -> (String, Role) {
    if let Some((reason, _)) = shown.live.stopped() {
        return match reason {
            StopReason::Passed => ("repaired".to_owned(), Role::VerdictPassed),
            StopReason::Exhausted | StopReason::Repeat | StopReason::NoCode => {
                ("not repaired".to_owned(), Role::VerdictFailed)
            }
            StopReason::Infrastructure => ("infrastructure".to_owned(), Role::VerdictInfraError),
            StopReason::Budget => ("budget spent".to_owned(), Role::VerdictNotRun),
            StopReason::Cancelled => ("cancelled".to_owned(), Role::VerdictNotRun),
            StopReason::NotFaulty => ("nothing to repair".to_owned(), Role::StatusWarn),
        };
    }
    let playing = shown.replay.as_ref().filter(|replay| replay.is_playing());
    if let Some(replay) = playing {
        let words = shown.live.words(replay.now());
        let how = if replay.is_moving() { replay.speed() } else { "paused".to_owned() };
        return (format!("{words} · replay {how}"), Role::StatusInfo);
    }
    if !shown.running {
        return ("left".to_owned(), Role::VerdictNotRun);
    }
    if shown.cancelling {
        return ("cancelling".to_owned(), Role::StatusWarn);
    }
    if shown.live.is_paused() {
        return ("paused".to_owned(), Role::StatusWarn);
    }
    let words = shown.live.words(shown.time());
    if shown.paused {
        return (format!("pausing: {words}"), Role::StatusWarn);
    }
    (words, Role::Accent)
}

/// Time to the first token, tokens and cost; the speed stands beside the answer.
pub fn figures(shown: &Shown) -> Vec<String> {
    let at = shown.at();
    let mut facts = Vec::new();
    if let Some(first) = shown.live.first_token_ms(at) {
        facts.push(format!("first token {}", seconds(first)));
    }
    let spent = shown.live.spent();
    if spent.input.max(spent.output) > 0 {
        facts.push(format!("{} + {} tokens", thousands(whole(spent.input)), thousands(whole(spent.output))));
    }
    if spent.requests > 0 {
        let about = if spent.estimated > 0 { "about " } else { "" };
        facts.push(match spent.priced {
            0 => "cost not known".to_owned(),
            priced if priced < spent.requests => {
                format!("{about}${:.4} for {priced} of {} calls", spent.usd, spent.requests)
            }
            _ if spent.usd == 0.0 => Money::ZERO.to_string(),
            _ => format!("{about}${:.4}", spent.usd),
        });
    }
    facts
}

fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn seconds(ms: u64) -> String {
    // Milliseconds of a call are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let seconds = ms as f64 / 1000.0;
    format!("{seconds:.1} s")
}

/// One line on the turn that is shown: a lead, what follows, and the role of that.
pub fn line(shown: &Shown) -> Option<(String, String, Role)> {
    let at = shown.at();
    let turn = shown.turn()?;
    if let Some(blame) = shown.live.blame(at) {
        if turn.facts.turn == 0 {
            let role =
                if turn.facts.verdict == Some(Verdict::Failed) { Role::TextDim } else { Role::StatusWarn };
            return Some((String::new(), blame.words, role));
        }
        let whose = match blame.whose.as_str() {
            word @ ("model" | "harness" | "infrastructure" | "task") => format!("the {word}"),
            word => word.to_owned(),
        };
        let role = if blame.whose.is_not_the_models() { Role::VerdictInfraError } else { Role::Text };
        return Some(("model or harness?".to_owned(), format!("{whose}: {}", blame.words), role));
    }
    if turn.facts.verdict == Some(Verdict::Passed) {
        let exposures: Vec<&str> = turn
            .facts
            .exposure
            .iter()
            .filter_map(|exposure| match exposure {
                Exposure::ReferenceText => Some("it saw the reference"),
                Exposure::Human | Exposure::HumanSawReference => Some("a person helped"),
                _ => None,
            })
            .collect();
        let beside = if exposures.is_empty() { String::new() } else { format!("; {}", exposures.join(", ")) };
        let words = format!(
            "turn {} passes, {} of {} tests{beside}. Plausible; a person says whether it is correct",
            turn.facts.turn, turn.facts.passed, turn.facts.executed
        );
        return Some((String::new(), words, Role::Text));
    }
    if let Some(trouble) = &shown.trouble {
        return Some((String::new(), trouble.clone(), Role::StatusError));
    }
    if let Some((reason, detail)) = shown.live.stopped() {
        let words = if detail.is_empty() { reason.to_string() } else { detail.to_owned() };
        return Some((String::new(), words, Role::Text));
    }
    if let Some(words) = pause(shown) {
        return Some((String::new(), words.to_owned(), Role::StatusWarn));
    }
    let under_way = match shown.live.state() {
        State::Queued if shown.running => "the buggy code is tested first".to_owned(),
        _ if turn.facts.prompt.is_some() && turn.facts.turn > 0 => {
            let tokens = thousands(whole(turn.facts.prompt_tokens));
            format!("{} is asked with about {tokens} tokens", turn_model(shown))
        }
        _ => return None,
    };
    Some((String::new(), under_way, Role::TextDim))
}

/// Whether it is paused or will be, in the words of all places that tell it: `pausing` as long as the step under way has
/// not ended, `paused` from then on.
pub fn pause(shown: &Shown) -> Option<&'static str> {
    match (shown.running && !shown.cancelling, shown.live.is_paused(), shown.paused) {
        (true, true, _) => Some("paused before the next step"),
        (true, false, true) => Some("pausing: the step under way ends first"),
        _ => None,
    }
}

fn turn_model(shown: &Shown) -> String {
    let model = shown.turn().map_or("", |turn| turn.facts.model.as_str());
    let model = if model.is_empty() { shown.cell.model.as_str() } else { model };
    text::truncate(model, 40).into_owned()
}

/// What the change is compared with: the title of its pane.
pub fn change_title(shown: &Shown) -> String {
    let turns = shown.live.turns();
    let label = |at: usize| turns.get(at).map_or(String::new(), |turn| label(shown, turn.position()));
    let Some(of) = shown.change.of else { return "change".to_owned() };
    let own = if of == shown.at() { String::new() } else { format!(" of turn {}", label(of)) };
    match shown.change.against {
        Against::Buggy => format!("change{own} since buggy"),
        Against::Reference => format!("turn {} against the reference", label(of)),
        Against::Before => {
            let attempt = turns.get(of).map_or(0, |turn| turn.facts.attempt);
            let has_code = |at: &usize| {
                turns.get(*at).is_some_and(|turn| {
                    turn.facts.attempt == attempt && turn.facts.turn > 0 && turn.facts.code.is_some()
                })
            };
            let since = (0..of).rev().find(has_code);
            let since = since.map_or("buggy".to_owned(), |at| format!("turn {}", label(at)));
            format!("change{own} since {since}")
        }
    }
}

/// A turn's number; with its attempt where there are several.
pub fn label(shown: &Shown, (attempt, turn): (u32, u32)) -> String {
    if shown.cell.strategy.attempts() > 1 && turn > 0 {
        format!("{attempt}.{turn}")
    } else {
        turn.to_string()
    }
}

/// The command that shows or does the same.
pub fn command(shown: &Shown, ctx: &Context) -> Option<String> {
    let mut words: Vec<String> = vec!["mendbench".to_owned()];
    if shown.replay.is_some() {
        words.extend(["replay".to_owned(), shown.run?.to_string()]);
        if let Some(head) = shown.head.as_ref().filter(|_| shown.trajectories > 1) {
            words.extend([head.task.to_string(), "--sample".to_owned(), head.sample.to_string()]);
        }
    } else {
        let cell = &shown.cell;
        words.extend(["repair".to_owned(), shown.task.name().to_string()]);
        words.extend(ctx.origin.flags());
        let flags = [
            ("--model", cell.model.clone()),
            ("--feedback", cell.feedback.to_string()),
            ("--technique", cell.technique.to_string()),
            ("--strategy", cell.strategy.to_string()),
            ("--form", cell.form.as_str().to_owned()),
        ];
        for (flag, value) in flags {
            words.extend([flag.to_owned(), value]);
        }
    }
    let joined = shlex::try_join(words.iter().map(String::as_str));
    Some(joined.unwrap_or_else(|_| words.join(" ")))
}

/// What marks the trajectory, for the end of the list of turns.
pub fn marks(shown: &Shown) -> Vec<&'static str> {
    let mut marks = Vec::new();
    if shown.live.intervened() {
        marks.push("a person stepped in: counted apart");
    }
    // That matters once a person steps in, or asks for it while it runs.
    if shown.saw_reference && (shown.live.intervened() || shown.change.against == Against::Reference) {
        marks.push("you have seen the reference");
    }
    marks
}
