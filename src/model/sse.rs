//! Server-sent events, from bytes as they arrive.
//!
//! Promises: any cut of the same bytes gives the same items; lines end with LF, CR or CRLF; a byte order mark is passed
//! over; UTF-8 is decoded only when a line is whole, and what is no UTF-8 is replaced and counted; no event is larger
//! than [`LARGEST`]. Beside events it gives what the standard passes over and servers still use: comments (signs of
//! life) and fields that are not known (older llama.cpp sends `error:`). Leaves to others: what events mean.

/// Largest event, and largest line, in bytes.
pub const LARGEST: usize = 8 << 20;

/// Something in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An event with data.
    Event {
        /// Its type; empty where none is given.
        kind: String,
        /// Its data, lines joined by line feeds.
        data: String,
    },
    /// A comment.
    Comment(String),
    /// A field that the standard does not know.
    Field {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
}

/// An event or a line larger than [`LARGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than {} MiB", LARGEST >> 20)]
pub struct TooLarge;

/// The decoder.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// The last byte was a CR: a LF behind it belongs to the same end of line.
    after_cr: bool,
    begun: bool,
    kind: String,
    data: String,
    has_data: bool,
    invalid: u64,
}

impl Decoder {
    /// One at the beginning of a stream.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Lines that were no UTF-8 so far.
    pub fn invalid(&self) -> u64 {
        self.invalid
    }

    /// Takes some bytes; calls `give` with every item that is whole.
    pub fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Item)) -> Result<(), TooLarge> {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + piece.len() + self.data.len() > LARGEST {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(piece);
            let Some(end) = after.first() else { break };
            self.after_cr = *end == b'\r';
            rest = &after[1..];
            self.end_of_line(give);
        }
        Ok(())
    }

    /// The stream has ended: what is whole but for its last line feeds is given too.
    pub fn finish(&mut self, give: &mut dyn FnMut(Item)) {
        if !self.line.is_empty() {
            self.end_of_line(give);
        }
        self.dispatch(give);
    }

    fn end_of_line(&mut self, give: &mut dyn FnMut(Item)) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        self.invalid += u64::from(matches!(text, std::borrow::Cow::Owned(_)));
        let mut line = text.as_ref();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(give);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" => give(Item::Comment(value.to_owned())),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.kind),
            "id" | "retry" => {}
            _ => give(Item::Field { name: name.to_owned(), value: value.to_owned() }),
        }
    }

    fn dispatch(&mut self, give: &mut dyn FnMut(Item)) {
        let (kind, data) = (std::mem::take(&mut self.kind), std::mem::take(&mut self.data));
        if std::mem::take(&mut self.has_data) {
            give(Item::Event { kind, data });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn decoded<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Item>, u64) {
        let (mut decoder, mut items) = (Decoder::new(), Vec::new());
        for piece in pieces {
            decoder.push(piece, &mut |item| items.push(item)).unwrap();
        }
        decoder.finish(&mut |item| items.push(item));
        (items, decoder.invalid())
    }

    fn event(data: &str) -> Item {
        Item::Event { kind: String::new(), data: data.to_owned() }
    }

    #[test]
    fn lines_fields_and_ends_are_as_the_standard_says() {
        for (text, items) in [
            ("data: a\n\n", vec![event("a")]),
            ("data:a\r\rdata: b\r\n\r\ndata:  c\n\n", vec![event("a"), event("b"), event(" c")]),
            ("\u{feff}data: a\n\n\u{feff}data: b\n\n", {
                vec![event("a"), Item::Field { name: "\u{feff}data".into(), value: "b".into() }]
            }),
            ("data: a\ndata\ndata: b\n\n", vec![event("a\n\nb")]),
            ("data\n\n", vec![event("")]),
            (
                "event: x\nid: 1\nretry: 5\ndata: a\n\n",
                vec![Item::Event { kind: "x".into(), data: "a".into() }],
            ),
            ("event: x\n\ndata: a\n\n", vec![event("a")]),
            (": ping\n\n:\n", vec![Item::Comment("ping".into()), Item::Comment(String::new())]),
            ("error: {}\n\n", vec![Item::Field { name: "error".into(), value: "{}".into() }]),
            ("data: [DONE]", vec![event("[DONE]")]),
            ("\n\n\r\n\r\r", vec![]),
        ] {
            assert_eq!(decoded([text.as_bytes()]).0, items, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_utf8_is_replaced_and_counted() {
        let (items, invalid) = decoded([b"data: a\xffb\n\ndata: \xc3".as_slice(), b"\xa9\n\n"]);
        assert_eq!((items, invalid), (vec![event("a\u{fffd}b"), event("é")], 1));
    }

    #[test]
    fn an_event_has_a_bound_however_it_is_cut() {
        let mut decoder = Decoder::new();
        let line = [b"data: ".as_slice(), &vec![b'x'; LARGEST / 2], b"\n"].concat();
        assert_eq!(decoder.push(&line, &mut |_| {}), Ok(()));
        assert_eq!(decoder.push(&line, &mut |_| {}), Err(TooLarge));
        let mut decoder = Decoder::new();
        let endless = vec![b'x'; 1 << 20];
        let pushed = (0..100).take_while(|_| decoder.push(&endless, &mut |_| {}).is_ok()).count();
        assert_eq!(pushed, LARGEST >> 20);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_items(
            lines in prop::collection::vec(
                "(data: ?[a-zé数😀]{0,6}|event: x|: ping|error: y|\u{feff}|)(\n|\r|\r\n|\n\n|\r\r|\r\n\r\n)", 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let whole = lines.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            cuts.extend([0, whole.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|two| &whole[two[0]..two[1]]);
            prop_assert_eq!(decoded(pieces), decoded([whole.as_slice()]));
            prop_assert_eq!(decoded(whole.chunks(1)), decoded([whole.as_slice()]));
        }
    }
}
