//! Prompts of the sample tasks: they read as a person would write them, in every form and with every technique.
#![allow(clippy::unwrap_used)]

use mendbench::dataset::sample_tasks;
use mendbench::repair::cell::{Hint, Technique};
use mendbench::repair::event::Exposure;
use mendbench::repair::feedback::exposure_of;
use mendbench::repair::prompt::{
    Example, HelperRequest, Prompt, PromptRequest, Templates, Told, choose_examples, follow_place,
    reference_places,
};
use mendbench::repair::{Cell, Form, Place};
use mendbench::task::{FeedbackKind, Task};

fn tasks() -> Vec<Task> {
    sample_tasks().tasks
}

fn task(id: &str) -> Task {
    tasks().into_iter().find(|task| task.id == id).unwrap()
}

/// The samples' own repairs as examples.
fn repairs() -> Vec<Example> {
    let example = |task: &Task| {
        let file = task.changed_files().into_iter().next()?;
        Some(Example {
            id: task.name().to_string(),
            group: task.group.clone(),
            language: task.language.clone(),
            buggy: file.buggy?.text()?.into_owned(),
            feedback: task.feedback.get(&FeedbackKind::Human).cloned(),
            fixed: file.reference?.text()?.into_owned(),
        })
    };
    tasks().iter().filter_map(example).collect()
}

/// A short example in the language of a task.
fn short(task: &Task) -> Vec<Example> {
    let language = task.language.clone();
    let (buggy, fixed) = ("one() = 2".to_owned(), "one() = 1".to_owned());
    vec![Example {
        id: "other/x".to_owned(),
        group: "other".to_owned(),
        language,
        buggy,
        feedback: None,
        fixed,
    }]
}

fn build(templates: &Templates, task: &Task, cell: &Cell, place: Option<&Place>, pool: &[Example]) -> Prompt {
    let places = reference_places(task);
    let locations: &[Place] = if cell.hints.contains(&Hint::Location) { &places } else { &[] };
    let current = task.buggy_tree();
    let exposure = exposure_of(FeedbackKind::Human);
    let feedback = task.feedback.get(&FeedbackKind::Human);
    let examples = choose_examples(cell.technique, task, "", pool, 1, 0);
    let answers = vec!["(what the model said)"; cell.technique.preliminary_calls() as usize];
    let request = PromptRequest {
        task,
        cell,
        current: &current,
        place,
        locations,
        context: &[],
        feedback: feedback.map(|text| Told { text, exposure: &exposure }),
        examples: &examples,
        preliminary: &answers,
        continues: None,
        restate_code: false,
    };
    templates.repair(&request).unwrap_or_else(|error| panic!("{}: {error}", task.id))
}

fn keep(name: &str, prompt: &Prompt) {
    let text: Vec<String> =
        prompt.messages.iter().map(|message| format!("[{}]\n{}", message.role, message.text)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/repair");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(name.to_owned(), text.join("\n\n")));
}

#[test]
fn prompts_of_samples_are_as_kept() {
    let templates = Templates::embedded().unwrap();
    let ring = task("c-ring-buffer");
    keep("sample_c_function", &build(&templates, &ring, &Cell::new("m", ""), None, &[]));
    let mut masked = Cell::new("m", "");
    masked.form = Form::Hunk;
    let places = reference_places(&ring);
    keep("sample_c_hunk", &build(&templates, &ring, &masked, places.first(), &[]));
    let mut patch = Cell::new("m", "");
    (patch.form, patch.technique) = (Form::Patch, Technique::FewShot);
    patch.hints = [Hint::Location].into();
    let python = task("py-page-cursor");
    keep("sample_python_patch", &build(&templates, &python, &patch, None, &repairs()));
    let current = ring.buggy_tree();
    let request = HelperRequest { task: &ring, current: &current, kind: FeedbackKind::LlmExpert };
    keep("sample_c_expert", &templates.helper(&request).unwrap());
}

#[test]
fn every_sample_has_a_prompt_in_every_form_and_technique() {
    let templates = Templates::embedded().unwrap();
    for task in tasks() {
        let places = reference_places(&task);
        let pool = short(&task);
        assert!(!places.is_empty(), "{}", task.id);
        for form in Form::ALL {
            for technique in Technique::ALL {
                let mut cell = Cell::new("m", templates.hash());
                (cell.form, cell.technique) = (form, technique);
                let prompt = build(&templates, &task, &cell, places.first(), &pool);
                let shown = &prompt.messages.last().unwrap().text;
                let marks = matches!(form, Form::Hunk | Form::Line);
                assert_eq!(shown.contains("`<MASK>` stands"), marks, "{} {form}", task.id);
                assert_eq!(
                    prompt.exposure.contains(&Exposure::ReferenceLocation),
                    marks,
                    "{} {form}",
                    task.id
                );
                assert!(!prompt.exposure.contains(&Exposure::ReferenceText), "{} {form}", task.id);
                assert!(prompt.tokens() > 100 && prompt.tokens() < 20_000, "{} {form}", task.id);
                if technique == Technique::Baseline {
                    // The reference itself is in no prompt that does not say so.
                    for file in task.changed_files() {
                        let reference = file.reference.and_then(|content| content.text()).unwrap();
                        assert!(!shown.contains(reference.trim()), "{} {form}", task.id);
                    }
                }
            }
        }
    }
}

#[test]
fn a_place_of_the_buggy_code_is_found_in_the_repaired_one() {
    for task in tasks() {
        let places = reference_places(&task);
        let [place] = places.as_slice() else { continue };
        let file = task.changed_files().into_iter().next().unwrap();
        let (buggy, fixed) = (file.buggy.unwrap().text().unwrap(), file.reference.unwrap().text().unwrap());
        let found = follow_place(&place.lines, &buggy, &fixed).unwrap();
        assert_eq!(found.start, place.lines.start, "{}", task.id);
    }
}
