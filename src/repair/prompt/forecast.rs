//! What a trajectory asks of its models, before anything is sent: calls and their tokens.
//!
//! Promises: one estimate for everybody who shows one; it is for a trajectory that takes all its turns. Leaves to others:
//! lengths of texts ([`super::estimate`]), prices (`config`).
//!
//! # The estimate
//!
//! A prompt is as long as the task's first one, and by the feedback longer; in a conversation also by all messages
//! before. An answer is as long as the code that is shown and a few words, or as long as it may be where that is less. The
//! helper reads a prompt and writes a feedback.

use super::estimate;
use crate::repair::cell::{Cell, FeedbackSource, needs_helper};
use crate::task::Task;

/// Tokens of a feedback, about.
const FEEDBACK: u64 = 300;
/// Tokens that an answer has beside its code, about.
const BESIDE: u64 = 120;

/// Calls and their tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Calls.
    pub calls: u64,
    /// Tokens of their prompts.
    pub input: u64,
    /// Tokens of their answers.
    pub output: u64,
}

impl Load {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Load) -> Load {
        Load {
            calls: self.calls.saturating_add(other.calls),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }

    /// So often.
    #[must_use]
    pub fn times(self, count: u64) -> Load {
        Load {
            calls: self.calls.saturating_mul(count),
            input: self.input.saturating_mul(count),
            output: self.output.saturating_mul(count),
        }
    }
}

/// What one trajectory asks when it takes all its turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forecast {
    /// Of the model that repairs.
    pub own: Load,
    /// Of the helper.
    pub helper: Load,
}

impl Forecast {
    /// Both models' together.
    pub fn all(&self) -> Load {
        self.own.plus(self.helper)
    }

    /// So many trajectories.
    #[must_use]
    pub fn times(self, count: u64) -> Forecast {
        Forecast { own: self.own.times(count), helper: self.helper.times(count) }
    }

    /// Both forecasts together.
    #[must_use]
    pub fn plus(self, other: Forecast) -> Forecast {
        Forecast { own: self.own.plus(other.own), helper: self.helper.plus(other.helper) }
    }
}

/// What a trajectory of this task asks. `prompt`: tokens of the first prompt; `most_output`: the longest answer of the
/// model, where the cell does not limit it.
pub fn forecast(task: &Task, cell: &Cell, prompt: u64, most_output: Option<u64>) -> Forecast {
    let files = task.targets.iter().filter_map(|target| task.buggy_tree().get(target.file.as_str()).copied());
    let code: u64 = files.filter_map(|content| content.text()).map(|text| estimate::tokens(&text)).sum();
    // What is shown of a file is at most the prompt.
    of_lengths(cell, prompt, code.min(prompt), cell.max_tokens.map(u64::from).or(most_output))
}

fn of_lengths(cell: &Cell, prompt: u64, code: u64, most_output: Option<u64>) -> Forecast {
    let (attempts, turns) = (u64::from(cell.strategy.attempts()), u64::from(cell.strategy.turns()));
    let answer = (code + BESIDE).min(most_output.unwrap_or(u64::MAX));
    let told = if cell.told().is_some() { FEEDBACK } else { 0 };
    let preliminary = u64::from(cell.technique.preliminary_calls());
    let mut attempt = Load::default();
    for turn in 1..=turns {
        let before = turn - 1;
        let (input, beforehand) = if cell.strategy.keeps_messages() {
            // A message of a conversation holds feedback alone; all that was said is sent again.
            (prompt + told + before * (answer + told), if before == 0 { preliminary } else { 0 })
        } else {
            (prompt + told, preliminary)
        };
        attempt = attempt.plus(Load { calls: 1, input: input + beforehand * answer, output: answer });
        attempt = attempt.plus(Load { calls: 1, input: prompt, output: answer }.times(beforehand));
    }
    let helps = cell.told().is_some_and(needs_helper);
    let fresh = u64::from(cell.feedback_source == FeedbackSource::Fresh);
    // On the buggy code once, and after each turn that another follows.
    let helped = if helps { fresh + attempts * turns.saturating_sub(1) } else { 0 };
    let helper = Load { calls: 1, input: prompt, output: FEEDBACK }.times(helped);
    Forecast { own: attempt.times(attempts), helper }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::cell::{Strategy, Technique};
    use crate::task::{Content, FeedbackKind, Target};

    fn cell(strategy: Strategy) -> Cell {
        Cell { strategy, ..Cell::new("m", "t") }
    }

    #[test]
    fn calls_are_those_of_the_machine() {
        let iterative = cell(Strategy::Iterative { turns: 3 });
        let Forecast { own, helper } = of_lengths(&iterative, 1_000, 100, None);
        assert_eq!((own.calls, helper.calls), (3, 0));
        assert_eq!((own.input, own.output), (3 * 1_300, 3 * 220));
        let talk = cell(Strategy::Conversation { attempts: 2, turns: 2 });
        let Forecast { own, .. } = of_lengths(&talk, 1_000, 100, Some(50));
        assert_eq!((own.calls, own.output), (4, 200));
        assert_eq!(own.input, 2 * (1_300 + 1_300 + 50 + 300), "all that was said is sent again");
        let asked = Cell { technique: Technique::SelfAsk, ..iterative.clone() };
        assert_eq!(of_lengths(&asked, 1_000, 100, None).own.calls, 6);
        let expert = Cell { feedback: FeedbackKind::LlmExpert, ..iterative };
        assert_eq!(
            of_lengths(&expert, 1_000, 100, None).helper.calls,
            3,
            "on the buggy code, and after two turns"
        );
        let stored = Cell { feedback_source: FeedbackSource::Stored, ..expert };
        assert_eq!(of_lengths(&stored, 1_000, 100, None).helper.calls, 2);
    }

    #[test]
    fn an_answer_is_as_long_as_the_code_that_is_shown() {
        let mut task = Task::new("d", "t");
        task.files.buggy.insert("a.py".to_owned(), Content::from("word word word word word\n"));
        task.targets = vec![Target { file: "a.py".to_owned(), function: None }];
        let single = cell(Strategy::Single);
        let output = |prompt, most| forecast(&task, &single, prompt, most).own.output;
        assert_eq!(output(1_000, None), BESIDE + estimate::tokens("word word word word word\n"));
        assert_eq!(output(2, None), BESIDE + 2, "no more than the prompt");
        assert_eq!(output(1_000, Some(7)), 7, "no more than it may be");
        let limited = Cell { max_tokens: Some(5), ..single.clone() };
        assert_eq!(forecast(&task, &limited, 1_000, Some(7)).own.output, 5, "what the cell says counts");
    }
}
