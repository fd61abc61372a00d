//! The roles that colours are given to.
//!
//! Promises: a closed list; every role has a dotted name, and what a theme leaves out is taken from the
//! role named by the part before the last dot, in the end from `text`.
//! Leaves to others: the colours (`themes/*.toml`).

macro_rules! roles {
    ($($variant:ident = $name:literal, $purpose:literal;)+) => {
        /// What something on the screen means; a theme says how that looks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $purpose] $variant,)+
        }

        impl Role {
            /// All roles, in the order in which they are documented.
            pub const ALL: &'static [Role] = &[$(Role::$variant,)+];

            /// The dotted name used in theme files.
            pub const fn name(self) -> &'static str {
                match self { $(Role::$variant => $name,)+ }
            }

            /// What it is for, in a few words.
            pub const fn purpose(self) -> &'static str {
                match self { $(Role::$variant => $purpose,)+ }
            }

            /// The role with this name.
            pub fn parse(name: &str) -> Option<Role> {
                match name { $($name => Some(Role::$variant),)+ _ => None }
            }
        }
    };
}

roles! {
    Text = "text", "Ordinary text.";
    TextDim = "text.dim", "Text of second rank.";
    TextStrong = "text.strong", "Text that stands out.";
    Title = "title", "Titles of screens, panes and sections.";
    Accent = "accent", "What belongs to mendbench itself: its name, the active thing.";
    Border = "border", "Lines between panes.";
    BorderFocus = "border.focus", "Lines around the pane that has the keys.";
    Selection = "selection", "The selected row; laid over what the row holds.";
    SelectionInactive = "selection.inactive", "The same in a pane that has not the keys.";
    Cursor = "cursor", "The line of the cursor in text and differences; lies under diff colours.";
    Header = "header", "The line at the top.";
    Footer = "footer", "The line of hints at the bottom.";
    FooterKey = "footer.key", "Keys in that line.";
    Key = "key", "Keys in the help and in the palette.";
    Tab = "tab", "Names of tabs.";
    TabActive = "tab.active", "Name of the tab that is shown.";
    Input = "input", "Text being typed.";
    InputHint = "input.hint", "What could be typed, while nothing is.";
    Scrollbar = "scrollbar", "The track of a scroll bar.";
    ScrollbarThumb = "scrollbar.thumb", "The part of it that is in view.";
    StatusOk = "status.ok", "Something went well.";
    StatusWarn = "status.warn", "Something needs a look.";
    StatusError = "status.error", "Something failed.";
    StatusInfo = "status.info", "Something to know.";
    Mark = "mark", "Remarks on a task that is not as it should be.";
    Match = "match", "Hits of a search or filter.";
    MatchCurrent = "match.current", "The hit that the cursor is on.";
    Overlay = "overlay", "Background of popups.";
    OverlayBorder = "overlay.border", "Lines around popups.";
    Badge = "badge", "Short facts about a task.";
    BadgeLanguage = "badge.language", "Its language.";
    BadgeType = "badge.type", "Its error type.";
    BadgeKind = "badge.kind", "Its kind.";
    Group = "group", "Heads of groups in lists.";
    Count = "count", "Numbers of things.";
    LineNumber = "line_number", "Line numbers.";
    LineNumberCursor = "line_number.cursor", "Line number of the cursor.";
    Fold = "fold", "Lines that are folded away.";
    Placeholder = "placeholder", "Stand-ins of characters that cannot be shown (␛, U+202E).";
    Whitespace = "whitespace", "White space made visible.";
    Diff = "diff", "Differences, unless said otherwise.";
    DiffAdded = "diff.added", "Lines that only the new text has.";
    DiffAddedWord = "diff.added.word", "Words in them that are new.";
    DiffAddedGutter = "diff.added.gutter", "Their line numbers and signs.";
    DiffRemoved = "diff.removed", "Lines that only the old text has.";
    DiffRemovedWord = "diff.removed.word", "Words in them that are gone.";
    DiffRemovedGutter = "diff.removed.gutter", "Their line numbers and signs.";
    DiffChanged = "diff.changed", "Lines that differ, where both sides are one row.";
    DiffChangedWord = "diff.changed.word", "Words in them that differ.";
    DiffChangedGutter = "diff.changed.gutter", "Their line numbers and signs.";
    DiffEmpty = "diff.empty", "The side that has no line in this row.";
    DiffHeader = "diff.header", "File names.";
    DiffHunk = "diff.hunk", "Heads of hunks.";
    Syntax = "syntax", "Code, unless said otherwise.";
    SyntaxComment = "syntax.comment", "Comments.";
    SyntaxKeyword = "syntax.keyword", "Keywords.";
    SyntaxString = "syntax.string", "Strings and characters.";
    SyntaxNumber = "syntax.number", "Numbers.";
    SyntaxConstant = "syntax.constant", "Constants: true, None, NULL.";
    SyntaxType = "syntax.type", "Types and classes.";
    SyntaxFunction = "syntax.function", "Functions and macros.";
    SyntaxVariable = "syntax.variable", "Variables.";
    SyntaxParameter = "syntax.parameter", "Parameters.";
    SyntaxOperator = "syntax.operator", "Operators.";
    SyntaxPunctuation = "syntax.punctuation", "Brackets, commas, semicolons.";
    SyntaxAttribute = "syntax.attribute", "Attributes, decorators, preprocessor lines.";
    SyntaxTag = "syntax.tag", "Tags and headings of markup.";
    SyntaxEscape = "syntax.escape", "Escapes inside strings.";
    SyntaxError = "syntax.error", "What is not valid in the language.";
    Heat = "heat", "Cells of a matrix, unless said otherwise.";
    HeatLow = "heat.low", "A small share.";
    HeatMiddle = "heat.middle", "About half.";
    HeatHigh = "heat.high", "Nearly all.";
    HeatAgree = "heat.agree", "Ground of cells of a matrix where two agree, unless said otherwise.";
    HeatAgreeLow = "heat.agree.low", "Few of them.";
    HeatAgreeMiddle = "heat.agree.middle", "Some.";
    HeatAgreeHigh = "heat.agree.high", "Most.";
    HeatDiffer = "heat.differ", "Ground of cells of a matrix where two differ, unless said otherwise.";
    HeatDifferLow = "heat.differ.low", "Few of them.";
    HeatDifferMiddle = "heat.differ.middle", "Some.";
    HeatDifferHigh = "heat.differ.high", "Most.";
    Verdict = "verdict", "Verdicts, unless said otherwise.";
    VerdictPassed = "verdict.passed", "Passed.";
    VerdictFailed = "verdict.failed", "Failed.";
    VerdictTimeout = "verdict.timeout", "Ran out of time.";
    VerdictCrashed = "verdict.crashed", "Crashed.";
    VerdictOutOfMemory = "verdict.out-of-memory", "Ran out of memory.";
    VerdictBuildError = "verdict.build-error", "Did not build.";
    VerdictNoTests = "verdict.no-tests", "No test was run.";
    VerdictReportMismatch = "verdict.report-mismatch", "Exit code and results disagree.";
    VerdictInfraError = "verdict.infra-error", "The harness failed, not the code.";
    VerdictNotRun = "verdict.not-run", "Not run.";
}

impl Role {
    /// Number of roles.
    pub const COUNT: usize = Role::ALL.len();

    /// The role of a verdict, by its word; of a word that is none, that of all verdicts.
    pub fn of_verdict(word: &str) -> Role {
        Role::parse(&format!("verdict.{word}")).unwrap_or(Role::Verdict)
    }

    /// The role that stands in where a theme says nothing about this one; `None` for `text`.
    pub fn fallback(self) -> Option<Role> {
        if self == Role::Text {
            return None;
        }
        let parent = self.name().rsplit_once('.').and_then(|(parent, _)| Role::parse(parent));
        Some(parent.unwrap_or(Role::Text))
    }
}
