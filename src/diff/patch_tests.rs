//! Tests of unified patches, read and written.
#![allow(clippy::unwrap_used)]

use super::super::{CountCheck, PatchErrorKind};
use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Patch {
    let patch = Patch::parse(text.as_bytes()).unwrap();
    assert_eq!(Patch::parse(&patch.write()).unwrap(), patch, "{}", String::from_utf8_lossy(&patch.write()));
    patch
}

fn names(file: &FilePatch) -> (&str, &str) {
    let text = |path: &'_ Option<Vec<u8>>| -> &'static str {
        path.as_ref().map_or("-", |path| String::from_utf8(path.clone()).unwrap().leak())
    };
    (text(&file.old_path), text(&file.new_path))
}

#[test]
fn mail_with_two_files() {
    let patch = parse(
        "From 0123 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] mend\n\n---\n a.c | 2 +-\n 1 file changed\n\n\
         diff --git a/a.c b/a.c\nindex 1..2 100644\n--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@ int f(void)\n \
         one\n-- two\n+++ three\ndiff --git a/b c.txt b/b c.txt\nnew file mode 100755\nindex 0..3\n\
         --- /dev/null\n+++ b/b c.txt\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n-- \n2.47.3\n\n",
    );
    assert_eq!(patch.files.len(), 2);
    let first = &patch.files[0];
    assert_eq!((first.preamble.len(), names(first), first.status), (7, ("a.c", "a.c"), FileStatus::Modified));
    assert_eq!((first.added(), first.removed()), (1, 1));
    assert_eq!(first.hunks[0].section, b"int f(void)");
    assert_eq!(first.hunks[0].lines[1].text, b"- two");
    let second = &patch.files[1];
    assert_eq!(
        (names(second), second.status, second.new_mode),
        (("-", "b c.txt"), FileStatus::Added, Some(0o100755))
    );
    assert!(second.hunks[0].lines[0].no_newline);
    assert_eq!(patch.trailer, [&b"-- "[..], b"2.47.3", b""]);
}

#[test]
fn plain_patches() {
    let patch = parse("--- x.c.orig\t2020-01-01 00:00:00 +0000\n+++ x.c\t2020-01-02\n@@ -3 +3 @@\n-a\n+b\n");
    assert_eq!((names(&patch.files[0]), patch.files[0].status), (("x.c.orig", "x.c"), FileStatus::Modified));
    let patch = parse(
        "diff -ru a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n a\n-b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!((patch.files.len(), names(&patch.files[1])), (2, ("y", "y")));
    let patch = parse("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n");
    assert_eq!((names(&patch.files[0]), patch.files[0].status), (("-", "x"), FileStatus::Added));
}

#[test]
fn git_headers() {
    let patch = parse(
        "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n\
         diff --git a/m.sh b/m.sh\nold mode 100644\nnew mode 100755\n\
         diff --git \"a/\\303\\266.c\" \"b/\\303\\266.c\"\ndeleted file mode 100644\nindex e69de29..0\n\
         diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n\
         diff --git a/q.png b/q.png\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\nliteral 0\nHcmV?d00001\n\n\
         diff --git a/c b/d\nsimilarity index 90%\ncopy from c\ncopy to d\nindex 1..2\n--- a/c\n+++ b/d\n@@ -1 +1 @@\n-a\n+b\n\
         diff --git x/y x/y\n--- x/y\n+++ x/y\n@@ -1 +1 @@\n-a\n+b\n",
    );
    let seen: Vec<_> = patch.files.iter().map(|file| (names(file), file.status, file.binary)).collect();
    assert_eq!(
        seen,
        [
            (("old name", "new name"), FileStatus::Renamed, false),
            (("m.sh", "m.sh"), FileStatus::ModeChanged, false),
            (("ö.c", "-"), FileStatus::Deleted, false),
            (("p.png", "p.png"), FileStatus::Modified, true),
            (("q.png", "q.png"), FileStatus::Modified, true),
            (("c", "d"), FileStatus::Copied, false),
            (("x/y", "x/y"), FileStatus::Modified, false),
        ]
    );
    assert_eq!(patch.files[4].binary_data.len(), 6);
}

#[test]
fn carriage_returns() {
    // The file has them: they are text.
    let patch = parse("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n");
    assert_eq!(patch.files[0].hunks[0].lines[0].text, b"a\r");
    // The patch was converted: they are not.
    let patch = parse("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n \r\n");
    assert_eq!(names(&patch.files[0]), ("x", "x"));
    assert_eq!(patch.files[0].hunks[0].lines[0].text, b"a");
}

#[test]
fn an_empty_line_is_context() {
    let patch = parse("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n c\n");
    assert_eq!(
        (patch.files[0].hunks[0].lines[2].kind, patch.files[0].hunks[0].lines.len()),
        (LineKind::Context, 4)
    );
}

#[test]
fn errors_name_the_line() {
    let head = "--- a/x\n+++ b/x\n";
    for (text, line, kind) in [
        (format!("{head}@@ -1 +1 @\n"), 3, PatchErrorKind::HunkHeader),
        (format!("{head}@@ -1 +99999999999 @@\n"), 3, PatchErrorKind::HunkHeader),
        (
            format!("{head}@@ -1,3 +1 @@\n-a\n+b\n"),
            6,
            PatchErrorKind::HunkShort { header: 3, old: 2, new: 0 },
        ),
        (
            format!("{head}@@ -1 +1 @@\n-a\n-b\n+c\n"),
            5,
            PatchErrorKind::HunkShort { header: 3, old: 0, new: 1 },
        ),
        (format!("{head}@@ -1 +1 @@\n-a\n+b\n+c\n"), 6, PatchErrorKind::HunkLong { header: 3 }),
        (format!("{head}@@ -1 +1 @@\n-a\nx\n"), 5, PatchErrorKind::HunkShort { header: 3, old: 0, new: 1 }),
        ("text\n@@ -1 +1 @@\n-a\n+b\n".to_owned(), 2, PatchErrorKind::HunkWithoutFile),
        ("--- \"a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n".to_owned(), 1, PatchErrorKind::BadPath),
        ("diff --git a b c d\nindex 1..2\n".to_owned(), 1, PatchErrorKind::NoPath),
        ("diff --git a/x b/x\nold mode 9\n".to_owned(), 2, PatchErrorKind::BadMode),
        ("diff --cc x\n".to_owned(), 1, PatchErrorKind::Combined),
    ] {
        let error = Patch::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.line, &error.kind), (line, &kind), "{text}");
        assert!(error.to_string().starts_with(&format!("line {line} of the patch: ")));
    }
}

