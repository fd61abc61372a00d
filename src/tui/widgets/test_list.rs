//! Tests and what became of them, as a list.
//!
//! Promises: grouped by what is expected of them, and once results are in, failures first; only rows in view are laid
//! out, so that a hundred thousand tests answer a key at once. Leaves to others: running, the verdict.

mod draw;

use crate::harness::Expected;
use crate::report::{Case, Report, Status};
use crate::theme::Role;
use crate::tui::widgets::diff_view::occurrences;
use crate::tui::widgets::numbers::page_step;
use std::collections::HashMap;

/// Most remarks under the tests.
const MOST_DETAILS: usize = 2_000;
/// Longest of them, bytes.
const LONGEST_DETAIL: usize = 4_000;

/// A place in the code that has to do with a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Path inside the tree.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Whether it failed there; otherwise the test is written there.
    pub failed: bool,
}

/// What a dataset expects of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Listed {
    /// It fails on the buggy version and must pass on a fixed one.
    FailToPass,
    /// It passes on both.
    PassToPass,
    /// Nothing is said about it.
    No,
}

const GROUPS: [Listed; 3] = [Listed::FailToPass, Listed::PassToPass, Listed::No];

impl Listed {
    fn title(self, alone: bool, narrow: bool) -> &'static str {
        match self {
            Listed::FailToPass if narrow => "Fail to pass",
            Listed::PassToPass if narrow => "Pass to pass",
            Listed::FailToPass => "Fail before the fix, must pass after it",
            Listed::PassToPass => "Pass before, must still pass",
            Listed::No if alone => "Tests",
            Listed::No => "Not listed",
        }
    }
}

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name, untrusted.
    pub id: String,
    /// What is expected of it.
    pub listed: Listed,
    /// What became of it; `None` before it ran.
    pub status: Option<Status>,
    /// The first line of why, untrusted.
    pub message: Option<String>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// Where to look.
    pub spot: Option<Spot>,
}

/// A remark under the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// A heading and how many follow.
    Heading(String, String),
    /// A name and its value.
    Field(String, String),
    /// A line of text.
    Text(String, Role),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Blank,
    Group(Listed),
    Test(u32),
    Detail(u32),
}

/// The list.
#[derive(Debug, Clone, Default)]
pub struct TestList {
    tests: Vec<Test>,
    by_id: HashMap<String, u32>,
    details: Vec<Detail>,
    rows: Vec<Row>,
    /// Results are in, so that a listed test without one was not seen.
    complete: bool,
    /// The details tell more than the tests.
    details_first: bool,
    cursor: usize,
    top: usize,
    width: u16,
    height: u16,
    search: Option<(String, bool)>,
}

impl TestList {
    /// The listed tests, before anything ran.
    pub fn new(expected: &Expected) -> TestList {
        let mut list = TestList::default();
        for id in &expected.fail_to_pass {
            list.slot(id, Listed::FailToPass);
        }
        for id in &expected.pass_to_pass {
            list.slot(id, Listed::PassToPass);
        }
        list.arrange();
        list
    }

    /// The listed tests and all that were reported; failures first. `ran`: the tests were started; if they were
    /// not, what stands under them tells why, and comes first.
    pub fn of(
        expected: &Expected,
        report: &Report,
        spots: &mut HashMap<String, Spot>,
        ran: bool,
    ) -> TestList {
        let mut list = TestList::new(expected);
        (list.complete, list.details_first) = (ran, !ran);
        // Names in text and in a JUnit file differ, and mean the same test.
        let alike: HashMap<String, u32> =
            list.by_id.iter().map(|(id, at)| (crate::report::same(id).into_owned(), *at)).collect();
        for case in &report.cases {
            let known = list.by_id.get(&case.id).or_else(|| alike.get(&*crate::report::same(&case.id)));
            let at = match known {
                Some(at) => *at,
                None => list.slot(&case.id, Listed::No),
            };
            list.fill(at, case);
            if let Some(test) = list.tests.get_mut(at as usize) {
                test.spot = spots.remove(&case.id);
            }
        }
        list.arrange();
        if !list.current().is_some_and(is_failure) {
            list.to_failure(true);
        }
        list
    }

    fn slot(&mut self, id: &str, listed: Listed) -> u32 {
        if let Some(at) = self.by_id.get(id) {
            return *at;
        }
        let at = self.tests.len() as u32;
        let test = Test { id: id.to_owned(), listed, status: None, message: None, seconds: None, spot: None };
        self.tests.push(test);
        self.by_id.insert(id.to_owned(), at);
        at
    }

    fn fill(&mut self, at: u32, case: &Case) {
        let Some(test) = self.tests.get_mut(at as usize) else { return };
        test.status = test.status.max(Some(case.status));
        test.seconds = case.seconds.or(test.seconds);
        let line = case.message.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        if let Some(line) = line {
            test.message = Some(line.trim().chars().take(400).collect());
        }
    }

