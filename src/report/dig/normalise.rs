//! Text without what differs from run to run.
//!
//! Promises: times, addresses, process ids, temporary paths, the place of Python's library, uuids and long hexadecimal
//! numbers become words in angle brackets, the work tree becomes `.`; what is already normal stays as it is, so doing it twice changes
//! nothing. Leaves to others: which part of an output is worth showing (`excerpt`).

/// `text` with everything that differs from run to run replaced; `root` is where the tree lay.
pub fn normalise(text: &str, root: &str) -> String {
    let root = root.trim_end_matches('/');
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut is_start) = (0, true);
    while at < bytes.len() {
        // Every form begins where a word can begin, and ends where one can end: then no new form appears
        // beside a replacement, and the second time finds nothing.
        if is_start && let Some((length, replacement)) = variable(&text[at..], root) {
            out.push_str(replacement);
            at += length;
            is_start = true;
            continue;
        }
        let end = text[at..].chars().next().map_or(1, char::len_utf8);
        out.push_str(&text[at..at + end]);
        is_start = !is_word(bytes[at]);
        at += end;
    }
    out
}

/// Whether a byte belongs to a word; bytes of other letters do.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Length and replacement of a form that begins here.
fn variable(text: &str, root: &str) -> Option<(usize, &'static str)> {
    let first = *text.as_bytes().first()?;
    let found = match first {
        b'/' => return path(text, root),
        b'=' => return marked_pid(text),
        b'0'..=b'9' => {
            address(text).or_else(|| moment(text)).or_else(|| duration(text)).or_else(|| hexadecimal(text))
        }
        b'(' => return thread_number(text),
        b'a'..=b'f' => hexadecimal(text).or_else(|| labelled(text)),
        b'A'..=b'F' => hexadecimal(text).or_else(|| labelled(text)),
        _ => labelled(text),
    };
    found.filter(|(length, _)| text.as_bytes().get(*length).is_none_or(|byte| !is_word(*byte)))
}

/// Whether a word can end before this text.
fn ends(text: &str) -> bool {
    text.as_bytes().first().is_none_or(|byte| !is_word(*byte))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `0x7f3a…`, from four digits on: small ones are values.
fn address(text: &str) -> Option<(usize, &'static str)> {
    let number = text.strip_prefix("0x")?;
    let length = number.bytes().take_while(u8::is_ascii_hexdigit).count();
    (length >= 6).then_some((length + 2, "<address>"))
}

/// `2026-11-30T07:05:05.64+00:00`, `2026-11-30`, `07:05:05.64`: the longest of them that ends where a word can.
///
/// What follows a date may be a number that only begins like a clock; the date is one all the same.
fn moment(text: &str) -> Option<(usize, &'static str)> {
    let date = shape(text, "dddd-dd-dd").unwrap_or(0);
    let mut longest = (date > 0 && ends(&text[date..])).then_some(date);
    let gap = usize::from(date > 0 && text[date..].starts_with(['T', ' ']));
    let clock = shape(&text[date + gap..], "dd:dd:dd").filter(|_| date == 0 || gap == 1);
    if let Some(clock) = clock {
        let mut length = date + gap + clock;
        let fraction = text[length..].strip_prefix(['.', ',']).map_or(0, digits);
        for further in [0, if fraction > 0 { fraction + 1 } else { 0 }] {
            length += further;
            longest = if ends(&text[length..]) { Some(length) } else { longest };
            let zone = if date > 0 { zone(&text[length..]) } else { 0 };
            longest = if zone > 0 && ends(&text[length + zone..]) { Some(length + zone) } else { longest };
        }
    }
    longest.map(|length| (length, "<time>"))
}

/// Length of `Z`, `+00:00` or `-0130`.
fn zone(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'Z') => 1,
        Some(b'+' | b'-') => {
            let colon = shape(&text[1..], "dd:dd").or_else(|| shape(&text[1..], "dddd"));
            colon.map_or(0, |length| length + 1)
        }
        _ => 0,
    }
}

/// Length of a shape, in which `d` stands for a digit.
fn shape(text: &str, shape: &str) -> Option<usize> {
    let fits = text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            form => byte == form,
        });
    fits.then_some(shape.len())
}

/// `0.003s`, `12 ms`, `1.5 seconds`: a fraction with any unit, or a whole number with a small one.
fn duration(text: &str) -> Option<(usize, &'static str)> {
    let whole = digits(text);
    let fraction = text[whole..].strip_prefix('.').map_or(0, digits);
    let number = if fraction > 0 { whole + 1 + fraction } else { whole };
    let rest = &text[number..];
    let gap = usize::from(rest.starts_with(' '));
    let unit = &rest[gap..];
    let fits = |word: &&&str| {
        unit.starts_with(**word) && unit.as_bytes().get(word.len()).is_none_or(|byte| !is_word(*byte))
    };
    let with_fraction = ["s", "sec", "secs", "seconds", "second", "usr", "sys", "cusr", "csys", "CPU", "min"];
    let always = ["ms", "us", "µs", "ns", "wallclock secs"];
    let unit =
        always.iter().find(fits).or_else(|| with_fraction.iter().find(fits).filter(|_| fraction > 0))?;
    Some((number + gap + unit.len(), "<time>"))
}

