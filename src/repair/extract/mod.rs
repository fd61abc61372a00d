//! Getting code out of a model's raw answer.
//!
//! Promises: pure, never panics, time in the length of the answer; every answer gets exactly one outcome;
//! what was chosen, by which rule, and what was not chosen and why are all in the result.
//! Leaves to others: laying the pieces into the tree (`repair::apply`).

mod bare;
mod candidate;
mod choose;
mod fences;
mod lazy;
mod patches;
mod reasoning;
mod replace;
mod tidy;
mod words;

pub(super) use lazy::elision;
pub(super) use patches::is_hunk_header;
pub(super) use replace::{EnvelopeAction, envelope, replace_blocks};
pub(super) use tidy::{Code, punctuation, tidy};

use super::form::{Asked, FinishReason, Policy};
use super::outcome::{ExtractionOutcome, Flag};
use candidate::{Candidate, Known};
use choose::Choice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// Longest answer that is read; what follows is left out, and the notes say so.
pub const MAX_ANSWER: usize = 10 << 20;
/// Most blocks that are looked at: the last ones.
const MAX_BLOCKS: usize = 200;

/// Most SEARCH/REPLACE blocks that are taken: the first ones.
const MAX_REPLACED: usize = 500;

/// What a piece of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PieceKind {
    /// Code: a file, a function, a body, or some lines.
    Code,
    /// A unified diff.
    Patch,
    /// One or more SEARCH/REPLACE blocks.
    SearchReplace,
    /// A patch between `*** Begin Patch` and `*** End Patch`.
    Envelope,
}

impl PieceKind {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            PieceKind::Code => "code",
            PieceKind::Patch => "patch",
            PieceKind::SearchReplace => "search-replace",
            PieceKind::Envelope => "envelope",
        }
    }
}

/// Why a piece was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// There was no other block.
    OnlyBlock,
    /// The best block that defines what was asked for.
    DefinesTarget,
    /// The answer names the file for it.
    NamesFile,
    /// The last of several.
    Last,
    /// A block whose end was found behind the fences that it holds.
    LaterFence,
    /// Lines without a definition.
    Lines,
    /// Code without fences.
    Bare,
    /// A patch of the form that was asked for.
    FormAsked,
    /// A patch where no code defines what was asked for.
    OnlyPatch,
    /// A block that the chosen code needs.
    Supplement,
    /// Given as it is, by another tool.
    Given,
}

impl Rule {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::OnlyBlock => "only-block",
            Rule::DefinesTarget => "defines-target",
            Rule::NamesFile => "names-file",
            Rule::Last => "last",
            Rule::LaterFence => "later-fence",
            Rule::Lines => "lines",
            Rule::Bare => "bare",
            Rule::FormAsked => "form-asked",
            Rule::OnlyPatch => "only-patch",
            Rule::Supplement => "supplement",
            Rule::Given => "given",
        }
    }
}

/// A part of an answer that is to be laid into the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// File of the tree that the answer names for it; a patch names its own.
    pub path: Option<String>,
    /// The text, with what stood around it taken off.
    pub text: String,
    /// Where it stands in the answer, in bytes.
    pub span: Range<usize>,
    /// Why it was chosen.
    pub rule: Rule,
}

/// A part of an answer that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rival {
    /// What it is.
    pub kind: PieceKind,
    /// Where it stands in the answer, in bytes.
    pub span: Range<usize>,
    /// Its first line, cut.
    pub first_line: String,
    /// Why it was not chosen.
    pub why: String,
}

/// What was got out of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    /// The outcome.
    pub outcome: ExtractionOutcome,
    /// What is to be laid into the tree, in order. May hold something for every outcome but the ones without
    /// code, so that it can be shown; [`Extraction::usable`] says whether it counts.
    pub pieces: Vec<Piece>,
    /// What was not chosen.
    pub rivals: Vec<Rival>,
    /// Flags.
    pub flags: BTreeSet<Flag>,
    /// Parts of the answer that are reasoning, in bytes.
    pub reasoning: Vec<Range<usize>>,
    /// What else a reader should know.
    pub notes: Vec<String>,
}

