//! Repairing a task from wherever one is: the sheet, starting, what comes back.
//!
//! Promises: nothing is started without the sheet unless a choice was made before. Leaves to others: the sheet itself
//! (`overlays::launch`), the screen (`screens::repair`).

use super::{App, Screen};
use crate::catalogue::{CatalogueError, LoadedTask};
use crate::diff::DiffOptions;
use crate::task::Task;
use crate::tui::msg::repair::{Ask, LaunchChoice, Told};
use crate::tui::msg::{Cmd, Job, Said, Slot};
use crate::tui::overlays::Overlay;
use crate::tui::overlays::launch::{Launch, first_choice};
use crate::tui::overlays::reader::Reader;
use std::sync::Arc;

impl App {
    /// Shows the sheet for the task at hand, or repairs it as the last time.
    pub(super) fn launch(&mut self, asks: bool) -> Vec<Cmd> {
        let key = match self.screen {
            Screen::Repair => match self.repair.current() {
                Some(shown) => return self.launch_task(shown.task.clone(), asks),
                None => None,
            },
            Screen::Task => match self.task.loaded() {
                Some(loaded) => return self.launch_task(Arc::new(loaded.task.clone()), asks),
                None => self.task.key(),
            },
            Screen::Tasks => self.tasks.current().map(|summary| summary.key),
            Screen::Runs | Screen::Study(_) => None,
        };
        let Some(key) = key else {
            self.status = Some(Said::info("there is no task here to repair"));
            return Vec::new();
        };
        if let Some(loaded) = self.tasks.previewed().filter(|loaded| loaded.key == key) {
            return self.launch_task(Arc::new(loaded.task.clone()), asks);
        }
        let ticket = self.ctx.ticket();
        self.launching = (ticket, asks);
        vec![Cmd::Start {
            slot: Slot::Launch,
            ticket,
            job: Job::Load { key, options: DiffOptions::default() },
        }]
    }

    /// The task that was to be repaired is read.
    pub(super) fn loaded_to_launch(&mut self, loaded: &Result<Arc<LoadedTask>, CatalogueError>) -> Vec<Cmd> {
        self.launching.0 = 0;
        match loaded {
            Ok(loaded) => self.launch_task(Arc::new(loaded.task.clone()), self.launching.1),
            Err(error) => {
                self.status = Some(Said::error(error.to_string()));
                Vec::new()
            }
        }
    }

    fn launch_task(&mut self, task: Arc<Task>, asks: bool) -> Vec<Cmd> {
        if asks {
            return self.show_sheet(task);
        }
        if let Some(choice) = self.choice.clone() {
            return self.start(task, choice);
        }
        // What was chosen in an earlier session is in the workspace.
        let ticket = self.ctx.ticket();
        self.repeating = Some((ticket, task));
        vec![Cmd::Repair { ticket, ask: Box::new(Ask::LastChoice) }]
    }

    /// The choice of an earlier session has come: it is made again, or why not is said.
    fn repeat(&mut self, task: Arc<Task>, last: Option<LaunchChoice>) -> Vec<Cmd> {
        let why = match last {
            None => "nothing was repaired in this workspace yet, so there is nothing to repeat".to_owned(),
            Some(last) if self.models.iter().any(|model| model.name == last.model) => {
                return self.start(task, last);
            }
            Some(last) => {
                let model = crate::text::truncate(&last.model, 40).into_owned();
                format!("the last time it was `{model}`, which is not among the models now")
            }
        };
        self.status = Some(Said::info(format!("{why}: r asks how")));
        Vec::new()
    }

    fn show_sheet(&mut self, task: Arc<Task>) -> Vec<Cmd> {
        let choice = self.choice.clone().unwrap_or_else(|| first_choice(&self.models));
        self.overlays.push(Overlay::Launch(Box::new(Launch::new(task, self.models.clone(), choice))));
        let mut commands = self.preview();
        if self.choice.is_none() {
            // What was chosen in an earlier session is in the workspace.
            commands.push(Cmd::Repair { ticket: self.ctx.ticket(), ask: Box::new(Ask::LastChoice) });
        }
        commands
    }

