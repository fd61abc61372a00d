//! Tests of the room: the table as it comes, what configuration does to it, and what people see of it.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

/// The stacks that the workbench uses.
const STACKS: [&[Context]; 12] = [
    &[Context::Tasks, Context::Global],
    &[Context::Diff, Context::Task, Context::Global],
    &[Context::Text, Context::Task, Context::Global],
    &[Context::Filter, Context::Global],
    &[Context::Palette, Context::Global],
    &[Context::Help, Context::Global],
    &[Context::Message, Context::Global],
    &[Context::Confirm, Context::Global],
    &[Context::Global],
    &[Context::Repair, Context::Global],
    &[Context::Runs, Context::Global],
    &[Context::Launch, Context::Global],
];

fn key(text: &str) -> Key {
    text.parse().unwrap()
}

fn look(stack: &[Context], keys: &str) -> Lookup {
    let keys: Vec<Key> = keys.split_whitespace().map(key).collect();
    let (last, pending) = keys.split_last().unwrap();
    Keymap::new().lookup(stack, pending, *last)
}

#[test]
fn the_table_has_no_clash_and_every_key_in_it_can_be_read() {
    Keymap::new().check().unwrap();
    for defaults::Row(action, contexts, keys) in defaults::TABLE {
        for written in *keys {
            let sequence: Sequence = written.parse().unwrap();
            assert_eq!(sequence.to_string(), *written, "not written the way it is shown");
            let typed = sequence.keys()[0].typed().is_some();
            assert!(!(typed && contexts.iter().any(|context| context.is_typing())), "{action:?} {written}");
        }
    }
}