    /// Tests finished.
    pub fn finished(&mut self, cases: &[Case]) {
        let before = self.tests.len();
        for case in cases {
            let at = self.slot(&case.id, Listed::No);
            self.fill(at, case);
        }
        if self.tests.len() > before {
            self.arrange();
        }
    }

    /// What stands under the tests; more than can be read is left out.
    pub fn set_details(&mut self, mut details: Vec<Detail>) {
        details.truncate(MOST_DETAILS);
        for detail in &mut details {
            let (Detail::Heading(text, _) | Detail::Field(_, text) | Detail::Text(text, _)) = detail;
            text.truncate(text.floor_char_boundary(LONGEST_DETAIL));
        }
        self.details = details;
        self.arrange();
    }

    /// Makes the rows anew; the cursor stays on its row.
    fn arrange(&mut self) {
        let here = self.rows.get(self.cursor).copied();
        let mut groups: [Vec<u32>; 3] = Default::default();
        for (at, test) in self.tests.iter().enumerate() {
            if let Some(group) = groups.get_mut(test.listed as usize) {
                group.push(at as u32);
            }
        }
        self.rows.clear();
        if self.details_first {
            self.arrange_details();
        }
        for (listed, mut group) in GROUPS.into_iter().zip(groups) {
            if group.is_empty() {
                continue;
            }
            if self.complete {
                group.sort_by_key(|at| self.tests.get(*at as usize).map(rank));
            }
            if !self.rows.is_empty() {
                self.rows.push(Row::Blank);
            }
            self.rows.push(Row::Group(listed));
            self.rows.extend(group.into_iter().map(Row::Test));
        }
        if !self.details_first {
            self.arrange_details();
        }
        // Before there were details the cursor was on a test: now they come first.
        let here = here.filter(|here| !self.details_first || matches!(here, Row::Detail(_)));
        self.cursor = here.and_then(|here| self.rows.iter().position(|row| *row == here)).unwrap_or(0);
        self.settle(true);
    }

    fn arrange_details(&mut self) {
        for (at, detail) in self.details.iter().enumerate() {
            if matches!(detail, Detail::Heading(..)) && !self.rows.is_empty() {
                self.rows.push(Row::Blank);
            }
            self.rows.push(Row::Detail(at as u32));
        }
    }

    /// Moves the cursor off headings and blanks.
    fn settle(&mut self, down: bool) {
        let rests = |row: &Row| match row {
            Row::Blank | Row::Group(_) => false,
            Row::Detail(at) => !matches!(self.details.get(*at as usize), Some(Detail::Heading(..))),
            Row::Test(_) => true,
        };
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        let after = self.rows.iter().skip(self.cursor).position(rests).map(|step| self.cursor + step);
        let before = self.rows.iter().take(self.cursor + 1).rposition(rests);
        let found = if down { after.or(before) } else { before.or(after) };
        self.cursor = found.unwrap_or(0);
        self.keep_visible();
    }

    fn keep_visible(&mut self) {
        let height = usize::from(self.height.max(1));
        // What heads the first test stays in view with it.
        if self.cursor <= self.top {
            self.top = if self.cursor <= 1 { 0 } else { self.cursor };
        }
        let further = self.further().len();
        if self.cursor + further >= self.top + height {
            self.top = (self.cursor + further + 1 - height).min(self.cursor);
        }
        self.top = self.top.min((self.rows.len() + further).saturating_sub(height));
    }

    /// The view's size is known.
    pub fn resize(&mut self, width: u16, height: u16) {
        (self.width, self.height) = (width, height);
        self.keep_visible();
    }

