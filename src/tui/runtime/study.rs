//! Studies beside the keys: what is asked of them is carried out on threads.
//!
//! Promises: what changes something is carried out in order, on one thread, and what was asked before leaving is on disk
//! before the program ends; agreement is computed on a thread of its own, so that no label waits for it, and only the
//! newest question about it is answered. Leaves to others: what may be seen (`study`), what is shown (`screens`).

pub mod agreement;
pub mod annotate;
pub mod discuss;
pub mod rounds;

use crate::label::round::Round;
use crate::study::{Brief, Desk, Heads, Studies, StudyError};
use crate::tui::msg::study::{Ask, Told};
use crate::tui::msg::{JobResult, Msg};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

/// The studies of a workspace, and who looks at them.
#[derive(Clone)]
pub struct Bench {
    /// The studies.
    pub studies: Studies,
    /// Who one is.
    pub name: String,
    /// The studies that come with the sample tasks; they are looked at as their lead sees them.
    pub samples: Vec<Studies>,
}

impl Bench {
    /// The round with this id; without one the round that is meant where none was chosen.
    ///
    /// # Errors
    ///
    /// No such round, or none that is meant.
    pub fn round(&self, id: Option<Uuid>) -> Result<Round, StudyError> {
        Ok(self.desk(id)?.round)
    }

    /// How far the streams of all rounds are, those of the samples included.
    ///
    /// # Errors
    ///
    /// The workspace cannot be read.
    pub fn heads(&self) -> Result<Heads, StudyError> {
        let mut heads = self.studies.heads()?;
        for sample in &self.samples {
            heads.extend(sample.heads()?);
        }
        Ok(heads)
    }

    /// All rounds in short as they may be seen, those of the workspace first; and what could not be read.
    ///
    /// # Errors
    ///
    /// The workspace cannot be read.
    pub fn briefs(&self) -> Result<(Vec<Brief>, Vec<String>), StudyError> {
        let (mut briefs, mut problems) = self.studies.briefs(&self.name)?;
        for sample in &self.samples {
            for round in sample.list()?.0 {
                let lead = round.lead.name.clone();
                match sample.desk_of(round, &lead).brief() {
                    Ok(brief) => briefs.push(brief),
                    Err(error) => problems.push(error.to_string()),
                }
            }
        }
        Ok((briefs, problems))
    }

    /// That round as the one who looks sees it.
    ///
    /// # Errors
    ///
    /// No such round, or none that is meant.
    pub fn desk(&self, id: Option<Uuid>) -> Result<Desk, StudyError> {
        let own = match id {
            Some(id) => self.studies.open_in_force(id),
            None => self.studies.find(None),
        };
        // What is in the workspace goes before what comes with the program.
        let sample = |studies: &Studies| {
            let round = id.map_or_else(|| studies.find(None), |id| studies.open(id)).ok()?;
            let lead = round.lead.name.clone();
            Some(studies.desk_of(round, &lead))
        };
        match own {
            Ok(round) => Ok(self.studies.desk_of(round, &self.name)),
            Err(error) => self.samples.iter().find_map(sample).ok_or(error),
        }
    }
}

/// Opens the studies when they are wanted first; true: a workspace is made where there is none.
pub type MakeBench = Arc<dyn Fn(bool) -> Result<Bench, String> + Send + Sync>;

/// Answers everything, one question after the other. Also called by tests, which have no threads.
pub struct Clerks {
    make: MakeBench,
    bench: Option<Bench>,
    annotate: annotate::Clerk,
    discuss: discuss::Clerk,
    agreement: agreement::Clerk,
    rounds: rounds::Clerk,
}

impl Clerks {
    /// None of which has opened a workspace yet.
    pub fn new(make: MakeBench) -> Clerks {
        Clerks {
            make,
            bench: None,
            annotate: annotate::Clerk::default(),
            discuss: discuss::Clerk::default(),
            agreement: agreement::Clerk::default(),
            rounds: rounds::Clerk::default(),
        }
    }

