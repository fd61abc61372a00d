//! What is pictured, and how the pictures are kept.

use crate::rig::{Memory, Options, Rig, styles_of, task, themes};
use crate::scripted::Scripted;
use crate::talker::{RIGHT, Say, THOUGHTS, WORDS, WRONG, workbench};
use mendbench::dataset::{Location, SkipReason, Skipped};
use mendbench::repair::event::What;
use mendbench::sandbox::Exit;
use mendbench::task::Command;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

/// The themes whose styles are kept.
const STYLED: [&str; 4] = ["dark", "light", "ansi16", "mono"];

type Story = fn(Options) -> Rig;

/// Screens by name; the second part says whether their styles are kept.
const STORIES: &[(&str, bool, Story)] = &[
    ("tasks", true, |options| samples(options, "j")),
    ("tasks_filtering", false, |options| {
        let mut rig = samples(options, "/");
        rig.kind("lang:c queue").rest();
        rig
    }),
    ("tasks_filter_error", false, |options| {
        let mut rig = samples(options, "/");
        rig.kind("lang:c lnag:py").rest();
        rig
    }),
    ("tasks_grouped", false, |options| samples(options, "o o o g g h j j s")),
    ("tasks_nothing_found", false, |options| {
        let mut rig = samples(options, "/");
        rig.kind("lang:cobol").press("enter");
        rig
    }),
    ("tasks_marked", false, |options| marked(options)),
    ("tasks_loading", false, |options| Rig::before_reading(Arc::new(Memory::samples()), options)),
    ("tasks_empty", false, |options| Rig::tasks(Vec::new(), options)),
    ("tasks_failed", false, |options| {
        Rig::on(Memory { breaks_off: true, ..Memory::new(Vec::new()) }, options)
    }),
    ("skipped", false, |options| {
        let mut rig = marked(options);
        rig.press("!");
        rig
    }),
    ("diff_unified", true, |options| samples(options, "G k k k enter v Z Z").unified()),
    ("diff_side_by_side", true, |options| samples(options, "G k k k enter").side_by_side()),
    ("diff_searching", false, |options| {
        let mut rig = samples(options, "G k k k enter /");
        rig.kind("start");
        rig
    }),
    ("diff_search", false, |options| {
        let mut rig = samples(options, "G k k k enter /");
        rig.kind("start").press("enter n");
        rig
    }),
    ("diff_wrapped", false, |options| samples(options, "enter w").unified()),
    ("diff_nothing", false, |options| {
        let mut rig = Rig::tasks(vec![task("identical", "same\n", "same\n")], options);
        rig.press("enter");
        rig
    }),
    ("task_description", false, |options| samples(options, "enter 2")),
    ("task_tests", false, |options| samples(options, "enter 3")),
    ("tests_running", false, |options| running(options)),
    ("tests_failed", true, |options| tested(options, "t")),
    ("tests_passed", false, |options| tested(options, "T")),
    ("tests_output", false, |options| tested(options, "t o")),
    ("tests_mark", false, |options| tested(options, "t enter")),
    ("task_context", false, |options| samples(options, "enter 4")),
    ("task_provenance", false, |options| samples(options, "enter 5")),
    ("task_failed", false, |options| {
        let tasks = vec![task("broken", "a\n", "b\n")];
        let mut rig = Rig::on(Memory { unreadable: HashSet::from([0]), ..Memory::new(tasks) }, options);
        rig.press("enter");
        rig
    }),
    ("launch", false, |options| {
        let mut rig = workbench(options, &[]);
        rig.press("r j j");
        rig
    }),
    ("repair_thinking", false, |options| {
        underway(options, &[Say::Text(THOUGHTS, RIGHT)], |what| matches!(what, What::AnswerDelta(_)))
    }),
    ("repair_streaming", true, |options| {
        let says = [Say::Text(THOUGHTS, WRONG), Say::Text("", RIGHT)];
        let wanted = |what: &What| matches!(what, What::AnswerDelta(data) if data.text.contains("rb->buf"));
        held(options, &says).to(|event| event.turn == 2 && wanted(&event.what)).rig
    }),
    ("repair_testing", false, |options| {
        let wanted = |what: &What| matches!(what, What::TestFinished(data) if data.done == 5);
        held(options, &[Say::Text(THOUGHTS, WRONG)]).to(|event| event.turn == 1 && wanted(&event.what)).rig
    }),
    ("repair_failed", false, |options| repaired(options, &[WRONG, WORDS, WRONG], "")),
    ("repair_repaired", true, |options| repaired(options, &[WRONG, RIGHT], "")),
    ("repair_change", false, |options| repaired(options, &[WRONG, RIGHT], "2 d")),
    ("repair_tests", false, |options| repaired(options, &[WRONG, RIGHT], "left 3")),
    ("repair_turns", false, |options| repaired(options, &[WRONG, WORDS, RIGHT], "4 k")),
    ("repair_output", false, |options| repaired(options, &[WRONG, RIGHT], "left o")),
    ("repair_infrastructure", false, |options| repaired(options, &[], "")),
    ("repair_feedback", false, |options| {
        let says = [Say::Text("", RIGHT)];
        let mut rig = underway(options, &says, |what| matches!(what, What::AnswerDelta(_)));
        rig.press("f").kind("len counts, head and tail do not");
        rig
    }),
    ("runs", false, |options| repaired(options, &[WRONG, RIGHT], "g u")),
    ("trajectories", false, |options| repaired(options, &[WRONG, RIGHT], "g u enter")),
    ("help_repair", false, |options| repaired(options, &[RIGHT], "?")),
    ("help", true, |options| samples(options, "?")),
    ("help_diff", false, |options| samples(options, "enter ?")),
    ("palette", true, |options| {
        let mut rig = samples(options, ":");
        rig.kind("theme").press("down");
        rig
    }),
    ("pending", false, |options| samples(options, "g")),
];

