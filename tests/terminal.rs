//! The terminal as another program sees it: a pseudo-terminal with an emulator at its end.
//!
//! The program under test is this test binary, called anew with a scene to play (see `scene`): a small loop over
//! `mendbench::tui::terminal`. Nothing sleeps; everything waits for output, with a deadline.

#![allow(clippy::unwrap_used, missing_docs)]

mod pty;

use mendbench::tui::terminal::{self, Events, Input, Options, Terminal};
use portable_pty::CommandBuilder;
use pty::Session;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use std::io::Write;
use std::process::{Command, Stdio};

/// Set where the test binary plays a scene.
const SCENE: &str = "MENDBENCH_TERMINAL_SCENE";

/// Rows and columns of the terminal.
const SIZE: (u16, u16) = (24, 80);

/// A program that asks for a line, in place of an editor.
const EDITOR: &str =
    "trap 'echo interrupted; exit 0' INT; echo in the editor; read answer; echo \"got $answer\"";

/// Not a test by itself: what the child process does.
#[test]
fn scene() {
    let Ok(scene) = std::env::var(SCENE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let code = runtime.block_on(play(&scene));
    // The library's test harness would add its own report.
    std::process::exit(code.into());
}

async fn play(scene: &str) -> u8 {
    let background = if scene == "ask" { format!("{:?}", terminal::ask_background()) } else { String::new() };
    let mut terminal = match Terminal::enter(Options { mouse: scene == "mouse", focus: scene == "mouse" }) {
        Ok(terminal) => terminal,
        Err(error) => {
            std::io::stderr().write_all(format!("scene: {error}\n").as_bytes()).unwrap();
            return 2;
        }
    };
    let mut events = Events::new().unwrap();
    let (mut note, mut resumed, mut edited) = (format!("nothing yet {background}"), 0, 0);
    loop {
        let size = terminal.size();
        let lines = [
            format!("ready {}x{}", size.width, size.height),
            format!("note: {note}"),
            format!("resumed {resumed} edited {edited}"),
        ];
        let draw = |frame: &mut ratatui::Frame<'_>| {
            for (row, line) in (0..).zip(&lines) {
                let area = Rect::new(0, row, frame.area().width, 1).intersection(frame.area());
                frame.render_widget(Line::styled(line.as_str(), Style::new().fg(Color::Green)), area);
            }
        };
        // A terminal that is gone cannot be drawn on; the reason comes as an input.
        let _ = terminal.draw(draw);
        match events.next().await {
            Input::Key(key) => match key.code.as_char() {
                Some('q') => {
                    terminal.leave();
                    std::io::stdout().write_all(b"goodbye\r\n").unwrap();
                    return 0;
                }
                Some('p') => panic!("the scene went wrong"),
                Some('b') => {
                    let _ = std::thread::spawn(|| panic!("in the background")).join();
                    let panics = terminal::take_background_panics();
                    note = format!(
                        "{} kept",
                        panics.iter().filter(|text| text.contains("in the background")).count()
                    );
                }
                Some('z') => {
                    terminal.suspend(&mut events).await.unwrap();
                    resumed += 1;
                }
                Some('e') => {
                    let run = || Command::new("sh").args(["-c", EDITOR]).status();
                    terminal.released(&mut events, run).unwrap().unwrap();
                    edited += 1;
                }
                Some('c') => {
                    terminal.copy("copied text").unwrap();
                    note = "copied".to_owned();
                }
                other => note = format!("key {other:?}"),
            },
            Input::Paste(text) => note = format!("pasted {text}"),
            Input::Mouse(event) => note = format!("mouse at {},{}", event.column, event.row),
            Input::Focus(focus) => note = format!("focus {focus}"),
            Input::Resize(columns, rows) => note = format!("resized {columns}x{rows}"),
            Input::Suspend => {
                terminal.suspend(&mut events).await.unwrap();
                resumed += 1;
            }
            Input::Continued => {
                terminal.come_back(&mut events).unwrap();
                resumed += 1;
            }
            Input::Stop(signal) => return signal.exit_code(),
        }
    }
}

/// This test binary, playing `scene`.
fn play_scene(scene: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", "scene", "--nocapture", "--test-threads=1"]);
    command.env(SCENE, scene);
    command.env("TERM", "xterm-256color");
    command.env_remove("RUST_BACKTRACE");
    command
}

fn open(scene: &str) -> Session {
    Session::open(play_scene(scene), SIZE)
}

fn start(scene: &str) -> Session {
    let mut session = open(scene);
    session.wait("ready 80x24");
    session
}

