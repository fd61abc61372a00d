//! Keys as people see them: help, footer, pending sequences, palette, configured keys, themes.

use crate::rig::{Options, Rig, styles_of};
use mendbench::keymap::{Action, Context, Keymap};
use std::collections::BTreeSet;

/// What the help shows, as pairs of keys and description.
fn listed(rig: &Rig) -> BTreeSet<(String, String)> {
    let text = rig.text();
    let inside =
        text.lines().filter_map(|line| line.split_once("│ ")?.1.split_once('│').map(|parts| parts.0));
    let descriptions: Vec<&str> = Action::ALL.iter().map(|action| action.description()).collect();
    inside
        .filter_map(|line| {
            let line = line.trim_end();
            // The longest, for one description may end with another.
            let found = descriptions
                .iter()
                .filter(|text| line.ends_with(&format!("  {text}")))
                .max_by_key(|text| text.len())?;
            let keys = line.strip_suffix(found)?.trim();
            Some((keys.to_owned(), (*found).to_owned()))
        })
        .collect()
}

fn expected(keymap: &Keymap, contexts: &[Context]) -> BTreeSet<(String, String)> {
    let rows = keymap.help(contexts).into_iter().flat_map(|group| group.rows);
    rows.map(|row| (row.keys.join("  "), row.action.description().to_owned())).collect()
}

#[test]
fn the_help_lists_exactly_the_bindings_of_where_one_is() {
    let keymap = Keymap::new();
    let mut rig = Rig::samples(Options::sized(100, 100));
    rig.press("?");
    assert_eq!(listed(&rig), expected(&keymap, &[Context::Tasks, Context::Global]));
    rig.expect("What a filter may hold").expect("granularity:");
    rig.press("? enter ?");
    assert_eq!(listed(&rig), expected(&keymap, &[Context::Diff, Context::Task, Context::Global]));
    rig.expect_not("What a filter may hold").press("esc 2 ?");
    assert_eq!(listed(&rig), expected(&keymap, &[Context::Text, Context::Task, Context::Global]));
    rig.press("q").expect("2 Description");
    assert!(!rig.quit, "q closes the help first");
}

/// Whether anything could be noticed: the screen, or what was asked of the world.
fn noticeable(rig: &Rig) -> impl PartialEq + use<> {
    let world =
        (rig.copied.len(), rig.edited.len(), rig.mouse, rig.suspended, rig.redrawn, rig.quit, rig.jobs);
    (rig.text(), styles_of(&rig.buffer()), world)
}

/// A key that the help names does something or says why not, wherever one is.
#[test]
fn no_key_of_the_help_is_dead() {
    let places: [(&str, &[Context]); 4] = [
        ("", &[Context::Tasks, Context::Global]),
        ("enter", &[Context::Diff, Context::Task, Context::Global]),
        ("enter 4", &[Context::Text, Context::Task, Context::Global]),
        ("enter 5", &[Context::Text, Context::Task, Context::Global]),
    ];
    // Moving against an edge, and what is so already, may show nothing.
    let quiet = [
        Action::CursorUp,
        Action::HalfPageUp,
        Action::PageUp,
        Action::First,
        Action::ScrollLeft,
        Action::ScrollHome,
        Action::ScrollRight,
        Action::ClearFilter,
        Action::PreviewUp,
        Action::PreviewDown,
        Action::Tab1,
        Action::Tab4,
        Action::Tab5,
        Action::GotoTasks,
        Action::GotoTask,
    ];
    for (keys, contexts) in places {
        for group in Keymap::new().help(contexts) {
            for row in group.rows.iter().filter(|row| !quiet.contains(&row.action)) {
                let mut rig = Rig::samples(Options::sized(120, 12));
                rig.press("j j j j").rest().press(keys).press(if keys.is_empty() { "" } else { "j k" });
                let before = noticeable(&rig);
                rig.press(&row.keys[0]);
                assert!(
                    before != noticeable(&rig),
                    "`{}` ({}) does nothing after `{keys}`",
                    row.keys[0],
                    row.action.name()
                );
            }
        }
    }
}

#[test]
fn a_pending_key_shows_what_may_follow() {
    let mut rig = Rig::samples(Options::default());
    rig.press("j g");
    rig.expect("Go to the start").expect("Go to the list of tasks").expect("Go to the task opened last");
    rig.press("g").expect_not("Go to the start");
    assert!(rig.here().starts_with("c-content-charset"));
    // A key that does not follow ends the sequence and does nothing else.
    rig.press("g j").expect_not("Go to the start");
    assert!(rig.here().starts_with("c-content-charset"));
    rig.press("g esc").expect_not("Go to the start").expect_not("q leaves");
    // So do the mouse and a paste.
    rig.press("g").paste("x").expect_not("Go to the start");
    rig.press("g").click(5, 6).expect_not("Go to the start");
}