#[test]
fn every_action_and_context_is_in_the_table_and_names_are_names() {
    for action in Action::ALL.iter().copied() {
        assert!(defaults::TABLE.iter().any(|row| row.0 == action), "{action:?}");
        assert_eq!(Action::parse(action.name()), Some(action));
        assert!(action.name().bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')));
        let description = action.description();
        assert!(description.chars().next().unwrap().is_uppercase() && !description.ends_with('.'));
    }
    for context in Context::ALL {
        assert!(defaults::TABLE.iter().any(|row| row.1.contains(&context)), "{context:?}");
        assert_eq!(Context::parse(context.name()), Some(context));
    }
}

#[test]
fn no_default_key_hides_a_global_one_except_where_meant() {
    let shadows: Vec<_> = Keymap::new()
        .shadows()
        .into_iter()
        .map(|shadow| (shadow.context, shadow.key, shadow.action))
        .collect();
    let expected = [
        (Context::Confirm, "esc", Action::Decline),
        (Context::Confirm, "q", Action::Decline),
        (Context::Filter, "ctrl-c", Action::Back),
        (Context::Palette, "ctrl-c", Action::Back),
        (Context::Help, "q", Action::Back),
        (Context::Help, "?", Action::Back),
        (Context::Message, "q", Action::Back),
    ];
    for (context, key, action) in &expected {
        assert!(shadows.contains(&(*context, (*key).to_owned(), *action)), "{context:?} {key}");
    }
    assert_eq!(shadows.len(), expected.len(), "{shadows:?}");
}

#[test]
fn overlay_comes_before_screen_before_global() {
    let tasks: &[Context] = STACKS[0];
    let diff: &[Context] = STACKS[1];
    let table = [
        (tasks, "j", Lookup::Hit(Action::CursorDown)),
        (tasks, "enter", Lookup::Hit(Action::Open)),
        (diff, "enter", Lookup::Hit(Action::FoldToggle)),
        (tasks, "g", Lookup::Pending),
        (tasks, "g g", Lookup::Hit(Action::First)),
        (tasks, "g t", Lookup::Hit(Action::GotoTasks)),
        (tasks, "g x", Lookup::None),
        (diff, "}", Lookup::Hit(Action::NextHunk)),
        (diff, "]", Lookup::Hit(Action::NextTask)),
        (diff, "q", Lookup::Hit(Action::Quit)),
        (STACKS[5], "q", Lookup::Hit(Action::Back)),
        (STACKS[7], "y", Lookup::Hit(Action::Confirm)),
        (STACKS[7], "enter", Lookup::Hit(Action::Confirm)),
        (STACKS[7], "ctrl-c", Lookup::Hit(Action::Quit)),
    ];
    for (stack, keys, expected) in table {
        assert_eq!(look(stack, keys), expected, "{keys} in {stack:?}");
    }
}

#[test]
fn letters_are_typed_where_text_is_typed() {
    for stack in [STACKS[3], STACKS[4]] {
        for character in "jkqgG/?:T ynM12".chars() {
            assert_eq!(Keymap::new().lookup(stack, &[], Key::char(character)), Lookup::None);
        }
        assert_eq!(look(stack, "esc"), Lookup::Hit(Action::Back));
        assert_eq!(look(stack, "ctrl-l"), Lookup::Hit(Action::Redraw));
        assert_eq!(look(stack, "down"), Lookup::Hit(Action::CursorDown));
    }
}

#[test]
fn keys_are_read_the_way_they_are_shown() {
    let same = [
        "j",
        "G",
        "?",
        "-",
        "space",
        "ctrl-d",
        "alt-x",
        "ctrl-alt-x",
        "shift-tab",
        "f12",
        "shift-up",
        "ctrl--",
        "ä",
        "g g",
    ];
    for text in same {
        assert_eq!(text.parse::<Sequence>().unwrap().to_string(), text);
    }
    let table = [
        ("shift-g", "G"),
        ("Ctrl-D", "ctrl-d"),
        ("ENTER", "enter"),
        ("shift-ctrl-x", "ctrl-x"),
        ("F5", "f5"),
        (" g  t ", "g t"),
    ];
    for (written, shown) in table {
        assert_eq!(written.parse::<Sequence>().unwrap().to_string(), shown, "{written}");
    }
    for wrong in [
        "",
        "ctrl-",
        "ctrl-ctrl-x",
        "hyper-x",
        "return!",
        "f0",
        "f25",
        "gg",
        "g g g g",
        "\t",
        "ctrl-i",
        "ctrl-m",
        "ctrl-[",
    ] {
        assert!(wrong.parse::<Sequence>().is_err(), "{wrong:?}");
    }
    let message = "ctrl-i".parse::<Sequence>().unwrap_err().to_string();
    assert_eq!(message, "terminals send `tab` for `ctrl-i`: write `tab`");
}

#[test]
fn presses_have_one_form() {
    let press = Key::new;
    assert_eq!(press(KeyCode::Char('g'), false, false, true), Key::char('G'));
    assert_eq!(press(KeyCode::Char('G'), false, false, true), Key::char('G'));
    assert_eq!(press(KeyCode::Char('?'), false, false, true), Key::char('?'));
    assert_eq!(press(KeyCode::Char('D'), true, false, true), key("ctrl-d"));
    assert_eq!(press(KeyCode::Tab, false, false, true), press(KeyCode::BackTab, false, false, true));
    assert_eq!(press(KeyCode::Char('ß'), false, false, true), Key::char('ß'), "has no single capital");
    assert_eq!(Key::char('x').typed(), Some('x'));
    assert_eq!(key("ctrl-x").typed(), None);
}

#[test]
fn configured_keys_replace_and_take_away() {
    let text = "theme = \"dark\"\n[keys.tasks]\ncursor_down = [\"n\", \"down\"]\nsort_next = []\n[keys.diff]\nquit = \"Q\"\n";
    let keymap = Keymap::new().with_overrides("config.toml", text).unwrap();
    let tasks = STACKS[0];
    assert_eq!(keymap.lookup(tasks, &[], key("n")), Lookup::Hit(Action::CursorDown));
    assert_eq!(keymap.lookup(tasks, &[], key("j")), Lookup::None);
    assert_eq!(keymap.lookup(tasks, &[], key("s")), Lookup::None);
    assert_eq!(keymap.lookup(STACKS[1], &[], key("Q")), Lookup::Hit(Action::Quit));
    assert_eq!(keymap.lookup(STACKS[1], &[], key("j")), Lookup::Hit(Action::CursorDown));
    let hint = |action| keymap.footer(tasks, |_| true).into_iter().find(|hint| hint.action == action);
    assert_eq!(hint(Action::SortNext), None);
    assert_eq!(Keymap::new().with_overrides("config.toml", "theme = \"dark\"").unwrap(), Keymap::new());
}

#[test]
fn errors_name_everything_and_the_next_step() {
    let table = [
        (
            "[keys.diff]\ntoggle_wrap = [\"v\"]",
            "config.toml:2: [keys.diff]: `v` means `toggle_wrap` here and also means `toggle_side_by_side` \
             (as mendbench comes); give one of them other keys, or none: toggle_side_by_side = []",
        ),
        (
            "[keys.tasks]\nsort_next = [\"x\"]\n\nfilter = [\"x\"]",
            "config.toml:4: [keys.tasks]: `x` means `filter` here and also means `sort_next` (config.toml:2)",
        ),
        (
            "[keys.tasks]\nopen = [\"g\"]",
            "config.toml:2: [keys.tasks]: `g` means `open` here and `g g` means `first` (as mendbench comes)",
        ),
        ("[keys.tasks]\nopen = [\"x\", \"x y\"]", "`x y` means `open` here and `x` means `open`"),
        ("[keys.task]\nopen = [\"x\"]", "[keys.task]: `open` does nothing there; it works in: tasks"),
        (
            "[keys.tsks]\nopen = [\"x\"]",
            "config.toml:1: `tsks` is no context of keys (did you mean `tasks`?)",
        ),
        (
            "[keys.tasks]\nopne = [\"x\"]",
            "config.toml:2: [keys.tasks]: there is no action `opne` (did you mean `open`?)",
        ),
        ("[keys.tasks]\nopen = 3", "[keys.tasks]: `open` takes a list of keys"),
        (
            "[keys.tasks]\nopen = [\n  \"x\",\n  \"hyper-x\",\n]",
            "config.toml:4: [keys.tasks]: `open`: `hyper-x` is no key",
        ),
        (
            "[keys.filter]\naccept = [\"x\"]",
            "[keys.filter]: `x` cannot mean `accept`, because it is typed there",
        ),
        ("keys = 3", "config.toml:1: `keys` is no context of keys"),
        ("[keys.tasks\n", "config.toml:1: not valid TOML"),
    ];
    for (text, part) in table {
        let message = Keymap::new().with_overrides("config.toml", text).unwrap_err().to_string();
        assert!(message.contains(part), "{text:?} gave\n{message}\nwanted\n{part}");
    }
}

#[test]
fn the_footer_offers_what_can_be_done_now() {
    let keymap = Keymap::new();
    let all: Vec<_> =
        keymap.footer(STACKS[0], |_| true).into_iter().map(|hint| (hint.key, hint.label)).collect();
    let first =
        [("enter".into(), "open"), ("/".into(), "filter"), ("r".into(), "repair"), ("?".into(), "help")];
    assert_eq!(all[..4], first);
    assert!(all.contains(&("q".into(), "quit")));
    let some = keymap.footer(STACKS[0], |action| action != Action::Open);
    assert!(some.iter().all(|hint| hint.action != Action::Open) && some.len() + 1 == all.len());
    let typing: Vec<_> = keymap.footer(STACKS[3], |_| true).into_iter().map(|hint| hint.key).collect();
    assert_eq!(typing, ["enter", "ctrl-u", "esc", "ctrl-c"].map(str::to_owned)[..3].to_vec());
}

#[test]
fn everything_shown_does_what_it_says() {
    let keymap = Keymap::new();
    for stack in STACKS {
        let shown = keymap
            .help(stack)
            .into_iter()
            .flat_map(|group| group.rows)
            .flat_map(|row| row.keys.into_iter().map(move |keys| (row.action, keys)))
            .chain(keymap.footer(stack, |_| true).into_iter().map(|hint| (hint.action, hint.key)))
            .chain(
                keymap.commands(stack).into_iter().filter_map(|command| Some((command.action, command.key?))),
            );
        let mut count = 0;
        for (action, keys) in shown {
            assert_eq!(look(stack, &keys), Lookup::Hit(action), "{keys} in {stack:?}");
            count += 1;
        }
        assert!(count > 0);
    }
}

#[test]
fn a_prefix_tells_how_it_goes_on() {
    let keymap = Keymap::new();
    let found: Vec<_> = keymap
        .continuations(STACKS[0], &[key("g")])
        .into_iter()
        .map(|next| (next.keys, next.action))
        .collect();
    let expected = [
        ("a", Action::GotoAnnotate),
        ("d", Action::GotoDiscuss),
        ("g", Action::First),
        ("k", Action::GotoAgreement),
        ("o", Action::GotoTask),
        ("r", Action::GotoRepair),
        ("s", Action::GotoRounds),
        ("t", Action::GotoTasks),
        ("u", Action::GotoRuns),
    ];
    assert_eq!(found, expected.map(|(keys, action)| (keys.to_owned(), action)));
    assert!(keymap.continuations(STACKS[0], &[]).is_empty());
}

#[test]
fn codebooks_can_ask_what_is_taken() {
    let keymap = Keymap::new();
    assert!(keymap.is_bound(Context::Diff, key("j")) && keymap.is_bound(Context::Diff, key("g")));
    assert!(keymap.is_bound(Context::Diff, key("?")));
    assert!(!keymap.is_bound(Context::Diff, key("b")));
}

#[test]
fn the_readme_table_lists_every_bound_key() {
    let table = Keymap::new().markdown_table();
    assert!(
        table.contains(
            "| `j` `down` | Move down | list of tasks, difference, tests, text, repair, list of runs, labelling, \
             discussion and adjudication, agreement, rounds, launch sheet, help, message |"
        ),
        "{table}"
    );
    for defaults::Row(_, _, keys) in defaults::TABLE {
        keys.iter().for_each(|key| assert!(table.contains(&format!("`{key}`")), "{key}"));
    }
}

fn any_key() -> impl Strategy<Value = Key> {
    let code = prop_oneof![
        any::<char>().prop_filter("a key", |c| !c.is_control() && !c.is_whitespace()).prop_map(KeyCode::Char),
        (1u8..=24).prop_map(KeyCode::F),
        prop::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Tab,
            KeyCode::Up,
            KeyCode::Char(' '),
            KeyCode::Home
        ]),
    ];
    (code, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(code, ctrl, alt, shift)| Key::new(code, ctrl, alt, shift))
        .prop_filter("told apart by terminals", |key| key.to_string().parse::<Key>().is_ok())
}

