//! The fields of the sheet, and the command that says the same.

use crate::catalogue::Origin;
use crate::label::assign::Pairs;
use crate::study::Draft;

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Name of the round.
    Name,
    /// Name of the study.
    Study,
    /// What is asked.
    Codebook,
    /// Which tasks.
    Filter,
    /// How much of them.
    Size,
    /// Seed.
    Seed,
    /// Rounds whose items are left out.
    LeaveOut,
    /// Who labels.
    Annotators,
    /// Who decides.
    Arbitrator,
    /// How annotators are put together.
    Pairing,
    /// How many label an item.
    PerItem,
    /// How many items come twice.
    Repeats,
    /// An earlier round of which some items are drawn again.
    Verify,
    /// Training items, in a file.
    Training,
    /// Gold items, in a file.
    Gold,
}

impl Field {
    /// All of them, in their order.
    pub const ALL: [Field; 15] = [
        Field::Name,
        Field::Study,
        Field::Codebook,
        Field::Filter,
        Field::Size,
        Field::Seed,
        Field::LeaveOut,
        Field::Annotators,
        Field::Arbitrator,
        Field::Pairing,
        Field::PerItem,
        Field::Repeats,
        Field::Verify,
        Field::Training,
        Field::Gold,
    ];

    /// The word before it.
    pub fn name(self) -> &'static str {
        match self {
            Field::Name => "name",
            Field::Study => "study",
            Field::Codebook => "codebook",
            Field::Filter => "filter",
            Field::Size => "size",
            Field::Seed => "seed",
            Field::LeaveOut => "leave out",
            Field::Annotators => "annotators",
            Field::Arbitrator => "arbitrator",
            Field::Pairing => "pairs",
            Field::PerItem => "an item",
            Field::Repeats => "twice",
            Field::Verify => "verify",
            Field::Training => "training",
            Field::Gold => "gold",
        }
    }

    /// What can stand there.
    pub fn hint(self) -> &'static str {
        match self {
            Field::Name => "of the round, in its study",
            Field::Study => "rounds of one study belong together",
            Field::Codebook => "",
            Field::Filter => "as in the list: lang:c type:B words",
            Field::Size => "all, half, second-half, or how many",
            Field::Seed => "the same seed gives the same again",
            Field::LeaveOut => "rounds whose items are not drawn",
            Field::Annotators => "two or more, with commas between",
            Field::Arbitrator => "somebody who does not label",
            Field::Pairing => "",
            Field::PerItem => "annotators label each item",
            Field::Repeats => "items are served a second time",
            Field::Verify => "ROUND:N, so many of its items again",
            Field::Training => "file with their answers, told at once",
            Field::Gold => "file of answers only the lead knows",
        }
    }

    /// Whether it is typed.
    pub fn is_text(self) -> bool {
        !matches!(self, Field::Codebook | Field::Pairing | Field::PerItem)
    }
}

/// How annotators are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Everybody with everybody, in turn.
    Rotating,
    /// In teams, in the order of the names.
    Fixed,
    /// Everybody labels everything.
    All,
    /// That is said later.
    Later,
}

impl Pairing {
    /// The one after or before it.
    pub fn next(self, forward: bool) -> Pairing {
        match (self, forward) {
            (Pairing::Rotating, true) | (Pairing::All, false) => Pairing::Fixed,
            (Pairing::Fixed, true) | (Pairing::Later, false) => Pairing::All,
            (Pairing::All, true) | (Pairing::Rotating, false) => Pairing::Later,
            (Pairing::Later, true) | (Pairing::Fixed, false) => Pairing::Rotating,
        }
    }

    /// The word for it, and what it means.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Pairing::Rotating => ("rotating", "everybody with everybody, in turn"),
            Pairing::Fixed => ("fixed", "teams in the order of the names"),
            Pairing::All => ("all", "everybody labels every item"),
            Pairing::Later => ("later", "assigned when the round is made"),
        }
    }

    /// As a plan has it; none: there is no plan yet.
    pub fn of(self, per_item: usize, people: usize) -> Option<(Pairs, usize)> {
        match self {
            Pairing::Rotating => Some((Pairs::Rotating, per_item)),
            Pairing::Fixed => Some((Pairs::Fixed, per_item)),
            Pairing::All => Some((Pairs::Rotating, people)),
            Pairing::Later => None,
        }
    }
}

/// Names with commas between.
pub fn names(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The word for how annotators are put together, as commands have it.
pub fn pairs_word(pairs: Pairs) -> &'static str {
    match pairs {
        Pairs::Fixed => "fixed",
        Pairs::Rotating => "rotating",
    }
}

/// The command that makes the same round.
pub fn command(draft: &Draft, (training, gold): (&str, &str), origin: &Origin) -> String {
    let mut words = ["mendbench", "round", "create"].map(str::to_owned).to_vec();
    words.push(draft.name.clone());
    words.extend(origin.arguments());
    let mut flag = |name: &str, value: &str| {
        // What begins with `-` would be taken for a flag of its own.
        if value.starts_with('-') {
            words.push(format!("{name}={value}"));
        } else {
            words.extend([name.to_owned(), value.to_owned()]);
        }
    };
    flag("--study", &draft.study);
    flag("--codebook", &draft.codebook.id);
    if !draft.filter.is_empty() {
        flag("--filter", &draft.filter);
    }
    flag("--sample", &draft.size.to_string());
    flag("--seed", &draft.seed.to_string());
    for round in &draft.excluding {
        flag("--excluding", round);
    }
    flag("--annotators", &draft.annotators.join(","));
    flag("--arbitrator", &draft.arbitrator);
    if let Some((round, count)) = &draft.overlap {
        flag("--overlap", &format!("{round}:{count}"));
    }
    for (name, file) in [("--training", training), ("--gold", gold)] {
        if !file.is_empty() {
            flag(name, file);
        }
    }
    if let Some(plan) = draft.plan {
        flag("--pairs", pairs_word(plan.pairs));
        flag("--per-item", &plan.per_item.to_string());
    }
    if draft.repeats > 0 {
        flag("--repeat", &draft.repeats.to_string());
    }
    flag("--as", &draft.lead);
    if draft.plan.is_none() {
        words.push("--unassigned".to_owned());
    }
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
