//! Prompts: what they hold, what they give away, and that nothing gets out of its fence.
#![allow(clippy::unwrap_used)]

use super::fence::own_lines;
use super::*;
use crate::repair::cell::{Cell, Context, Hint, Technique};
use crate::repair::event::{Exposure, Exposures};
use crate::repair::form::{Form, Place};
use crate::task::{Content, FeedbackKind, Target, Task};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet};

const CODE: &str = "import math\n\n\ndef area(r):\n    return math.pi * r\n\n\ndef other():\n    return 1\n";

/// Compares with the text that is kept under this name.
fn keep(name: &str, text: &str) {
    let settings = || {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../../tests/snapshots/repair");
        settings.set_prepend_module_to_snapshot(false);
        settings
    };
    settings().bind(|| insta::assert_snapshot!(name.to_owned(), text));
}

fn task() -> Task {
    let mut task = Task::new("d", "t");
    task.language = "python".to_owned();
    task.description = "Area of a circle of radius `r`.".to_owned();
    task.context = "Radii are metres.".to_owned();
    task.targets = vec![Target { file: "circle.py".to_owned(), function: Some("area".to_owned()) }];
    task.files.buggy.insert("circle.py".to_owned(), Content::from(CODE));
    task.files.reference.insert("circle.py".to_owned(), Content::from(CODE.replace("pi * r", "pi * r ** 2")));
    task
}

fn cell(form: Form) -> Cell {
    let mut cell = Cell::new("m", "t");
    cell.form = form;
    cell
}

struct Given {
    task: Task,
    cell: Cell,
    place: Option<Place>,
    locations: Vec<Place>,
    context: Vec<ContextText>,
    feedback: Option<(String, Exposures)>,
    examples: Vec<Example>,
    preliminary: Vec<String>,
    continues: Option<(Vec<Message>, String)>,
    restate_code: bool,
}

impl Given {
    fn of(form: Form) -> Given {
        let feedback = Some(("area(2) is 6.28, not 12.57".to_owned(), [Exposure::TestOutput].into()));
        Given {
            task: task(),
            cell: cell(form),
            place: None,
            locations: Vec::new(),
            context: Vec::new(),
            feedback,
            examples: Vec::new(),
            preliminary: Vec::new(),
            continues: None,
            restate_code: false,
        }
    }

