//! One line at a time, each different one once.
//!
//! What a line looks like depends on its text and on the parser's state before it, on nothing else. So
//! states are numbered, and (state, text) is remembered with its spans and the state after it: a line
//! that comes again, in this text or in its counterpart, costs a look-up instead of a parse.

use super::Span;
use super::language::{Syntax, syntax_set};
use super::role::SyntaxRole;
use super::scopes::{EMPTY, Node, ScopeTree};
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use syntect::parsing::{BasicScopeStackOp, ParseState, ScopeStack, ScopeStackOp, SyntaxSet};

/// Number of a parser state.
pub(super) type StateId = u32;

/// Number of a remembered line.
pub(super) type LineId = u32;

/// The state at the top of every text.
pub(super) const START: StateId = 0;

/// A line longer than this is left plain, and the state passes over it unchanged.
pub(super) const LONGEST_LINE: usize = 5_000;

/// Different states under one scope stack that are searched before a state is taken as new. Here
/// documents with ever different end words would otherwise make the search quadratic.
const SEARCHED_STATES: usize = 64;

const NONE: u32 = u32::MAX;

/// Everything that the lines above leave behind.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    parser: ParseState,
    scopes: ScopeStack,
}

// SAFETY: what keeps a `State` from being `Send` by itself is `onig::Region`, which holds raw pointers to
// two arrays of group positions. Each region owns its arrays alone: cloning copies them and dropping
// frees them with the C library's allocator, which does not care for threads. Nothing is shared, so a
// state may move to another thread.
unsafe impl Send for State {}

/// A line parsed from a state.
#[derive(Clone, Copy)]
struct Known {
    before: StateId,
    after: StateId,
    text: (u32, u32),
    spans: (u32, u32),
    /// The next line with the same hash.
    next: u32,
}

/// Keys that are hashes already.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

type ByHash<V> = HashMap<u64, V, BuildHasherDefault<Ready>>;

/// Parses lines of one grammar and remembers them.
pub(super) struct Engine {
    set: &'static SyntaxSet,
    hasher: RandomState,
    tree: ScopeTree,
    states: Vec<(State, Node)>,
    states_by_scopes: ByHash<Vec<StateId>>,
    lines: Vec<Known>,
    lines_by_hash: ByHash<LineId>,
    texts: String,
    spans: Vec<Span>,
    /// The state reached last, ready to go on without a copy.
    live: State,
    live_id: StateId,
    buffer: String,
}

impl Engine {
    pub(super) fn new(syntax: Syntax) -> Engine {
        let start = State { parser: ParseState::new(syntax.0), scopes: ScopeStack::new() };
        let mut engine = Engine {
            set: syntax_set(),
            hasher: RandomState::new(),
            tree: ScopeTree::new(),
            states: Vec::new(),
            states_by_scopes: ByHash::default(),
            lines: Vec::new(),
            lines_by_hash: ByHash::default(),
            texts: String::new(),
            spans: Vec::new(),
            live: start.clone(),
            live_id: START,
            buffer: String::new(),
        };
        engine.intern(&start);
        engine
    }

    /// The number of a state that may come from another engine of the same grammar.
    pub(super) fn intern(&mut self, state: &State) -> StateId {
        let key = self.hasher.hash_one(&state.scopes.scopes);
        let same = self.states_by_scopes.entry(key).or_default();
        let found = same
            .iter()
            .rev()
            .take(SEARCHED_STATES)
            .find(|id| self.states.get(**id as usize).is_some_and(|(known, _)| known == state));
        if let Some(id) = found {
            return *id;
        }
        let id = self.states.len() as StateId;
        same.push(id);
        let node = state.scopes.scopes.iter().fold(EMPTY, |node, scope| self.tree.push(node, *scope));
        self.states.push((state.clone(), node));
        id
    }

    /// A state by its number.
    pub(super) fn state(&self, id: StateId) -> &State {
        &self.states[id as usize].0
    }

    /// The state after a line.
    pub(super) fn after(&self, line: LineId) -> StateId {
        self.lines[line as usize].after
    }