    /// Asks for the first prompt of what the sheet says.
    pub(super) fn preview(&mut self) -> Vec<Cmd> {
        let ticket = self.ctx.ticket();
        let Some(Overlay::Launch(launch)) = self.overlays.last_mut() else { return Vec::new() };
        launch.awaits(ticket);
        let (task, choice) = (launch.task.clone(), launch.choice.clone());
        vec![Cmd::Repair { ticket, ask: Box::new(Ask::Preview { task, choice }) }]
    }

    /// Starts a run and shows it.
    pub(super) fn start(&mut self, task: Arc<Task>, choice: LaunchChoice) -> Vec<Cmd> {
        self.choice = Some(choice.clone());
        let saw_reference = self.saw_reference(&task);
        self.go_to_repair();
        self.repair.start(task, choice, saw_reference, &mut self.ctx)
    }

    /// Whether the reference of a task was on the screen: as a preview, as the difference that a task opens with, or
    /// asked for in another repair. What a person tells a model then comes from somebody who saw it.
    fn saw_reference(&self, task: &Task) -> bool {
        let opened = self.task.loaded().is_some_and(|loaded| loaded.task.name() == task.name());
        let previewed = self.screen == Screen::Tasks && self.tasks.shows_preview();
        let before = self.repair.current().filter(|_| self.screen == Screen::Repair);
        opened || previewed || before.is_some_and(|shown| shown.saw_reference)
    }

    pub(super) fn go_to_repair(&mut self) {
        if self.screen != Screen::Repair {
            self.came_from = self.screen;
            self.screen = Screen::Repair;
        }
    }

    /// Something about repair runs has come.
    pub(super) fn told(&mut self, ticket: u64, told: &mut Told) -> Vec<Cmd> {
        if let Some((_, task)) = self.repeating.take_if(|(awaited, _)| *awaited == ticket) {
            return match told {
                Told::LastChoice(last) => self.repeat(task, last.take()),
                Told::Refused(why) => {
                    self.status = Some(Said::error(why.clone()));
                    Vec::new()
                }
                _ => Vec::new(),
            };
        }
        let sheet = self.overlays.iter_mut().find_map(|overlay| match overlay {
            Overlay::Launch(launch) => Some(launch),
            _ => None,
        });
        if let Some(launch) = sheet {
            if let Told::LastChoice(last) = told {
                let untouched = launch.choice == first_choice(&self.models);
                let known =
                    |choice: &&LaunchChoice| self.models.iter().any(|model| model.name == choice.model);
                return match last.as_ref().filter(known) {
                    Some(last) if untouched && launch.choice != *last => {
                        launch.choice = last.clone();
                        self.preview()
                    }
                    _ => Vec::new(),
                };
            }
            let preview = match told {
                Told::Preview { tokens, blocks } => Some(Ok((*tokens, std::mem::take(blocks)))),
                Told::Refused(why) => Some(Err(why.clone())),
                _ => None,
            };
            if preview.is_some_and(|preview| launch.take(ticket, preview)) {
                return Vec::new();
            }
        }
        if matches!(told, Told::Prompt(_) | Told::Refused(_))
            && let Some(title) = self.repair.awaits_prompt(ticket)
        {
            match told {
                Told::Prompt(blocks) => {
                    self.overlays
                        .push(Overlay::Reader(Reader::new(&title, std::mem::take(blocks)).wrapped()));
                }
                Told::Refused(why) => self.status = Some(Said::error(why.clone())),
                _ => {}
            }
            return Vec::new();
        }
        if let Some(outcome) = self.runs.told(ticket, told, &mut self.ctx) {
            // Where it leads is followed only from the list itself.
            return if self.screen == Screen::Runs { self.follow(outcome) } else { outcome.commands };
        }
        match self.repair.told(ticket, told, &mut self.ctx) {
            Some((commands, said)) => {
                if said.is_some() {
                    self.status = said;
                }
                commands
            }
            None => Vec::new(),
        }
    }
}
