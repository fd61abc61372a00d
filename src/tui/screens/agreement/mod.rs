//! The screen of agreement: how far annotators agree, on what they do not, and how that became so.
//!
//! Promises: the first thing to be seen is the kappa of each question with its interval and its n; blind and revised
//! labels are never mixed, and what is not independent is never called so; every count opens its cases where they may
//! be seen; what is undefined or surprises is told in a sentence; in a blind phase nothing here depends on what
//! partners say. Leaves to others: what may be seen (`study`), computing it (`runtime::study::agreement`), the
//! sentences (`agreement::remarks`).
//!
//! | part | file |
//! |---|---|
//! | keys | `acts` |
//! | kappa of each question | `kappas` |
//! | the matrix of a pair | `matrix` |
//! | categories and relatives of kappa | `categories` |
//! | rounds, as a chart | `rounds` |
//! | each annotator over time | `people` |
//! | items behind a number | `cases` |
//! | what leaves as a file | `sheet` |

mod acts;
mod bars;
mod cases;
mod categories;
mod detail;
mod kappas;
mod matrix;
mod people;
mod rounds;
mod sheet;

use super::part::Part;
use super::{Context, Go, Outcome};
use crate::keymap::{self, Action, Key};
use crate::label::compare::{Basis, Part as Items, Scope};
use crate::label::overview::{Line, Overview, Pair, Who};
use crate::label::phase::Phase;
use crate::theme::Role;
use crate::tui::msg::study::agreement::{Ask, Told};
use crate::tui::msg::study::{self};
use crate::tui::msg::{Cmd, Said};
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use cases::Cases;
use detail::Detail;
use sheet::Sheet;
use std::sync::Arc;
use uuid::Uuid;

/// Rows above the parts: what the numbers are of, the names of the parts, a rule.
const ABOVE: u16 = 3;

/// The parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Tab {
    #[default]
    Kappas,
    Matrix,
    Categories,
    Rounds,
    People,
}

impl Tab {
    const ALL: [Tab; 5] = [Tab::Kappas, Tab::Matrix, Tab::Categories, Tab::Rounds, Tab::People];

    fn name(self) -> &'static str {
        match self {
            Tab::Kappas => "Kappa",
            Tab::Matrix => "Matrix",
            Tab::Categories => "Categories",
            Tab::Rounds => "Rounds",
            Tab::People => "Annotators",
        }
    }

    fn beside(self, step: isize) -> Tab {
        let at = Tab::ALL.iter().position(|tab| *tab == self).unwrap_or(0) as isize;
        Tab::ALL[(at + step).rem_euclid(Tab::ALL.len() as isize) as usize]
    }
}

/// A cursor in rows, and the first row in view.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    cursor: usize,
    top: usize,
}

impl Place {
    fn go(&mut self, to: usize, count: usize) {
        self.cursor = to.min(count.saturating_sub(1));
    }

    /// The first row in view of a window of this height.
    fn top(&self, count: usize, height: usize) -> usize {
        let lowest = (self.cursor + 1).saturating_sub(height.max(1));
        self.top.clamp(lowest, self.cursor).min(count.saturating_sub(height))
    }
}

/// What a row of the list of kappas is about: a line of the round, and between whom.
type Chosen = (usize, Who);

/// State of the screen.
#[derive(Debug, Default)]
pub struct AgreementScreen {
    ticket: u64,
    /// Ticket of the question about the other rounds, and of a file that is written.
    beside: u64,
    writing: u64,
    /// Rounds of the study, the earliest first, as far as they were told.
    rounds: Vec<Arc<Overview>>,
    /// The round in hand.
    hand: Option<Uuid>,
    /// All rounds of the study.
    ids: Vec<Uuid>,
    revised: bool,
    rows: Vec<Chosen>,
    row: Place,
    detail: Option<Detail>,
    tab: Tab,
    cell: (usize, usize),
    by_share: bool,
    category: Place,
    round_row: Place,
    people: people::State,
    cases: Option<Cases>,
    sheet: Option<Sheet>,
    /// The lead is asked whether to look while labelling is blind.
    asking: bool,
    failure: Option<String>,
    /// What will be asked for was asked to be made ready.
    prepared: bool,
    size: (u16, u16),
}

