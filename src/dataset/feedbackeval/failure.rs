//! The kind of a failure, read from stored test output, for titles and counts.

/// One short word for how the tests failed: the name of the exception, `timeout`, or `wrong result`.
pub(super) fn failure(output: &str) -> Option<String> {
    // pytest marks the lines of an error with E; of a chain of errors the last one counts.
    for line in output.lines().rev() {
        let Some(error) = line.strip_prefix("E ").map(str::trim_start) else { continue };
        if let Some(name) = exception(error) {
            return Some(name);
        }
        if error.starts_with("assert ") {
            return Some("AssertionError".to_owned());
        }
    }
    if output.contains("timed out") {
        return Some("timeout".to_owned());
    }
    if output.contains("Result not True!!!") {
        return Some("wrong result".to_owned());
    }
    output.lines().rev().find_map(exception)
}

/// The exception that a line `package.NameError: text` names.
fn exception(line: &str) -> Option<String> {
    let name = line.split([':', '(']).next()?.trim_end();
    let name = name.rsplit('.').next()?;
    let known = ["Error", "Exception", "Exit", "Interrupt", "StopIteration", "Warning", "Timeout"];
    let sound = name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (sound
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && known.iter().any(|end| name.ends_with(end)))
    .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn the_failure_has_one_word() {
        let table = [
            (
                "test_mut.py:14: in f\n    if idx:\nE   NameError: name 'idx' is not defined",
                Some("NameError"),
            ),
            ("E   assert 0.3 < 1e-06\nE    +  where 0.3 = abs(1)", Some("AssertionError")),
            ("E   AssertionError: assert 'db' == 'db0'\nE     - db0\nE     + db", Some("AssertionError")),
            ("E     File \"test_mut.py\", line 3\nE   SyntaxError: invalid syntax", Some("SyntaxError")),
            ("Execution timed out after 5 seconds.", Some("timeout")),
            ("Traceback (most recent call last):\nException: Result not True!!!\n", Some("wrong result")),
            (
                "Traceback:\n  File \"a.py\"\nsubprocess.CalledProcessError: Command",
                Some("CalledProcessError"),
            ),
            ("AttributeError: no a\n", Some("AttributeError")),
            ("something else", None),
            ("", None),
        ];
        for (output, expected) in table {
            assert_eq!(failure(output).as_deref(), expected, "{output}");
        }
    }
}