    /// The studies; true: to be written to, so that a workspace is made where there is none.
    fn bench(&mut self, keeps: bool) -> Result<Bench, String> {
        if let Some(bench) = &self.bench {
            return Ok(bench.clone());
        }
        let bench = (self.make)(keeps)?;
        // What has no rounds is looked for again: it may stand in for a workspace that is made meanwhile.
        if bench.studies.has_rounds().unwrap_or(false) {
            self.bench = Some(bench.clone());
        }
        Ok(bench)
    }

    /// Does what is asked.
    pub fn answer(&mut self, ask: Ask) -> Told {
        let keeps = matches!(ask, Ask::Rounds(crate::tui::msg::study::rounds::Ask::Make(..)));
        let bench = match self.bench(keeps) {
            Ok(bench) => bench,
            Err(why) => return Told::Refused(why),
        };
        let told = match ask {
            Ask::Annotate(ask) => self.annotate.answer(&bench, ask).map(Told::Annotate),
            Ask::Discuss(ask) => self.discuss.answer(&bench, ask).map(Told::Discuss),
            Ask::Agreement(ask) => self.agreement.answer(&bench, ask).map(Told::Agreement),
            Ask::Rounds(ask) => self.rounds.answer(&bench, ask).map(Told::Rounds),
        };
        told.unwrap_or_else(|error| Told::Refused(error.to_string()))
    }
}

/// Where questions go, each with its ticket.
type Asked = Sender<(u64, Ask)>;

/// The threads.
pub struct Registry {
    make: MakeBench,
    sender: UnboundedSender<Msg>,
    /// What changes something, and what is read beside it.
    ordered: Option<(Asked, JoinHandle<()>)>,
    /// What takes long and changes nothing.
    computed: Option<Asked>,
}

/// What a message says of an answer that is not on disk, in words; for answers that nobody waits for any more.
pub fn not_kept(msg: &Msg) -> Option<String> {
    let Msg::Done { result, .. } = msg else { return None };
    match &**result {
        JobResult::Study(Told::Annotate(crate::tui::msg::study::annotate::Told::NotKept { why, .. })) => {
            Some(format!("an answer was not saved: {why}"))
        }
        _ => None,
    }
}

/// What is said of a panic.
const PANICKED: &str = "something went wrong inside mendbench; the message is printed when it ends";

impl Registry {
    /// Threads that answer to this sender; none is started yet.
    pub fn new(make: MakeBench, sender: UnboundedSender<Msg>) -> Registry {
        Registry { make, sender, ordered: None, computed: None }
    }

    /// Does what is asked, beside.
    pub fn ask(&mut self, ticket: u64, ask: Ask) {
        let (make, answers) = (self.make.clone(), self.sender.clone());
        let sender = match ask {
            // What is written goes in its order with everything else that is.
            Ask::Agreement(ref asked) if !asked.writes() => self.computed.get_or_insert_with(|| {
                let (sender, receiver) = channel();
                std::thread::spawn(move || serve(make, &receiver, &answers, true));
                sender
            }),
            _ => {
                let (sender, _) = self.ordered.get_or_insert_with(|| {
                    let (sender, receiver) = channel();
                    (sender, std::thread::spawn(move || serve(make, &receiver, &answers, false)))
                });
                sender
            }
        };
        // The thread ends only when this end is dropped.
        let _ = sender.send((ticket, ask));
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.computed = None;
        if let Some((sender, thread)) = self.ordered.take() {
            drop(sender);
            // What was asked before leaving is done before the program ends.
            let _ = thread.join();
        }
    }
}

fn serve(make: MakeBench, asked: &Receiver<(u64, Ask)>, answers: &UnboundedSender<Msg>, newest: bool) {
    let mut clerks = Clerks::new(make);
    while let Ok((mut ticket, mut ask)) = asked.recv() {
        while newest && let Ok(newer) = asked.try_recv() {
            (ticket, ask) = newer;
        }
        let told = catch_unwind(AssertUnwindSafe(|| clerks.answer(ask)))
            .unwrap_or_else(|_| Told::Refused(PANICKED.to_owned()));
        let _ = answers.send(Msg::Done { ticket, result: Box::new(JobResult::Study(told)) });
    }
}