impl AgreementScreen {
    /// The round in hand.
    /// The phase that a round was in when its agreement was read.
    pub fn phase_of(&self, round: Uuid) -> Option<Phase> {
        self.rounds.iter().find(|known| known.id == round).map(|known| known.phase)
    }

    fn overview(&self) -> Option<&Arc<Overview>> {
        self.rounds.iter().find(|round| Some(round.id) == self.hand)
    }

    fn basis(&self) -> Basis {
        if self.revised { Basis::Revised } else { Basis::Blind }
    }

    /// What the cursor is on: the line and between whom.
    fn chosen(&self) -> Option<(&Line, Who)> {
        let (line, who) = *self.rows.get(self.row.cursor)?;
        Some((self.overview()?.lines.get(line)?, who))
    }

    /// The pair that the cursor is on.
    fn chosen_pair(&self) -> Option<(&Line, &Pair)> {
        match self.chosen()? {
            (line, Who::Pair(number)) => Some((line, line.pairs.get(number)?)),
            (_, Who::All) => None,
        }
    }

    fn ask_for(&mut self, round: Option<Uuid>, live: bool, ctx: &mut Context) -> Vec<Cmd> {
        self.ticket = ctx.ticket();
        self.failure = None;
        let ask = Box::new(study::Ask::Agreement(Ask::Open { round, live }));
        vec![Cmd::Study { ticket: self.ticket, ask }]
    }

    /// A round has come: it is shown, with the cursor where it was as far as there is the same thing.
    fn take(&mut self, overview: Arc<Overview>) {
        let was = self.chosen().map(|(line, who)| (key_of(line), who));
        let known = self.rounds.iter().any(|round| round.study == overview.study);
        if !known {
            *self = AgreementScreen {
                ticket: self.ticket,
                size: self.size,
                tab: self.tab,
                prepared: self.prepared,
                ..AgreementScreen::default()
            };
        }
        self.hand = Some(overview.id);
        self.put(overview);
        self.fit_basis();
        self.list(was);
    }

    fn put(&mut self, overview: Arc<Overview>) {
        self.rounds.retain(|round| round.id != overview.id);
        self.rounds.push(overview);
        // UUIDv7 begin with the time.
        self.rounds.sort_by_key(|round| round.id);
    }

    /// Where nothing was answered blind by two, what was revised is looked at, and the other way round.
    fn fit_basis(&mut self) {
        let has = |basis: Basis| {
            let lines = self.overview().into_iter().flat_map(|round| &round.lines);
            lines.filter(|line| line.basis == basis).any(Line::has_joint_items)
        };
        match (has(Basis::Blind), has(Basis::Revised)) {
            (true, false) => self.revised = false,
            (false, true) => self.revised = true,
            _ => {}
        }
    }

    /// Lists the lines of the basis, with the cursor on what it was on.
    fn list(&mut self, was: Option<(LineKey, Who)>) {
        let basis = self.basis();
        let overview = self.overview().cloned();
        let lines = overview.as_ref().map_or(&[][..], |round| &round.lines);
        let of_basis = lines.iter().enumerate().filter(|(_, line)| line.basis == basis);
        self.rows = of_basis.flat_map(|(at, line)| line.whos().map(move |who| (at, who))).collect();
        let fits = |(line, who): &Chosen| {
            was.as_ref().is_some_and(|(key, wanted)| {
                lines.get(*line).is_some_and(|line| key_of(line) == *key) && wanted == who
            })
        };
        let cursor = self.rows.iter().position(fits).unwrap_or(0);
        self.row = Place { cursor, ..Place::default() };
        self.select();
    }

    /// The cursor is on something else: what belongs to it is made.
    fn select(&mut self) {
        self.detail = self.chosen().map(|(line, who)| Detail::of(line, who));
        self.cell = self.detail.as_ref().map_or((0, 0), |detail| detail.worst);
        self.category = Place::default();
    }

