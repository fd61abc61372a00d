//! Messages of agreement.
//!
//! Promises: plain data; what is computed is shared, not copied. Leaves to others: computing it
//! (`runtime::study::agreement`).

use crate::label::overview::Overview;
use crate::study::TableForm;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// What is asked.
#[derive(Debug)]
pub enum Ask {
    /// A round; `None`: the newest that is not closed, else the newest.
    Open {
        /// Its id.
        round: Option<Uuid>,
        /// A lead looks while labelling is blind: it is written down.
        live: bool,
    },
    /// Other rounds of the study.
    Beside(Vec<Uuid>),
    /// What will be asked for is made ready, so that it need not be waited for then.
    Prepare,
    /// A table or text of labels into a file that does not exist yet.
    Export {
        /// The round.
        round: Uuid,
        /// Its form.
        form: TableForm,
        /// All rounds of the study.
        all_rounds: bool,
        /// The question, for the table of counts.
        question: String,
        /// The file.
        path: PathBuf,
    },
}

impl Ask {
    /// Whether something is written: such a question is never dropped for a newer one.
    pub fn writes(&self) -> bool {
        matches!(self, Ask::Export { .. } | Ask::Open { live: true, .. })
    }
}

/// What came back.
#[derive(Debug)]
pub enum Told {
    /// The round that was asked for, and the ids of the rounds of its study, the earliest first.
    Opened(Arc<Overview>, Vec<Uuid>),
    /// Other rounds of the study.
    Beside(Vec<Arc<Overview>>),
    /// It is ready.
    Prepared,
    /// A file was written.
    Exported {
        /// The file.
        path: PathBuf,
        /// Labels in it.
        labels: u64,
    },
}