    fn with<T>(&self, call: impl Fn(&Templates, &PromptRequest<'_>) -> T) -> T {
        let examples: Vec<&Example> = self.examples.iter().collect();
        let preliminary: Vec<&str> = self.preliminary.iter().map(String::as_str).collect();
        let current = self.task.buggy_tree();
        let request = PromptRequest {
            task: &self.task,
            cell: &self.cell,
            current: &current,
            place: self.place.as_ref(),
            locations: &self.locations,
            context: &self.context,
            feedback: self.feedback.as_ref().map(|(text, exposure)| Told { text, exposure }),
            examples: &examples,
            preliminary: &preliminary,
            continues: self
                .continues
                .as_ref()
                .map(|(messages, answer)| (messages.as_slice(), answer.as_str())),
            restate_code: self.restate_code,
        };
        call(&Templates::embedded().unwrap(), &request)
    }

    fn prompt(&self) -> Prompt {
        self.with(|templates, request| templates.repair(request)).unwrap()
    }

    fn error(&self) -> String {
        self.with(|templates, request| templates.repair(request)).unwrap_err().to_string()
    }
}

fn user(prompt: &Prompt) -> &str {
    &prompt.messages.last().unwrap().text
}

fn headings(prompt: &Prompt) -> Vec<String> {
    let lines = own_lines(user(prompt));
    lines.into_iter().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect()
}

fn place(lines: std::ops::Range<u32>) -> Option<Place> {
    Some(Place { file: "circle.py".to_owned(), lines })
}

#[test]
fn a_function_prompt_reads_well() {
    let prompt = Given::of(Form::Function).prompt();
    assert_eq!(prompt.messages[0].role, Speaker::System);
    keep("prompt_function", user(&prompt));
    assert_eq!(prompt.exposure, [Exposure::TestOutput].into());
}

#[test]
fn a_line_is_shown_behind_a_mask_and_that_tells_where() {
    let mut given = Given::of(Form::Line);
    assert!(given.error().contains("form `line`"));
    given.place = place(4..5);
    let prompt = given.prompt();
    keep("prompt_line", user(&prompt));
    assert!(prompt.exposure.contains(&Exposure::ReferenceLocation));
    // The mark is a word that the code does not hold.
    let code = CODE.replace("import math", "import math  # <MASK> <MASK-2>");
    given.task.files.buggy.insert("circle.py".to_owned(), Content::from(code));
    assert!(user(&given.prompt()).contains("`<MASK-3>` stands in the place of these lines"));
}

#[test]
fn a_place_outside_of_functions_or_between_lines_is_shown_too() {
    let mut given = Given::of(Form::Hunk);
    given.place = place(0..1);
    assert!(user(&given.prompt()).contains("```python\n<MASK>\n\n\ndef area(r):"));
    given.place = place(4..4);
    let prompt = given.prompt();
    assert!(user(&prompt).contains("def area(r):\n    <MASK>\n    return math.pi * r\n```"));
    assert!(user(&prompt).contains("`<MASK>` stands where lines are missing."));
    // A place that the file does not have is its end.
    given.place = place(500..900);
    assert!(user(&given.prompt()).contains("    return 1\n<MASK>\n```"));
}

#[test]
fn whole_files_are_shown_where_the_answer_is_about_files() {
    for (form, word) in [
        (Form::File, "every file that you change as a whole"),
        (Form::Patch, "one unified diff"),
        (Form::SearchReplace, "<<<<<<< SEARCH"),
    ] {
        let prompt = Given::of(form).prompt();
        assert!(user(&prompt).contains(word), "{form}");
        assert!(user(&prompt).contains(&format!("`circle.py`:\n\n```python\n{CODE}```")), "{form}");
        assert!(!prompt.exposure.contains(&Exposure::ReferenceLocation));
    }
}

#[test]
fn every_section_can_be_left_out() {
    let mut given = Given::of(Form::Function);
    given.task.sections.issue_title = Some("Wrong area".to_owned());
    given.task.sections.issue_body = Some("It is too small.".to_owned());
    given.task.sections.pr_title = Some("Square".to_owned());
    given.task.sections.pr_body = Some("The radius was not squared.".to_owned());
    given.task.sections.folder_tree = Some("circle.py".to_owned());
    let whole = given.prompt();
    assert_eq!(whole.sections.len(), Section::ALL.len());
    for section in Section::ALL {
        given.cell.without = [section].into();
        let prompt = given.prompt();
        assert!(!prompt.sections.contains(&section), "{section}");
        assert_eq!(prompt.sections.len(), whole.sections.len() - 1, "{section}");
        let length =
            |prompt: &Prompt| prompt.messages.iter().map(|message| message.text.len()).sum::<usize>();
        assert!(length(&prompt) < length(&whole), "{section}");
        assert_eq!(prompt.messages.len(), if section == Section::Role { 1 } else { 2 });
        assert_eq!(
            prompt.exposure.contains(&Exposure::TestOutput),
            section != Section::Feedback,
            "{section}"
        );
    }
    given.cell.without = Section::ALL.into();
    let nothing = given.prompt();
    assert_eq!((nothing.messages.len(), nothing.messages[0].text.as_str()), (1, ""));
}

#[test]
fn an_issue_that_is_the_description_is_shown_once() {
    let mut given = Given::of(Form::Function);
    given.task.sections.issue_body = Some(given.task.description.clone());
    assert!(!headings(&given.prompt()).contains(&"Issue".to_owned()));
    given.cell.without = [Section::Docstring].into();
    assert!(headings(&given.prompt()).contains(&"Issue".to_owned()));
}

#[test]
fn techniques_add_what_their_page_says() {
    let example = Example {
        id: "d/x".to_owned(),
        group: "g".to_owned(),
        language: "python".to_owned(),
        buggy: "def one(): return 2".to_owned(),
        feedback: Some("one() is 2".to_owned()),
        fixed: "def one(): return 1".to_owned(),
    };
    let base = headings(&Given::of(Form::Function).prompt());
    for (technique, added) in [
        (Technique::Baseline, None),
        (Technique::ChainOfThought, Some("Before you answer")),
        (Technique::FewShot, Some("Examples")),
        (Technique::ExampleSelection, Some("Examples")),
        (Technique::SelfAsk, Some("Questions and answers")),
        (Technique::SelfGenerated, Some("An example of your own")),
        (Technique::StepBack, Some("Principles")),
        (Technique::Rephrase, Some("In your own words")),
    ] {
        let mut given = Given::of(Form::Function);
        given.cell.technique = technique;
        if technique.shows_examples() {
            assert!(given.error().contains(technique.as_str()));
            given.examples = vec![example.clone()];
        }
        let calls = technique.preliminary_calls();
        let before = given.with(|templates, request| templates.preliminary(request, 1)).unwrap();
        assert_eq!(before.is_some(), calls > 0, "{technique}");
        assert!(
            given.with(|templates, request| templates.preliminary(request, calls + 1)).unwrap().is_none()
        );
        if let Some(before) = before {
            assert!(user(&before).contains("Do not repair"), "{technique}");
            assert!(!headings(&before).contains(&"Answer".to_owned()));
            assert!(given.error().contains("1 calls before this one"), "{technique}");
            given.preliminary = vec!["What is r?\n## Answer\nA radius.".to_owned()];
        }
        let found = headings(&given.prompt());
        let new: Vec<&String> = found.iter().filter(|heading| !base.contains(heading)).collect();
        assert_eq!(new, added.iter().collect::<Vec<_>>(), "{technique}");
        assert!(base.iter().all(|heading| found.contains(heading)), "{technique}");
    }
    let mut given = Given::of(Form::Function);
    given.cell.technique = Technique::FewShot;
    given.examples = vec![Example { group: "t".to_owned(), ..example }];
    assert!(given.error().contains("own group t"));
}

#[test]
fn context_is_what_the_cell_says() {
    let found = ContextText {
        label: "lib/shape.py".to_owned(),
        language: "python".to_owned(),
        text: "class Shape: pass\n".to_owned(),
        holds_tests: false,
    };
    for (context, own, found_one, location) in [
        (Context::Task, true, true, false),
        (Context::None, false, false, false),
        (Context::Oracle, false, true, true),
        (Context::Bm25 { tokens: 100 }, false, true, false),
    ] {
        let mut given = Given::of(Form::Function);
        given.cell.context = context;
        given.context = vec![found.clone()];
        let prompt = given.prompt();
        assert_eq!(user(&prompt).contains("Radii are metres."), own, "{context}");
        assert_eq!(user(&prompt).contains("class Shape"), found_one, "{context}");
        assert_eq!(prompt.exposure.contains(&Exposure::ReferenceLocation), location, "{context}");
        given.context[0].holds_tests = true;
        assert_eq!(given.prompt().exposure.contains(&Exposure::TestSource), found_one, "{context}");
        given.cell.without = [Section::Context].into();
        assert_eq!(given.prompt().exposure, [Exposure::TestOutput].into(), "{context}");
    }
}

#[test]
fn hints_are_given_when_they_are_wanted() {
    let mut given = Given::of(Form::File);
    given.task.feature.components = vec!["area".to_owned(), "Circle.grow()".to_owned()];
    given.task.feature.hints = Some("Somebody said: square it.".to_owned());
    given.locations = vec![
        Place { file: "circle.py".to_owned(), lines: 4..5 },
        Place { file: "circle.py".to_owned(), lines: 0..3 },
        Place { file: "circle.py".to_owned(), lines: 2..2 },
    ];
    assert!(!headings(&given.prompt()).contains(&"Hints".to_owned()));
    for (hint, word, location) in [
        (Hint::Components, "To be added: `area`, `Circle.grow()`.", false),
        (Hint::Discussion, "square it", false),
        (
            Hint::Location,
            "line 5 of `circle.py`, lines 1 to 3 of `circle.py`, the place behind line 2 of `circle.py`",
            true,
        ),
    ] {
        given.cell.hints = [hint].into();
        let prompt = given.prompt();
        assert!(user(&prompt).contains(word), "{hint}: {}", user(&prompt));
        assert_eq!(prompt.exposure.contains(&Exposure::ReferenceLocation), location, "{hint}");
    }
}

#[test]
fn a_conversation_goes_on() {
    let mut given = Given::of(Form::Function);
    let first = given.prompt();
    given.continues = Some((first.messages.clone(), "Here:\n```python\nx\n```".to_owned()));
    let second = given.prompt();
    assert_eq!(second.messages[..2], first.messages[..]);
    let roles: Vec<Speaker> = second.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Speaker::System, Speaker::User, Speaker::Assistant, Speaker::User]);
    assert_eq!(headings(&second), ["Feedback on this code", "Answer"]);
    given.restate_code = true;
    assert_eq!(headings(&given.prompt()), ["Code", "Feedback on this code", "Answer"]);
    given.restate_code = false;
    given.feedback = None;
    given.continues = Some((first.messages.clone(), " \n".to_owned()));
    let blank = given.prompt();
    assert_eq!(blank.messages[2].text, "(no answer)");
    assert!(user(&blank).starts_with("Answer again."));
    assert_eq!(blank.exposure, Exposures::new());
}

