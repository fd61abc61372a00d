//! From a request to messages.
//!
//! Promises: sections in the order of the room's page; what is shown and what it gives away go together.
//! Leaves to others: the words (templates), the code that is shown (`view`).

use super::error::PromptError;
use super::examples::Example;
use super::fence::{fenced, inline};
use super::templates::{TemplateError, Templates, object};
use super::view::{Part, View, view};
use super::{Message, Prompt, Speaker};
use crate::repair::cell::{Cell, Context, Hint, Section, Technique};
use crate::repair::event::{Exposure, Exposures};
use crate::repair::form::{Current, Form, Place};
use crate::syntax::language::display_name;
use crate::task::Task;
use minijinja::Value;
use std::collections::BTreeMap;

/// A text that is shown beside the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextText {
    /// What it is: a path, mostly. Untrusted.
    pub label: String,
    /// Our name of its language; empty for plain text.
    pub language: String,
    /// The text.
    pub text: String,
    /// Whether it holds source text of the tests.
    pub holds_tests: bool,
}

/// Feedback that a prompt tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told<'a> {
    /// The text.
    pub text: &'a str,
    /// What it gives away.
    pub exposure: &'a Exposures,
}

/// What a prompt is laid out from.
#[derive(Debug, Clone)]
pub struct PromptRequest<'a> {
    /// The task.
    pub task: &'a Task,
    /// The cell: technique, form, context, hints, sections left out.
    pub cell: &'a Cell,
    /// The newest tree.
    pub current: &'a Current<'a>,
    /// The lines that are marked, for the forms `hunk` and `line`; in the newest tree.
    pub place: Option<&'a Place>,
    /// Where the reference changes something, for the hint `location`; in the newest tree.
    pub locations: &'a [Place],
    /// Texts that were found for the cell's context (`oracle`, `bm25`); what the task itself brings is added for
    /// `task`.
    pub context: &'a [ContextText],
    /// Feedback on the newest code; `None` where there is none yet.
    pub feedback: Option<Told<'a>>,
    /// Repairs of other tasks, for the techniques that show some.
    pub examples: &'a [&'a Example],
    /// Answers of the preliminary calls, in their order.
    pub preliminary: &'a [&'a str],
    /// The messages before, and the answer to them; `None`: the messages begin anew.
    pub continues: Option<(&'a [Message], &'a str)>,
    /// Whether the newest code is to be shown although the messages go on.
    pub restate_code: bool,
}

/// Text that stands for an answer of which nothing came: servers refuse empty messages.
const NO_ANSWER: &str = "(no answer)";

type Values = BTreeMap<&'static str, Value>;

impl Templates {
    /// The prompt of the call that answers.
    ///
    /// # Errors
    ///
    /// A [`PromptError`]; a template of the user may also fail on values that it was not tried out with.
    pub fn repair(&self, request: &PromptRequest<'_>) -> Result<Prompt, PromptError> {
        let mut layout = Layout::new(self, request);
        if let Some((before, answer)) = request.continues {
            return layout.follow_up(before, answer);
        }
        let technique = request.cell.technique;
        let (needed, found) = (technique.preliminary_calls(), request.preliminary.len());
        if needed as usize != found {
            return Err(PromptError::Preliminary { technique, needed, found });
        }
        let view = layout.subject()?;
        layout.technique()?;
        layout.section(Section::Guidelines, "guidelines", Values::new())?;
        layout.output_format(&view)?;
        layout.finish()
    }

    /// The prompt of the preliminary call with this number, from 1; `None`: the technique has no such call.
    ///
    /// # Errors
    ///
    /// A [`PromptError`].
    pub fn preliminary(
        &self,
        request: &PromptRequest<'_>,
        number: u32,
    ) -> Result<Option<Prompt>, PromptError> {
        let technique = request.cell.technique;
        let name = match (technique, number) {
            (Technique::SelfAsk, 1) => "preliminary-self-ask",
            (Technique::SelfGenerated, 1) => "preliminary-sg-icl",
            (Technique::StepBack, 1) => "preliminary-step-back",
            (Technique::Rephrase, 1) => "preliminary-rephrase",
            _ => return Ok(None),
        };
        let mut layout = Layout::new(self, request);
        layout.subject()?;
        layout.add(name, Values::new())?;
        layout.finish().map(Some)
    }
}