/// A repair that was started, up to an event of the model's own turns.
struct Underway {
    rig: Rig,
    messages: std::collections::VecDeque<mendbench::tui::msg::Msg>,
}

fn underway(options: Options, says: &[Say], wanted: fn(&What) -> bool) -> Rig {
    held(options, says).to(|event| event.turn > 0 && wanted(&event.what)).rig
}

fn held(options: Options, says: &[Say]) -> Underway {
    let mut rig = workbench(options, says);
    rig.hold_repairs = true;
    rig.press("r enter");
    let messages = rig.repair();
    Underway { rig, messages }
}

impl Underway {
    fn to(mut self, wanted: impl Fn(&mendbench::repair::RunEvent) -> bool) -> Underway {
        self.rig.until_event(&mut self.messages, wanted);
        self
    }
}

/// A repair that has ended.
fn repaired(options: Options, says: &[&'static str], keys: &str) -> Rig {
    let says: Vec<Say> = says.iter().map(|text| Say::Text("", text)).collect();
    let mut rig = workbench(options, &says);
    rig.press("r enter").press(keys);
    rig
}

fn samples(options: Options, keys: &str) -> Rig {
    let mut rig = Rig::samples(options);
    rig.rest().press(keys).rest();
    rig
}

/// The first sample task, its tests played by a script.
fn with_tests(options: Options) -> Rig {
    let scripted = Scripted::new(|run| {
        if run.command.starts_with("gcc") {
            run.err(
                "src/headers.c:9:12: \x1b[35mwarning:\x1b[0m unused variable 'end' [-Wunused-variable]\n",
            );
            return Exit::Code(0);
        }
        let buggy = run.tree["src/headers.c"].windows(4).all(|bytes| bytes != b"NULL");
        run.out("1..5\nok 1 - quoted\n");
        if buggy {
            run.out("not ok 2 - missing\n# src/headers.c:8:5: runtime error: load of null pointer\n");
        } else {
            run.out("ok 2 - missing\n");
        }
        run.out("ok 3 - plain\nok 4 - upper # SKIP needs a locale\nok 5 - empty\n");
        Exit::Code(i32::from(buggy))
    });
    let mut made = task(
        "content-type",
        CODE,
        &CODE.replace("    char", "    if (type == NULL)\n        return 0;\n    char"),
    );
    made.files.buggy = [("src/headers.c".to_owned(), CODE.into())].into();
    made.files.reference = [(
        "src/headers.c".to_owned(),
        CODE.replace("    char", "    if (type == NULL)\n        return 0;\n    char").as_str().into(),
    )]
    .into();
    made.language = "c".to_owned();
    made.title = "Crash on an answer without a type".to_owned();
    made.test.build = Some(Command::Shell("gcc -std=c11 -Wall -o run_tests src/headers.c".to_owned()));
    made.test.command = Some(Command::Arguments(vec!["./run_tests".to_owned()]));
    made.test.parser = Some("tap".to_owned());
    made.test.fail_to_pass = vec!["missing".to_owned()];
    made.test.pass_to_pass = vec!["quoted".to_owned(), "plain".to_owned(), "empty".to_owned()];
    let mut rig = Rig::tasks(vec![made], options);
    rig.harness = Some(Arc::new(scripted.harness(None)));
    rig.press("enter 3");
    rig
}

const CODE: &str = "#include \"headers.h\"\n\n/* Length of the charset of a type, or 0. */\nsize_t charset(const char *type)\n{\n    char *mark;\n    int end = 0;\n    mark = strchr(type, ';');\n    return mark == 0 ? 0 : strlen(mark);\n}\n";

fn tested(options: Options, keys: &str) -> Rig {
    let mut rig = with_tests(options);
    rig.press(keys);
    rig
}

fn running(options: Options) -> Rig {
    let mut rig = with_tests(options);
    rig.hold_runs = true;
    rig.press("t");
    let mut messages = rig.run();
    rig.until(&mut messages, "testing 1/4");
    rig
}

/// Tasks with remarks, and rows that were skipped.
fn marked(options: Options) -> Rig {
    let mut tasks =
        vec![task("latin", "a\n", "b\n"), task("missing", "a\n", "b\n"), task("fine", "a\n", "b\n")];
    tasks[0].mark(mendbench::task::MarkKind::NotUtf8, "src/main.c: shown as Latin-1");
    tasks[1].files.reference.clear();
    tasks[1].mark(mendbench::task::MarkKind::MissingReference, "no file of the reference version");
    let mut catalogue = Memory::new(tasks);
    let row = |line, why| Skipped { at: Location::line("memory.jsonl", line), why };
    catalogue.skipped = vec![
        row(4, SkipReason::Empty),
        row(9, SkipReason::Empty),
        row(12, SkipReason::MissingKey("`task_id`".to_owned())),
        row(17, SkipReason::HalfWritten),
    ];
    Rig::on(catalogue, options)
}

impl Rig {
    fn unified(mut self) -> Rig {
        if self.shows("│") {
            self.press("v");
        }
        self
    }

    fn side_by_side(mut self) -> Rig {
        if !self.shows("│") {
            self.press("v");
        }
        self
    }
}

fn name(story: &str, (width, height): (u16, u16)) -> String {
    format!("{story}_{width}x{height}")
}

fn keep(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn options(size: (u16, u16), theme: &'static str) -> Options {
    Options { size, theme, ..Options::default() }
}

fn picture(wanted: &str) {
    let (story, styled, rig) = STORIES.iter().find(|(name, ..)| *name == wanted).unwrap();
    for size in SIZES {
        let text = rig(options(size, "dark")).text();
        for theme in ["light", "ansi16", "mono"] {
            assert_eq!(rig(options(size, theme)).text(), text, "the text depends on the theme {theme}");
        }
        keep(&name(story, size), &text);
        for theme in STYLED.into_iter().filter(|_| *styled) {
            let styles = styles_of(&rig(options(size, theme)).buffer());
            keep(&format!("{}_{theme}", name(story, size)), &styles);
        }
    }
}

macro_rules! pictures {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            picture(stringify!($name));
        })*

        #[test]
        fn every_story_is_pictured() {
            let pictured = BTreeSet::from([$(stringify!($name)),*]);
            assert_eq!(pictured, STORIES.iter().map(|(name, ..)| *name).collect());
        }
    };
}

