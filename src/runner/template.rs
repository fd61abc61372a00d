//! The model `template`: the built-in baseline, streamed like a model.
//!
//! Promises: needs no network and costs nothing; each call that answers gets the next candidate; what it sees of a
//! situation is the task's code, the report on the buggy code and the newest tree. `template:random` draws its candidates
//! by lot, each sample its own, for comparison; samples of `template` are equal.
//! Leaves to others: which candidates there are and in which order (`repair::template`).

use super::prompts::tree;
use super::source::Situation;
use crate::config::Money;
use crate::model::{
    Answer, Call as ModelCall, ChatRequest, Failed, Finish, Machine, Model, ModelError, ModelEvent, Received,
    Surroundings, Timed, Usage,
};
use crate::repair::event::Call;
use crate::repair::template::{Evidence, NAME, Order, RANDOM_NAME, answer, candidates};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Time between two pieces, so that people can read along.
const PACE: Duration = Duration::from_millis(4);
/// Most pieces of an answer; longer answers come in longer pieces.
const MOST_PIECES: usize = 600;

/// Whether a name is one of this room's models.
pub(super) fn is_template(name: &str) -> bool {
    name == NAME || name.strip_prefix(NAME).is_some_and(|rest| rest.starts_with(':'))
}

/// The model for a situation.
pub(super) fn model(name: &str, situation: &Situation<'_>) -> Result<Arc<dyn Model>, ModelError> {
    let settings = |why: String| ModelError::Settings { model: name.to_owned(), why };
    let order = match name {
        NAME => Order::Suspicion,
        RANDOM_NAME => Order::Lot { seed: u64::from(situation.head.sample) },
        _ => return Err(settings(format!("there are `{NAME}` and `{RANDOM_NAME}`"))),
    };
    let text = match situation.call {
        Call::Repair => said(order, situation).map_err(settings)?,
        Call::Preliminary(_) | Call::Helper => {
            "This is the template baseline, which understands nothing of the code and has nothing to say about it."
                .to_owned()
        }
    };
    Ok(Arc::new(Template { name: name.to_owned(), text, pace: PACE, surroundings: Arc::new(Machine::new()) }))
}

fn said(order: Order, situation: &Situation<'_>) -> Result<String, String> {
    let report = situation.buggy_report;
    let failure = report.and_then(|report| report.failure.as_ref());
    let evidence = Evidence::of(report.map(|report| &report.report), failure);
    let earlier = situation.earlier as usize;
    let next = candidates(situation.task, &evidence, order).nth(earlier);
    let current = tree(situation.task, situation.code);
    answer(situation.task, next.as_ref(), situation.form, &current).map_err(|error| error.to_string())
}

/// An answer that is made before it is asked for, and given word by word.
struct Template {
    name: String,
    text: String,
    pace: Duration,
    surroundings: Arc<dyn Surroundings>,
}

impl Template {
    /// The answer in pieces of a word each, or of several.
    fn pieces(&self) -> Vec<&str> {
        let words: Vec<usize> = self
            .text
            .char_indices()
            .zip(self.text.chars().skip(1))
            .filter(|((_, one), two)| one.is_whitespace() && !two.is_whitespace())
            .map(|((at, one), _)| at + one.len_utf8())
            .collect();
        let step = words.len().div_ceil(MOST_PIECES).max(1);
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in words.into_iter().step_by(step).chain([self.text.len()]) {
            pieces.extend(self.text.get(start..end).filter(|piece| !piece.is_empty()));
            start = end;
        }
        pieces
    }

    fn usage(&self, request: &ChatRequest, given: &str) -> Usage {
        // Four bytes a token is what code and English come to.
        let input = request.size() / 4 + 4 * request.messages.len() as u64;
        Usage { input, output: (given.len() as u64).div_ceil(4), ..Usage::default() }
    }
}