    /// Whether there is anything of a basis in the round in hand.
    fn has_basis(&self, basis: Basis) -> bool {
        self.overview().is_some_and(|round| round.lines.iter().any(|line| line.basis == basis))
    }

    fn height(&self) -> u16 {
        self.size.1.saturating_sub(ABOVE)
    }
}

/// What is the same in other rounds and on other bases.
type LineKey = (String, Scope, Items);

fn key_of(line: &Line) -> LineKey {
    (line.question.clone(), line.scope, line.part)
}

/// On which items a line is, in words; nothing where it is on all.
fn scope_words(line: &Line) -> String {
    let mut words = Vec::new();
    match (line.conditional, line.scope) {
        (true, Scope::Asked) if line.raters.len() == 2 => words.push("both asked"),
        (true, Scope::Asked) => words.push("all asked"),
        (true, Scope::All) => words.push("every item"),
        _ => {}
    }
    match line.part {
        Items::Every => {}
        Items::New => words.push("new items"),
        Items::Reverified => words.push("verified again"),
    }
    words.join(", ")
}

/// Names of those between whom, in words.
fn who_words(line: &Line, who: Who) -> String {
    match who {
        Who::Pair(number) => {
            let names = line.pairs.get(number).map_or(["?", "?"], |pair| line.names(pair));
            names.join(" × ")
        }
        Who::All => format!("all {}", line.raters.len()),
    }
}

impl Part for AgreementScreen {
    fn open(&mut self, round: Option<Uuid>, ctx: &mut Context) -> Vec<Cmd> {
        self.cases = None;
        self.sheet = None;
        self.asking = false;
        // What was seen at a price is not shown again for nothing.
        self.rounds.retain(|known| known.phase > Phase::Labelling || known.hidden.is_some());
        if let Some(known) = round.and_then(|id| self.rounds.iter().find(|known| known.id == id).cloned()) {
            // Shown at once as it was; what is new comes after.
            self.take(known);
        }
        self.ask_for(round, false, ctx)
    }

    fn told(&mut self, ticket: u64, told: &mut study::Told, ctx: &mut Context) -> Option<Outcome> {
        if ticket == 0 || ![self.ticket, self.beside, self.writing].contains(&ticket) {
            return None;
        }
        match told {
            study::Told::Agreement(Told::Opened(overview, ids)) => {
                self.take(overview.clone());
                self.ids.clone_from(ids);
                let others: Vec<Uuid> = ids.iter().copied().filter(|id| *id != overview.id).collect();
                self.rounds.retain(|round| ids.contains(&round.id));
                if others.is_empty() {
                    return Some(Outcome::done());
                }
                self.beside = ctx.ticket();
                let ask = Box::new(study::Ask::Agreement(Ask::Beside(others)));
                Some(Outcome::commands(vec![Cmd::Study { ticket: self.beside, ask }]))
            }
            study::Told::Agreement(Told::Beside(rounds)) => {
                std::mem::take(rounds).into_iter().for_each(|round| self.put(round));
                Some(Outcome::done())
            }
            study::Told::Agreement(Told::Exported { path, labels }) => {
                self.sheet = None;
                let path = crate::text::sanitise(&path.display().to_string()).into_owned();
                let noun = if *labels == 1 { "label" } else { "labels" };
                Some(Outcome::said(Said::info(format!("{path}: {labels} {noun} written"))))
            }
            study::Told::Refused(why) if ticket == self.writing || self.overview().is_some() => {
                Some(Outcome::said(Said::error(why.clone())))
            }
            study::Told::Refused(why) => {
                self.failure = Some(why.clone());
                Some(Outcome::done())
            }
            _ => None,
        }
    }

    fn tasks_changed(&mut self, ctx: &mut Context) -> Vec<Cmd> {
        if std::mem::replace(&mut self.prepared, true) {
            return Vec::new();
        }
        // Nobody waits for the answer, and a refusal is told when somebody comes here.
        let ask = Box::new(study::Ask::Agreement(Ask::Prepare));
        vec![Cmd::Study { ticket: ctx.ticket(), ask }]
    }