impl Extraction {
    /// The pieces that a policy lets through; none for an answer that must not be applied.
    pub fn usable(&self, policy: Policy) -> &[Piece] {
        use ExtractionOutcome::{Ambiguous, Found, Truncated};
        let lets = match policy {
            Policy::Strict => self.outcome == Found && !self.flags.contains(&Flag::FromReasoning),
            Policy::Lenient => matches!(self.outcome, Found | Ambiguous | Truncated),
        };
        if lets { &self.pieces } else { &[] }
    }
}

/// Which kind of patch a text is, by its look.
pub(super) fn patch_kind(text: &str) -> Option<PieceKind> {
    patches::kind_of(text, "")
}

/// Reads an answer.
pub fn extract(answer: &str, finish: FinishReason, asked: &Asked<'_>) -> Extraction {
    let mut notes = Vec::new();
    let answer = bounded(answer, &mut notes);
    let parts = reasoning::split(answer);
    let known = Known::of(asked);
    let mut flags = BTreeSet::new();
    let mut candidates = gather(answer, &parts.visible, asked, &known, &mut notes);
    if candidates.is_empty() && (parts.visible.is_empty() || parts.unclosed) {
        // Some servers put the whole answer into the reasoning.
        let hidden = blocks_of(answer, &parts.reasoning, asked, &known, &mut notes);
        if !hidden.is_empty() {
            flags.insert(Flag::FromReasoning);
            notes.push("the code stands in the reasoning; the answer itself has none".to_owned());
            candidates = hidden;
        }
    }
    let mut choice = choose::choose(&candidates, &known, asked.form);
    notes.append(&mut choice.notes);
    let said: String = parts.visible.iter().filter_map(|range| answer.get(range.clone())).collect();
    let outcome = outcome(&choice, &said, finish, &parts, &mut notes);
    Extraction {
        outcome,
        pieces: choice.pieces,
        rivals: choice.rivals,
        flags,
        reasoning: parts.reasoning,
        notes,
    }
}

fn bounded<'a>(answer: &'a str, notes: &mut Vec<String>) -> &'a str {
    if answer.len() <= MAX_ANSWER {
        return answer;
    }
    notes.push(format!("the answer has {} bytes; only the first {MAX_ANSWER} were read", answer.len()));
    let mut end = MAX_ANSWER;
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    &answer[..end]
}

fn gather(
    answer: &str,
    visible: &[Range<usize>],
    asked: &Asked<'_>,
    known: &Known<'_>,
    notes: &mut Vec<String>,
) -> Vec<Candidate> {
    let mut found = blocks_of(answer, visible, asked, known, notes);
    if found.iter().any(|candidate| candidate.dropped.is_none()) {
        return found;
    }
    let language = known.files.first().map_or(asked.language, |file| asked.language_of(file.path)).to_owned();
    for range in visible {
        found.extend(bare::candidates(answer, range.clone(), &language, known));
    }
    if found.iter().any(|candidate| candidate.dropped.is_none()) {
        notes.push("the code stands without fences".to_owned());
    }
    found
}

/// Everything that is marked as code or is a patch by its look.
fn blocks_of(
    answer: &str,
    ranges: &[Range<usize>],
    asked: &Asked<'_>,
    known: &Known<'_>,
    notes: &mut Vec<String>,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for range in ranges {
        let mut replaced = replace_blocks(answer, range.clone());
        if replaced.len() > MAX_REPLACED {
            notes.push(format!(
                "the answer has {} blocks to be replaced; only the first {MAX_REPLACED} were taken",
                replaced.len()
            ));
            replaced.truncate(MAX_REPLACED);
        }
        for block in &replaced {
            found.push(Candidate {
                kind: PieceKind::SearchReplace,
                span: block.span.clone(),
                code: Code {
                    text: answer.get(block.span.clone()).unwrap_or_default().to_owned(),
                    ..Code::default()
                },
                path: block.path.clone(),
                lead: String::new(),
                closed: block.complete,
                dropped: None,
                found_by: None,
            });
        }
        let fences = with_inner(answer, fences::blocks(answer, range.clone()));
        let skipped = fences.len().saturating_sub(MAX_BLOCKS);
        if skipped > 0 {
            notes.push(format!(
                "the answer has {} blocks; only the last {MAX_BLOCKS} were looked at",
                fences.len()
            ));
        }
        let mut ends = 0;
        let mut fenced_patch = false;
        for block in &fences[skipped..] {
            let holds =
                |inner: &Range<usize>| inner.start >= block.span.start && inner.start < block.span.end;
            // A block inside one that turned out to be longer, or whose replacements are here already.
            if block.span.start < ends || replaced.iter().any(|inner| holds(&inner.span)) {
                continue;
            }
            let candidate = candidate::of_block(answer, block, asked, known);
            if candidate.found_by == Some(Rule::LaterFence) {
                ends = candidate.span.end;
            }
            fenced_patch |= matches!(candidate.kind, PieceKind::Patch | PieceKind::Envelope);
            found.push(candidate);
        }
        if !fenced_patch && let Some(piece) = bare_patch(answer, range.clone(), &fences) {
            found.push(piece);
        }
    }
    found.sort_by_key(|candidate| candidate.span.start);
    found
}