#[test]
fn lenient_reading_counts_again() {
    let text = "Here is the fix:\n\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@ f\n a\n-b\n+c\n+d\n\n e\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n\nDone.\n";
    assert!(Patch::parse(text.as_bytes()).is_err());
    let patch = Patch::parse_with(text.as_bytes(), CountCheck::Lenient).unwrap();
    assert!(!patch.counts_checked);
    assert_eq!(patch.files.len(), 2);
    let hunk = &patch.files[0].hunks[0];
    assert_eq!((hunk.old_len, hunk.new_len, hunk.lines.len()), (4, 5, 6));
    assert_eq!(patch.trailer, [&b""[..], b"Done."]);
    let again = Patch::parse(&patch.write()).unwrap();
    assert_eq!(Patch { counts_checked: false, ..again }, patch);
}

#[test]
fn between() {
    let old = "int f(void)\n{\n  a();\n  b();\n  c();\n  d();\n  e();\n}\n";
    let new = old.replace("  b();\n", "  b(1);\n").replace("  e();\n}\n", "  e();\n}");
    let patch = Patch::between(
        &[("f.c", Some(old.as_bytes()), Some(new.as_bytes())), ("same", Some(b"x"), Some(b"x"))],
        1,
    );
    assert_eq!(
        String::from_utf8(patch.write()).unwrap(),
        "diff --git a/f.c b/f.c\n--- a/f.c\n+++ b/f.c\n@@ -3,3 +3,3 @@ int f(void)\n   a();\n-  b();\n+  b(1);\n   c();\n\
         @@ -7,2 +7,2 @@ int f(void)\n   e();\n-}\n+}\n\\ No newline at end of file\n"
    );
    assert_eq!(Patch::between(&[("f", Some(b"\0"), None)], 3).files[0].hunks, []);
}

fn path() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[a-z]{1,4}(/[a-z]{1,3}( [a-z]{1,2})?){0,2}".prop_map(String::into_bytes),
        proptest::collection::vec(1_u8.., 1..6)
            .prop_filter("no surrounding blanks", |path| path.trim_ascii() == path),
    ]
}