    fn contexts(&self) -> Vec<keymap::Context> {
        match self.asking {
            true => vec![keymap::Context::Confirm],
            false => vec![keymap::Context::Agreement],
        }
    }

    fn act(&mut self, action: Action, ctx: &mut Context) -> Outcome {
        self.acted(action, ctx)
    }

    fn is_typing(&self) -> bool {
        self.sheet.as_ref().is_some_and(|sheet| sheet.typing)
    }

    fn typed(&mut self, key: Key, action: Option<Action>, ctx: &mut Context) -> Outcome {
        self.typed_name(key, action, ctx)
    }

    fn paste(&mut self, text: &str, _ctx: &mut Context) -> Vec<Cmd> {
        if let Some(sheet) = &mut self.sheet {
            sheet.name.insert(text);
        }
        Vec::new()
    }

    fn resize(&mut self, width: u16, height: u16, _ctx: &mut Context) -> Vec<Cmd> {
        self.size = (width, height);
        Vec::new()
    }

    fn wheel(&mut self, down: bool) {
        self.step(if down { 3 } else { -3 });
    }

    fn click(&mut self, x: u16, y: u16, _ctx: &mut Context) -> Outcome {
        if y == 1
            && let Some(tab) = tab_at(x)
        {
            self.show(tab);
        }
        Outcome::done()
    }

    fn means_something(&self, action: Action) -> bool {
        self.would_do(action)
    }

    fn crumbs(&self) -> Vec<String> {
        let mut crumbs = vec!["agreement".to_owned()];
        crumbs.extend(self.overview().map(|round| format!("{}/{}", round.study, round.name)));
        crumbs
    }

    fn header(&self) -> String {
        self.overview().map_or_else(String::new, |round| format!("{} · {}", round.phase, round.role))
    }

    fn draw(&self, ctx: &Context, canvas: &mut Canvas<'_>) {
        let skin = &ctx.skin;
        let Some(overview) = self.overview() else {
            match &self.failure {
                Some(failure) => panel::message(canvas, skin, "No agreement to show", failure, Role::TextDim),
                None => panel::message(canvas, skin, "Reading the rounds…", "", Role::TextDim),
            }
            return;
        };
        self.draw_top(overview, skin, canvas);
        let (width, height) = (canvas.width(), self.height());
        let mut body = canvas.part(0, ABOVE, width, height);
        if let Some(cases) = &self.cases {
            cases.draw(skin, &mut body);
        } else {
            match self.tab {
                Tab::Rounds => self.draw_rounds(skin, &mut body),
                Tab::People => self.draw_people(skin, &mut body),
                _ if overview.hidden.is_some() => self.draw_hidden(overview, skin, &mut body),
                Tab::Kappas => self.draw_kappas(skin, &mut body),
                Tab::Matrix => self.draw_matrix(skin, &mut body),
                Tab::Categories => self.draw_categories(skin, &mut body),
            }
        }
        if let Some(sheet) = &self.sheet {
            sheet.draw(skin, canvas);
        }
        if self.asking {
            draw_question(skin, canvas);
        }
    }
}

/// Where the names of the parts stand.
fn tab_places() -> impl Iterator<Item = (Tab, u16, u16)> {
    let mut x = 1;
    Tab::ALL.into_iter().map(move |tab| {
        let start = x;
        let wide = tab.name().len() as u16 + 4;
        x += wide + 1;
        (tab, start, start + wide)
    })
}

fn tab_at(x: u16) -> Option<Tab> {
    tab_places().find(|(_, start, end)| (*start..*end).contains(&x)).map(|(tab, _, _)| tab)
}

