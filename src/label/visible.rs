//! Blindness: what each role may see in each phase.
//!
//! Promises: pure; everything that prints, exports or computes from labels asks here first, and whoever may see
//! nothing gets the same words whatever there is. During labelling nothing of a partner reaches an annotator:
//! no label, count, order, time or running kappa. Leaves to others: reading only what is allowed (`study`).
//!
//! | phase | own labels | a partner's | the lead | the arbitrator | anybody else |
//! |---|---|---|---|---|---|
//! | labelling | all | nothing | how many; labels and agreement only at the price of a deviation | nothing | nothing |
//! | discussion | all | all | all | nothing | nothing |
//! | adjudication | all | all | all | contested ones, without names | nothing |
//! | closed | all | all | all | all | all |
//!
//! This protects honest users of one database. Who opens the database by other means sees everything; sealed
//! files protect beyond that.

use super::phase::Phase;

/// What somebody is in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The annotator with this number.
    Annotator(usize),
    /// Settles what is contested.
    Arbitrator,
    /// Runs the study.
    Lead,
    /// Runs the study and settles what is contested.
    LeadAndArbitrator,
    /// Has no part in the round.
    Outsider,
}

impl Role {
    /// Whether this is the lead.
    pub fn leads(self) -> bool {
        matches!(self, Role::Lead | Role::LeadAndArbitrator)
    }

    /// Whether this is the arbitrator.
    pub fn arbitrates(self) -> bool {
        matches!(self, Role::Arbitrator | Role::LeadAndArbitrator)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Annotator(_) => "annotator",
            Role::Arbitrator => "arbitrator",
            Role::Lead => "lead",
            Role::LeadAndArbitrator => "lead and arbitrator",
            Role::Outsider => "no part",
        }
    }
}

/// How much of somebody's labels may be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Nothing, not even whether there are any.
    Nothing,
    /// How many and how fast, not what.
    Progress,
    /// The contested ones, without names and in random order.
    Anonymous,
    /// Everything.
    All,
}

/// What a role may see of the labels of annotator number `whose`.
pub fn labels(role: Role, phase: Phase, whose: usize) -> Access {
    match (role, phase) {
        (Role::Annotator(own), _) if own == whose => Access::All,
        (_, Phase::Closed) => Access::All,
        (Role::Annotator(_), Phase::Labelling) => Access::Nothing,
        (Role::Annotator(_), Phase::Discussion | Phase::Adjudication) => Access::All,
        (Role::Lead | Role::LeadAndArbitrator, Phase::Labelling) => Access::Progress,
        (Role::Lead, Phase::Discussion | Phase::Adjudication) => Access::All,
        // Who will decide is not to know who said what.
        (Role::LeadAndArbitrator, Phase::Discussion) => Access::Progress,
        (Role::Arbitrator | Role::LeadAndArbitrator, Phase::Adjudication) => Access::Anonymous,
        (Role::Arbitrator, Phase::Labelling | Phase::Discussion) => Access::Nothing,
        (Role::Outsider, Phase::Labelling | Phase::Discussion | Phase::Adjudication) => Access::Nothing,
    }
}

/// Whether agreement may be computed for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agreement {
    /// Yes.
    Shown,
    /// Only at the price of a deviation that every export carries.
    AtAPrice,
    /// No.
    Hidden,
}

/// Whether a role may see how far annotators agree.
pub fn agreement(role: Role, phase: Phase) -> Agreement {
    match (role, phase) {
        (Role::Lead | Role::LeadAndArbitrator, Phase::Labelling) => Agreement::AtAPrice,
        (_, Phase::Labelling) => Agreement::Hidden,
        // A table of who said what would tell who A and B are.
        (Role::Arbitrator | Role::LeadAndArbitrator, Phase::Adjudication) => Agreement::Hidden,
        _ => Agreement::Shown,
    }
}

/// What is said where agreement is hidden: the same for everybody and whatever there is.
pub fn agreement_hidden(phase: Phase) -> &'static str {
    match phase {
        Phase::Adjudication => {
            "who decides sees A and B without names: agreement can be seen when the round is closed"
        }
        _ => "labelling is blind: agreement can be seen when the lead has ended that phase",
    }
}

