//! Words for rounds: what waits, where a round stands, who somebody is in it.

use crate::label::phase::Phase;
use crate::label::round::Round;
use crate::label::visible::Role as Part;
use crate::study::{Brief, Waiting};
use crate::text;
use crate::text::counted;
use crate::theme::Role;

/// `study/name`.
pub fn name(round: &Round) -> String {
    format!("{}/{}", round.study, round.name)
}

/// `defects4c v1`.
pub fn codebook(round: &Round) -> String {
    format!("{} v{}", round.codebook().id, round.codebook().version)
}

/// What waits for who looks, in words, and how it looks.
pub fn waiting(brief: &Brief) -> (String, Role) {
    let phase = brief.round.phase;
    let busy = Role::StatusInfo;
    match brief.waiting {
        Waiting::Nothing => (nothing(brief), Role::TextDim),
        Waiting::Assign => ("nothing is assigned yet: A assigns it".to_owned(), busy),
        Waiting::Label(count) => (format!("{} to label", counted(count, "item")), busy),
        Waiting::LookAgain(count) => (format!("{} sent back to you", counted(count, "item")), busy),
        Waiting::Discuss(count) => (format!("{} to discuss", counted(count, "disagreement")), busy),
        Waiting::Decide(count) => (counted(count, "decision"), busy),
        Waiting::EndPhase(_) => (format!("{phase} can be ended"), busy),
        Waiting::Obstacles(count) if phase == Phase::Labelling => {
            let verb = if count == 1 { "labels" } else { "label" };
            (format!("{} still {verb}", counted(count, "annotator")), Role::TextDim)
        }
        Waiting::Obstacles(count) => {
            (format!("{} not decided yet", counted(count, "question")), Role::TextDim)
        }
    }
}

fn nothing(brief: &Brief) -> String {
    let words = match (brief.role, brief.round.phase) {
        (_, Phase::Closed) => "decisions and agreement can be seen",
        (Part::Outsider, _) => "you have no part in it",
        (Part::Annotator(_), Phase::Labelling) if brief.round.assignment.is_none() => "not assigned yet",
        (Part::Annotator(_), Phase::Labelling) => "all labelled; its lead ends labelling",
        (Part::Annotator(_), Phase::Discussion) => "all discussed; its lead ends discussion",
        (Part::Annotator(_), Phase::Adjudication) => "the arbitrator decides",
        (Part::Arbitrator, Phase::Labelling | Phase::Discussion) => "your part comes in adjudication",
        (_, Phase::Adjudication) => "all decided; its lead closes it",
        _ => "",
    };
    words.to_owned()
}

/// How a phase looks.
pub fn phase_role(phase: Phase) -> Role {
    match phase {
        Phase::Labelling => Role::Accent,
        Phase::Discussion => Role::StatusWarn,
        Phase::Adjudication => Role::BadgeKind,
        Phase::Closed => Role::TextDim,
    }
}

/// What ending a phase means, in words.
pub fn what_ends(from: Phase, round: &Round) -> String {
    let names: Vec<&str> = round.annotators.iter().map(|person| person.name.as_str()).collect();
    let names = names.join(" and ");
    match from {
        Phase::Labelling => format!(
            "The blind labels are frozen for good, and {names} see each other's answers from then on."
        ),
        Phase::Discussion => {
            format!(
                "{names} revise nothing more; {} decides what they still differ on.",
                round.arbitrator.name
            )
        }
        Phase::Adjudication | Phase::Closed => {
            "Nothing changes any more, and everybody sees everything: labels, decisions, reasons.".to_owned()
        }
    }
}

/// A command that somebody gives as who they are.
pub fn command(words: &[&str], who: &str) -> String {
    let all = words.iter().copied().chain(["--as", who]);
    shlex::try_join(all.clone()).unwrap_or_else(|_| all.collect::<Vec<_>>().join(" "))
}

/// A text that fits into so many columns, cut at its start: the ends of names tell them apart.
pub fn fitted(name: &str, columns: u16) -> String {
    text::truncate_start(name, usize::from(columns)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted() {
        assert_eq!(
            command(&["mendbench", "round", "status", "my study/r 1"], "anna"),
            "mendbench round status 'my study/r 1' --as anna"
        );
    }
}
