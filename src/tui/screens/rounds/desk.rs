//! The desk of a round: everything about it, line by line.
//!
//! Promises: only what `study` told; names of items open them; every count has its n. Leaves to others: drawing them
//! at a place (`draw`).

use super::words::{codebook, name, phase_role, waiting};
use crate::label::extent::Extent;
use crate::label::phase::Phase;
use crate::label::status::Progress;
use crate::label::turn::task_of;
use crate::study::Whole;
use crate::text;
use crate::text::counted;
use crate::text::thousands;
use crate::theme::Role;
use jiff::Timestamp;

/// Columns of the names before values.
const NAMES: usize = 13;
/// Columns of a bar.
const BAR: usize = 16;
/// Items that an obstacle names.
const NAMED: usize = 500;

/// A line: pieces of text with their roles, and the task that it opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Left to right.
    pub parts: Vec<(String, Role)>,
    /// Name of the task that Enter opens.
    pub opens: Option<String>,
}

/// The desk that is shown.
#[derive(Debug)]
pub struct Desk {
    /// The round.
    pub whole: Box<Whole>,
    /// Its lines for a width.
    pub lines: Vec<Line>,
    /// The line of the cursor.
    pub cursor: usize,
    /// The first line in view.
    pub top: usize,
}

impl Desk {
    /// The desk of a round, laid out for so many columns.
    pub fn new(whole: Box<Whole>, width: u16, glyphs: (&str, &str)) -> Desk {
        let lines = lines(&whole, usize::from(width), glyphs);
        Desk { whole, lines, cursor: 0, top: 0 }
    }

    /// Lays it out again.
    pub fn lay_out(&mut self, width: u16, glyphs: (&str, &str)) {
        self.lines = lines(&self.whole, usize::from(width), glyphs);
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
    }

    /// Moves the cursor, and keeps it in view of so many rows.
    pub fn move_by(&mut self, by: isize, rows: usize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.lines.len().saturating_sub(1));
        self.keep_visible(rows);
    }

    /// Keeps the cursor in view.
    pub fn keep_visible(&mut self, rows: usize) {
        let rows = rows.max(1);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(rows));
        self.top = self.top.min(self.lines.len().saturating_sub(rows));
    }
}

fn when(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

struct Page<'a> {
    lines: Vec<Line>,
    width: usize,
    glyphs: (&'a str, &'a str),
}

impl Page<'_> {
    fn push(&mut self, parts: Vec<(String, Role)>) {
        self.lines.push(Line { parts, opens: None });
    }

    fn heading(&mut self, words: &str, remark: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let mut parts = vec![(words.to_owned(), Role::Title)];
        if !remark.is_empty() {
            parts.push((format!("  {remark}"), Role::TextDim));
        }
        self.push(parts);
    }

    /// A name and its value, wrapped behind the name.
    fn field(&mut self, name: &str, value: &str, role: Role) {
        let room = self.width.saturating_sub(NAMES + 1).max(8);
        for (number, line) in text::wrap(value, room).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            self.push(vec![(text::pad(name, NAMES), Role::TextDim), (line, role)]);
        }
    }

    fn prose(&mut self, words: &str, role: Role) {
        for line in text::wrap(words, self.width.max(8)) {
            self.push(vec![(line, role)]);
        }
    }

    fn bar(&self, done: usize, of: usize, wide: usize) -> [(String, Role); 2] {
        let full = if of == 0 { 0 } else { (done * wide).div_ceil(of).min(wide) };
        // What is not done to the last item is not drawn as done.
        let full = if done < of { full.min(wide.saturating_sub(1)) } else { full };
        [(self.glyphs.0.repeat(full), Role::StatusOk), (self.glyphs.1.repeat(wide - full), Role::TextDim)]
    }

    fn annotator(&mut self, who: &str, progress: &Progress, names: usize) {
        let wide = BAR.min(self.width / 4);
        let mut parts = vec![(format!("{} ", text::pad(who, names)), Role::TextStrong)];
        parts.extend(self.bar(progress.done, progress.assigned, wide));
        let count = format!(" {} of {}", thousands(progress.done), thousands(progress.assigned));
        let role = if progress.done == progress.assigned { Role::StatusOk } else { Role::Count };
        parts.push((count, role));
        let mut rest = Vec::new();
        if let Some(pace) = progress.pace {
            rest.push(pace.words());
        }
        if progress.sealed {
            rest.push("handed in, sealed".to_owned());
        }
        for (count, words) in [
            (progress.flagged, "flagged"),
            (progress.conflicts, "contradicting each other"),
            (progress.late, "answered after labelling had ended"),
        ] {
            if count > 0 {
                rest.push(format!("{} {words}", thousands(count)));
            }
        }
        let rest = rest.join(", ");
        let used: usize = parts.iter().map(|(text, _)| text::width(text)).sum();
        if used + 2 + text::width(&rest) <= self.width {
            parts.push((format!("  {rest}"), Role::TextDim));
            self.push(parts);
        } else {
            self.push(parts);
            let indent = " ".repeat(names + 1);
            for line in text::wrap(&rest, self.width.saturating_sub(names + 1).max(8)) {
                self.push(vec![(format!("{indent}{line}"), Role::TextDim)]);
            }
        }
    }
}

