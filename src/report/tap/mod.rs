//! Reads TAP 12, 13 and 14: printed by hand, by perl, by node:test; also behind prove.
//!
//! Promises: ids are descriptions, those of subtests `parent > child`, points without description their number; a
//! point deeper than any subtest that was announced counts for nothing; YAML blocks explain and are never read as
//! results; a file that node reports as a test around its tests is left away, and one that ended before
//! its tests is `not-run`. A missing plan, or fewer points than planned, is a report that breaks off.
//! Leaves to others: the forms of a line (`line`), the pages of prove (`prove`).

mod line;
mod prove;

use super::collect::{Collector, LONGEST_MESSAGE, cut};
use super::{Case, MOST_CASES, Report, Status};
use line::{Directive, Line};
use prove::Prove;

/// Deepest subtest.
const DEEPEST: usize = 16;

/// Reads lines; see the module.
#[derive(Debug, Default)]
pub(super) struct Tap {
    found: Collector,
    levels: Vec<Level>,
    /// The newest point, which lines after it may explain.
    last: Option<(usize, Point)>,
    yaml: Option<Yaml>,
    planned: usize,
    has_plan: bool,
    incomplete: bool,
    bailed_out: bool,
    prove: Prove,
    /// Points that are tests (no suites), failures among them, of which node's closing comments speak.
    tests: usize,
    failures: usize,
    files: usize,
    node_tests: Option<usize>,
    node_failures: Option<usize>,
    held: usize,
}

/// One level of indentation.
#[derive(Debug, Default)]
struct Level {
    plan: Option<usize>,
    seen: usize,
    last_number: usize,
    has_failed: bool,
    /// Name in the newest `# Subtest:` since the last point.
    announced: Option<String>,
    /// Points whose parent is still to come.
    points: Vec<Point>,
}

#[derive(Debug)]
struct Point {
    id: String,
    status: Status,
    message: String,
    seconds: Option<f64>,
    is_suite: bool,
    children: Vec<Point>,
}

#[derive(Debug)]
struct Yaml {
    indent: usize,
    /// Inside a block scalar that explains.
    explains: bool,
}

impl Tap {
    pub(super) fn cases(&self) -> &[Case] {
        self.found.cases()
    }

    pub(super) fn line(&mut self, line: &str) {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if self.yaml.is_some() {
            if self.yaml_line(text, indent) {
                return;
            }
            self.yaml = None;
        }
        if text == "---"
            && let Some((depth, _)) = &self.last
            && indent > depth * 4
            && indent <= depth * 4 + 4
        {
            self.yaml = Some(Yaml { indent, explains: false });
            return;
        }
        if indent == 0 && self.prove_line(text) {
            return;
        }
        let depth = indent / 4;
        if !indent.is_multiple_of(4) || depth > DEEPEST {
            return;
        }
        let Some(line) = line::read(text) else { return };
        // A subtest is open where its name was announced, one level further out.
        let announced_here = matches!(&line, Line::Comment(text) if text.starts_with("Subtest:"));
        let is_open = depth == 0
            || depth < self.levels.len()
            || (depth == self.levels.len()
                && (announced_here || self.levels.last().is_some_and(|level| level.announced.is_some())));
        if !is_open {
            return;
        }
        match line {
            Line::Point(point) => self.point(depth, point),
            Line::Plan { tests, skip } => self.plan(depth, tests, skip),
            Line::BailOut(reason) => {
                self.settle();
                self.bailed_out = true;
                self.found.note(format!("the tests bailed out: {reason}"));
            }
            Line::Comment(text) => self.comment(depth, text),
        }
    }

    fn level(&mut self, depth: usize) -> &mut Level {
        while self.levels.len() <= depth {
            self.levels.push(Level::default());
        }
        &mut self.levels[depth]
    }

    fn point(&mut self, depth: usize, read: line::Point) {
        self.settle();
        let children = self.close_below(depth);
        let level = self.level(depth);
        level.seen += 1;
        level.announced = None;
        let expected = level.last_number.saturating_add(1);
        let number = read.number.unwrap_or(expected);
        level.last_number = number;
        let status = match (&read.directive, read.ok) {
            (Some((Directive::Skip, _)), _) => Status::Skipped,
            (Some((Directive::Todo, _)), false) => Status::ExpectedFailure,
            (_, true) => Status::Passed,
            (None, false) => Status::Failed,
        };
        level.has_failed |= status.is_failure();
        let id = if read.description.is_empty() { number.to_string() } else { read.description };
        if number != expected {
            self.found.contradiction(format!("test number {number} stands where {expected} is due"));
        }
        let message = read.directive.map_or_else(String::new, |(_, reason)| reason);
        let point = Point { id, status, message, seconds: None, is_suite: false, children };
        self.last = Some((depth, point));
    }