#[test]
fn the_palette_finds_an_action_by_words_and_does_it() {
    let mut rig = Rig::samples(Options::default());
    rig.press(":").expect("Commands").kind("sort column").expect("Sort by the next column");
    rig.press("enter").expect("sorted by id").expect_not("Commands");
    rig.press(":").kind("zzzz").expect("no such command").press("enter").expect("Commands");
    rig.press("esc").expect_not("Commands");
    rig.press(":").paste("group the\nlist").press("enter").expect("gathered by group");
    // Actions of the screen below it.
    rig.press("o o o o o enter :").kind("provenance").press("esc :").kind("comes from").press("enter");
    rig.expect("Provenance").expect("revision");
    rig.press(":").kind("leave mendbench").press("enter");
    assert!(rig.quit);
}

#[test]
fn the_palette_moves_its_cursor_and_shows_keys() {
    let mut rig = Rig::samples(Options::default());
    rig.press(":");
    let text = rig.text();
    assert!(text.contains("Move down") && text.contains(" j "), "{text}");
    rig.press("down down up enter");
    // The second entry of the table.
    assert!(rig.here().starts_with("c-content-charset"));
    rig.press(": pagedown pagedown pagedown pagedown pagedown pagedown pagedown").expect("Theme:");
}

#[test]
fn a_theme_is_found_by_name_and_a_switch_keeps_everything() {
    let mut rig = Rig::samples(Options::sized(120, 30));
    rig.press("/").kind("lang:c").press("enter j o o o j enter } z w /").kind("return").press("enter");
    let text = rig.text();
    let styles = styles_of(&rig.buffer());
    let body = |text: &str| text.lines().take(29).map(str::to_owned).collect::<Vec<_>>();
    for theme in crate::rig::themes() {
        rig.press(":").kind(&format!("theme: {}", theme.name)).press("enter");
        rig.expect(&format!("theme {}", theme.name));
        assert_eq!(body(&text), body(&rig.text()), "{}", theme.name);
    }
    assert_ne!(styles, styles_of(&rig.buffer()));
    rig.press("esc");
    for _ in crate::rig::themes() {
        rig.press("ctrl-t").expect("theme ");
    }
    rig.press("esc").expect("/ lang:c").expect("by language");
}

#[test]
fn configured_keys_show_in_footer_and_help_and_work() {
    let keys = "[keys.tasks]\nsort_next = [\"ctrl-s\"]\ngroup_by_next = []\n[keys.global]\nhelp = \"f1\"\n";
    let mut rig = Rig::samples(Options { keys, ..Options::sized(100, 100) });
    let footer = rig.footer();
    assert!(footer.contains("ctrl-s sort") && footer.contains("f1 help"), "{footer}");
    assert!(!footer.contains("o group") && !footer.contains("? help"), "{footer}");
    rig.press("s o ?").expect_not("sorted by").expect_not("grouped").expect_not("Movement");
    rig.press("ctrl-s").expect("sorted by id");
    rig.press("f1");
    let keymap = Keymap::new().with_overrides("config.toml", keys).unwrap();
    let shown = listed(&rig);
    assert_eq!(shown, expected(&keymap, &[Context::Tasks, Context::Global]));
    assert!(shown.contains(&("ctrl-s".to_owned(), "Sort by the next column".to_owned())));
    assert!(!shown.iter().any(|(_, what)| what.starts_with("Group the list")));
    // What has no key is still a command.
    rig.press("esc :").kind("group the list").press("enter").expect("gathered by group");
}

#[test]
fn the_footer_names_keys_of_where_one_is() {
    let mut rig = Rig::samples(Options::sized(200, 24));
    for (keys, contexts) in [
        ("", &[Context::Tasks, Context::Global][..]),
        ("/", &[Context::Filter]),
        ("esc enter", &[Context::Diff, Context::Task, Context::Global]),
        ("2", &[Context::Text, Context::Task, Context::Global]),
        (":", &[Context::Palette]),
        ("esc ?", &[Context::Help, Context::Global]),
    ] {
        rig.press(keys);
        // Only hints of the table, in its order, and not all of them where some mean nothing now.
        let mut rest = rig.footer();
        let mut shown = 0;
        for hint in Keymap::new().footer(contexts, |_| true) {
            let text = format!(" {} {}", hint.key, hint.label);
            if let Some(after) = rest.strip_prefix(&text) {
                rest = after.strip_prefix(' ').unwrap_or(after).to_owned();
                shown += 1;
            }
        }
        assert_eq!(rest, "", "after {keys}");
        assert!(shown >= 2, "after {keys}: {}", rig.footer());
    }
}

#[test]
fn the_mouse_key_asks_the_terminal() {
    let mut rig = Rig::samples(Options::default());
    rig.press("M").expect("the mouse belongs to mendbench");
    assert_eq!(rig.mouse, Some(true));
    rig.press("M").expect("the mouse belongs to the terminal");
    assert_eq!(rig.mouse, Some(false));
    rig.press("ctrl-z ctrl-l");
    assert_eq!((rig.suspended, rig.redrawn), (1, 1));
}