/// The desk as lines of at most so many columns.
pub fn lines(whole: &Whole, width: usize, glyphs: (&str, &str)) -> Vec<Line> {
    let mut page = Page { lines: Vec::new(), width, glyphs };
    let round = &whole.brief.round;
    let (words, role) = waiting(&whole.brief);
    page.push(vec![(name(round), Role::Accent)]);
    page.push(track(round.phase, width));
    if !words.is_empty() {
        page.push(vec![(words, role)]);
    }
    people(&mut page, whole);
    if !whole.progress.is_empty() && round.assignment.is_some() {
        progress(&mut page, whole);
    }
    obstacles(&mut page, whole);
    drawn(&mut page, whole);
    page.heading("How it came here", "");
    page.field("made", &format!("{} by {}", when(round.created), round.lead.name), Role::Text);
    for step in &round.history {
        let who = round.people().find(|person| person.key == step.actor);
        let who = who.map_or(step.actor.as_str(), |person| person.name.as_str());
        page.field(step.to.as_str(), &format!("{} by {who}", when(step.at)), Role::Text);
    }
    page.heading("Codebook", &counted(round.codebooks.len(), "version"));
    for version in &round.codebooks {
        let why = if version.why.is_empty() { String::new() } else { format!(": {}", version.why) };
        let words = format!("{} {} since {}{why}", version.codebook.id, version.stamp, version.since);
        page.prose(&words, Role::Text);
    }
    for (annotator, count) in &whole.stale {
        let who = round.annotators.get(*annotator).map_or("", |person| person.name.as_str());
        let words =
            format!("{who}: {} to look at again: the codebook changed since", counted(*count, "item"));
        page.prose(&words, Role::StatusWarn);
    }
    page.heading("Deviations from the protocol", "");
    if round.deviations.is_empty() {
        page.prose("none", Role::TextDim);
    }
    for deviated in &round.deviations {
        page.prose(&format!("{}: {}", when(deviated.at), deviated.deviation.words()), Role::StatusWarn);
    }
    if !round.problems.is_empty() {
        page.heading("What does not fit together", "");
        for problem in &round.problems {
            page.prose(problem, Role::StatusError);
        }
    }
    page.lines
}

/// The phases, the present one set off.
fn track(now: Phase, width: usize) -> Vec<(String, Role)> {
    let long: usize = Phase::ALL.iter().map(|phase| phase.as_str().len() + 3).sum();
    let mut parts = Vec::new();
    for phase in Phase::ALL {
        if phase > now && long > width {
            continue;
        }
        if !parts.is_empty() {
            parts.push((" > ".to_owned(), Role::Border));
        }
        let role = match phase.cmp(&now) {
            std::cmp::Ordering::Equal if now == Phase::Closed => Role::TextStrong,
            std::cmp::Ordering::Equal => phase_role(phase),
            std::cmp::Ordering::Less => Role::Text,
            std::cmp::Ordering::Greater => Role::TextDim,
        };
        let words = if phase == now { format!("[{phase}]") } else { phase.to_string() };
        parts.push((words, role));
    }
    parts
}

fn people(page: &mut Page<'_>, whole: &Whole) {
    let round = &whole.brief.round;
    page.heading("People", "");
    let annotators: Vec<&str> = round.annotators.iter().map(|person| person.name.as_str()).collect();
    page.field("annotators", &annotators.join(", "), Role::Text);
    page.field("arbitrator", &round.arbitrator.name, Role::Text);
    page.field("lead", &round.lead.name, Role::Text);
    page.field("you", &format!("{}: {}", whole.name, whole.brief.role.as_str()), Role::TextStrong);
}