impl Model for Template {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest,
        call: ModelCall<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>> {
        Box::pin(async move {
            let (began, date) = (self.surroundings.now(), self.surroundings.date());
            if call.cancel.is_cancelled() {
                let received = Received::nothing(date);
                return Err(Box::new(Failed { error: ModelError::Cancelled, received }));
            }
            let offset = || self.surroundings.now().saturating_sub(began);
            let mut tell = |event| (call.events)(Timed { at: offset(), event });
            tell(ModelEvent::Connecting);
            tell(ModelEvent::Started);
            let mut given = String::new();
            let mut cancelled = false;
            for piece in self.pieces() {
                if !cancelled && !given.is_empty() {
                    let next = self.surroundings.until(self.surroundings.now() + self.pace);
                    tokio::select! {
                        biased;
                        () = call.cancel.cancelled() => cancelled = true,
                        () = next => {}
                    }
                }
                if cancelled {
                    break;
                }
                given.push_str(piece);
                tell(ModelEvent::Text { text: piece.to_owned() });
            }
            let usage = self.usage(request, &given);
            let token = (!given.is_empty()).then_some(Duration::ZERO);
            let mut received = Received::at_once(given);
            received.timing.began = date;
            (received.timing.first_token, received.timing.last_token) = (token, token.map(|_| offset()));
            received.timing.ended = offset();
            (received.usage, received.cost) = (Some(usage), Some(Money::ZERO));
            received.model = Some(self.name.clone());
            if cancelled {
                return Err(Box::new(Failed { error: ModelError::Cancelled, received }));
            }
            tell(ModelEvent::Usage { usage });
            tell(ModelEvent::Finished { finish: Finish::Stop });
            Ok(Answer { finish: Finish::Stop, received })
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{Budget, CancellationToken, ManualTime};

    fn template(text: &str) -> Template {
        let surroundings = Arc::new(ManualTime::new());
        Template { name: NAME.to_owned(), text: text.to_owned(), pace: Duration::ZERO, surroundings }
    }

    fn complete(
        template: &Template,
        cancel: &CancellationToken,
        mut heard: impl FnMut(&ModelEvent) + Send,
    ) -> Result<Answer, Box<Failed>> {
        let mut events = |timed: Timed| heard(&timed.event);
        let call = ModelCall { cancel: cancel.clone(), budget: Budget::new(None), events: &mut events };
        let request = ChatRequest::ask("sixteen letters.");
        futures_util::FutureExt::now_or_never(template.complete(&request, call)).unwrap()
    }

    #[test]
    fn words_come_one_by_one_and_make_the_answer() {
        let text = "One  change.\n\n```c\nint f(void)\n{\n    return 1;\n}\n```\n";
        let mut kinds = Vec::new();
        let mut whole = String::new();
        let answer = complete(&template(text), &CancellationToken::new(), |event| match event {
            ModelEvent::Text { text } => {
                whole.push_str(text);
                kinds.push("text");
            }
            ModelEvent::Connecting => kinds.push("connecting"),
            ModelEvent::Started => kinds.push("started"),
            ModelEvent::Usage { .. } => kinds.push("usage"),
            ModelEvent::Finished { finish: Finish::Stop } => kinds.push("finished"),
            other => panic!("{other:?}"),
        })
        .unwrap();
        assert_eq!(whole, text);
        assert_eq!(answer.received.text, text);
        assert_eq!(kinds[..2], ["connecting", "started"]);
        assert_eq!(kinds[kinds.len() - 2..], ["usage", "finished"]);
        assert_eq!(kinds.len(), 4 + 10);
        let usage = answer.received.usage.unwrap();
        assert_eq!((usage.input, usage.output), (8, (text.len() as u64).div_ceil(4)));
        assert_eq!(answer.received.cost, Some(Money::ZERO));
    }

    #[test]
    fn it_ends_when_it_is_cancelled_and_keeps_what_was_said() {
        let cancel = CancellationToken::new();
        let inner = cancel.clone();
        let failed = complete(&template("one two three"), &cancel, move |event| {
            if matches!(event, ModelEvent::Text { text } if text == "two ") {
                inner.cancel();
            }
        })
        .unwrap_err();
        assert_eq!(failed.error, ModelError::Cancelled);
        assert_eq!(failed.received.text, "one two ");
    }

    #[test]
    fn long_answers_come_in_a_bounded_number_of_pieces() {
        for text in ["", "a", "wörter und 字 ", &"x \u{3000}y ".repeat(20_000)] {
            let template = template(text);
            let pieces = template.pieces();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.len() <= MOST_PIECES + 1, "{}", pieces.len());
        }
    }

    #[test]
    fn names() {
        for (name, is) in
            [("template", true), ("template:random", true), ("template:x", true), ("templates", false)]
        {
            assert_eq!(is_template(name), is, "{name}");
        }
    }
}
