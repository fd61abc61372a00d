//! Tests of lines read from plain and compressed files.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::io::Write;

fn bounds(line_bytes: usize) -> Bounds {
    Bounds { line_bytes, ..Bounds::default() }
}

fn lines_of(bytes: &[u8], bounds: &Bounds) -> Lines {
    let at = bytes.len().min(2);
    Lines::new(bytes[..at].to_vec(), Box::new(Cursor::new(bytes[at..].to_vec())), bounds)
}

/// Number, text, terminated, too long.
type Seen = (u64, String, bool, Option<u64>);

fn all(lines: &mut Lines) -> Result<Vec<Seen>, (Vec<Seen>, Broken)> {
    let mut seen = Vec::new();
    loop {
        match lines.next_line() {
            Ok(None) => return Ok(seen),
            Ok(Some(line)) => seen.push((
                line.number,
                String::from_utf8_lossy(line.bytes).into_owned(),
                line.terminated,
                line.too_long,
            )),
            Err(broken) => return Err((seen, broken)),
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn line_ends_and_mark_are_no_part_of_a_line() {
    let text = b"\xef\xbb\xbfone\r\ntwo\n\nfour";
    let expected = vec![
        (1, "one".to_owned(), true, None),
        (2, "two".to_owned(), true, None),
        (3, String::new(), true, None),
        (4, "four".to_owned(), false, None),
    ];
    assert_eq!(all(&mut lines_of(text, &bounds(100))).unwrap(), expected);
    assert_eq!(all(&mut lines_of(&gzip(text), &bounds(100))).unwrap(), expected);
}

#[test]
fn a_line_beyond_the_bound_is_passed_over_and_the_next_is_read() {
    for length in [4, 5, 6, 7, 200_000, 300_001] {
        for end in ["\n", "\r\n", ""] {
            let text = format!("{}{end}ok\n", "x".repeat(length));
            let seen = all(&mut lines_of(text.as_bytes(), &bounds(5))).unwrap();
            if end.is_empty() {
                // One line then, of two bytes more.
                assert_eq!(seen.len(), 1, "{length}");
                assert_eq!(seen[0].3.is_some(), length + 2 > 5, "{length}");
                continue;
            }
            assert_eq!(seen.len(), 2, "{length} {end:?}");
            assert_eq!(seen[0].3, (length > 5).then_some((length + end.len()) as u64), "{length} {end:?}");
            assert_eq!(seen[1], (2, "ok".to_owned(), true, None));
        }
    }
}

#[test]
fn several_gzip_members_are_one_file() {
    let mut both = gzip(b"one\n");
    both.extend(gzip(b"two\n"));
    assert_eq!(all(&mut lines_of(&both, &bounds(100))).unwrap().len(), 2);
}

#[test]
fn a_cut_gzip_file_gives_what_came_before() {
    let text: String = (0..20_000).map(|n| format!("row {n} {}\n", n * 7919 % 10_007)).collect();
    let packed = gzip(text.as_bytes());
    let mut lines = lines_of(&packed[..packed.len() / 2], &bounds(100));
    let (seen, broken) = all(&mut lines).unwrap_err();
    assert!(seen.len() > 100, "{}", seen.len());
    assert!(matches!(broken, Broken::Read(_)));
    assert_eq!(lines.fingerprint().unwrap().bytes, packed.len() as u64 / 2);
}

#[test]
fn a_bomb_is_stopped_in_bounded_memory() {
    let packed = gzip(&vec![b'0'; 5_000_000]);
    let small = Bounds { line_bytes: 1_000, unpacked_bytes: 2_000_000, ..Bounds::default() };
    let mut lines = lines_of(&packed, &small);
    let (seen, broken) = all(&mut lines).unwrap_err();
    assert!(seen.is_empty());
    assert!(matches!(broken, Broken::TooMuch(2_000_000)));
    assert!(lines.buffer.capacity() < 100_000);
}

#[test]
fn the_hash_is_of_the_bytes_on_disk_even_when_stopped_early() {
    let packed = gzip(b"one\ntwo\n");
    for read in 0..3 {
        let mut lines = lines_of(&packed, &bounds(100));
        for _ in 0..read {
            lines.next_line().unwrap();
        }
        let print = lines.fingerprint().unwrap();
        assert_eq!(print.bytes, packed.len() as u64);
        assert_eq!(print.sha256, hex(&Sha256::digest(&packed)));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_lines(mut bytes in prop::collection::vec(any::<u8>(), 0..300), limit in 1_usize..50) {
        // Not by chance a gzip file or a byte-order mark.
        if bytes.first().is_some_and(|b| matches!(b, 0x1f | 0xef)) { bytes[0] = b'x'; }
        let mut lines = lines_of(&bytes, &bounds(limit));
        let mut offset = 0;
        while let Some(line) = lines.next_line().unwrap() {
            prop_assert_eq!(line.offset, offset);
            prop_assert!(line.bytes.len() <= limit);
            let rest = &bytes[line.offset as usize..];
            let length = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
            if line.too_long.is_none() {
                prop_assert!(rest[..length].starts_with(line.bytes));
            }
            offset += length as u64;
        }
        prop_assert_eq!(offset, bytes.len() as u64);
    }
}
