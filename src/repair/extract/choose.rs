//! Which of the candidates are meant.
//!
//! Promises: the same answer and tree always give the same choice; what lost is kept with the reason.
//! Leaves to others: what becomes of the choice (`repair::apply`).
//!
//! Order of the reasons for code that defines what was asked for: complete before lazy, changed before a copy
//! of what is there, parses before does not, closed before cut off, later before earlier.

use super::candidate::{Candidate, Judgement, Known, first_line};
use super::{Piece, PieceKind, Rival, Rule, words};
use crate::repair::file::same_but_blanks;
use crate::repair::form::Form;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A choice.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub pieces: Vec<Piece>,
    pub rivals: Vec<Rival>,
    pub lazy: Option<String>,
    pub ambiguous: bool,
    pub wrong: Option<String>,
    /// The code that was chosen breaks off.
    pub breaks_off: bool,
    /// Nobody closed it.
    pub unclosed: bool,
    pub notes: Vec<String>,
}

/// Most rivals that are kept.
const RIVALS: usize = 20;

struct Judged<'c> {
    candidate: &'c Candidate,
    judgement: Judgement,
    order: usize,
}

impl Judged<'_> {
    fn rank(&self) -> impl Ord {
        let judgement = &self.judgement;
        (judgement.lazy.is_none(), !judgement.same, judgement.errors == 0, self.candidate.closed, self.order)
    }
}

/// Chooses among the candidates of an answer.
pub(super) fn choose(candidates: &[Candidate], known: &Known<'_>, form: Form) -> Choice {
    let mut choice = Choice::default();
    let usable: Vec<Judged<'_>> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.dropped.is_none() && candidate.kind == PieceKind::Code)
        .map(|(order, candidate)| Judged {
            candidate,
            judgement: super::candidate::judge(candidate, known),
            order,
        })
        .collect();
    let has = |kind: PieceKind| candidates.iter().any(|candidate| candidate.kind == kind);
    let good_code = usable.iter().any(|judged| {
        !judged.judgement.targets.is_empty() && judged.judgement.lazy.is_none() && !judged.judgement.same
    });
    let patches = match form {
        Form::Patch => [PieceKind::Patch, PieceKind::Envelope, PieceKind::SearchReplace],
        _ => [PieceKind::SearchReplace, PieceKind::Envelope, PieceKind::Patch],
    };
    let wants_patch = matches!(form, Form::Patch | Form::SearchReplace);
    let patch = patches.into_iter().find(|kind| has(*kind)).filter(|_| wants_patch || !good_code);
    match patch {
        Some(kind) => all_of_kind(kind, candidates, form, &mut choice),
        None => code(&usable, known, form, &mut choice),
    }
    let chosen: BTreeSet<(usize, usize)> =
        choice.pieces.iter().map(|piece| (piece.span.start, piece.span.end)).collect();
    for (order, candidate) in candidates.iter().enumerate() {
        if choice.rivals.len() >= RIVALS {
            break;
        }
        if chosen.contains(&(candidate.span.start, candidate.span.end)) {
            continue;
        }
        let judged = usable.iter().find(|judged| judged.order == order).map(|judged| &judged.judgement);
        choice.rivals.push(Rival {
            kind: candidate.kind,
            span: candidate.span.clone(),
            first_line: first_line(&candidate.code.text),
            why: why_not(candidate, judged, patch.is_some()),
        });
    }
    choice
}

fn why_not(candidate: &Candidate, judgement: Option<&Judgement>, patch_chosen: bool) -> String {
    if let Some(dropped) = candidate.dropped {
        return dropped.to_owned();
    }
    let Some(judgement) = judgement else { return "code was chosen, and this is a patch".to_owned() };
    if patch_chosen {
        return "a patch was chosen, and this is code".to_owned();
    }
    if let Some(line) = &judgement.lazy {
        return format!("it leaves code out: {line}");
    }
    if judgement.same {
        return "it is what the file holds already".to_owned();
    }
    if judgement.only_calls {
        return "it only calls what was asked for".to_owned();
    }
    if judgement.targets.is_empty() {
        return "it does not define what was asked for".to_owned();
    }
    match (judgement.errors, candidate.closed) {
        (0, true) => "a later block defines the same".to_owned(),
        (0, false) => "it is cut off".to_owned(),
        _ => "it does not parse".to_owned(),
    }
}

fn piece(candidate: &Candidate, rule: Rule) -> Piece {
    Piece {
        kind: candidate.kind,
        path: candidate.path.clone(),
        text: candidate.code.text.clone(),
        span: candidate.span.clone(),
        rule,
    }
}

/// Patches are not alternatives: all of them are meant, each once.
fn all_of_kind(kind: PieceKind, candidates: &[Candidate], form: Form, choice: &mut Choice) {
    let mut seen = BTreeSet::new();
    let asked_for = match form {
        Form::Patch => kind != PieceKind::SearchReplace,
        Form::SearchReplace => kind == PieceKind::SearchReplace,
        _ => false,
    };
    for candidate in candidates.iter().filter(|candidate| candidate.kind == kind) {
        if !seen.insert((candidate.path.as_deref(), candidate.code.text.trim_end())) {
            continue;
        }
        choice.unclosed |= !candidate.closed;
        choice.breaks_off |= !candidate.closed;
        choice.pieces.push(piece(candidate, if asked_for { Rule::FormAsked } else { Rule::OnlyPatch }));
    }
}

