//! Answers to the desk of the lead.

use super::Bench;
use crate::label::export::methods;
use crate::label::table::table;
use crate::study::{StudyError, any_seed};
use crate::tui::msg::study::rounds::{Ask, Told};
use uuid::Uuid;

/// What is kept between two questions.
#[derive(Default)]
pub struct Clerk {}

impl Clerk {
    /// Does what is asked.
    ///
    /// # Errors
    ///
    /// What the study refuses, or what the workspace could not do.
    pub fn answer(&mut self, bench: &Bench, ask: Ask) -> Result<Told, StudyError> {
        let studies = &bench.studies;
        match ask {
            Ask::List => {
                let (rounds, problems) = bench.briefs()?;
                Ok(Told::Listed { rounds, problems, name: bench.name.clone(), seed: any_seed() })
            }
            Ask::Desk(round) => Ok(Told::Desk(Box::new(bench.desk(Some(round))?.whole()?))),
            Ask::Methods(round) => paragraph(bench, round).map(Told::Methods),
            Ask::Advance { round, to, force } => {
                let mut desk = bench.desk(Some(round))?;
                desk.advance(to, force)?;
                Ok(Told::Advanced(Box::new(desk.whole()?)))
            }
            Ask::Withdraw(round) => {
                let mut desk = bench.desk(Some(round))?;
                desk.withdraw("")?;
                let name = format!("{}/{}", desk.round.study, desk.round.name);
                Ok(Told::Withdrawn(format!("{name} is withdrawn; its name may be used again")))
            }
            Ask::Queues(round, plan, again) => {
                let desk = bench.desk(Some(round))?;
                desk.check_assign()?;
                let (assignment, _) = desk.preview(plan, again)?;
                let names = desk.round.annotators.iter().map(|person| person.name.clone());
                Ok(Told::Queues(names.zip(assignment.queues.iter().map(Vec::len)).collect()))
            }
            Ask::Assign(round, plan, again) => {
                let mut desk = bench.desk(Some(round))?;
                desk.assign(plan, again)?;
                Ok(Told::Assigned(Box::new(desk.whole()?)))
            }
            Ask::Preview(draft, pool) => Ok(Told::Preview(Box::new(draft.preview(studies, &pool)?))),
            Ask::Draw(draft, pool) => {
                let known = pool.known(&draft.codebook)?;
                let drawn = draft.draw(studies, &pool.passing, &known)?;
                Ok(Told::Drawn(draft, Box::new(drawn)))
            }
            Ask::Make(draft, drawn, items) => {
                Ok(Told::Made(draft.make(studies, Uuid::now_v7(), &drawn, items)?.id))
            }
        }
    }
}

/// The methods paragraph, of what who looks may take away.
fn paragraph(bench: &Bench, round: Uuid) -> Result<String, StudyError> {
    let mut desk = bench.desk(Some(round))?;
    let study = desk.round.study.clone();
    let table = table(&study, &[desk.told(false)?]);
    let problems: Vec<String> = table.problems().iter().map(ToString::to_string).collect();
    Ok(if problems.is_empty() { methods(&table) } else { problems.join("\n") })
}