    /// The newest point is as explained as it gets: it goes to where it belongs.
    fn settle(&mut self) {
        let Some((depth, point)) = self.last.take() else { return };
        if depth == 0 {
            self.keep(point, "");
            self.held = 0;
        } else if self.held < MOST_CASES {
            self.held += 1;
            self.level(depth).points.push(point);
        }
    }

    /// Ends all levels deeper than this one; their points, the next level's on top.
    fn close_below(&mut self, depth: usize) -> Vec<Point> {
        let mut points = Vec::new();
        while self.levels.len() > depth + 1 {
            let Some(mut level) = self.levels.pop() else { break };
            level.points.append(&mut points);
            if let Some(plan) = level.plan
                && plan != level.seen
            {
                self.found
                    .contradiction(format!("a subtest planned {plan} tests and reports {}", level.seen));
            }
            points = level.points;
        }
        points
    }

    /// Puts a point and what it holds into the report.
    fn keep(&mut self, point: Point, parent: &str) {
        let is_file = parent.is_empty() && is_file(&point.id);
        if is_file && !point.children.is_empty() {
            self.files += 1;
            let explained = point.children.iter().any(has_failed);
            for child in point.children {
                self.keep(child, "");
            }
            if point.status.is_failure() && !explained {
                self.found.add_case(name_of(&point.id), Status::Errored, Some(&point.message), point.seconds);
            }
            return;
        }
        if is_file {
            self.files += 1;
            let (status, message) = match point.status {
                Status::Passed => (Status::NotRun, "the file ended before any of its tests was run"),
                status if status.is_failure() => (Status::Errored, point.message.as_str()),
                status => (status, point.message.as_str()),
            };
            self.found.add_case(name_of(&point.id), status, Some(message), point.seconds);
            return;
        }
        let id = if parent.is_empty() { point.id } else { format!("{parent} > {}", point.id) };
        let id = cut(&id, super::LONGEST_ID).to_owned();
        if !point.is_suite {
            self.tests += 1;
            self.failures += usize::from(point.status.is_failure());
        }
        for child in point.children {
            self.keep(child, &id);
        }
        self.found.add_case(&id, point.status, Some(&point.message), point.seconds);
    }

    fn plan(&mut self, depth: usize, tests: usize, skip: Option<&str>) {
        self.settle();
        if depth == 0 {
            self.close_orphans();
            self.has_plan = true;
            self.planned = self.planned.saturating_add(tests);
            if let Some(reason) = skip {
                self.found.note(format!("all tests are skipped: {reason}"));
            }
        }
        let level = self.level(depth);
        if level.plan.replace(tests).is_some() {
            self.found.contradiction("two plans for the same tests");
        }
    }

    fn comment(&mut self, depth: usize, text: &str) {
        if let Some(name) = text.strip_prefix("Subtest:") {
            self.settle();
            // What is deeper belonged to a subtest whose own result never came.
            if depth + 1 < self.levels.len() {
                self.close_orphans_below(depth);
            }
            self.level(depth).announced = Some(cut(name.trim(), super::LONGEST_ID).to_owned());
            return;
        }
        if let Some((at, point)) = &mut self.last
            && *at == depth
            && matches!(point.status, Status::Failed | Status::ExpectedFailure)
            && point.message.len() < LONGEST_MESSAGE
        {
            if !point.message.is_empty() {
                point.message.push('\n');
            }
            point.message.push_str(cut(text, LONGEST_MESSAGE));
        }
        if depth == 0
            && self.has_plan
            && let Some((word, count)) = text.split_once(' ')
            && let Ok(count) = count.parse::<usize>()
        {
            match word {
                "tests" => self.node_tests = Some(count),
                "fail" | "cancelled" => {
                    self.node_failures = Some(self.node_failures.unwrap_or(0).saturating_add(count));
                }
                _ => {}
            }
        }
    }

    /// Points of subtests whose own result is missing keep the names that were announced.
    fn close_orphans_below(&mut self, depth: usize) {
        let names: Vec<String> = self.levels.iter().filter_map(|level| level.announced.clone()).collect();
        let points = self.close_below(depth);
        if points.is_empty() {
            return;
        }
        self.incomplete = true;
        self.found.note("a subtest has no result of its own");
        let parent = names.join(" > ");
        for point in points {
            self.keep(point, &parent);
        }
    }

