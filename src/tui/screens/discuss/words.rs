//! Words for disagreements.

use crate::label::codebook::Question;
use crate::label::dispute::{Dispute, Happened, Remark, Standing};
use crate::label::value::Value;
use crate::label::visible::Role as Is;
use crate::study::{Disputes, View};
use crate::text;
use crate::theme::Role;

/// A value, or that there is none.
pub fn value_or_none(value: &Option<Value>) -> String {
    value.as_ref().map_or_else(|| "(no answer)".to_owned(), short)
}

/// A value in a few words.
pub fn short(value: &Value) -> String {
    match value {
        Value::Many(answers) if answers.is_empty() => "(none of them)".to_owned(),
        value => text::truncate(&value.to_string(), 40).into_owned(),
    }
}

/// A value with the words of its answer: `A.1 Incorrect call`.
pub fn long(question: Option<&Question>, value: &Option<Value>) -> (String, String) {
    let words = match (question, value) {
        (Some(question), Some(Value::One(id))) => question.answer(id).map(|answer| answer.label.clone()),
        _ => None,
    };
    let id = value_or_none(value);
    (id.clone(), words.filter(|words| !words.eq_ignore_ascii_case(&id)).unwrap_or_default())
}

/// Where a dispute stands for who looks, in a word or two, and how that looks.
pub fn standing(disputes: &Disputes, dispute: &Dispute) -> (String, Role) {
    let quiet = Role::TextDim;
    // There groups do not say which question it was.
    let named = |words: String| match (disputes.view, disputes.role) {
        (View::Watch, Is::Annotator(_)) => format!("{} {words}", dispute.question),
        _ => words,
    };
    match (&dispute.standing, disputes.view, disputes.role) {
        (Standing::Open, View::Discuss, Is::Annotator(own)) if dispute.waits_for(own) => {
            (String::new(), Role::StatusInfo)
        }
        (Standing::Open, View::Discuss, _) => ("you keep yours".to_owned(), Role::StatusWarn),
        (Standing::Open, View::Decide, _) => (String::new(), Role::StatusInfo),
        (Standing::Open, ..) => ("open".to_owned(), Role::StatusWarn),
        (Standing::Agreed, ..) => {
            // Both say the same now.
            let agreed = dispute.voices.first().and_then(|voice| voice.now.as_ref());
            (named(agreed.map_or_else(|| "agreed".to_owned(), short)), Role::StatusOk)
        }
        (Standing::SentBack, ..) => ("sent back".to_owned(), quiet),
        (Standing::Decided(decided), ..) => (named(short(&decided.decision.value)), Role::StatusOk),
    }
}

/// Who a voice is, for who looks.
pub fn who(disputes: &Disputes, place: usize, number: Option<usize>) -> String {
    match (number, disputes.role) {
        (None, _) => crate::label::adjudicate::letter(place).to_string(),
        (Some(who), Is::Annotator(own)) if who == own => "you".to_owned(),
        (Some(who), _) => disputes.round.annotators.get(who).map_or_else(String::new, |one| one.name.clone()),
    }
}

/// A line of the record.
pub fn remark(disputes: &Disputes, remark: &Remark) -> (String, String) {
    let at = remark.at.strftime("%m-%d %H:%M").to_string();
    let who = match (remark.who, disputes.view) {
        (None, View::Decide) => "you".to_owned(),
        (None, _) => disputes.round.arbitrator.name.clone(),
        (Some(_), _) => who(disputes, 0, remark.who),
    };
    let what = match &remark.what {
        Happened::Answered { before, value } if before.as_ref() == Some(value) => {
            format!("keeps {}", short(value))
        }
        Happened::Answered { before, value } => format!("{} → {}", value_or_none(before), short(value)),
        Happened::Noted(note) => format!("“{note}”"),
        Happened::SentBack(why) if why.is_empty() => "sent it back".to_owned(),
        Happened::SentBack(why) => format!("sent it back: “{why}”"),
        Happened::Decided(decided) => format!("decides {}", short(&decided.decision.value)),
    };
    (format!("{at} {who}"), what)
}
