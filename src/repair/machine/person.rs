//! What a person may do to a trajectory under way.
//!
//! Promises: whatever it is marks the trajectory and its turn, and is in the exposure of what follows; what would be
//! without effect is refused, not swallowed.

use super::step::Step;
use super::{Follows, Machine, MachineError};
use crate::repair::event::{Call, ContentHash, Exposure, Exposures, Intervened, Intervention, RunEvent};

impl Machine {
    pub(super) fn intervened(
        &mut self,
        event: &RunEvent,
        data: &Intervened,
    ) -> Result<Follows, MachineError> {
        let malformed = |why| MachineError::Malformed { event: event.to_string(), why };
        let not_now = |why| MachineError::NotNow { event: event.to_string(), why };
        if matches!(self.step, Step::Stop(_)) {
            return Err(not_now("the trajectory has found its end"));
        }
        let content = data.content.clone().ok_or_else(|| malformed("the new text is missing"));
        let follows = match data.action {
            Intervention::EditedPrompt => {
                let content = content?;
                let Step::Ask { call, prompt, request, .. } = &mut self.step else {
                    return Err(not_now(
                        "a prompt can be edited from when it is built until its answer is there",
                    ));
                };
                let call = *call;
                prompt.clone_from(&content);
                *request = None;
                if call == Call::Repair {
                    self.turn().prompt = Some(content);
                }
                Follows::Effects
            }
            Intervention::EditedCode => {
                let content = content?;
                if self.position().1 == 0 {
                    return Err(not_now("the buggy code is the task's"));
                }
                self.take_code(content);
                self.go(Step::Verify)
            }
            Intervention::GaveFeedback => {
                let content = content?;
                if self.plan.feedback.is_none() {
                    return Err(not_now("the prompts of this cell hold no feedback"));
                }
                self.take_feedback(content, data).ok_or_else(|| {
                    not_now(
                        "feedback can be given from when the code was tested until the next answer is there",
                    )
                })?
            }
            Intervention::SwitchedModel => {
                let model = data.model.clone().filter(|model| !model.trim().is_empty());
                self.model = model.ok_or_else(|| malformed("the new model is missing"))?;
                match &mut self.step {
                    Step::Ask { call, request, .. } if *call != Call::Helper => {
                        *request = None;
                        Follows::Effects
                    }
                    _ => Follows::Nothing,
                }
            }
        };
        self.trajectory.intervened = true;
        let turn = self.turn();
        turn.intervened = true;
        if data.action != Intervention::SwitchedModel {
            turn.exposure.extend(human(data));
        }
        self.failures = 0;
        Ok(follows)
    }

    /// A person's code takes the place of the turn's answer.
    fn take_code(&mut self, code: ContentHash) {
        let turn = self.turn();
        turn.code = Some(code);
        turn.is_persons_code = true;
        turn.application = None;
        (turn.verdict, turn.counts, turn.report) = (None, None, None);
    }

    /// A person's words take the place of the feedback; `None`: nothing waits for any.
    fn take_feedback(&mut self, text: ContentHash, data: &Intervened) -> Option<Follows> {
        match &self.step {
            Step::Feedback { .. }
            | Step::Prompt { call: Call::Helper, .. }
            | Step::Ask { call: Call::Helper, .. } => {
                // The turn that the feedback is on is marked as well as the one that is told.
                self.turn().intervened = true;
                Some(self.tell(text, human(data)))
            }
            Step::Prompt { .. } | Step::Ask { .. } => {
                let turn = self.turn();
                turn.told = Some((text, human(data)));
                turn.prompt = None;
                Some(self.ask())
            }
            _ => None,
        }
    }
}

/// What a person's doing gives away.
fn human(data: &Intervened) -> Exposures {
    let mut exposures = Exposures::from([Exposure::Human]);
    if data.saw_reference {
        exposures.insert(Exposure::HumanSawReference);
    }
    exposures
}