    fn close_orphans(&mut self) {
        if self.levels.len() > 1 {
            self.close_orphans_below(0);
        }
    }

    /// Whether the line belongs to the YAML block.
    fn yaml_line(&mut self, text: &str, indent: usize) -> bool {
        let (Some(yaml), Some((_, point))) = (&mut self.yaml, &mut self.last) else { return false };
        if indent < yaml.indent && !text.is_empty() {
            return false;
        }
        if indent == yaml.indent && text == "..." {
            self.yaml = None;
            if matches!(&self.last, Some((0, _))) {
                self.settle();
            }
            return true;
        }
        if indent > yaml.indent || text.is_empty() {
            if yaml.explains && point.message.len() < LONGEST_MESSAGE {
                point.message.push_str(cut(text.trim_end(), LONGEST_MESSAGE));
                point.message.push('\n');
            }
            return true;
        }
        yaml.explains = false;
        let Some((key, value)) = text.split_once(':') else { return true };
        let value = value.trim();
        match key {
            "duration_ms" => {
                point.seconds =
                    value.parse::<f64>().ok().filter(|ms| ms.is_finite() && *ms >= 0.0).map(|ms| ms / 1000.0);
            }
            "type" => point.is_suite = unquoted(value) == "suite",
            "error" | "message" if point.message.is_empty() => {
                if value.starts_with('|') || value.starts_with('>') {
                    yaml.explains = true;
                } else {
                    point.message = cut(unquoted(value), LONGEST_MESSAGE).to_owned();
                }
            }
            _ => {}
        }
        true
    }

    fn prove_line(&mut self, text: &str) -> bool {
        let Some(event) = self.prove.line(text) else { return false };
        self.settle();
        match event {
            prove::Event::File { name, status } => {
                self.close_orphans();
                self.close_file();
                if let Some(status) = status {
                    self.found.add(&name, status);
                }
            }
            prove::Event::EndOfFile => {}
            prove::Event::Failed { name, why } => {
                if !self.levels.first().is_some_and(|level| level.has_failed) {
                    self.found.confirm(&name, Status::Failed, Some(&why));
                }
            }
            prove::Event::Result => {
                self.close_orphans();
                self.close_file();
            }
        }
        true
    }

    /// A file of prove is done; the next one counts from 1.
    fn close_file(&mut self) {
        let Some(level) = self.levels.first_mut() else { return };
        let level = std::mem::take(level);
        self.judge_plan(&level);
    }

    fn judge_plan(&mut self, level: &Level) {
        match level.plan {
            Some(plan) if level.seen > plan => {
                self.found
                    .contradiction(format!("{plan} tests were planned, and {} are reported", level.seen));
            }
            Some(plan) if level.seen < plan => {
                self.incomplete = true;
                self.found.note(format!("{plan} tests were planned, and {} are reported", level.seen));
            }
            None if level.seen > 0 => {
                self.incomplete = true;
                self.found.note("there is no plan, so nobody knows whether tests are missing");
            }
            _ => {}
        }
    }

    pub(super) fn finish(mut self) -> Report {
        self.settle();
        self.close_orphans();
        let by_prove = self.prove.is_used();
        self.close_file();
        if !by_prove && self.files == 0 {
            if let Some(told) = self.node_tests.filter(|told| *told != self.tests) {
                self.found
                    .contradiction(format!("{} tests are reported, and the end counts {told}", self.tests));
            }
            if let Some(told) = self.node_failures.filter(|told| *told != self.failures) {
                self.found
                    .contradiction(format!("{} tests failed, and the end counts {told}", self.failures));
            }
        }
        let complete = if by_prove {
            self.prove.is_done() && !self.incomplete
        } else {
            self.has_plan && !self.incomplete && !self.bailed_out
        };
        let planned = self.has_plan.then_some(self.planned);
        let mut report = self.found.report(complete, planned);
        report.bailed_out = self.bailed_out;
        report
    }
}

fn has_failed(point: &Point) -> bool {
    point.status.is_failure() || point.children.iter().any(has_failed)
}

/// Whether a test's name is the path of a script: node's test around the tests of a file.
fn is_file(name: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"].iter().any(|ending| name.ends_with(ending))
        && !name.contains(' ')
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn unquoted(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).unwrap_or(value)
}
