//! What test runners, compilers and analysers say, as data; text in, data out.
//!
//! Promises: any bytes, cut into any chunks, give the same report and no panic; memory is bounded whatever is
//! printed; an id that is reported twice keeps its worst result; what is unclear never reads as passed.
//! Leaves to others: running anything (`sandbox`, `harness`), showing it (`cli`, `tui`).
//!
//! - [`Parser`] by name → [`Reader`] fed with chunks → [`Report`] → [`verdict()`] with the exit and the lists.
//! - [`dig`] finds stage, class, place and an excerpt of a failure that is equal for equal failures.
//! - [`diagnostics`] reads what compilers and analysers have to say about lines.
//!
//! # Forgery
//!
//! Output of the code under test can imitate results. What each parser can tell apart:
//!
//! | runner | stopped | not to be stopped here (code in the same interpreter or process) |
//! |---|---|---|
//! | unittest | an `ok` printed for a test that also reports its failure (worst counts); results for tests that did not start (`Ran N` differs); leaving with code 0 before the summary (report breaks off); a summary that differs from the results; exit 0 with failures | printing all results and a right summary, then leaving with 0; changing `unittest` or the tests in memory |
//! | pytest | the same: lines are counted against the last line, ids against the short summary; leaving early; output that pytest captures is never read as results | the same; a plugin or `conftest.py` in the tree that changes outcomes |
//! | junit | a document cut short, a second document, counts that differ from the cases, a document type (entities) | writing the whole file in the place of the runner, after or instead of it |
//! | tap, printed by the tested process | numbers that repeat or jump, more or fewer points than planned, two plans, a missing plan, points inside YAML blocks, points deeper than an open subtest | printing exactly the points and the plan that are missing, then leaving with 0 |
//! | tap from `node --test` | printed lines (node turns them into comments), counts of the closing comments, a file that leaves with 0 before its tests (node calls it a passing test; here it is not run) | `process.stdout` is not the report, but code in the test's process can change `node:test` itself |
//! | tap from `prove` | as for printed TAP, and the last `Result:` line | as for printed TAP |
//! | cargo-test | an `ok` printed for a test that fails (listed under `failures:`); a section without its `test result` (the process left); counts that differ from it | printing a whole section with its result, then leaving with 0 |
//! | exit-code | nothing: the code is the result | leaving with 0 |
//!
//! So a harness adds what a parser cannot: protected files restored and read-only, the report's file written by a
//! process of its own where possible, names of listed tests.

mod cargo_test;
mod collect;
pub mod diagnostics;
pub mod dig;
mod junit;
mod lines;
mod pytest;
mod tap;
mod unittest;
mod verdict;

pub use collect::{LONGEST_ID, LONGEST_MESSAGE, MOST_CASES};
pub use junit::MOST_BYTES as MOST_XML_BYTES;
pub use verdict::{ExitKind, Judgement, Verdict, judge, signal_name, verdict};

use lines::Lines;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What became of one test. Ordered: of two results for one test the greater counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It passed.
    Passed,
    /// It failed, as the test itself says it must (`expectedFailure`, `xfail`, TODO).
    ExpectedFailure,
    /// It was skipped or ignored.
    Skipped,
    /// It was announced or started, and no result was read.
    NotRun,
    /// It passed, although the test says it must fail.
    UnexpectedPass,
    /// A check failed.
    Failed,
    /// Something else went wrong: an exception, a set-up, an import.
    Errored,
}

impl Status {
    /// The word used in files and on screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::ExpectedFailure => "expected-failure",
            Status::Skipped => "skipped",
            Status::NotRun => "not-run",
            Status::UnexpectedPass => "unexpected-pass",
            Status::Failed => "failed",
            Status::Errored => "errored",
        }
    }

    /// Whether a run with this result has failed.
    pub fn is_failure(self) -> bool {
        self >= Status::UnexpectedPass
    }

    /// Whether the test was executed to an end.
    pub fn is_executed(self) -> bool {
        !matches!(self, Status::Skipped | Status::NotRun)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One test and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Its name, the same for every version of the runner.
    pub id: String,
    /// What became of it.
    pub status: Status,
    /// Why, in the runner's words, untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it took, if the runner says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// What a runner reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Who read it.
    pub parser: Parser,
    /// Results, one per id, in the order of their first mention.
    pub cases: Vec<Case>,
    /// Tests that passed without their name being printed (quiet forms).
    pub unnamed: usize,
    /// Whether the report has its end.
    pub complete: bool,
    /// How many tests the runner says it has.
    pub planned: Option<usize>,
    /// Whether the runner said that it gives up (`Bail out!`, interrupted).
    pub bailed_out: bool,
    /// Whether the runner could not build the tests.
    pub build_failed: bool,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Parts of the report that cannot both be true.
    pub contradictions: Vec<String>,
}

impl Report {
    /// Tests that were executed, named or not.
    pub fn executed(&self) -> usize {
        self.unnamed + self.cases.iter().filter(|case| case.status.is_executed()).count()
    }

    /// Tests with a status; unnamed ones count as passed.
    pub fn count(&self, status: Status) -> usize {
        let unnamed = if status == Status::Passed { self.unnamed } else { 0 };
        unnamed + self.cases.iter().filter(|case| case.status == status).count()
    }

