//! Keys as terminals really send them, and rubbish.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

/// Everything that `bytes` mean when nothing more comes.
fn events(bytes: &[u8]) -> Vec<Event> {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    parser.feed(bytes, &mut events);
    parser.give_up(&mut events);
    events
}

/// Keys in short: `C-d`, `A-x`, `Up`.
fn short(bytes: &[u8]) -> String {
    let show = |event: &Event| match event {
        Event::Key(key) => {
            let mut out = String::new();
            for (modifier, mark) in [
                (KeyModifiers::CONTROL, "C-"),
                (KeyModifiers::ALT, "A-"),
                (KeyModifiers::SHIFT, "S-"),
                (KeyModifiers::SUPER, "D-"),
            ] {
                if key.modifiers.contains(modifier) {
                    out.push_str(mark);
                }
            }
            match key.kind {
                KeyEventKind::Press => {}
                KeyEventKind::Repeat => out.push_str("repeat-"),
                KeyEventKind::Release => out.push_str("release-"),
            }
            match key.code {
                KeyCode::Char(character) => out.push(character),
                code => out.push_str(&format!("{code:?}")),
            }
            out
        }
        other => format!("{other:?}"),
    };
    events(bytes).iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn keys_as_terminals_send_them() {
    let table: [(&[u8], &str); 40] = [
        (b"jk", "j k"),
        (b"G", "S-G"),
        ("ä漢🦀".as_bytes(), "ä 漢 🦀"),
        (b"\r\t\x7f", "Enter Tab Backspace"),
        (b"\x04\x08\n\x00\x1a\x1d", "C-d C-h C-j C-  C-z C-]"),
        (b"\x1b", "Esc"),
        (b"\x1b\x1b", "Esc Esc"),
        (b"\x1bj", "A-j"),
        (b"\x1b\x04", "C-A-d"),
        (b"\x1b\xc3\xa4", "A-ä"),
        (b"\x1b[", "A-["),
        (b"\x1bO", "A-O"),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", "Up Down Right Left"),
        (b"\x1bOA\x1bOP\x1bOH", "Up F(1) Home"),
        (b"\x1b[1;5A\x1b[1;2D\x1b[1;3P", "C-Up S-Left A-F(1)"),
        (b"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "Home End Home End Home End"),
        (b"\x1b[2~\x1b[3~\x1b[5~\x1b[6~", "Insert Delete PageUp PageDown"),
        (b"\x1b[5;5~", "C-PageUp"),
        (b"\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~", "F(5) F(6) F(10) F(11) F(12)"),
        (b"\x1b[25~\x1b[28~\x1b[34~", "F(13) F(15) F(20)"),
        (b"\x1b[Z", "S-BackTab"),
        (b"\x1b[[A\x1b[[E", "F(1) F(5)"),
        (b"\x1b[13;2u", "S-Enter"),
        (b"\x1b[97;5u\x1b[97;5:2u\x1b[97;1:3u", "C-a C-repeat-a release-a"),
        (b"\x1b[9;2u\x1b[27u\x1b[127u", "S-BackTab Esc Backspace"),
        (b"\x1b[97;9u", "D-a"),
        (b"\x1b[27;5;9~", "C-Tab"),
        (b"\x1b[57441;2u", ""),
        (b"\x1b[I\x1b[O", "FocusGained FocusLost"),
        (b"\x1b[200~a\rb\x1b[Ac\x1b[201~", "Paste(\"a\\nb\\u{1b}[Ac\")"),
        // Answers to questions.
        (b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07j", "j"),
        (b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\j", "j"),
        (b"\x1b[?62;22cj", "j"),
        (b"\x1b[12;40Rj", "j"),
        (b"\x1bP>|terminal 1.0\x1b\\j", "j"),
        (b"\x1b[?2026;2$yj", "j"),
        // Rubbish.
        (b"\xffj\xc3(", "j ("),
        (b"\x1b[99~\x1b[1;x\x1b[Aj", "Up j"),
        (b"\x1b[M !!j", "j"),
        (b"\x1b[12\x1b[A", "Up"),
    ];
    for (bytes, expected) in table {
        assert_eq!(short(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn the_mouse() {
    let event = |bytes: &[u8]| match events(bytes).as_slice() {
        [Event::Mouse(event)] => Some((event.kind, event.column, event.row, event.modifiers)),
        _ => None,
    };
    let none = KeyModifiers::NONE;
    assert_eq!(event(b"\x1b[<0;5;3M"), Some((MouseEventKind::Down(MouseButton::Left), 4, 2, none)));
    assert_eq!(event(b"\x1b[<2;1;1m"), Some((MouseEventKind::Up(MouseButton::Right), 0, 0, none)));
    assert_eq!(event(b"\x1b[<32;9;9M"), Some((MouseEventKind::Drag(MouseButton::Left), 8, 8, none)));
    assert_eq!(event(b"\x1b[<65;300;200M"), Some((MouseEventKind::ScrollDown, 299, 199, none)));
    assert_eq!(event(b"\x1b[<80;2;2M"), Some((MouseEventKind::ScrollUp, 1, 1, KeyModifiers::CONTROL)));
    assert_eq!(event(b"\x1b[<0;0;99999M"), None);
    assert_eq!(event(b"\x1b[<1M"), None);
}

#[test]
fn escape_waits_for_the_rest_and_only_for_a_moment() {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    parser.feed(b"\x1b", &mut events);
    assert!(parser.is_waiting() && events.is_empty());
    parser.feed(b"[A", &mut events);
    assert!(!parser.is_waiting());
    parser.feed(b"\x1b[1;", &mut events);
    assert!(!parser.is_waiting(), "that is no key, whatever comes");
    parser.feed(b"5B", &mut events);
    let expected = [key(KeyCode::Up, KeyModifiers::NONE), key(KeyCode::Down, KeyModifiers::CONTROL)];
    assert_eq!(events, expected);
}

#[test]
fn a_paste_and_an_answer_are_bounded() {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    parser.feed(b"\x1b[200~", &mut events);
    for _ in 0..40 {
        parser.feed(&[b'x'; 1 << 16], &mut events);
    }
    parser.feed(b"\x1b[201~j", &mut events);
    assert!(matches!(&events[..], [Event::Paste(text), Event::Key(_)] if text.len() == PASTE_LIMIT));
    events.clear();
    parser.feed(b"\x1b]", &mut events);
    parser.feed(&[b'x'; SEQUENCE_LIMIT], &mut events);
    parser.feed(b"j", &mut events);
    assert_eq!(events, [key(KeyCode::Char('j'), KeyModifiers::NONE)]);
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => prop::sample::select(vec![
            &b"j"[..], b"\x1b[A", b"\x1b[1;5B", b"\x1bOP", "ä漢🦀".as_bytes(), b"\x1b[200~p\x1b[20q\x1b[201~", b"\x1b[<0;5;3M",
            b"\x1b]11;rgb:1/2/3\x1b\\", b"\x1b[?62c", b"\x1b[97;5:2u", b"\x1bx", b"\r", b"\x1b[I", b"\x1b[[B",
        ]).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn pieces_do_not_matter(bytes in input(), cuts in prop::collection::vec(1usize..5, 1..40)) {
        let (mut whole, mut cut) = (Parser::default(), Parser::default());
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        whole.feed(&bytes, &mut expected);
        let mut rest = bytes.as_slice();
        for length in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*length).min(rest.len()));
            cut.feed(piece, &mut found);
            rest = after;
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(cut.is_waiting(), whole.is_waiting());
    }
}