/// What a lead is asked who wants to look while labelling is blind.
fn draw_question(skin: &Skin, canvas: &mut Canvas<'_>) {
    let text = "Labelling is blind. Looking at agreement now is a deviation from the protocol: it is written down with \
                your name and the time, and every export and the methods paragraph carry it. It cannot be taken back.";
    let width = canvas.width().min(66);
    let lines = crate::text::wrap(text, usize::from(width.saturating_sub(6).max(1)));
    let height = lines.len() as u16 + 4;
    let foot = "y look all the same · n leave it";
    let mut inner =
        panel::popup(canvas, skin, ("Look at agreement while it is blind?", foot), (width, height));
    let wide = inner.width();
    for (y, line) in (1..).zip(&lines) {
        inner.print(0, y, line, skin.over(Role::Overlay, Role::Text), wide);
    }
}

impl AgreementScreen {
    /// What the numbers are of, and the names of the parts.
    fn draw_top(&self, overview: &Overview, skin: &Skin, canvas: &mut Canvas<'_>) {
        let width = canvas.width();
        let at = self.ids.iter().position(|id| *id == overview.id).map_or(1, |at| at + 1);
        let right = format!("round {at} of {}", self.ids.len().max(1));
        let room = width.saturating_sub(right.len() as u16 + 3);
        let (strong, weak, role) = self.basis_words(overview);
        let x = canvas.print(1, 0, strong, skin.style(role), room);
        canvas.print(x, 0, &weak, skin.style(Role::TextDim), room.saturating_sub(x));
        canvas.print_end(0, 0, &right, skin.style(Role::TextDim), width.saturating_sub(1));
        for ((tab, start, _), number) in tab_places().zip(1..) {
            let role = if tab == self.tab { Role::TabActive } else { Role::Tab };
            let name = format!(" {number} {} ", tab.name());
            canvas.print(start, 1, &name, skin.style(role), width.saturating_sub(start));
        }
        canvas.rule(2, skin.glyphs.rule, skin.style(Role::Border));
        if !overview.deviations.is_empty() {
            let count = overview.deviations.len();
            let noun = if count == 1 { "deviation" } else { "deviations" };
            let words = format!("{} {count} {noun}", skin.glyphs.mark);
            canvas.print_end(0, 1, &words, skin.style(Role::Mark), width.saturating_sub(1));
        }
    }

    /// Which labels these are: a word that stands out, and the rest.
    fn basis_words(&self, overview: &Overview) -> (&'static str, String, Role) {
        if overview.hidden.is_some() {
            return ("Blind", ": agreement is hidden while labels are given".to_owned(), Role::StatusInfo);
        }
        let line = self.chosen().map(|(line, _)| line);
        let codebook = line.map_or_else(String::new, |line| format!(" · codebook {}", line.codebook));
        let stale = line.map_or(0, |line| line.stale);
        let stale = if stale > 0 { format!(" · {stale} stale left out") } else { String::new() };
        match (self.basis(), line) {
            (Basis::Revised, _) => {
                let weak = format!(" labels, after discussion: not independent{codebook}{stale}");
                ("Revised", weak, Role::StatusWarn)
            }
            (Basis::Blind, Some(line)) if line.reverified > 0 => {
                let again = line.reverified;
                let weak = format!(" labels, not independent: {again} verified again{codebook}{stale}");
                ("Blind", weak, Role::StatusWarn)
            }
            (Basis::Blind, _) => ("Blind", format!(" labels, independent{codebook}{stale}"), Role::Title),
        }
    }

    /// Why there is nothing to see.
    fn draw_hidden(&self, overview: &Overview, skin: &Skin, canvas: &mut Canvas<'_>) {
        let Some(hidden) = &overview.hidden else { return };
        let mut body = format!("{}.", capital(&hidden.why));
        if hidden.at_a_price {
            body.push_str(
                " As the lead of the round you can look all the same with L; that is a deviation from the protocol, \
                 and every export says so.",
            );
        }
        if self.ids.len() > 1 {
            body.push_str(" Rounds that are further stand under 4.");
        }
        if !overview.people.is_empty() {
            body.push_str(" How you label, and how fast, stands under 5.");
        }
        panel::message(canvas, skin, "Agreement is hidden", &body, Role::TextDim);
    }
}

/// The same, with a capital letter.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Another round of the study.
fn go_to(round: Uuid) -> Outcome {
    Outcome::go(Go::Study(super::Place::Agreement, Some(round)))
}