    /// The case with an id.
    pub fn case(&self, id: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.id == id)
    }

    /// The report that an exit code is.
    pub fn of_exit_code(code: i32) -> Report {
        let status = if code == 0 { Status::Passed } else { Status::Failed };
        let message = (code != 0).then(|| format!("exit code {code}"));
        Report {
            parser: Parser::ExitCode,
            cases: vec![Case { id: EXIT_CODE_ID.to_owned(), status, message, seconds: None }],
            complete: true,
            planned: Some(1),
            ..Report::default()
        }
    }
}

/// Id of the only case of the parser `exit-code`.
pub const EXIT_CODE_ID: &str = "exit-code";

/// Who reads the output of a runner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parser {
    /// Python's unittest, verbose or quiet.
    Unittest,
    /// pytest's text.
    Pytest,
    /// JUnit XML, of pytest and others.
    Junit,
    /// The Test Anything Protocol: printed by hand, by perl, by node:test; also through prove.
    Tap,
    /// Rust's libtest, alone or under cargo.
    CargoTest,
    /// No report: the exit code is the only result.
    #[default]
    ExitCode,
}

impl Parser {
    /// All parsers.
    pub const ALL: [Parser; 6] =
        [Parser::Unittest, Parser::Pytest, Parser::Junit, Parser::Tap, Parser::CargoTest, Parser::ExitCode];

    /// The parser's name in task files and `languages.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Parser::Unittest => "unittest",
            Parser::Pytest => "pytest",
            Parser::Junit => "junit",
            Parser::Tap => "tap",
            Parser::CargoTest => "cargo-test",
            Parser::ExitCode => "exit-code",
        }
    }

    /// The parser with a name.
    pub fn by_name(name: &str) -> Option<Parser> {
        Parser::ALL.into_iter().find(|parser| parser.name() == name)
    }

    /// Starts reading.
    pub fn reader(self) -> Reader {
        Reader {
            parser: self,
            output: Lines::default(),
            errors: Lines::default(),
            state: match self {
                Parser::Unittest => State::Unittest(Box::default()),
                Parser::Pytest => State::Pytest(Box::default()),
                Parser::Junit => State::Junit(Box::default()),
                Parser::Tap => State::Tap(Box::default()),
                Parser::CargoTest => State::CargoTest(Box::default()),
                Parser::ExitCode => State::ExitCode,
            },
        }
    }

    /// Reads a whole output.
    pub fn parse(self, output: &[u8]) -> Report {
        let mut reader = self.reader();
        reader.push(output);
        reader.finish()
    }
}

impl fmt::Display for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads output as it arrives.
#[derive(Debug)]
pub struct Reader {
    parser: Parser,
    output: Lines,
    errors: Lines,
    state: State,
}

#[derive(Debug)]
enum State {
    Unittest(Box<unittest::Unittest>),
    Pytest(Box<pytest::Pytest>),
    Junit(Box<junit::Junit>),
    Tap(Box<tap::Tap>),
    CargoTest(Box<cargo_test::CargoTest>),
    ExitCode,
}

impl State {
    fn line(&mut self, line: &str) {
        match self {
            State::Unittest(state) => state.line(line),
            State::Pytest(state) => state.line(line),
            State::Tap(state) => state.line(line),
            State::CargoTest(state) => state.line(line),
            State::Junit(_) | State::ExitCode => {}
        }
    }
}

impl Reader {
    /// Takes a chunk of standard output, or of both streams when they come as one.
    pub fn push(&mut self, chunk: &[u8]) {
        match &mut self.state {
            State::Junit(state) => state.push(chunk),
            State::ExitCode => {}
            state => self.output.push(chunk, &mut |line| state.line(line)),
        }
    }

    /// Takes a chunk of standard error that arrives apart. Lines of the two streams never mix; JUnit and
    /// TAP are not looked for there.
    pub fn push_errors(&mut self, chunk: &[u8]) {
        match &mut self.state {
            State::Junit(_) | State::Tap(_) | State::ExitCode => {}
            state => self.errors.push(chunk, &mut |line| state.line(line)),
        }
    }

    /// Results read so far; some parsers know them only at the end.
    pub fn cases(&self) -> &[Case] {
        match &self.state {
            State::Unittest(state) => state.cases(),
            State::Pytest(state) => state.cases(),
            State::Tap(state) => state.cases(),
            State::CargoTest(state) => state.cases(),
            State::Junit(_) | State::ExitCode => &[],
        }
    }

    /// The report.
    pub fn finish(mut self) -> Report {
        self.output.finish(&mut |line| self.state.line(line));
        self.errors.finish(&mut |line| self.state.line(line));
        let report = match self.state {
            State::Unittest(state) => state.finish(),
            State::Pytest(state) => state.finish(),
            State::Junit(state) => state.finish(),
            State::Tap(state) => state.finish(),
            State::CargoTest(state) => state.finish(),
            State::ExitCode => Report { complete: true, ..Report::default() },
        };
        Report { parser: self.parser, ..report }
    }
}

/// The form in which ids of pytest's text and of its JUnit file are equal: `a/test_b.py::C::t[x]` and
/// `a.test_b.C.t[x]`.
pub(crate) fn same(id: &str) -> Cow<'_, str> {
    let end = id.find('[').unwrap_or(id.len());
    let (path, parameters) = id.split_at(end);
    let Some((file, rest)) = path.split_once(".py::") else { return Cow::Borrowed(id) };
    Cow::Owned(format!("{}.{}{parameters}", file.replace('/', "."), rest.replace("::", ".")))
}