/// A prompt as it grows.
pub(super) struct Layout<'a> {
    templates: &'a Templates,
    request: &'a PromptRequest<'a>,
    parts: Vec<String>,
    sections: Vec<Section>,
    exposure: Exposures,
}

impl<'a> Layout<'a> {
    fn new(templates: &'a Templates, request: &'a PromptRequest<'a>) -> Layout<'a> {
        Layout { templates, request, parts: Vec::new(), sections: Vec::new(), exposure: Exposures::new() }
    }

    fn has(&self, section: Section) -> bool {
        !self.request.cell.without.contains(&section)
    }

    fn fill(&self, name: &'static str, mut values: Values) -> Result<String, TemplateError> {
        values.insert("language", Value::from(language(self.request.task)));
        self.templates.fill(name, values)
    }

    fn add(&mut self, name: &'static str, values: Values) -> Result<(), PromptError> {
        let text = self.fill(name, values)?;
        if !text.is_empty() {
            self.parts.push(text);
        }
        Ok(())
    }

    fn section(&mut self, section: Section, name: &'static str, values: Values) -> Result<(), PromptError> {
        if self.has(section) {
            self.add(name, values)?;
            if !self.sections.contains(&section) {
                self.sections.push(section);
            }
        }
        Ok(())
    }

    /// Everything up to the feedback: what is asked, and about what.
    fn subject(&mut self) -> Result<View, PromptError> {
        let Layout { request, .. } = *self;
        let task = request.task;
        let form = request.cell.form;
        let view = view(task, request.current, form, request.place)?;
        let places: Vec<Value> = task.targets.iter().map(|target| Value::from(place_of(target))).collect();
        let kind = Value::from(task.kind.as_str());
        self.section(Section::Task, "task", Values::from([("kind", kind), ("places", places.into())]))?;
        self.descriptions()?;
        self.hints()?;
        self.examples()?;
        self.context(&view)?;
        if !view.code.is_empty() && self.has(Section::Code) {
            if matches!(form, Form::Hunk | Form::Line) {
                self.exposure.insert(Exposure::ReferenceLocation);
            }
            self.section(Section::Code, "code", Values::from([("parts", parts(&view.code))]))?;
        }
        self.feedback()?;
        Ok(view)
    }

    fn descriptions(&mut self) -> Result<(), PromptError> {
        let task = self.request.task;
        if !task.description.trim().is_empty() {
            let text = Value::from(fenced(&task.description, "text"));
            self.section(Section::Docstring, "docstring", Values::from([("description", text)]))?;
        }
        let texts = [
            (Section::IssueTitle, "Title of the issue", &task.sections.issue_title),
            (Section::IssueBody, "Issue", &task.sections.issue_body),
            (Section::PrTitle, "Title of the change", &task.sections.pr_title),
            (Section::PrBody, "Description of the change", &task.sections.pr_body),
            (Section::FolderTree, "Files of the project", &task.sections.folder_tree),
        ];
        for (section, heading, text) in texts {
            // Many datasets use the issue as the description.
            let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) else { continue };
            if text.trim() == task.description.trim() && self.has(Section::Docstring) {
                continue;
            }
            let text = Value::from(fenced(text, "text"));
            let values = Values::from([("heading", Value::from(heading)), ("text", text)]);
            self.section(section, "issue", values)?;
        }
        Ok(())
    }