fn progress(page: &mut Page<'_>, whole: &Whole) {
    let round = &whole.brief.round;
    let own = whole.brief.role.leads() || round.phase != Phase::Labelling;
    page.heading(if own { "Progress" } else { "Your progress" }, "");
    let named = |who: usize| round.annotators.get(who).map_or("", |person| person.name.as_str());
    let names = whole.progress.iter().map(|(who, _)| text::width(named(*who))).max().unwrap_or(0);
    for (who, progress) in &whole.progress {
        page.annotator(named(*who), progress, names.clamp(4, 20));
    }
}

fn obstacles(page: &mut Page<'_>, whole: &Whole) {
    let round = &whole.brief.round;
    let items = |page: &mut Page<'_>, items: &[String]| {
        let room = page.width.saturating_sub(4);
        for item in items.iter().take(NAMED) {
            let shown = text::truncate_start(item, room).into_owned();
            let opens = Some(task_of(item).to_owned());
            page.lines.push(Line { parts: vec![(format!("    {shown}"), Role::Text)], opens });
        }
        if items.len() > NAMED {
            let more = format!("    and {} more", thousands(items.len() - NAMED));
            page.push(vec![(more, Role::TextDim)]);
        }
    };
    if let (Some(found), Some(to)) = (&whole.obstacles, round.phase.next()) {
        page.heading(&format!("Before {to} can begin"), "a ends the phase");
        if found.is_empty() {
            page.push(vec![("nothing stands in the way".to_owned(), Role::StatusOk)]);
        }
        for one in found {
            let words = format!("  {} {}", counted(one.items.len(), "item"), one.what.words());
            page.push(vec![(one.who.clone(), Role::TextStrong), (words, Role::StatusWarn)]);
            items(page, &one.items);
        }
    } else if let [(_, progress)] = whole.progress.as_slice()
        && round.phase == Phase::Labelling
        && !whole.brief.role.leads()
        && !progress.missing.is_empty()
    {
        page.heading("What is left to you", "");
        for (what, left) in &progress.missing {
            let words = format!("{} {}", counted(left.len(), "item"), what.words());
            page.push(vec![(words, Role::TextStrong)]);
            items(page, left);
        }
    }
}

fn drawn(page: &mut Page<'_>, whole: &Whole) {
    let round = &whole.brief.round;
    let sampling = &round.sampling;
    page.heading("Items", &Extent::of(round).to_string());
    let filter = if sampling.filter.is_empty() { "none" } else { sampling.filter.as_str() };
    page.field("from", &sampling.source, Role::Text);
    page.field("filter", filter, Role::Text);
    if !sampling.size.is_empty() {
        let words =
            format!("{} of {}, seed {}", sampling.size, thousands(sampling.population), sampling.seed);
        page.field("drawn", &words, Role::Text);
    }
    if !sampling.excluded.is_empty() {
        page.field(
            "left out",
            &format!("the items of {}", counted(sampling.excluded.len(), "round")),
            Role::Text,
        );
    }
    let again = round.items.list().iter().filter(|item| !item.seen_in.is_empty()).count();
    if again > 0 {
        let words =
            format!("{} seen in an earlier round: re-verified, not independent", counted(again, "item"));
        page.field("again", &words, Role::StatusWarn);
    }
    // That some are gold is known to the lead only.
    let gold = round.items.list().iter().filter(|item| item.purpose.as_str() == "gold").count();
    if gold > 0 && whole.brief.role.leads() {
        page.field("gold", &format!("{} of them, not compared", counted(gold, "item")), Role::Text);
    }
    match &round.assignment {
        None => page.field("assigned", "nothing yet", Role::StatusWarn),
        Some(assignment) => {
            let pairs = match assignment.pairs {
                crate::label::assign::Pairs::Fixed => "fixed teams",
                crate::label::assign::Pairs::Rotating => "rotating pairs",
            };
            let words = format!(
                "{} an item, {pairs}, seed {}",
                counted(assignment.per_item, "annotator"),
                assignment.seed
            );
            page.field("assigned", &words, Role::Text);
        }
    }
    page.field("codebook", &codebook(round), Role::Text);
}