#[test]
fn a_function_that_is_not_there_is_shown_as_its_file() {
    let mut given = Given::of(Form::Function);
    given.task.targets[0].function = Some("volume".to_owned());
    assert!(user(&given.prompt()).contains(&format!("`circle.py`:\n\n```python\n{CODE}```")));
    given.task.targets[0].file = "gone.py".to_owned();
    assert!(given.error().contains("gone.py") && given.error().contains("tasks check"));
    given.task.targets[0].file = "circle.py".to_owned();
    given.task.files.buggy.insert("circle.py".to_owned(), Content::new(vec![0, 1, 2]));
    assert!(given.error().contains("is not text"));
    given.task.targets.clear();
    assert!(!headings(&given.prompt()).contains(&"Code".to_owned()));
}

#[test]
fn long_surroundings_are_cut_around_the_function_and_say_so() {
    let mut given = Given::of(Form::Function);
    let filler = |from: usize| (from..from + 4_000).map(|n| format!("x{n} = {n}\n")).collect::<String>();
    let code = format!("{}def area(r):\n    return r\n\n{}", filler(0), filler(4_000));
    given.task.files.buggy.insert("circle.py".to_owned(), Content::from(code));
    let prompt = given.prompt();
    assert!(user(&prompt).contains("as far as it is near"));
    assert!(user(&prompt).contains("x3999 = 3999\n<CODE>\n"));
    assert!(!user(&prompt).contains("x0 = 0\n") && user(&prompt).len() < 30_000);
}