fn version() -> impl Strategy<Value = Option<Vec<u8>>> {
    let lines: &[&[u8]] =
        &[b"a", b"bb", b"-- ", b"++ x", b"", b"\xff\r", b"@@ -1 +1 @@", b"\\ x", b"diff --git a/x b/x"];
    let line = proptest::sample::select(lines);
    let text = (proptest::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text = lines.join(&b'\n');
        if ends && !lines.is_empty() {
            text.push(b'\n');
        }
        text
    });
    prop_oneof![6 => text.prop_map(Some), 1 => Just(None)]
}

/// What a patch does, done here in the plainest way.
fn apply(old: &[u8], file: &FilePatch) -> Vec<u8> {
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut new, mut at) = (Vec::new(), 0);
    for hunk in &file.hunks {
        let start = if hunk.old_len == 0 { hunk.old_start } else { hunk.old_start - 1 } as usize;
        new.extend(lines[at..start].concat());
        at = start;
        for line in &hunk.lines {
            let mut text = line.text.clone();
            if !line.no_newline {
                text.push(b'\n');
            }
            if line.kind.is_old() {
                assert_eq!(lines[at], text);
                at += 1;
            }
            if line.kind.is_new() {
                new.extend(text);
            }
        }
    }
    new.extend(lines[at..].concat());
    new
}

proptest! {
    #[test]
    fn made_written_read_and_applied(files in proptest::collection::vec((path(), version(), version()), 0..4), context in 0_usize..4) {
        let files: Vec<_> =
            files.into_iter().map(|(path, old, new)| (String::from_utf8_lossy(&path).into_owned(), old, new)).collect();
        let given: Vec<_> = files.iter().map(|(path, old, new)| (path.as_str(), old.as_deref(), new.as_deref())).collect();
        let patch = Patch::between(&given, context);
        let text = patch.write();
        prop_assert_eq!(&Patch::parse(&text).unwrap(), &patch, "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(&Patch::parse_with(&text, CountCheck::Lenient).unwrap(), &patch);
        let changed: Vec<_> = files.iter().filter(|(_, old, new)| old != new).collect();
        prop_assert_eq!(changed.len(), patch.files.len());
        for ((path, old, new), file) in changed.into_iter().zip(&patch.files) {
            prop_assert_eq!(&file.path(), path);
            prop_assert_eq!(apply(old.as_deref().unwrap_or_default(), file), new.clone().unwrap_or_default());
        }
    }

    /// Whatever comes: no panic, and what was read is written and read again as the same.
    #[test]
    fn any_bytes(pieces in proptest::collection::vec(prop_oneof![
        Just("diff --git a/x b/x\n".to_owned()), Just("diff --git \"a/\\001\" b/y z\n".to_owned()), Just("--- a/x\n".to_owned()),
        Just("+++ b/x\n".to_owned()), Just("--- /dev/null\n".to_owned()), Just("@@ -1,2 +1,2 @@ f\n".to_owned()), Just("@@ -1 +1 @@\r\n".to_owned()), Just("@@ -0,0 +1 @@\n".to_owned()),
        Just(" a\n".to_owned()), Just("-a\r\n".to_owned()), Just("+b\n".to_owned()), Just("\\ No newline\n".to_owned()), Just("\n".to_owned()), Just("-- \n".to_owned()),
        Just("old mode 100644\n".to_owned()), Just("new mode 100755\n".to_owned()), Just("new file mode 100644\n".to_owned()), Just("deleted file mode 100644\n".to_owned()),
        Just("rename from x\n".to_owned()), Just("rename to y\n".to_owned()), Just("copy from x\n".to_owned()), Just("index 1..2\n".to_owned()), Just("GIT binary patch\nliteral 1\nabc\n\n".to_owned()),
        Just("Binary files a/x and b/x differ\n".to_owned()), "\\PC{0,5}\n",
    ], 0..16)) {
        let text = pieces.concat();
        for check in [CountCheck::Strict, CountCheck::Lenient] {
            if let Ok(patch) = Patch::parse_with(text.as_bytes(), check) {
                let written = patch.write();
                let again = Patch::parse_with(&written, check);
                prop_assert!(again.is_ok(), "{}\n{:?}", String::from_utf8_lossy(&written), again);
            }
        }
    }

    #[test]
    fn any_noise(bytes in proptest::collection::vec(any::<u8>(), 0..60), cut in 0_usize..200) {
        let _ = Patch::parse_with(&bytes, CountCheck::Lenient);
        let real = b"diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@ int f(void)\n one\n-two\n+three\n\\ No newline at end of file\n";
        let mut text = real[..cut.min(real.len())].to_vec();
        text.extend(&bytes);
        let _ = Patch::parse(&text);
        let _ = Patch::parse_with(&text, CountCheck::Lenient);
    }
}