    fn hints(&mut self) -> Result<(), PromptError> {
        let Layout { request, .. } = *self;
        let feature = &request.task.feature;
        let wanted = |hint| request.cell.hints.contains(&hint);
        let components: Vec<Value> = match wanted(Hint::Components) {
            true => feature.components.iter().map(|name| Value::from(inline(name))).collect(),
            false => Vec::new(),
        };
        let discussion =
            feature.hints.as_ref().filter(|text| wanted(Hint::Discussion) && !text.trim().is_empty());
        let locations: Vec<Value> = match wanted(Hint::Location) {
            true => request.locations.iter().map(|place| Value::from(lines_of(place))).collect(),
            false => Vec::new(),
        };
        if components.is_empty() && discussion.is_none() && locations.is_empty() {
            return Ok(());
        }
        if !locations.is_empty() {
            self.exposure.insert(Exposure::ReferenceLocation);
        }
        let discussion = discussion.map(|text| fenced(text, "text")).unwrap_or_default();
        let values = Values::from([
            ("components", components.into()),
            ("locations", locations.into()),
            ("discussion", discussion.into()),
        ]);
        self.add("hints", values)
    }

    fn examples(&mut self) -> Result<(), PromptError> {
        let Layout { request, .. } = *self;
        let technique = request.cell.technique;
        if !technique.shows_examples() {
            return Ok(());
        }
        if request.examples.is_empty() {
            return Err(PromptError::NoExamples(technique));
        }
        let task = request.task;
        if let Some(own) = request.examples.iter().find(|example| example.group == task.group) {
            return Err(PromptError::OwnGroup { id: own.id.clone(), group: own.group.clone() });
        }
        let shown: Vec<Value> = request
            .examples
            .iter()
            .map(|example| {
                let feedback = example.feedback.as_ref().map(|text| fenced(text, "text")).unwrap_or_default();
                object([
                    ("buggy", Value::from(fenced(&example.buggy, &example.language))),
                    ("feedback", Value::from(feedback)),
                    ("fixed", Value::from(fenced(&example.fixed, &example.language))),
                ])
            })
            .collect();
        self.add("examples", Values::from([("examples", shown.into())]))
    }

    fn context(&mut self, view: &View) -> Result<(), PromptError> {
        let Layout { request, .. } = *self;
        let context = request.cell.context;
        let mut blocks: Vec<Value> = Vec::new();
        let block =
            |label: &str, text: String| object([("label", Value::from(label)), ("text", Value::from(text))]);
        if context == Context::Task {
            if !request.task.context.trim().is_empty() {
                blocks.push(block("About the code", fenced(&request.task.context, "text")));
            }
            blocks.extend(view.around.iter().map(|part| block(&part.label, part.text.clone())));
        }
        if context != Context::None {
            let found = request.context.iter();
            blocks.extend(
                found.map(|found| block(&inline(&found.label), fenced(&found.text, &found.language))),
            );
        }
        if blocks.is_empty() || !self.has(Section::Context) {
            return Ok(());
        }
        if context == Context::Oracle && !request.context.is_empty() {
            self.exposure.insert(Exposure::ReferenceLocation);
        }
        if context != Context::None && request.context.iter().any(|found| found.holds_tests) {
            self.exposure.insert(Exposure::TestSource);
        }
        self.section(Section::Context, "context", Values::from([("blocks", blocks.into())]))
    }

    fn feedback(&mut self) -> Result<(), PromptError> {
        if let Some(told) = self.request.feedback.filter(|_| self.has(Section::Feedback)) {
            self.exposure.extend(told.exposure);
            let text = Value::from(fenced(told.text, "text"));
            self.section(Section::Feedback, "feedback", Values::from([("feedback", text)]))?;
        }
        Ok(())
    }

    fn technique(&mut self) -> Result<(), PromptError> {
        let name = match self.request.cell.technique {
            Technique::Baseline | Technique::FewShot | Technique::ExampleSelection => return Ok(()),
            Technique::ChainOfThought => "technique-cot",
            Technique::SelfAsk => "technique-self-ask",
            Technique::SelfGenerated => "technique-sg-icl",
            Technique::StepBack => "technique-step-back",
            Technique::Rephrase => "technique-rephrase",
        };
        let mut values = Values::new();
        if self.request.cell.technique.preliminary_calls() > 0 {
            let answers: Vec<&str> = self.request.preliminary.to_vec();
            values.insert("preliminary", Value::from(fenced(&answers.join("\n\n"), "text")));
        }
        self.add(name, values)
    }

