//! The model `recorded:RUN`: answers as a run of the workspace did.
//!
//! Promises: an answer is given only to the very prompt that it answered, of the same task and sample at the same turn;
//! where there is none, that is said, and why. Costs nothing. Leaves to others: playing a run with its timing (`replay`).

use super::contents::Contents;
use super::error::RunnerError;
use super::record::{RunRecord, Runs};
use super::source::Situation;
use crate::model::{
    Answer, Call as ModelCall, ChatRequest, Failed, Finish, Model, ModelError, ModelEvent, Received, Timed,
};
use crate::repair::event::{AnswerFinished, Call, What};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// The model for a situation.
pub(super) fn model(
    name: &str,
    run: &str,
    runs: &Runs,
    contents: &Contents,
    situation: &Situation<'_>,
) -> Result<Arc<dyn Model>, ModelError> {
    let settings = |why: String| ModelError::Settings { model: name.to_owned(), why };
    let id = runs.find(run).map_err(|error| settings(error.to_string()))?;
    let record = runs.open(id).map_err(|error| settings(error.to_string()))?;
    let found = find(&record, situation).map_err(|error| settings(error.to_string()))?;
    let answer = match found {
        Ok(finished) => read(contents, &finished).map_err(|error| settings(error.to_string()))?,
        Err(why) => return Err(ModelError::NotRecorded { model: name.to_owned(), why }),
    };
    Ok(Arc::new(Recorded { name: name.to_owned(), answer }))
}

/// The end of the call that answered this prompt; the inner error says why there is none.
fn find(
    record: &RunRecord,
    situation: &Situation<'_>,
) -> Result<Result<AnswerFinished, String>, RunnerError> {
    let (attempt, turn) = (situation.attempt, situation.turn);
    let of_task = |head: &&super::TrajectoryHead| {
        head.task == situation.head.task && head.sample == situation.head.sample
    };
    let mut why = format!("the run has no sample {} of `{}`", situation.head.sample, situation.head.task);
    for head in record.trajectories.iter().filter(of_task) {
        if head.revision != situation.head.revision {
            "the run had another revision of the task".clone_into(&mut why);
            continue;
        }
        why = format!("the run did not get to attempt {attempt}, turn {turn}");
        let mut prompt = None;
        for event in record.events(head)? {
            if (event.attempt, event.turn) != (attempt, turn) {
                continue;
            }
            match event.what {
                What::PromptBuilt(built) if built.call == situation.call => prompt = Some(built.prompt),
                What::AnswerFinished(finished)
                    if finished.call == situation.call && finished.answer.is_some() =>
                {
                    if prompt.as_ref() == Some(situation.prompt) {
                        return Ok(Ok(finished));
                    }
                    why = format!(
                        "attempt {attempt}, turn {turn} of the run was asked something else ({})",
                        differs(situation.call)
                    );
                }
                _ => {}
            }
        }
    }
    Ok(Err(why))
}

fn differs(call: Call) -> &'static str {
    match call {
        Call::Helper => "the prompt of its helper differs",
        _ => "its prompt differs",
    }
}

struct Told {
    text: String,
    reasoning: String,
    finish: Finish,
}

fn read(contents: &Contents, finished: &AnswerFinished) -> Result<Told, RunnerError> {
    let text = |hash: &Option<_>| hash.as_ref().map(|hash| contents.text(hash)).transpose();
    let word = finished.other.get("finish_word").and_then(|word| word.as_str());
    let finish = match (word, finished.finish) {
        (Some(word), _) => Finish::from(word.to_owned()),
        (None, crate::repair::FinishReason::Stop) => Finish::Stop,
        (None, crate::repair::FinishReason::Length) => Finish::Length,
        (None, crate::repair::FinishReason::Unknown) => Finish::Other("untold".to_owned()),
    };
    Ok(Told {
        text: text(&finished.answer)?.unwrap_or_default(),
        reasoning: text(&finished.reasoning)?.unwrap_or_default(),
        finish,
    })
}

struct Recorded {
    name: String,
    answer: Told,
}

impl Model for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        _request: &'a ChatRequest,
        call: ModelCall<'a>,
    ) -> BoxFuture<'a, Result<Answer, Box<Failed>>> {
        Box::pin(async move {
            let mut tell = |event| (call.events)(Timed { at: Duration::ZERO, event });
            tell(ModelEvent::Started);
            let Told { text, reasoning, finish } = &self.answer;
            if !reasoning.is_empty() {
                tell(ModelEvent::Reasoning { text: reasoning.clone() });
            }
            for piece in text.split_inclusive('\n') {
                tell(ModelEvent::Text { text: piece.to_owned() });
            }
            tell(ModelEvent::Finished { finish: finish.clone() });
            Ok(Answer { finish: finish.clone(), received: received(text, reasoning) })
        })
    }
}

/// What a model that costs nothing and takes no time has given.
pub(super) fn received(text: &str, reasoning: &str) -> Received {
    Received {
        reasoning: reasoning.to_owned(),
        cost: Some(crate::config::Money::ZERO),
        ..Received::at_once(text)
    }
}
