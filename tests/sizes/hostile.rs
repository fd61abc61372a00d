//! Any text, any keys, any sizes, at random.

use super::whole::check;
use crate::rig::{Memory, Options, Rig};
use crate::scripted::Scripted;
use mendbench::dataset::{Location, SkipReason, Skipped};
use mendbench::keymap::{Key, Keymap};
use mendbench::report::Parser;
use mendbench::sandbox::Exit;
use mendbench::task::{Command, Content, FeedbackKind, MarkKind, Task};
use mendbench::tui::msg::{Mouse, Msg};
use mendbench::tui::widgets::diff_view::{Choices, Layout};
use proptest::prelude::*;
use std::sync::Arc;

/// Pieces that texts are made of: each has broken a terminal program before.
const PIECES: &[&str] = &[
    "word",
    "x",
    "let value = call(argument);",
    "    ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\u{b}\u{c}",
    "",
    "漢字かな",
    "ｶﾞ",
    "한글",
    "\u{1112}\u{1161}\u{11ab}",
    "e\u{301}",
    "Z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
    "\u{301}",
    "שלום",
    "مرحبا",
    "\u{202e}evil\u{202c}",
    "\u{2066}\u{2069}\u{200f}",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]52;c;AAAA\u{7}",
    "\u{9b}1m",
    "\u{7f}\u{8}",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "1️⃣",
    "🇩🇪🇩",
    "\u{200b}\u{feff}",
    "a\u{200d}b",
    "\u{e0041}\u{e0042}",
    "नमस्ते",
    "ไทย",
    "\u{2028}",
    "\u{ad}",
    "…",
    "│",
    "ﷺ",
    "\u{fffd}",
    "𝒳",
    "\u{10ffff}",
];

fn text(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..most).prop_map(|pieces| pieces.concat())
}

/// Code: lines of pieces, so that versions have lines in common.
fn code() -> impl Strategy<Value = (String, String)> {
    let line = text(8).prop_map(|line| line.replace('\n', " "));
    prop::collection::vec((line, 0_u8..8), 0..40).prop_map(|lines| {
        let (mut old, mut new) = (String::new(), String::new());
        for (line, what) in lines {
            let end = if what == 7 { "\r\n" } else { "\n" };
            if what != 1 {
                old += &format!("{line}{end}");
            }
            match what {
                2 => {}
                3 => new += &format!("{line} changed{end}"),
                4 => new += &format!("{}{end}", line.to_uppercase()),
                _ => new += &format!("{line}{end}"),
            }
        }
        (old, new)
    })
}

fn task() -> impl Strategy<Value = Task> {
    let texts = (text(6), text(12), text(60), text(30), text(5), text(4));
    (texts, prop::collection::vec((code(), 0_u8..12, text(3)), 0..4), any::<u16>()).prop_map(
        |((id, title, description, context, group, other), files, bits)| {
            let mut task = Task::new("d", format!("t{bits}{id}"));
            task.title = title;
            task.description = description;
            task.context = context.clone();
            task.group = group.clone();
            task.language =
                ["c", "python", "rust", "javascript", "", "no such", "java"][usize::from(bits) % 7].into();
            task.provenance.error_type = [None, Some("B"), Some("C.1"), Some(other.as_str())]
                [usize::from(bits) % 4]
                .map(str::to_owned);
            task.provenance.source = Some(group);
            task.test.fail_to_pass = vec![other.clone(), "test_one".into()];
            task.protected = vec![other.clone()];
            task.test.command = Some(Command::Shell(context.clone()));
            task.test.parser = Some(Parser::ALL[usize::from(bits) % Parser::ALL.len()].name().to_owned());
            task.meta.insert(other.clone(), context.into());
            task.feedback.insert(FeedbackKind::Test, other.clone());
            if bits % 3 == 0 {
                task.mark(MarkKind::NotUtf8, other);
            }
            for (number, ((old, new), what, name)) in files.into_iter().enumerate() {
                let path = format!("src/{number}{}.c", name.replace('/', "_"));
                let (old, new) = match what {
                    0 => (Some(Content::new(vec![0_u8, 1, 2])), Some(Content::new(vec![0_u8]))),
                    1 => (
                        Some(Content::new(b"caf\xe9 \xff\xfe\n".to_vec())),
                        Some(Content::new(b"\x80\n".to_vec())),
                    ),
                    2 => (None, Some(new.as_str().into())),
                    3 => (Some(old.as_str().into()), None),
                    4 => (Some(old.as_str().into()), Some(old.as_str().into())),
                    5 => (Some("".into()), Some(new.as_str().into())),
                    6 => (Some(old.trim_end().into()), Some(new.as_str().into())),
                    7 => {
                        task.files.base.insert(path.clone(), new.as_str().into());
                        (None, None)
                    }
                    _ => (Some(old.as_str().into()), Some(new.as_str().into())),
                };
                task.files.buggy.extend(old.map(|content| (path.clone(), content)));
                task.files.reference.extend(new.map(|content| (path, content)));
            }
            task
        },
    )
}