/// A uuid, or sixteen hexadecimal digits and more with a digit among them.
fn hexadecimal(text: &str) -> Option<(usize, &'static str)> {
    let is_uuid = text.len() >= 36
        && text.bytes().take(36).enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if is_uuid && ends(&text[36..]) {
        return Some((36, "<uuid>"));
    }
    let length = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let mixed = text[..length].bytes().any(|byte| byte.is_ascii_digit())
        && text[..length].bytes().any(|byte| byte.is_ascii_alphabetic());
    (length >= 16 && mixed).then_some((length, "<hash>"))
}

/// `pid 123`, `pid=123`, `PYTHONHASHSEED=42`, `duration_ms: 1.2`.
fn labelled(text: &str) -> Option<(usize, &'static str)> {
    const LABELS: [(&str, &str); 13] = [
        ("pid ", "pid <pid>"),
        ("pid=", "pid=<pid>"),
        ("pid: ", "pid: <pid>"),
        ("PID ", "PID <pid>"),
        ("PID: ", "PID: <pid>"),
        ("PYTHONHASHSEED=", "PYTHONHASHSEED=<seed>"),
        ("hash seed ", "hash seed <seed>"),
        ("--randomly-seed=", "--randomly-seed=<seed>"),
        ("random seed: ", "random seed: <seed>"),
        ("duration_ms: ", "duration_ms: <time>"),
        ("duration_ms ", "duration_ms <time>"),
        ("time=", "time=<time>"),
        ("elapsed: ", "elapsed: <time>"),
    ];
    LABELS.iter().find_map(|(label, replacement)| {
        let rest = text.strip_prefix(label)?;
        let whole = digits(rest);
        let fraction = rest[whole..].strip_prefix('.').map_or(0, digits);
        let number =
            if fraction > 0 && ends(&rest[whole + 1 + fraction..]) { whole + 1 + fraction } else { whole };
        (whole > 0).then_some((label.len() + number, *replacement))
    })
}

/// `==12345==`, as sanitisers and valgrind print it.
fn marked_pid(text: &str) -> Option<(usize, &'static str)> {
    let rest = text.strip_prefix("==")?;
    let count = digits(rest);
    // The signs behind it stay: they may be those before the next one.
    (count > 0 && rest[count..].starts_with("==")).then_some((count + 2, "==<pid>"))
}

/// `(19069) panicked at`: Rust's number of a thread.
fn thread_number(text: &str) -> Option<(usize, &'static str)> {
    let rest = text.strip_prefix('(')?;
    let count = digits(rest);
    (count > 0 && rest[count..].starts_with(") panicked at ")).then_some((count + 2, "(<thread>)"))
}

/// Length of `/usr/lib/python3.11` where a path leads below such a folder: where Python's own library lies differs
/// from machine to machine. The last one counts, and it has a folder before it.
fn python_library(text: &str) -> Option<usize> {
    const FOLDER: &str = "/lib/python3.";
    let run = text.bytes().take_while(|byte| is_word(*byte) || b"-./+".contains(byte)).count();
    text.get(..run)?.rmatch_indices(FOLDER).find_map(|(at, _)| {
        let version = at + FOLDER.len();
        let end = version + digits(&text[version..run]);
        (at > 0 && end > version && text[end..run].starts_with('/')).then_some(end)
    })
}

/// The tree's own path becomes `.`, Python's library `<python>`, the first part below a temporary folder `<tmp>`.
fn path(text: &str, root: &str) -> Option<(usize, &'static str)> {
    let ends = |length: usize| {
        text.as_bytes().get(length).is_none_or(|byte| !is_word(*byte) && !b"-.".contains(byte))
    };
    if root.len() > 1 && text.starts_with(root) && ends(root.len()) {
        return Some((root.len(), "."));
    }
    if let Some(length) = python_library(text) {
        return Some((length, "<python>"));
    }
    for folder in ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/"] {
        let Some(rest) = text.strip_prefix(folder) else { continue };
        let count = rest.bytes().take_while(|byte| is_word(*byte) || b"-.".contains(byte)).count();
        let named = rest.as_bytes().first().is_some_and(|byte| is_word(*byte));
        return named.then_some((folder.len() + count, "<tmp>"));
    }
    None
}