    fn output_format(&mut self, view: &View) -> Result<(), PromptError> {
        let name = match self.request.cell.form {
            Form::Function => "output-function",
            Form::Hunk => "output-hunk",
            Form::Line => "output-line",
            Form::File => "output-file",
            Form::Patch => "output-patch",
            Form::SearchReplace => "output-search-replace",
        };
        let functions: Vec<Value> = self
            .request
            .task
            .targets
            .iter()
            .filter_map(|target| target.function.as_deref().map(|name| Value::from(inline(name))))
            .collect();
        let mark = view.code.iter().find_map(|part| part.mark.as_deref()).map(inline).unwrap_or_default();
        let values = Values::from([("functions", functions.into()), ("mark", Value::from(mark))]);
        self.section(Section::OutputFormat, name, values)
    }

    /// The messages go on: feedback on the newest code, and what is needed to answer again.
    fn follow_up(mut self, before: &[Message], answer: &str) -> Result<Prompt, PromptError> {
        let Layout { request, .. } = self;
        let told = request.feedback.filter(|_| self.has(Section::Feedback));
        let feedback = told.map(|told| fenced(told.text, "text")).unwrap_or_default();
        self.add("follow-up", Values::from([("feedback", Value::from(feedback))]))?;
        let marks = matches!(request.cell.form, Form::Hunk | Form::Line);
        let view = if request.restate_code || marks {
            view(request.task, request.current, request.cell.form, request.place)?
        } else {
            View::default()
        };
        if !view.code.is_empty() && self.has(Section::Code) {
            if marks {
                self.exposure.insert(Exposure::ReferenceLocation);
            }
            self.section(Section::Code, "code", Values::from([("parts", parts(&view.code))]))?;
        }
        self.feedback()?;
        self.output_format(&view)?;
        let answer = if answer.trim().is_empty() { NO_ANSWER } else { answer };
        let mut messages = before.to_vec();
        messages.push(Message::new(Speaker::Assistant, answer));
        messages.push(Message::new(Speaker::User, self.parts.join("\n\n")));
        Ok(Prompt { messages, exposure: self.exposure, sections: self.sections })
    }

    fn finish(mut self) -> Result<Prompt, PromptError> {
        let mut messages = Vec::new();
        if self.has(Section::Role) {
            messages.push(Message::new(Speaker::System, self.fill("role", Values::new())?));
            self.sections.insert(0, Section::Role);
        }
        messages.push(Message::new(Speaker::User, self.parts.join("\n\n")));
        Ok(Prompt { messages, exposure: self.exposure, sections: self.sections })
    }
}

/// The language as people write it; it comes from a task and stands in our own lines.
pub(super) fn language(task: &Task) -> String {
    let name = display_name(&task.language);
    let plain = |character: &char| character.is_ascii_alphanumeric() || "+#-. ".contains(*character);
    name.chars().filter(plain).take(40).collect()
}

/// Parts as templates are given them.
pub(super) fn parts(parts: &[Part]) -> Value {
    let part = |part: &Part| {
        object([
            ("label", Value::from(part.label.clone())),
            ("text", Value::from(part.text.clone())),
            ("mark", Value::from(part.mark.as_deref().map(inline).unwrap_or_default())),
            ("marked", Value::from(part.marked.clone().unwrap_or_default())),
        ])
    };
    parts.iter().map(part).collect::<Vec<Value>>().into()
}

fn place_of(target: &crate::task::Target) -> String {
    match &target.function {
        Some(function) => format!("{} of {}", inline(function), inline(&target.file)),
        None => inline(&target.file),
    }
}

/// `lines 3 to 5 of a.c`; lines from 1.
fn lines_of(place: &Place) -> String {
    let file = inline(&place.file);
    let (first, last) = (place.lines.start.saturating_add(1), place.lines.end);
    match last.saturating_sub(place.lines.start) {
        0 if place.lines.start == 0 => format!("the beginning of {file}"),
        0 => format!("the place behind line {} of {file}", place.lines.start),
        1 => format!("line {first} of {file}"),
        _ => format!("lines {first} to {last} of {file}"),
    }
}