#[derive(Debug, Clone)]
enum Step {
    Press(Vec<Key>),
    Kind(String),
    Paste(String),
    Resize(u16, u16),
    Mouse(Mouse),
    Rest,
}

/// Every key that is bound anywhere.
fn keys() -> Vec<Vec<Key>> {
    let keymap = Keymap::new();
    let written = keymap.rows().flat_map(|(_, _, keys)| keys);
    written.map(|keys| keys.split(' ').map(|key| key.parse().unwrap()).collect()).collect()
}

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        6 => (0_u16..=80, 0_u16..=30),
        1 => Just((120, 40)),
        1 => prop::sample::select(vec![(400, 12), (12, 200), (400, 120), (1, 1), (20, 5), (65_535, 1)]),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let mouse = (0_u16..90, 0_u16..35, 0_u8..3).prop_map(|(x, y, what)| match what {
        0 => Mouse::Press { x, y },
        what => Mouse::Wheel { x, y, down: what == 1 },
    });
    prop_oneof![
        12 => prop::sample::select(keys()).prop_map(Step::Press),
        // What leads on: into the task, to its tabs, to a field.
        4 => prop::sample::select(vec!["enter", "tab", "]", "/", "esc", "v", "w", "Z", "o", "?", ":", "t", "T", "3"])
            .prop_map(|key| Step::Press(vec![key.parse().unwrap()])),
        1 => text(4).prop_map(Step::Kind),
        1 => text(8).prop_map(Step::Paste),
        2 => size().prop_map(|(width, height)| Step::Resize(width, height)),
        1 => mouse.prop_map(Step::Mouse),
        2 => Just(Step::Rest),
    ]
}

fn skipped(text: &str) -> Skipped {
    Skipped { at: Location::line(text, 7), why: SkipReason::BadValue(text.to_owned()) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_breaks_a_screen(
        tasks in prop::collection::vec(task(), 0..5),
        steps in prop::collection::vec(step(), 1..50),
        size in size(),
        (theme, unicode, wrap, whole_file, layout) in (0_usize..4, prop::bool::weighted(0.8), any::<bool>(), any::<bool>(), 0_u8..3),
        label in text(5),
        (output, errors, code) in (text(40), text(40), -1..3),
    ) {
        let mut catalogue = Memory::new(tasks);
        catalogue.skipped = vec![skipped(&label)];
        catalogue.origin.label = label;
        catalogue.unreadable.insert(3);
        let layout = [Layout::Auto, Layout::Unified, Layout::SideBySide][usize::from(layout)];
        let theme = ["dark", "light", "ansi16", "mono"][theme];
        let choices = Choices { layout, wrap, whole_file };
        let mut rig = Rig::on(catalogue, Options { size, theme, unicode, choices, ..Options::default() });
        let scripted = Scripted::new(move |run| {
            run.out(&format!("1..2\n{output}\nnot ok 1 - {output}\nFAIL: test_one (a.test_one)\n{errors}\n"));
            run.err(&format!("src/0.c:1:1: error: {errors}\ntest_one ... ok\n{errors}\n"));
            if code < 0 { Exit::Broken(errors.clone()) } else { Exit::Code(code) }
        });
        rig.harness = Some(Arc::new(scripted.harness(None)));
        prop_assert_eq!(check(&rig), Ok(()));
        for step in steps {
            match step.clone() {
                Step::Press(keys) => keys.into_iter().for_each(|key| rig.send(Msg::Key(key))),
                Step::Kind(text) => drop(rig.kind(&text)),
                Step::Paste(text) => drop(rig.paste(&text)),
                Step::Resize(width, height) => drop(rig.resize(width, height)),
                Step::Mouse(mouse) => rig.send(Msg::Mouse(mouse)),
                Step::Rest => drop(rig.rest()),
            }
            prop_assert_eq!(check(&rig), Ok(()), "after {:?}", step);
            prop_assert!(unicode || rig.text().is_ascii());
        }
    }
}
