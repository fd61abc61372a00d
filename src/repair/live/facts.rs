//! What durable events say of a turn.
//!
//! Promises: depends on durable events alone; the newest word counts where something was done again.

use crate::repair::event::{
    AnswerFinished, Call, ContentHash, Exposures, Intervened, Intervention, RequestFault, RunEvent, Verified,
    What,
};
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome, Flag};
use crate::report::Verdict;
use std::collections::BTreeSet;

/// Faults that are kept of a turn, the newest ones.
const MOST_FAULTS: usize = 20;

/// A request that gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which call.
    pub call: Call,
    /// Why.
    pub fault: RequestFault,
    /// More about it, untrusted.
    pub detail: String,
}

/// What requests took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// Requests that were sent and have ended.
    pub requests: u64,
    /// Tokens of prompts.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// US dollars, of the requests that have a price.
    pub usd: f64,
    /// Requests with a price.
    pub priced: u64,
    /// Those of them whose price is an estimate, because the server counted nothing.
    pub estimated: u64,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub fn and(self, other: &Spent) -> Spent {
        Spent {
            requests: self.requests.saturating_add(other.requests),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            usd: self.usd + other.usd,
            priced: self.priced.saturating_add(other.priced),
            estimated: self.estimated.saturating_add(other.estimated),
        }
    }

    fn of(data: &AnswerFinished) -> Spent {
        let usage = &data.usage;
        if data.is_marked("unsent") {
            return Spent::default();
        }
        Spent {
            requests: 1,
            input: usage.input_tokens.unwrap_or(0),
            output: usage.output_tokens.unwrap_or(0),
            usd: usage.usd.filter(|usd| usd.is_finite() && *usd >= 0.0).unwrap_or(0.0),
            priced: u64::from(usage.usd.is_some()),
            estimated: u64::from(usage.usd.is_some() && data.is_marked("cost_estimated")),
        }
    }
}

/// A turn as it is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Its attempt; 0 for the buggy code.
    pub attempt: u32,
    /// Its number in the attempt; 0 for the buggy code.
    pub turn: u32,
    /// Name of the model that answers.
    pub model: String,
    /// The prompt of the call that answers, once it is built.
    pub prompt: Option<ContentHash>,
    /// Its estimated length, tokens.
    pub prompt_tokens: u64,
    /// The answer.
    pub answer: Option<ContentHash>,
    /// Reasoning that came apart from it.
    pub reasoning: Option<ContentHash>,
    /// How the answer ended.
    pub finish: FinishReason,
    /// Requests without an answer, the newest ones.
    pub faults: Vec<Fault>,
    /// What its requests took, the helper's included.
    pub spent: Spent,
    /// Time to the first token of the answer, milliseconds, where the server's stream told.
    pub first_token_ms: Option<u64>,
    /// Time to the end of the answer, milliseconds.
    pub answer_ms: Option<u64>,
    /// Tokens of the answer.
    pub answer_tokens: Option<u64>,
    /// What was got out of the answer.
    pub extraction: Option<ExtractionOutcome>,
    /// Whether the policy let something of it through.
    pub usable: bool,
    /// How it went into the tree.
    pub application: Option<ApplicationOutcome>,
    /// Why nothing was changed, untrusted.
    pub why_not: String,
    /// What a reader should know beside the two.
    pub flags: BTreeSet<Flag>,
    /// The code.
    pub code: Option<ContentHash>,
    /// Whether a person wrote it.
    pub is_persons_code: bool,
    /// The verdict; `infra-error` until it was tried again.
    pub verdict: Option<Verdict>,
    /// One line about it, untrusted in parts.
    pub why: String,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that were executed.
    pub executed: u64,
    /// The report.
    pub report: Option<ContentHash>,
    /// Whether the verdict was remembered.
    pub remembered: bool,
    /// The feedback on it.
    pub feedback: Option<ContentHash>,
    /// What its prompt and its feedback give away by themselves.
    pub exposure: Exposures,
    /// Whether a person stepped in.
    pub intervened: bool,
}