#[test]
fn what_was_switched_on_is_switched_off_in_reverse() {
    let mut session = start("mouse");
    let screen = session.screen();
    assert!(screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::ButtonMotion);
    assert!(session.is_raw());
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
    assert!(session.text().contains("goodbye"));
    let raw = session.raw();
    let order: Vec<usize> = ["?1006l", "?1002l", "?1000l", "?1004l", "?2004l", "?25h", "?1049l"]
        .iter()
        .map(|sequence| raw.rfind(sequence).unwrap())
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn every_frame_is_a_synchronised_update() {
    let mut session = start("plain");
    session.press("x");
    session.wait("key Some('x')");
    let raw = session.raw();
    let entered = raw.find("\x1b[?1049h").unwrap();
    let frames = raw[entered..].matches("\x1b[?2026h").count();
    assert_eq!(frames, 2);
    assert!(!raw[entered..].contains("\x1b[2J"), "nothing flickers");
    // The second frame holds what changed and no more.
    let last = &raw[raw.rfind("\x1b[?2026h").unwrap()..];
    assert!(last.len() < 60, "{last:?}");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_panic_restores_first_and_then_prints() {
    let mut session = start("plain");
    session.press("p");
    assert_eq!(session.end(), 101);
    session.assert_restored();
    assert!(session.text().contains("the scene went wrong"), "{}", session.text());
    let raw = session.raw();
    assert!(raw.find("\x1b[?1049l").unwrap() < raw.find("the scene went wrong").unwrap());
}

#[test]
fn a_panic_in_the_background_leaves_the_screen_alone() {
    let mut session = start("plain");
    session.press("b");
    session.wait_on(true, "note: 1 kept");
    let raw = session.raw();
    assert!(!raw.contains("\x1b[?1049l") && !raw.contains("in the background"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn signals_that_end_a_program_restore_and_give_their_code() {
    for (signal, code) in
        [(libc::SIGTERM, 143), (libc::SIGHUP, 129), (libc::SIGINT, 130), (libc::SIGQUIT, 131)]
    {
        let mut session = start("plain");
        session.signal(signal);
        assert_eq!(session.end(), code);
        session.assert_restored();
    }
}

#[test]
fn a_terminal_that_is_closed_ends_it() {
    assert_eq!(pty::closed_after(play_scene("plain"), SIZE, "ready"), 129);
}

#[test]
fn a_change_of_size_arrives_and_is_drawn() {
    let mut session = start("plain");
    session.resize((10, 44));
    session.wait("ready 44x10");
    session.wait("resized 44x10");
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

#[test]
fn suspended_and_resumed() {
    let mut session = start("plain");
    session.press("z");
    session.wait_stopped();
    session.until("the first screen", |screen| !screen.alternate_screen());
    session.assert_restored();
    session.signal(libc::SIGCONT);
    session.wait_on(true, "resumed 1");
    assert!(session.is_raw());
    // The keyboard works again.
    session.press("x");
    session.wait("key Some('x')");
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

#[test]
fn suspended_from_outside_politely_and_by_force() {
    let mut session = start("plain");
    session.signal(libc::SIGTSTP);
    session.wait_stopped();
    session.until("the first screen", |screen| !screen.alternate_screen());
    assert!(!session.is_raw());
    session.signal(libc::SIGCONT);
    session.wait_on(true, "resumed 1");
    session.signal(libc::SIGSTOP);
    session.wait_stopped();
    session.signal(libc::SIGCONT);
    session.wait_on(true, "resumed 2");
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

#[test]
fn an_editor_gets_the_terminal_and_every_key() {
    let mut session = start("plain");
    session.press("e");
    session.wait_on(false, "in the editor");
    assert!(!session.is_raw());
    session.press("a whole line\n");
    session.wait_on(true, "edited 1");
    assert!(session.raw().contains("got a whole line"));
    session.press("x");
    session.wait("key Some('x')");
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
}

#[test]
fn ctrl_c_in_the_editor_is_the_editors() {
    let mut session = start("plain");
    session.press("e");
    session.wait_on(false, "in the editor");
    session.press("\x03");
    session.wait_on(true, "edited 1");
    assert!(session.raw().contains("interrupted"));
    session.press("x");
    session.wait("key Some('x')");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn pasted_text_the_mouse_and_late_answers_are_not_keys() {
    let mut session = start("mouse");
    session.press("\x1b[200~qqq\x1b[201~");
    session.wait("pasted qqq");
    session.press("\x1b[<0;5;3M");
    session.wait("mouse at 4,2");
    session.press("\x1b[O");
    session.wait("focus false");
    session.press("\x1b]11;rgb:1e1e/1e1e/1e1e\x07");
    session.press("x");
    session.wait("key Some('x')");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn the_background_is_asked_for_once_before_anything_else() {
    let colour = |colour: &str| format!("\x1b]11;rgb:{colour}\x1b\\\x1b[?62;22c");
    let answers = [
        (colour("fbfb/fafa/f7f7"), "Some(Light)"),
        (colour("1414/1616/1b1b"), "Some(Dark)"),
        ("\x1b[?62;22c".to_owned(), "None"),
        (String::new(), "None"),
    ];
    for (answer, expected) in answers {
        let mut session = open("ask").answering(&answer);
        session.wait(&format!("nothing yet {expected}"));
        session.press("q");
        assert_eq!(session.end(), 0);
        assert_eq!(session.raw().matches("]11;?").count(), 1);
    }
}

#[test]
fn copying_asks_the_terminal() {
    let mut session = start("plain");
    session.press("c");
    session.wait("note: copied");
    assert!(session.raw().contains("\x1b]52;c;Y29waWVkIHRleHQ=\x07"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "scene", "--nocapture", "--test-threads=1"])
        .env(SCENE, "plain")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("not a terminal") && message.contains("mendbench tasks list"), "{message}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains('\x1b'));
}
