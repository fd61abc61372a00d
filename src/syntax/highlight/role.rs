//! The parts of code that a theme may colour.

/// What a piece of code is, in words that every language shares.
///
/// A role is a name, not a colour: [`SyntaxRole::as_str`] is the key under which a theme keeps it. Several
/// roles may share a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum SyntaxRole {
    /// Nothing in particular; also the space between words.
    #[default]
    Text,
    /// A comment, its marks included.
    Comment,
    /// A word of the language: `if`, `return`, `static`, `def`.
    Keyword,
    /// A string or character literal, its quotes included.
    String,
    /// An escape or a placeholder inside a string: `\n`, `%d`, `{}`.
    Escape,
    /// A number.
    Number,
    /// `true`, `None`, `NULL`, `MAX_LENGTH`.
    Constant,
    /// A type: built in, defined or used.
    Type,
    /// A function where it is defined or called.
    Function,
    /// A macro or a preprocessor directive.
    Macro,
    /// A variable that the language or its grammar singles out: `self`, `$HOME`.
    Variable,
    /// A parameter where it is declared.
    Parameter,
    /// A field or a key: `point.x`, `{"key": 1}`.
    Property,
    /// An operator.
    Operator,
    /// Brackets, commas, semicolons.
    Punctuation,
    /// A decorator or an annotation.
    Attribute,
    /// The name of a tag in markup.
    Tag,
    /// A heading or another title in prose.
    Heading,
    /// Something the grammar calls invalid.
    Error,
}

impl SyntaxRole {
    /// Every role, in the order of their numbers.
    pub const ALL: [SyntaxRole; 19] = [
        SyntaxRole::Text,
        SyntaxRole::Comment,
        SyntaxRole::Keyword,
        SyntaxRole::String,
        SyntaxRole::Escape,
        SyntaxRole::Number,
        SyntaxRole::Constant,
        SyntaxRole::Type,
        SyntaxRole::Function,
        SyntaxRole::Macro,
        SyntaxRole::Variable,
        SyntaxRole::Parameter,
        SyntaxRole::Property,
        SyntaxRole::Operator,
        SyntaxRole::Punctuation,
        SyntaxRole::Attribute,
        SyntaxRole::Tag,
        SyntaxRole::Heading,
        SyntaxRole::Error,
    ];

    /// The theme's key of this role.
    pub fn as_str(self) -> &'static str {
        match self {
            SyntaxRole::Text => "syntax",
            SyntaxRole::Comment => "syntax.comment",
            SyntaxRole::Keyword => "syntax.keyword",
            SyntaxRole::String => "syntax.string",
            SyntaxRole::Escape => "syntax.escape",
            SyntaxRole::Number => "syntax.number",
            SyntaxRole::Constant => "syntax.constant",
            SyntaxRole::Type => "syntax.type",
            SyntaxRole::Function => "syntax.function",
            SyntaxRole::Macro => "syntax.attribute",
            SyntaxRole::Variable => "syntax.variable",
            SyntaxRole::Parameter => "syntax.parameter",
            SyntaxRole::Property => "syntax.variable",
            SyntaxRole::Operator => "syntax.operator",
            SyntaxRole::Punctuation => "syntax.punctuation",
            SyntaxRole::Attribute => "syntax.attribute",
            SyntaxRole::Tag => "syntax.tag",
            SyntaxRole::Heading => "syntax.tag",
            SyntaxRole::Error => "syntax.error",
        }
    }
}