    /// The spans of a line.
    pub(super) fn spans(&self, line: LineId) -> &[Span] {
        let (from, to) = self.lines[line as usize].spans;
        &self.spans[from as usize..to as usize]
    }

    /// Parses a line (without its end) from a state. `None`: the line is too long, it stays plain and
    /// changes nothing.
    pub(super) fn line(&mut self, before: StateId, text: &str) -> Option<LineId> {
        if text.len() > LONGEST_LINE {
            return None;
        }
        let hash = self.hasher.hash_one((before, text));
        let first = self.lines_by_hash.get(&hash).copied().unwrap_or(NONE);
        let mut at = first;
        while let Some(known) = self.lines.get(at as usize) {
            let (from, to) = known.text;
            if known.before == before && self.texts[from as usize..to as usize] == *text {
                return Some(at);
            }
            at = known.next;
        }
        let from = self.spans.len() as u32;
        let after = self.parse(before, text);
        let text_from = self.texts.len() as u32;
        self.texts.push_str(text);
        let id = self.lines.len() as LineId;
        self.lines.push(Known {
            before,
            after,
            text: (text_from, self.texts.len() as u32),
            spans: (from, self.spans.len() as u32),
            next: first,
        });
        self.lines_by_hash.insert(hash, id);
        Some(id)
    }

    /// Parses a line whose outcome is not known yet; its spans go to the end of `self.spans`.
    fn parse(&mut self, before: StateId, text: &str) -> StateId {
        if self.live_id != before {
            self.live.clone_from(&self.states[before as usize].0);
            self.live_id = before;
        }
        self.buffer.clear();
        self.buffer.push_str(text);
        self.buffer.push('\n');
        let Ok(changes) = self.live.parser.parse_line(&self.buffer, self.set) else {
            // The grammar is at fault; go on below the line as if it were not there.
            self.live_id = NONE;
            return before;
        };
        let from = self.spans.len();
        let mut node = self.states[before as usize].1;
        let mut position = 0;
        for (index, change) in &changes {
            if *index > position && *index < text.len() && text.is_char_boundary(*index) {
                emit(&mut self.spans, from, text, position..*index, self.tree.role(node));
                position = *index;
            } else if *index >= text.len() && position < text.len() {
                emit(&mut self.spans, from, text, position..text.len(), self.tree.role(node));
                position = text.len();
            }
            node = apply(&mut self.tree, &mut self.live.scopes, node, change);
        }
        if position < text.len() {
            emit(&mut self.spans, from, text, position..text.len(), self.tree.role(node));
        }
        if self.spans.len() > from && self.spans.last().is_some_and(|span| span.role == SyntaxRole::Text) {
            self.spans.pop();
        }
        // Most lines end where they began.
        self.live_id = if self.states[before as usize].0 == self.live {
            before
        } else {
            let live = self.live.clone();
            self.intern(&live)
        };
        self.live_id
    }
}

/// Follows one change of the scope stack in the tree as well.
fn apply(tree: &mut ScopeTree, scopes: &mut ScopeStack, node: Node, change: &ScopeStackOp) -> Node {
    let mut node = node;
    // An error means that a grammar restores what it never cleared; the stack is unchanged then.
    let _ = scopes.apply_with_hook(change, |basic, _| {
        node = match basic {
            BasicScopeStackOp::Push(scope) => tree.push(node, scope),
            BasicScopeStackOp::Pop => tree.pop(node),
        };
    });
    node
}

/// Adds a span, or lengthens the last one of this line (they begin at `from`) if the role is the same.
fn emit(spans: &mut Vec<Span>, from: usize, text: &str, range: std::ops::Range<usize>, role: SyntaxRole) {
    let word = |c: char| c.is_alphabetic();
    let role = match role {
        // `and`, `not`, `in`, `sizeof`: to a reader these are words of the language.
        SyntaxRole::Operator if text[range.clone()].starts_with(word) => SyntaxRole::Keyword,
        other => other,
    };
    let end = range.end as u32;
    if spans.len() > from
        && let Some(last) = spans.last_mut()
        && last.role == role
    {
        last.end = end;
        return;
    }
    spans.push(Span { end, role });
}