proptest! {
    #[test]
    fn a_shown_key_is_read_back(key in any_key()) {
        prop_assert_eq!(key.to_string().parse::<Key>().unwrap(), key);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}") {
        let _ = text.parse::<Sequence>();
        let _ = Keymap::new().with_overrides("config.toml", &text);
        let _ = Keymap::new().with_overrides("config.toml", &format!("[keys.tasks]\nopen = [\"{text}\"]"));
    }

    /// Whatever is configured, what loads has one meaning per key, and the prefix rule holds.
    #[test]
    fn what_loads_is_unambiguous(keys in prop::collection::vec(("[a-z]{1}( [a-z])?", 0usize..6), 1..5)) {
        let actions = ["open", "sort_next", "first", "preview_toggle", "filter", "quit"];
        let mut text = String::from("[keys.tasks]\n");
        let mut seen = Vec::new();
        for (key, index) in &keys {
            if !seen.contains(index) {
                text.push_str(&format!("{} = [\"{key}\"]\n", actions[*index]));
                seen.push(*index);
            }
        }
        if let Ok(keymap) = Keymap::new().with_overrides("config.toml", &text) {
            for entry in keymap.entries.iter().filter(|entry| entry.context == Context::Tasks) {
                for sequence in &entry.keys {
                    prop_assert_eq!(keymap.reaches(&[Context::Tasks], sequence), Some(entry.action));
                }
            }
        }
    }
}
