//! Ways of asking, and the parts of a prompt that an experiment may leave out.
//!
//! Promises: each technique changes prompts only; what it adds is said here and laid out in `repair::prompt`.
//! Leaves to others: the wording (`repair::prompt`), the order of the calls (`repair::machine`).

use super::word::words;

words! {
    /// A way of asking (DESIGN §1).
    pub enum Technique as "technique" {
        /// Adds nothing.
        Baseline = "baseline",
        /// Asks for the reasoning step by step before the answer (chain of thought).
        ChainOfThought = "cot",
        /// Shows repairs of other tasks, the same ones for every task of a seed, never of the task's group.
        FewShot = "few-shot",
        /// Shows the repairs of other tasks that resemble the task most, never of the task's group
        /// (example selection).
        ExampleSelection = "es-shot",
        /// A first call asks the model for the questions that matter here, with their answers; the prompt
        /// shows both.
        SelfAsk = "self-ask",
        /// A first call has the model make up an example of its own; the prompt shows it (self-generated
        /// in-context learning).
        SelfGenerated = "sg-icl",
        /// A first call asks for the principles behind the task; the prompt shows them.
        StepBack = "step-back",
        /// A first call has the model say the request in its own words; the prompt shows them beside the
        /// request.
        Rephrase = "rephrase",
    }
}

impl Technique {
    /// How many calls of the model come before the one that answers, each time a prompt is built anew.
    pub fn preliminary_calls(self) -> u32 {
        match self {
            Technique::Baseline
            | Technique::ChainOfThought
            | Technique::FewShot
            | Technique::ExampleSelection => 0,
            Technique::SelfAsk | Technique::SelfGenerated | Technique::StepBack | Technique::Rephrase => 1,
        }
    }

    /// Whether the prompt shows repairs of other tasks.
    pub fn shows_examples(self) -> bool {
        matches!(self, Technique::FewShot | Technique::ExampleSelection)
    }
}

words! {
    /// A part of a prompt; each can be left out (`without`).
    pub enum Section as "section" {
        /// Who the model is asked to be.
        Role = "role",
        /// What is wanted.
        Task = "task",
        /// The code that is to be repaired.
        Code = "code",
        /// What the code should do, or the issue.
        Docstring = "docstring",
        /// Title of the issue that reports the fault.
        IssueTitle = "issue-title",
        /// Text of that issue.
        IssueBody = "issue-body",
        /// Title of the pull request that mends it.
        PrTitle = "pr-title",
        /// Text of that pull request.
        PrBody = "pr-body",
        /// A listing of the repository.
        FolderTree = "folder-tree",
        /// Other code and texts around it.
        Context = "context",
        /// What is wrong with the newest code.
        Feedback = "feedback",
        /// How to go about it.
        Guidelines = "guidelines",
        /// In which shape to answer.
        OutputFormat = "output-format",
    }
}