pictures! {
    tasks tasks_filtering tasks_filter_error tasks_grouped tasks_nothing_found tasks_marked tasks_loading
    tasks_empty tasks_failed skipped diff_unified diff_side_by_side diff_searching diff_search diff_wrapped diff_nothing
    launch repair_thinking repair_streaming repair_testing repair_failed repair_repaired repair_change
    repair_tests repair_turns repair_output repair_infrastructure repair_feedback runs trajectories help_repair
    task_description task_tests tests_running tests_failed tests_passed tests_output tests_mark task_context task_provenance task_failed help help_diff palette pending
}

/// What has room to spare.
#[test]
fn wide() {
    for (story, _, rig) in STORIES.iter().filter(|(name, ..)| WIDE.contains(name)) {
        keep(&name(story, (140, 40)), &rig(options((140, 40), "dark")).text());
    }
}

const WIDE: [&str; 6] = [
    "tests_running",
    "tests_failed",
    "repair_streaming",
    "repair_testing",
    "repair_repaired",
    "repair_infrastructure",
];

#[test]
fn too_small() {
    let mut rig = Rig::samples(Options::sized(19, 4));
    keep("too_small_19x4", &rig.text());
    rig.resize(20, 5);
    keep("smallest_20x5", &rig.text());
}

#[test]
fn ascii() {
    for (story, _, rig) in STORIES.iter().filter(|(name, ..)| ["tasks", "diff_side_by_side"].contains(name)) {
        let options = Options { unicode: false, ..options((120, 40), "mono") };
        keep(&format!("{story}_120x40_ascii"), &rig(options).text());
    }
}