fn code(usable: &[Judged<'_>], known: &Known<'_>, form: Form, choice: &mut Choice) {
    let asked: Vec<(usize, usize)> = known
        .files
        .iter()
        .enumerate()
        .flat_map(|(number, file)| (0..file.functions.len()).map(move |which| (number, which)))
        .collect();
    let mut chosen: Vec<&Judged<'_>> = Vec::new();
    for target in &asked {
        let defining = usable.iter().filter(|judged| judged.judgement.targets.contains(target));
        let Some(best) = defining.max_by_key(|judged| judged.rank()) else { continue };
        if !chosen.iter().any(|judged| judged.order == best.order) {
            chosen.push(best);
        }
    }
    let mut rule = if usable.len() == 1 { Rule::OnlyBlock } else { Rule::DefinesTarget };
    let no_names = asked.is_empty();
    if chosen.is_empty() && no_names {
        // Without functions to look for: the best block for each file, the last among equals.
        let mut paths: Vec<Option<&str>> =
            usable.iter().map(|judged| judged.candidate.path.as_deref()).collect();
        paths.sort_unstable();
        paths.dedup();
        let named = paths.iter().any(Option::is_some);
        for path in paths.into_iter().filter(|path| path.is_some() || !named) {
            let of_path = usable.iter().filter(|judged| judged.candidate.path.as_deref() == path);
            chosen.extend(of_path.max_by_key(|judged| (judged.judgement.known > 0, judged.rank())));
        }
        rule = if named { Rule::NamesFile } else { Rule::Last };
    }
    if chosen.is_empty() {
        // No definition: the lines of a body, or of a part of one.
        let lines = usable.iter().filter(|judged| {
            !judged.judgement.defines && !judged.judgement.imports_only && !judged.judgement.only_calls
        });
        let best = lines.max_by_key(|judged| {
            let short = matches!(form, Form::Line | Form::Hunk);
            let length = if short { 0 } else { judged.candidate.code.text.trim().len() };
            (judged.judgement.lazy.is_none(), !judged.judgement.same, length, judged.order)
        });
        chosen.extend(best);
        rule = Rule::Lines;
    }
    if chosen.is_empty() {
        let stranger = usable.iter().rfind(|judged| judged.judgement.defines || judged.judgement.only_calls);
        choice.unclosed = stranger.is_some_and(|judged| !judged.candidate.closed);
        choice.wrong = stranger.map(|judged| {
            let names = judged.candidate.code.outline.iter().flat_map(|outline| &outline.definitions);
            names
                .filter(|definition| definition.span.depth == 0)
                .take(5)
                .map(|definition| definition.span.qualified.clone())
                .collect::<Vec<_>>()
                .join(", ")
        });
        return;
    }
    choice.lazy = chosen.iter().find_map(|judged| judged.judgement.lazy.clone());
    choice.breaks_off = chosen.iter().any(|judged| judged.judgement.breaks_off);
    choice.unclosed = chosen.iter().any(|judged| !judged.candidate.closed);
    choice.ambiguous = chosen.iter().any(|best| usable.iter().any(|other| is_alternative(best, other)));
    for judged in &chosen {
        let rule = judged.candidate.found_by.unwrap_or(rule);
        choice.pieces.push(piece(judged.candidate, rule));
        choice.notes.extend(judged.candidate.code.notes.iter().map(|note| (*note).to_owned()));
    }
    supplements(usable, &chosen, choice);
    choice.pieces.sort_by_key(|piece| {
        (piece.rule == Rule::Supplement, Reverse(piece.kind == PieceKind::Code), piece.span.start)
    });
}

/// Whether two blocks are offered as alternatives for the same function.
fn is_alternative(best: &Judged<'_>, other: &Judged<'_>) -> bool {
    let same_target = best.judgement.targets.iter().any(|target| other.judgement.targets.contains(target));
    let good = |judged: &Judged<'_>| {
        judged.judgement.lazy.is_none() && !judged.judgement.same && judged.judgement.errors == 0
    };
    let offered = |judged: &Judged<'_>| words::offers_alternative(&judged.candidate.lead);
    best.order != other.order
        && same_target
        && good(best)
        && good(other)
        && (offered(best) || offered(other))
        && !same_but_blanks(&best.candidate.code.text, &other.candidate.code.text)
}

/// Blocks beside the chosen ones that they need: imports, and definitions that they name.
fn supplements(usable: &[Judged<'_>], chosen: &[&Judged<'_>], choice: &mut Choice) {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for judged in chosen {
        words.extend(crate::repair::apply::words(&judged.candidate.code.text));
    }
    for judged in usable {
        let Some(outline) = &judged.candidate.code.outline else { continue };
        let is_chosen = chosen.iter().any(|chosen| chosen.order == judged.order);
        if is_chosen
            || judged.judgement.errors > 0
            || !judged.judgement.targets.is_empty()
            || judged.judgement.same
        {
            continue;
        }
        let names = outline.items.iter().flat_map(|item| &item.names);
        let needed = judged.judgement.defines
            && outline.items.iter().all(|item| !matches!(item.kind, crate::syntax::ItemKind::Other))
            && names.clone().any(|name| words.contains(name.as_str()));
        if judged.judgement.imports_only || needed {
            choice.pieces.push(piece(judged.candidate, Rule::Supplement));
        }
    }
}