#[test]
fn the_helper_sees_what_it_may() {
    let templates = Templates::embedded().unwrap();
    let mut task = task();
    let current = task.buggy_tree();
    let ask = |task: &Task, kind| {
        templates.helper(&HelperRequest { task, current: &current, kind }).map(|prompt| {
            (prompt.messages.iter().map(|message| message.text.clone()).collect::<String>(), prompt.exposure)
        })
    };
    let (skilled, exposure) = ask(&task, FeedbackKind::LlmSkilled).unwrap();
    assert!(!skilled.contains("r ** 2") && skilled.contains("math.pi * r") && exposure.is_empty());
    for kind in [FeedbackKind::LlmExpert, FeedbackKind::Mixed] {
        let (expert, exposure) = ask(&task, kind).unwrap();
        assert!(expert.contains("r ** 2"), "{kind}");
        assert_eq!(exposure, [Exposure::ReferenceText].into());
    }
    let copy = task.clone();
    let current = copy.buggy_tree();
    task.files.reference.clear();
    let request = HelperRequest { task: &task, current: &current, kind: FeedbackKind::LlmExpert };
    assert!(templates.helper(&request).unwrap_err().to_string().contains("llm-skilled"));
}

#[test]
fn a_users_templates_take_the_place_of_ours_and_change_the_hash() {
    let with =
        |name: &str, text: &str| Templates::with(&BTreeMap::from([(name.to_owned(), text.to_owned())]));
    let ours = Templates::embedded().unwrap();
    assert_eq!(ours.hash().len(), 64);
    assert_eq!(ours.hash(), Templates::embedded().unwrap().hash());
    let role = with("role.txt", "You write {{ language }}.").unwrap();
    assert_ne!(role.hash(), ours.hash());
    assert_eq!(role.replaced(), ["role"]);
    // The same text is the same set of templates.
    let (name, text) = EMBEDDED[0];
    assert_eq!(with(name, text).unwrap().hash(), ours.hash());
    for (name, text, word) in [
        ("rol.txt", "x", "did you mean `role`?"),
        ("role", "{{ langauge }}", "template `role`, line 1: undefined value"),
        ("code", "a\n{% for part in parts %}", "template `code`, line 2"),
        ("code", "{% for part in parts %}{{ part.txet }}{% endfor %}", "it may use language, parts"),
        ("feedback", "{{ code }}", "it may use language, feedback"),
    ] {
        let error = with(name, text).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(with("role", &"x".repeat(100_000)).unwrap_err().to_string().contains("bytes"));
}

#[test]
fn names_of_templates_are_different() {
    let names: BTreeSet<&str> = EMBEDDED.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), EMBEDDED.len());
}