/// Blocks called markdown are opened: what they hold takes their place.
fn with_inner(answer: &str, blocks: Vec<fences::Block>) -> Vec<fences::Block> {
    let mut found = Vec::new();
    for block in blocks {
        if matches!(block.tag().as_str(), "markdown" | "md") {
            let end = block.later_ends.last().copied().unwrap_or(block.span.end);
            let inner = fences::blocks(answer, block.span.start..end.max(block.span.end));
            if !inner.is_empty() {
                found.extend(inner);
                continue;
            }
        }
        found.push(block);
    }
    found
}

fn bare_patch(answer: &str, range: Range<usize>, fences: &[fences::Block]) -> Option<Candidate> {
    let text = answer.get(range.clone())?;
    let (kind, span) = match replace::envelope_span(text) {
        Some(span) => (PieceKind::Envelope, range.start + span.start..range.start + span.end),
        None => (PieceKind::Patch, patches::bare_patch(answer, range)?),
    };
    if fences.iter().any(|block| block.span.start < span.end && span.start < block.span.end) {
        return None;
    }
    let text = answer.get(span.clone())?.to_owned();
    Some(Candidate {
        kind,
        span,
        code: Code { text, ..Code::default() },
        path: None,
        lead: String::new(),
        closed: true,
        dropped: None,
        found_by: None,
    })
}

fn outcome(
    choice: &Choice,
    said: &str,
    finish: FinishReason,
    parts: &reasoning::Parts,
    notes: &mut Vec<String>,
) -> ExtractionOutcome {
    let at_limit = finish == FinishReason::Length;
    if choice.pieces.is_empty() {
        if let Some(names) = choice.wrong.as_ref().filter(|_| !(at_limit && choice.unclosed)) {
            notes.push(match names.is_empty() {
                true => "the code defines no function that was asked for".to_owned(),
                false => format!("the code defines {names}, and not what was asked for"),
            });
            return ExtractionOutcome::WrongTarget;
        }
        if at_limit {
            let what = if parts.unclosed { "its reasoning" } else { "its words" };
            notes.push(format!("the limit of tokens was reached in {what}, before any code"));
            return ExtractionOutcome::Truncated;
        }
        if said.trim().is_empty() {
            return ExtractionOutcome::Empty;
        }
        if words::refuses(said) {
            return ExtractionOutcome::Refusal;
        }
        if words::is_content(said) {
            notes.push("the answer says that nothing needs to change".to_owned());
        } else if words::asks(said) {
            notes.push("the answer asks for something".to_owned());
        }
        return ExtractionOutcome::NoCode;
    }
    if choice.unclosed {
        if at_limit || choice.breaks_off {
            notes.push("the code breaks off".to_owned());
            return ExtractionOutcome::Truncated;
        }
        notes.push("nobody closed the block; it is whole all the same".to_owned());
    } else if at_limit {
        notes.push("the limit of tokens was reached behind the code".to_owned());
    }
    if let Some(line) = &choice.lazy {
        notes.push(format!("code is left out: {line}"));
        return ExtractionOutcome::Lazy;
    }
    if choice.ambiguous {
        notes.push("several alternatives are offered; the last one was taken".to_owned());
        return ExtractionOutcome::Ambiguous;
    }
    ExtractionOutcome::Found
}