    /// What the row under the cursor says beyond its first line: the list makes room for it.
    fn further(&self) -> Vec<String> {
        let most = usize::from(self.height / 3).clamp(1, 4);
        let mut lines = match self.rows.get(self.cursor) {
            Some(Row::Test(at)) => match self.tests.get(*at as usize) {
                Some(test) if draw::is_cut(test, self.width) => {
                    let message = test.message.as_deref().unwrap_or_default();
                    let at = test.spot.as_ref().filter(|spot| spot.failed);
                    let at = at.map_or_else(String::new, |spot| format!(" (at {}:{})", spot.file, spot.line));
                    crate::text::wrap(
                        &format!("{message}{at}"),
                        usize::from(self.width.saturating_sub(8).max(1)),
                    )
                }
                _ => Vec::new(),
            },
            Some(Row::Detail(at)) => match self.details.get(*at as usize) {
                Some(detail) => draw::lines_of(detail, self.width).split_off(1),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        lines.truncate(most);
        lines
    }

    /// Moves the cursor by rows.
    pub fn move_by(&mut self, rows: isize) {
        self.cursor = self.cursor.saturating_add_signed(rows);
        self.settle(rows >= 0);
    }

    /// Moves by a page or half of one.
    pub fn page(&mut self, down: bool, half: bool) {
        let step = page_step(self.height, half);
        self.move_by(if down { step } else { -step });
    }

    /// To the first or the last row.
    pub fn edge(&mut self, last: bool) {
        self.move_by(if last { isize::MAX } else { isize::MIN });
    }

    /// The cursor to a row of the view.
    pub fn click(&mut self, y: u16) {
        let clicked = self.top + usize::from(y);
        let further = self.further().len();
        let row =
            if clicked > self.cursor { clicked.saturating_sub(further).max(self.cursor) } else { clicked };
        if row < self.rows.len() {
            self.cursor = row;
            self.settle(true);
        }
    }

    /// The cursor to the next or previous test that failed, or was to run and did not; says whether there is one.
    pub fn to_failure(&mut self, forward: bool) -> bool {
        let failed = |row: &Row| self.test_of(row).is_some_and(is_failure);
        let starts_here = self.rows.get(self.cursor).is_some_and(failed);
        let found = if forward {
            let from = self.cursor + usize::from(starts_here);
            self.rows.iter().skip(from).position(failed).map(|step| from + step)
        } else {
            self.rows.iter().take(self.cursor).rposition(failed)
        };
        if let Some(found) = found {
            self.cursor = found;
            self.keep_visible();
        }
        found.is_some()
    }

    fn test_of(&self, row: &Row) -> Option<&Test> {
        match row {
            Row::Test(at) => self.tests.get(*at as usize),
            _ => None,
        }
    }

    /// The test under the cursor.
    pub fn current(&self) -> Option<&Test> {
        self.test_of(self.rows.get(self.cursor)?)
    }

    /// What the copy key takes.
    pub fn text(&self) -> Option<String> {
        match self.rows.get(self.cursor)? {
            Row::Test(at) => self.tests.get(*at as usize).map(|test| test.id.clone()),
            Row::Detail(at) => match self.details.get(*at as usize)? {
                Detail::Heading(text, _) | Detail::Field(_, text) | Detail::Text(text, _) => {
                    Some(text.clone())
                }
            },
            _ => None,
        }
    }

    /// Whether a test failed.
    pub fn has_failures(&self) -> bool {
        self.tests.iter().any(is_failure)
    }

    /// Whether a test of a group failed.
    pub fn has_failures_in(&self, listed: Listed) -> bool {
        self.tests.iter().any(|test| test.listed == listed && is_failure(test))
    }

    /// Number of the row under the cursor, and of all.
    pub fn position(&self) -> (usize, usize, usize) {
        let end = (self.top + usize::from(self.height)).min(self.rows.len());
        (self.top, end, self.rows.len())
    }

    /// Starts a search and goes to its first hit from the cursor on; says how many rows hold it.
    pub fn search(&mut self, words: &str) -> usize {
        if words.is_empty() {
            self.search = None;
            return 0;
        }
        self.search = Some((words.to_owned(), words.chars().any(char::is_uppercase)));
        let matching = self.matching();
        if let Some(row) = matching.iter().find(|row| **row >= self.cursor).or(matching.first()) {
            self.cursor = *row;
            self.keep_visible();
        }
        matching.len()
    }

    /// To the next or previous hit: its number and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let matching = self.matching();
        let number = if forward {
            matching.iter().position(|row| *row > self.cursor).or((!matching.is_empty()).then_some(0))
        } else {
            matching.iter().rposition(|row| *row < self.cursor).or(matching.len().checked_sub(1))
        };
        let number = number?;
        self.cursor = *matching.get(number)?;
        self.keep_visible();
        Some((number + 1, matching.len()))
    }

    fn matching(&self) -> Vec<usize> {
        let Some((words, exact)) = &self.search else { return Vec::new() };
        let holds = |text: &str| !occurrences(text, words, *exact).is_empty();
        let matches = |row: &Row| match row {
            Row::Test(at) => self
                .tests
                .get(*at as usize)
                .is_some_and(|test| holds(&test.id) || test.message.as_deref().is_some_and(holds)),
            Row::Detail(at) => match self.details.get(*at as usize) {
                Some(Detail::Field(_, text) | Detail::Text(text, _)) => holds(text),
                _ => false,
            },
            _ => false,
        };
        self.rows.iter().enumerate().filter(|(_, row)| matches(row)).map(|(at, _)| at).collect()
    }
}

fn is_failure(test: &Test) -> bool {
    test.status.is_some_and(Status::is_failure)
}

/// Failures first, then what was to run and did not, then the rest as it came.
fn rank(test: &Test) -> u8 {
    match test.status {
        Some(status) if status.is_failure() => 0,
        Some(Status::NotRun) => 1,
        None => 1,
        Some(Status::Skipped) => 2,
        Some(_) => 3,
    }
}