/// Whether a role may see the decisions of the arbitrator, and why annotators were overruled.
pub fn decisions(role: Role, phase: Phase) -> bool {
    match phase {
        Phase::Labelling | Phase::Discussion => role.arbitrates(),
        Phase::Adjudication => role.arbitrates() || role.leads(),
        Phase::Closed => true,
    }
}

/// Whether the labels of annotator `whose` may be put into a file that this role makes. The lead's copies of a
/// whole workspace hold everything: they are kept, not read.
pub fn exported(role: Role, phase: Phase, whose: usize, whole_workspace: bool) -> bool {
    match labels(role, phase, whose) {
        Access::All => true,
        Access::Progress => whole_workspace,
        // A file names everybody.
        Access::Anonymous | Access::Nothing => false,
    }
}

/// Whether a role may label now, and what: its own, while labels are open.
pub fn may_label(role: Role, phase: Phase, sent_back: bool) -> bool {
    match (role, phase) {
        (Role::Annotator(_), Phase::Labelling | Phase::Discussion) => true,
        (Role::Annotator(_), Phase::Adjudication) => sent_back,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 6] = [
        Role::Annotator(0),
        Role::Annotator(1),
        Role::Arbitrator,
        Role::Lead,
        Role::LeadAndArbitrator,
        Role::Outsider,
    ];

    #[test]
    fn the_table_of_the_page_is_the_rule() {
        use Access::{All, Anonymous, Nothing, Progress};
        let table = [
            (Phase::Labelling, [All, Nothing, Nothing, Progress, Progress, Nothing]),
            (Phase::Discussion, [All, All, Nothing, All, Progress, Nothing]),
            (Phase::Adjudication, [All, All, Anonymous, All, Anonymous, Nothing]),
            (Phase::Closed, [All; 6]),
        ];
        for (phase, row) in table {
            for (role, wanted) in ROLES.into_iter().zip(row) {
                assert_eq!(labels(role, phase, 0), wanted, "{role:?} {phase}");
            }
        }
    }

    #[test]
    fn an_annotator_gets_nothing_of_a_partner_while_labelling() {
        let me = Role::Annotator(1);
        assert_eq!(labels(me, Phase::Labelling, 0), Access::Nothing);
        assert_eq!(agreement(me, Phase::Labelling), Agreement::Hidden);
        assert!(!decisions(me, Phase::Labelling));
        for whole in [false, true] {
            assert!(!exported(me, Phase::Labelling, 0, whole));
            assert!(exported(me, Phase::Labelling, 1, whole));
            assert!(!exported(Role::Outsider, Phase::Labelling, 0, whole));
        }
        assert!(exported(Role::Lead, Phase::Labelling, 0, true));
        assert!(!exported(Role::Lead, Phase::Labelling, 0, false));
    }

    #[test]
    fn only_a_lead_pays_for_an_early_look() {
        for role in ROLES {
            let wanted = if role.leads() { Agreement::AtAPrice } else { Agreement::Hidden };
            assert_eq!(agreement(role, Phase::Labelling), wanted);
            for phase in [Phase::Discussion, Phase::Closed] {
                assert_eq!(agreement(role, phase), Agreement::Shown);
            }
            // Who decides between A and B is not told who they are.
            let wanted = if role.arbitrates() { Agreement::Hidden } else { Agreement::Shown };
            assert_eq!(agreement(role, Phase::Adjudication), wanted);
            assert!(!role.arbitrates() || !exported(role, Phase::Adjudication, 0, true));
        }
    }

    #[test]
    fn labels_are_made_by_annotators_while_they_are_open() {
        for role in ROLES {
            let own = matches!(role, Role::Annotator(_));
            assert_eq!(may_label(role, Phase::Labelling, false), own);
            assert_eq!(may_label(role, Phase::Discussion, false), own);
            assert_eq!(may_label(role, Phase::Adjudication, true), own);
            assert!(!may_label(role, Phase::Adjudication, false));
            assert!(!may_label(role, Phase::Closed, true));
        }
    }
}