/// Screens with a colour of their own look different in every theme.
#[test]
fn themes_differ() {
    let (_, _, rig) = STORIES[0];
    let looks: HashSet<String> = themes()
        .iter()
        .map(|theme| {
            let name: &'static str =
                mendbench::theme::BUILT_IN.iter().find(|(name, _)| *name == theme.name).unwrap().0;
            styles_of(&rig(options((80, 24), name)).buffer())
        })
        .collect();
    assert_eq!(looks.len(), themes().len());
}

/// Pictures of screens that are gone go too, and there are few enough to be looked through.
#[test]
fn no_picture_is_left_over() {
    let mut expected = BTreeSet::from([
        "too_small_19x4".to_owned(),
        "smallest_20x5".to_owned(),
        "tasks_120x40_ascii".to_owned(),
        "diff_side_by_side_120x40_ascii".to_owned(),
    ]);
    expected.extend(WIDE.map(|story| name(story, (140, 40))));
    for (story, styled, _) in STORIES {
        for size in SIZES {
            expected.insert(name(story, size));
            expected.extend(
                STYLED.iter().filter(|_| *styled).map(|theme| format!("{}_{theme}", name(story, size))),
            );
        }
    }
    assert!(expected.len() < 270, "{}", expected.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let kept =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The folders beside them are those of other tests.
    let kept = kept.filter(|file| file.contains('.'));
    let left_over: Vec<String> = kept
        .filter(|file| file.strip_suffix(".snap").is_none_or(|name| !expected.contains(name)))
        .filter(|file| !file.ends_with(".snap.new"))
        .collect();
    assert_eq!(left_over, Vec::<String>::new(), "in tests/snapshots: delete them");
}
