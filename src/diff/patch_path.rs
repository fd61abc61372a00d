//! Paths as patches write them: quoted like strings of C where git would quote them.

/// `path` as git writes it: as it is, or in quotes with escapes.
pub(super) fn quote(path: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| (b' '..0x7f).contains(byte) && !matches!(byte, b'"' | b'\\');
    if path.iter().all(plain) {
        return path.to_vec();
    }
    let mut quoted = vec![b'"'];
    for &byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            b'\n' => quoted.extend(b"\\n"),
            b'\t' => quoted.extend(b"\\t"),
            b'\r' => quoted.extend(b"\\r"),
            0x07 => quoted.extend(b"\\a"),
            0x08 => quoted.extend(b"\\b"),
            0x0b => quoted.extend(b"\\v"),
            0x0c => quoted.extend(b"\\f"),
            b' '..=0x7e => quoted.push(byte),
            _ => quoted.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
        }
    }
    quoted.push(b'"');
    quoted
}

/// Reads a quoted path at the start of `text`, which begins with `"`: the path and what follows.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut path = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((path, rest)),
            b'\\' => {
                let (&escaped, after) = rest.split_first()?;
                rest = after;
                path.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'a' => 0x07,
                    b'b' => 0x08,
                    b'v' => 0x0b,
                    b'f' => 0x0c,
                    b'"' | b'\\' => escaped,
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        if !digits.iter().all(|digit| matches!(digit, b'0'..=b'7')) {
                            return None;
                        }
                        rest = &rest[2..];
                        (escaped - b'0') << 6 | (digits[0] - b'0') << 3 | (digits[1] - b'0')
                    }
                    _ => return None,
                });
            }
            _ => path.push(byte),
        }
    }
}

/// The two names of a `diff --git` line. Names with blanks are not quoted; as both are the same, the
/// blank in the middle is the border.
pub(super) fn git_names(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if text.first() == Some(&b'"') {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(b" ")?;
        let new = if rest.first() == Some(&b'"') { unquote(rest)?.0 } else { rest.to_vec() };
        return Some((old, new));
    }
    if let Some(border) = text.windows(2).position(|pair| pair == b" \"") {
        let (new, rest) = unquote(&text[border + 1..])?;
        return rest.is_empty().then(|| (text[..border].to_vec(), new));
    }
    let split = |at: usize| (text[..at].to_vec(), text[at + 1..].to_vec());
    let middle = text.len() / 2;
    let base = |name: &[u8]| name.iter().position(|byte| *byte == b'/').map(|at| name[at..].to_vec());
    if text.get(middle) == Some(&b' ') {
        let (old, new) = split(middle);
        if old == new || (base(&old).is_some() && base(&old) == base(&new)) {
            return Some((old, new));
        }
    }
    let mut blanks = text.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
    match (blanks.next(), blanks.next()) {
        (Some(only), None) => Some(split(only)).filter(|(old, new)| !old.is_empty() && !new.is_empty()),
        _ => None,
    }
}

/// Whether a name begins with one of the letters that git puts before names.
pub(super) fn has_letter(name: &[u8]) -> bool {
    matches!(name, [b'a' | b'b' | b'c' | b'i' | b'o' | b'w' | b'1' | b'2', b'/', _, ..])
}

pub(super) fn has_letters(old: &[u8], new: &[u8]) -> bool {
    has_letter(old) && has_letter(new) && old[0] != new[0]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_git_does() {
        assert_eq!(quote(b"src/a b.c"), b"src/a b.c");
        assert_eq!(quote("ö\t\"\\\u{1}".as_bytes()), br#""\303\266\t\"\\\001""#);
        for wrong in [&b"\"abc"[..], b"\"\\9\"", b"\"\\40\"", b"\"\\08x\"", b"\"\\", b"x", b""] {
            assert_eq!(unquote(wrong), None, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn round_trip(path in proptest::collection::vec(any::<u8>(), 0..20)) {
            let mut quoted = quote(&path);
            if quoted.first() == Some(&b'"') {
                quoted.extend(b" rest");
                prop_assert_eq!(unquote(&quoted).unwrap(), (path, &b" rest"[..]));
            } else {
                prop_assert_eq!(quoted, path);
            }
        }
    }
}
