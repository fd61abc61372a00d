//! A mutation: a small change of the code, by a template.
//!
//! Promises: plain data; a reason is one line in our words, with what it quotes from the code cut short.
//! Leaves to others: finding places (one file per family of templates), order (`order`).

use super::code::Unit;
use crate::repair::file::Edit;
use std::fmt;
use std::ops::Range;

/// Longest piece of code that a reason quotes, in characters.
const MOST_QUOTED: usize = 48;
/// Most mutations of one file.
const MOST_MUTATIONS: usize = 12_000;

/// Families of mutations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Template {
    /// Another comparison.
    Comparison,
    /// `and` for `or`.
    Connective,
    /// One side of a condition left out.
    Operand,
    /// Another arithmetic operator.
    Arithmetic,
    /// Another assignment operator.
    Assignment,
    /// A condition turned round.
    Negation,
    /// Another number.
    Constant,
    /// Another truth value, or one for a number.
    Truth,
    /// Another string.
    Text,
    /// One more or one less.
    Step,
    /// An argument left out.
    DropArgument,
    /// An argument more.
    AddArgument,
    /// Arguments in another order.
    SwapArguments,
    /// A related function or method.
    Related,
    /// A call left out around what it was given.
    Unwrap,
    /// A value turned into another type.
    Conversion,
    /// Another variable.
    Name,
    /// Another member.
    Member,
    /// Another pair of members compared.
    Members,
    /// Two statements in another order.
    SwapStatements,
    /// A statement left out.
    DeleteStatement,
    /// A statement in or out of a block.
    MoveStatement,
    /// Another jump, or one more.
    Jump,
    /// `if` for `elif`, `while` for `if`.
    Branch,
    /// A check before something is used.
    Guard,
    /// A value held to a bound.
    Clamp,
}

impl Template {
    /// The name shown to people.
    pub fn as_str(self) -> &'static str {
        match self {
            Template::Comparison => "comparison",
            Template::Connective => "connective",
            Template::Operand => "operand",
            Template::Arithmetic => "arithmetic",
            Template::Assignment => "assignment",
            Template::Negation => "negation",
            Template::Constant => "constant",
            Template::Truth => "truth",
            Template::Text => "text",
            Template::Step => "step",
            Template::DropArgument => "drop-argument",
            Template::AddArgument => "add-argument",
            Template::SwapArguments => "swap-arguments",
            Template::Related => "related",
            Template::Unwrap => "unwrap",
            Template::Conversion => "conversion",
            Template::Name => "name",
            Template::Member => "member",
            Template::Members => "members",
            Template::SwapStatements => "swap-statements",
            Template::DeleteStatement => "delete-statement",
            Template::MoveStatement => "move-statement",
            Template::Jump => "jump",
            Template::Branch => "branch",
            Template::Guard => "guard",
            Template::Clamp => "clamp",
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A small change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mutation {
    /// Which file of the code.
    pub unit: usize,
    pub template: Template,
    /// In order of their places, none in another.
    pub edits: Vec<Edit>,
    /// What is changed to what, in words, without the line.
    pub what: String,
    /// How often faults of this kind are mended like this, roughly, before anything is known of the failure.
    pub weight: f64,
    /// Mutations with the same key can be made together.
    pub together: Option<String>,
}

impl Mutation {
    /// The first byte that changes.
    pub fn at(&self) -> usize {
        self.edits.first().map_or(0, |edit| edit.range.start)
    }
}

/// Takes what the templates offer for one file.
pub(super) struct Sink<'u, 'c> {
    pub unit: &'u Unit<'c>,
    pub found: Vec<Mutation>,
    number: usize,
}

impl<'u, 'c> Sink<'u, 'c> {
    pub fn new(number: usize, unit: &'u Unit<'c>) -> Sink<'u, 'c> {
        Sink { unit, found: Vec::new(), number }
    }

    pub fn is_full(&self) -> bool {
        self.found.len() >= MOST_MUTATIONS
    }

    /// Takes a change of several places.
    pub fn offer_all(&mut self, template: Template, weight: f64, edits: Vec<Edit>, what: String) {
        if self.is_full() || edits.is_empty() || weight <= 0.0 {
            return;
        }
        let unit = self.number;
        self.found.push(Mutation { unit, template, edits, what, weight, together: None });
    }

    /// Takes a change of one place.
    pub fn offer(
        &mut self,
        template: Template,
        weight: f64,
        range: Range<usize>,
        text: impl Into<String>,
        what: String,
    ) {
        let text = text.into();
        if self.unit.slice(range.clone()) != text {
            self.offer_all(template, weight, vec![Edit { range, text }], what);
        }
    }

    /// Takes the exchange of one piece for another.
    pub fn exchange(
        &mut self,
        template: Template,
        weight: f64,
        range: Range<usize>,
        text: impl Into<String>,
    ) {
        let text = text.into();
        let what = format!("{} in place of {}", quoted(&text), quoted(self.unit.slice(range.clone())));
        self.offer(template, weight, range, text, what);
    }

    /// The same, and says that all exchanges with this key in the same function can be made together.
    pub fn exchange_all(
        &mut self,
        template: Template,
        weight: f64,
        range: Range<usize>,
        text: impl Into<String>,
        key: &str,
    ) {
        let before = self.found.len();
        let room = self.unit.room(range.start);
        self.exchange(template, weight, range, text);
        if let Some(new) = self.found.get_mut(before) {
            new.together = Some(format!("{}:{}:{key}", room.start, template));
        }
    }

    /// Offers what can be made together at all its places at once.
    pub fn together(&mut self) {
        let mut groups: std::collections::BTreeMap<String, Vec<usize>> = std::collections::BTreeMap::new();
        for (number, mutation) in self.found.iter().enumerate() {
            if let Some(key) = &mutation.together {
                groups.entry(key.clone()).or_default().push(number);
            }
        }
        for group in groups.into_values().filter(|group| (2..=40).contains(&group.len())) {
            let first = &self.found[group[0]];
            let (template, what) = (first.template, format!("{}, at {} places", first.what, group.len()));
            let weight = group.iter().map(|number| self.found[*number].weight).fold(0.0, f64::max);
            let mut edits: Vec<Edit> =
                group.iter().flat_map(|number| self.found[*number].edits.iter().cloned()).collect();
            edits.sort_by_key(|edit| edit.range.start);
            if edits.windows(2).all(|two| two[0].range.end <= two[1].range.start) {
                self.offer_all(template, weight * 0.8, edits, what);
            }
        }
    }
}

/// A piece of code as a reason quotes it: one line, cut.
pub(super) fn quoted(code: &str) -> String {
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(MOST_QUOTED).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    // A backtick would end the quotation.
    format!("`{}`", crate::text::sanitise(&short.replace('`', "'")))
}