impl Facts {
    /// An event of this turn.
    pub(super) fn hear(&mut self, event: &RunEvent) {
        match &event.what {
            What::PromptBuilt(data) => {
                if data.call == Call::Repair {
                    self.prompt = Some(data.prompt.clone());
                    self.prompt_tokens = data.tokens;
                }
                if data.call != Call::Helper {
                    self.exposure.extend(&data.exposure);
                }
            }
            What::RequestStarted(data) => {
                if data.call == Call::Repair {
                    self.model.clone_from(&data.model);
                }
            }
            What::AnswerFinished(data) => self.answered(data),
            What::Extracted(data) => {
                self.extraction = Some(data.outcome);
                self.usable = data.usable;
                self.flags.extend(&data.flags);
            }
            What::Applied(data) => {
                self.application = Some(data.outcome);
                self.code.clone_from(&data.code);
                self.why_not.clone_from(&data.why);
                self.flags.extend(&data.flags);
            }
            What::Verified(data) => self.verified(data),
            What::FeedbackMade(data) => {
                self.feedback = Some(data.text.clone());
            }
            What::Intervened(data) => self.intervened(data),
            What::Stopped(_)
            | What::AnswerDelta(_)
            | What::BuildOutput(_)
            | What::TestFinished(_)
            | What::Waiting(_)
            | What::Unknown { .. } => {}
        }
    }

    fn answered(&mut self, data: &AnswerFinished) {
        self.spent = self.spent.and(&Spent::of(data));
        if let Some(fault) = data.fault {
            if self.faults.len() >= MOST_FAULTS {
                self.faults.remove(0);
            }
            self.faults.push(Fault { call: data.call, fault, detail: data.detail.clone() });
        }
        if data.call == Call::Repair && data.answer.is_some() {
            self.answer.clone_from(&data.answer);
            self.reasoning.clone_from(&data.reasoning);
            self.finish = data.finish;
            self.first_token_ms = data.usage.first_token_ms;
            self.answer_ms = data.usage.total_ms;
            self.answer_tokens = data.usage.output_tokens;
        }
    }

    fn verified(&mut self, data: &Verified) {
        self.verdict = Some(data.verdict);
        self.why.clone_from(&data.why);
        (self.passed, self.executed) = (data.passed, data.executed);
        self.report.clone_from(&data.report);
        self.remembered = data.remembered;
        if self.turn == 0 {
            self.code.clone_from(&data.code);
        }
    }

    fn intervened(&mut self, data: &Intervened) {
        self.intervened = true;
        match data.action {
            Intervention::EditedCode => {
                self.code.clone_from(&data.content);
                self.is_persons_code = true;
                self.application = None;
                (self.verdict, self.report) = (None, None);
                (self.passed, self.executed) = (0, 0);
                self.why.clear();
            }
            Intervention::EditedPrompt => self.prompt.clone_from(&data.content),
            Intervention::GaveFeedback => self.feedback.clone_from(&data.content),
            Intervention::SwitchedModel => {
                if let Some(model) = &data.model {
                    self.model.clone_from(model);
                }
            }
        }
    }

    /// Tokens a second, where the server counted.
    pub(super) fn rate(&self) -> Option<f64> {
        let (tokens, total) = (self.answer_tokens?, self.answer_ms?);
        let spent = total.saturating_sub(self.first_token_ms.unwrap_or(0));
        // Counts are far below 2^53.
        #[allow(clippy::cast_precision_loss)]
        (spent > 0 && tokens > 0).then(|| tokens as f64 * 1000.0 / spent as f64)
    }

    /// What became of the answer, in one word for a list: `exact`, `no-code`, `rejected`, `edited`.
    pub fn outcome(&self) -> Option<String> {
        if self.turn == 0 {
            return Some("buggy".to_owned());
        }
        if self.is_persons_code {
            return Some("edited".to_owned());
        }
        if let Some(application) = self.application {
            return Some(application.to_string());
        }
        self.extraction.filter(|_| !self.usable).map(|extraction| extraction.to_string())
    }
}