proptest! {
    #[test]
    fn hostile_text_stays_in_its_fence(
        text in "([`~#a{}%<>\\n -]|\\{\\{ language \\}\\}|## Answer\\n|```python\\n|\\{% for x in y %\\}){0,30}",
        name in "[`#a{}\\n]{1,12}",
        form in 0..6_usize,
        technique in 0..8_usize,
        goes_on in any::<bool>(),
    ) {
        let harmless = {
            let mut given = hostile("text", "name", Form::ALL[form], Technique::ALL[technique]);
            given.continues = goes_on.then(|| (vec![Message::new(Speaker::User, "first")], "x".to_owned()));
            headings(&given.prompt())
        };
        let mut given = hostile(&text, &name, Form::ALL[form], Technique::ALL[technique]);
        given.continues = goes_on.then(|| (vec![Message::new(Speaker::User, "first")], text.clone()));
        let prompt = given.prompt();
        let found = headings(&prompt);
        // A text of white space alone is no text, and its section is left out.
        let expected: Vec<&String> = harmless.iter().filter(|heading| found.contains(heading)).collect();
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        if !text.trim().is_empty() {
            prop_assert_eq!(&found, &harmless);
            prop_assert!(user(&prompt).contains(text.trim_end_matches('\n')));
        }
        let own = own_lines(user(&prompt)).join("\n");
        prop_assert!(!own.contains("{%"), "{own}");
    }
}

fn hostile(text: &str, name: &str, form: Form, technique: Technique) -> Given {
    let mut given = Given::of(form);
    given.task.language = format!("python\n## Answer {name}");
    given.task.description = text.to_owned();
    given.task.context = text.to_owned();
    given.task.sections.issue_body = Some(format!("{text}x"));
    given.task.files.buggy.insert("circle.py".to_owned(), Content::from(text));
    given.task.targets = vec![Target { file: "circle.py".to_owned(), function: Some(name.to_owned()) }];
    given.cell.technique = technique;
    given.cell.hints = [Hint::Components, Hint::Discussion].into();
    given.task.feature.components = vec![name.to_owned()];
    given.task.feature.hints = Some(format!("{text}x"));
    given.context = vec![ContextText {
        label: name.to_owned(),
        language: name.to_owned(),
        text: text.to_owned(),
        holds_tests: false,
    }];
    given.feedback = Some((text.to_owned(), Exposures::new()));
    if technique.shows_examples() {
        given.examples = vec![Example {
            id: "d/x".to_owned(),
            group: "g".to_owned(),
            language: name.to_owned(),
            buggy: text.to_owned(),
            feedback: Some(text.to_owned()),
            fixed: text.to_owned(),
        }];
    }
    given.preliminary = vec![text.to_owned(); technique.preliminary_calls() as usize];
    given.place = Some(Place { file: "circle.py".to_owned(), lines: 0..1 });
    given
}
