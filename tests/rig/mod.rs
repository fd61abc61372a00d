//! The workbench without a terminal: the real state, the real jobs, run one after the other.
//!
//! A test presses keys and reads the screen. Nothing waits and nothing runs beside it: jobs are carried
//! out when they are asked for (or held, to be answered late), timers run out when the test rests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::explicit_write, dead_code, missing_docs)]

mod dump;
mod memory;

#[allow(unused_imports)]
pub use dump::{styles_of, text_of};
#[allow(unused_imports)]
pub use memory::{Memory, task};

use jiff::Timestamp;
use mendbench::catalogue::{Catalogue, Request, open};
use mendbench::harness::{Cancel, Happening, Harness};
use mendbench::keymap::{Key, Keymap};
use mendbench::repair::RunEvent;
use mendbench::runner::{Control, Listener, TrajectoryHead};
use mendbench::task::Task;
use mendbench::theme::{BUILT_IN, ColourDepth, Theme};
use mendbench::tui::app::{App, Setup};
use mendbench::tui::msg::repair::{Ask, LaunchChoice, ModelChoice, News, Steer, Told};
use mendbench::tui::msg::verify::{Heard, VerifyJob};
use mendbench::tui::msg::{Cmd, Job, JobResult, Mouse, Msg};
use mendbench::tui::runtime::carry_out;
use mendbench::tui::runtime::collector::Collector;
use mendbench::tui::runtime::repair::{Engines, run, steer_run};
use mendbench::tui::runtime::shelf::look;
use mendbench::tui::runtime::study::Clerks;
use mendbench::tui::runtime::verify::verify;
use mendbench::tui::widgets::diff_view::Choices;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// How a workbench is started; what is not said is as `mendbench` comes, in 80 × 24 and dark.
#[derive(Clone)]
pub struct Options {
    pub size: (u16, u16),
    pub theme: &'static str,
    pub unicode: bool,
    pub filter: &'static str,
    pub preview: bool,
    pub choices: Choices,
    /// The user's `[keys.…]` tables.
    pub keys: &'static str,
    /// Models that the launch sheet offers.
    pub models: Vec<ModelChoice>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            size: (80, 24),
            theme: "dark",
            unicode: true,
            filter: "",
            preview: true,
            choices: Choices::default(),
            keys: "",
            models: Vec::new(),
        }
    }
}

impl Options {
    pub fn sized(width: u16, height: u16) -> Options {
        Options { size: (width, height), ..Options::default() }
    }
}

/// Nothing that follows from a key takes longer.
const REST: Duration = Duration::from_secs(3);

/// What was copied, as a job that waits.
type Held = (u64, Job);

pub struct Rig {
    pub app: App,
    catalogue: Arc<dyn Catalogue>,
    size: (u16, u16),
    /// Timers that run, with what is left of each.
    timers: Vec<(u64, Duration)>,
    /// Jobs are kept instead of carried out.
    pub hold: bool,
    held: VecDeque<Held>,
    /// Jobs that were asked for so far.
    pub jobs: usize,
    pub copied: Vec<String>,
    pub edited: Vec<Edited>,
    pub mouse: Option<bool>,
    pub suspended: usize,
    pub redrawn: usize,
    pub quit: bool,
    /// What verifies; without it there is no sandbox.
    pub harness: Option<Arc<Harness>>,
    /// Runs are kept for [`Rig::run`] instead of carried out.
    pub hold_runs: bool,
    pub runs: VecDeque<HeldRun>,
    /// Ends the newest run.
    cancel: Cancel,
    /// What repairs; without it nothing can be started.
    pub engines: Option<Arc<Engines>>,
    /// What was done to runs, by the ticket that they were started with.
    pub steered: Vec<(u64, Steer)>,
    /// Repairs are kept for [`Rig::repair`] instead of carried out.
    pub hold_repairs: bool,
    repairs: VecDeque<(u64, Arc<Task>, LaunchChoice)>,
    /// Each time one is started this happens to it before it begins.
    pub at_start: Vec<Steer>,
    /// What the editor makes of a text, if it changes it.
    pub editor: Option<String>,
    /// What answers about studies; without it there are none.
    pub studies: Option<Clerks>,
    /// Questions about studies are kept for [`Rig::answer_studies`], as where a database is busy.
    pub hold_studies: bool,
    asked: VecDeque<(u64, mendbench::tui::msg::study::Ask)>,
}

/// Turns what is heard of a run into messages, each event into news of its own.
struct Ears {
    ticket: u64,
    messages: Mutex<Vec<Msg>>,
}

impl Ears {
    fn tell(&self, told: Told) {
        let result = Box::new(JobResult::Repair(told));
        self.messages.lock().unwrap().push(Msg::Done { ticket: self.ticket, result });
    }

    fn news(&self, now: Timestamp, events: Vec<RunEvent>, refused: Vec<String>) {
        self.tell(Told::News(News { now, events, refused, heard: Heard::default() }));
    }
}

impl Listener for Ears {
    fn heard(&self, _trajectory: &TrajectoryHead, event: &RunEvent) {
        self.news(event.at, vec![event.clone()], Vec::new());
    }

    fn refused(&self, _trajectory: &TrajectoryHead, why: &str) {
        self.news(Timestamp::UNIX_EPOCH, Vec::new(), vec![why.to_owned()]);
    }
}

/// A run that waits.
pub struct HeldRun {
    ticket: u64,
    pub job: VerifyJob,
    cancel: Cancel,
}

/// What was handed to the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub name: String,
    pub text: String,
    pub line: u32,
}

/// The codebooks that come with mendbench.
pub fn codebooks() -> Vec<mendbench::label::codebook::Codebook> {
    use mendbench::label::codebook::{ReservedKeys, SHIPPED};
    SHIPPED.iter().map(|shipped| shipped.read(&ReservedKeys::none()).unwrap()).collect()
}

pub fn themes() -> Vec<Theme> {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    THEMES.get_or_init(|| BUILT_IN.iter().map(|(name, _)| Theme::built_in(name).unwrap()).collect()).clone()
}

/// Real datasets beside the repository; `None`, said aloud, where they are absent.
pub fn shared(path: &str) -> Option<std::path::PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
    if !found.exists() {
        // The test runner swallows `eprintln!` of tests that pass, and a skipped test must say so.
        writeln!(std::io::stderr(), "skipped: ../shared/data/{path} is not here").unwrap();
        return None;
    }
    Some(found)
}

impl Rig {
    /// The sample tasks.
    pub fn samples(options: Options) -> Rig {
        Rig::on(Memory::samples(), options)
    }

    /// These tasks.
    pub fn tasks(tasks: Vec<Task>, options: Options) -> Rig {
        Rig::on(Memory::new(tasks), options)
    }

    /// A path, as the binary opens it; what it remembers about it goes to `workspace`.
    pub fn path(path: &Path, workspace: &Path, options: Options) -> Rig {
        let request = Request {
            path: Some(path.to_owned()),
            workspace: Some(workspace.to_owned()),
            ..Request::default()
        };
        let mut rig = Rig::before_reading(open(&request).unwrap(), options);
        rig.read();
        rig
    }

    /// A catalogue, read.
    pub fn on(catalogue: Memory, options: Options) -> Rig {
        let mut rig = Rig::before_reading(Arc::new(catalogue), options);
        rig.read();
        rig
    }

    /// Before anything was read.
    pub fn before_reading(catalogue: Arc<dyn Catalogue>, options: Options) -> Rig {
        let themes = themes();
        let number = themes.iter().position(|known| known.name == options.theme).unwrap();
        let depth = match options.theme {
            "mono" => ColourDepth::None,
            "ansi16" => ColourDepth::Ansi16,
            _ => ColourDepth::Truecolour,
        };
        let setup = Setup {
            origin: catalogue.origin().clone(),
            workspace: Some("rounds".to_owned()),
            keymap: Arc::new(Keymap::new().with_overrides("config.toml", options.keys).unwrap()),
            themes,
            theme: number,
            depth,
            unicode: options.unicode,
            filter: options.filter.to_owned(),
            preview: options.preview,
            choices: options.choices,
            notice: None,
            models: options.models.clone(),
            codebooks: codebooks(),
        };
        Rig {
            app: App::new(setup, options.size),
            catalogue,
            size: options.size,
            timers: Vec::new(),
            hold: false,
            held: VecDeque::new(),
            jobs: 0,
            copied: Vec::new(),
            edited: Vec::new(),
            mouse: None,
            suspended: 0,
            redrawn: 0,
            quit: false,
            harness: None,
            hold_runs: false,
            runs: VecDeque::new(),
            cancel: Cancel::new(),
            engines: None,
            steered: Vec::new(),
            hold_repairs: false,
            repairs: VecDeque::new(),
            at_start: Vec::new(),
            editor: None,
            studies: None,
            hold_studies: false,
            asked: VecDeque::new(),
        }
    }

    /// The list as the catalogue hands it over: its parts, then an error if it broke off.
    pub fn parts(&self) -> Vec<Msg> {
        let mut messages = Vec::new();
        let result = self.catalogue.list(&mut |part| {
            messages.push(Msg::Table(part));
            true
        });
        if let Err(error) = result {
            messages.push(Msg::TableFailed(error.to_string()));
        }
        messages
    }

    /// Reads the list as the runtime does.
    pub fn read(&mut self) {
        for part in self.parts() {
            self.send(part);
        }
    }

    /// A message, and all jobs that follow from it.
    pub fn send(&mut self, msg: Msg) {
        let mut queue = VecDeque::from([msg]);
        while let Some(msg) = queue.pop_front() {
            if let Msg::Resize(width, height) = msg {
                self.size = (width, height);
            }
            for command in self.app.update(msg) {
                match command {
                    Cmd::Start { ticket, job, .. } => {
                        self.jobs += 1;
                        if self.hold {
                            self.held.push_back((ticket, job));
                        } else {
                            queue.extend(self.carry_out(ticket, job));
                        }
                    }
                    Cmd::After(number, after) => self.timers.push((number, after)),
                    Cmd::Copy(text) => self.copied.push(text),
                    Cmd::Edit { name, text, line } => {
                        self.edited.push(Edited {
                            name,
                            text: String::from_utf8_lossy(&text).into_owned(),
                            line,
                        });
                    }
                    Cmd::Quit => self.quit = true,
                    Cmd::CaptureMouse(on) => self.mouse = Some(on),
                    Cmd::Suspend => self.suspended += 1,
                    Cmd::Redraw => self.redrawn += 1,
                    Cmd::Verify { ticket, job } => {
                        self.cancel.cancel();
                        self.cancel = Cancel::new();
                        let run = HeldRun { ticket, job, cancel: self.cancel.clone() };
                        if self.hold_runs {
                            self.runs.push_back(run);
                        } else {
                            queue.extend(self.messages_of(run));
                        }
                    }
                    Cmd::CancelVerify => self.cancel.cancel(),
                    Cmd::Repair { ticket, ask } => match *ask {
                        Ask::Steer(steer) => self.steered.push((ticket, steer)),
                        Ask::Start { task, choice } if self.hold_repairs => {
                            self.repairs.push_back((ticket, task, choice));
                        }
                        Ask::Start { task, choice } => {
                            queue.extend(self.messages_of_repair(ticket, &task, &choice))
                        }
                        ask => {
                            let told = match &self.engines {
                                Some(engines) => look(engines, &ask),
                                None => Told::Refused("no engine is configured yet".to_owned()),
                            };
                            queue.push_back(Msg::Done { ticket, result: Box::new(JobResult::Repair(told)) });
                        }
                    },
                    Cmd::Study { ticket, ask } if self.hold_studies => self.asked.push_back((ticket, *ask)),
                    Cmd::Study { ticket, ask } => {
                        let told = match &mut self.studies {
                            Some(clerks) => clerks.answer(*ask),
                            None => {
                                mendbench::tui::msg::study::Told::Refused("there are no studies".to_owned())
                            }
                        };
                        queue.push_back(Msg::Done { ticket, result: Box::new(JobResult::Study(told)) });
                    }
                    Cmd::EditBack { ticket, name, text, line } => {
                        self.edited.push(Edited {
                            name,
                            text: String::from_utf8_lossy(&text).into_owned(),
                            line,
                        });
                        if let Some(text) = self.editor.clone() {
                            queue.push_back(Msg::Edited { ticket, text: text.into_bytes() });
                        }
                    }
                    Cmd::ReadList => queue.extend(self.parts()),
                }
            }
        }
    }

    fn carry_out(&self, ticket: u64, job: Job) -> Vec<Msg> {
        let results = Mutex::new(Vec::new());
        carry_out(&*self.catalogue, job, &AtomicBool::new(false), &|result: JobResult| {
            results.lock().unwrap().push(Msg::Done { ticket, result: Box::new(result) });
        });
        results.into_inner().unwrap()
    }

    /// Carries a run out, and gives what it tells: news after each thing that happens, then the result.
    fn messages_of(&self, run: HeldRun) -> Vec<Msg> {
        let HeldRun { ticket, job, cancel } = run;
        let mut messages = Vec::new();
        let mut collector = Collector::default();
        let harness = || self.harness.clone().ok_or_else(|| "no sandbox is configured yet".to_owned());
        let done = |result| Msg::Done { ticket, result: Box::new(result) };
        let mut result = verify(&harness, &job, &cancel, &mut |what| {
            let more_follows = matches!(what, Happening::Finished(_));
            collector.take_in(what);
            if more_follows {
                return;
            }
            messages.push(done(JobResult::Verifying(collector.news(Duration::from_secs(3)))));
        });
        // How long it really took is no matter of a test.
        if let JobResult::Verified(finished) = &mut result {
            finished.seconds = 0.3;
        }
        messages.push(done(result));
        messages
    }

    /// Carries a repair out, and gives what it tells, event by event.
    fn messages_of_repair(&self, ticket: u64, task: &Arc<Task>, choice: &LaunchChoice) -> Vec<Msg> {
        let ears = Ears { ticket, messages: Mutex::default() };
        let Some(engines) = &self.engines else {
            ears.tell(Told::Refused("no engine is configured yet".to_owned()));
            return ears.messages.into_inner().unwrap();
        };
        let control = Control::new();
        self.at_start.iter().for_each(|steer| steer_run(&control, steer.clone()));
        let mut begins = |started| ears.tell(Told::Started(Box::new(started)));
        let told = run(engines, task, choice, control, &ears, &mut begins);
        ears.tell(told);
        ears.messages.into_inner().unwrap()
    }

    /// What the oldest held repair tells, to be sent bit by bit.
    pub fn repair(&mut self) -> VecDeque<Msg> {
        let (ticket, task, choice) = self.repairs.pop_front().unwrap();
        self.messages_of_repair(ticket, &task, &choice).into()
    }

    /// What the oldest held run tells, to be sent bit by bit.
    pub fn run(&mut self) -> VecDeque<Msg> {
        let run = self.runs.pop_front().unwrap();
        self.messages_of(run).into()
    }

    /// Sends messages until these words are on the screen.
    pub fn until(&mut self, messages: &mut VecDeque<Msg>, words: &str) -> &mut Rig {
        while !self.shows(words) {
            match messages.pop_front() {
                Some(msg) => self.send(msg),
                None => panic!("`{words}` was never on the screen:\n{}", self.text()),
            }
        }
        self
    }

    /// Sends messages until one has told of such an event.
    pub fn until_event(
        &mut self,
        messages: &mut VecDeque<Msg>,
        wanted: impl Fn(&RunEvent) -> bool,
    ) -> &mut Rig {
        while let Some(msg) = messages.pop_front() {
            let found = match &msg {
                Msg::Done { result, .. } => match &**result {
                    JobResult::Repair(Told::News(news)) => news.events.iter().any(&wanted),
                    _ => false,
                },
                _ => false,
            };
            self.send(msg);
            if found {
                return self;
            }
        }
        panic!("no such event; the screen is:\n{}", self.text());
    }

    /// Sends all messages.
    pub fn all(&mut self, messages: VecDeque<Msg>) -> &mut Rig {
        messages.into_iter().for_each(|msg| self.send(msg));
        self
    }

    /// Jobs that wait for [`Rig::finish`].
    pub fn waiting(&self) -> usize {
        self.held.len()
    }

    /// Answers the held questions about studies.
    pub fn answer_studies(&mut self) -> &mut Rig {
        while let Some((ticket, ask)) = self.asked.pop_front() {
            let told = self.studies.as_mut().unwrap().answer(ask);
            self.send(Msg::Done { ticket, result: Box::new(JobResult::Study(told)) });
        }
        self
    }

    /// Carries out a held job, the oldest being number 0.
    pub fn finish(&mut self, number: usize) -> &mut Rig {
        let (ticket, job) = self.held.remove(number).unwrap();
        for result in self.carry_out(ticket, job) {
            self.send(result);
        }
        self
    }

    /// Presses keys: names as the keymap writes them, separated by blanks.
    pub fn press(&mut self, keys: &str) -> &mut Rig {
        for name in keys.split_whitespace() {
            let key: Key = name.parse().unwrap();
            self.send(Msg::Key(key));
        }
        self
    }

    /// Types text, character by character.
    pub fn kind(&mut self, text: &str) -> &mut Rig {
        for character in text.chars() {
            self.send(Msg::Key(Key::char(character)));
        }
        self
    }

    /// Lets all timers run out but those that give time to read.
    pub fn rest(&mut self) -> &mut Rig {
        let (longer, over): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.timers).into_iter().partition(|(_, after)| *after > REST);
        self.timers = longer;
        for (number, _) in over {
            self.send(Msg::Timer(number));
        }
        self
    }

    /// Lets so many milliseconds pass, and the timers that run out in them.
    pub fn wait(&mut self, milliseconds: u64) -> &mut Rig {
        let mut left = Duration::from_millis(milliseconds);
        loop {
            let next = self.timers.iter().map(|(_, after)| *after).min().filter(|next| *next <= left);
            let passed = next.unwrap_or(left);
            self.timers.iter_mut().for_each(|(_, after)| *after = after.saturating_sub(passed));
            left -= passed;
            if next.is_none() {
                return self;
            }
            let over = |(_, after): &(u64, Duration)| after.is_zero();
            if let Some(place) = self.timers.iter().position(over) {
                let (number, _) = self.timers.remove(place);
                self.send(Msg::Timer(number));
            }
        }
    }

    pub fn paste(&mut self, text: &str) -> &mut Rig {
        self.send(Msg::Paste(text.to_owned()));
        self
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut Rig {
        self.send(Msg::Resize(width, height));
        self
    }

    pub fn click(&mut self, x: u16, y: u16) -> &mut Rig {
        self.send(Msg::Mouse(Mouse::Press { x, y }));
        self
    }

    pub fn wheel(&mut self, x: u16, y: u16, down: bool) -> &mut Rig {
        self.send(Msg::Mouse(Mouse::Wheel { x, y, down }));
        self
    }

    pub fn buffer(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        self.app.view(&mut buffer);
        buffer
    }

    /// The screen as text, blanks at line ends cut.
    pub fn text(&self) -> String {
        text_of(&self.buffer())
    }

    /// One row of it.
    pub fn row(&self, y: u16) -> String {
        self.text().lines().nth(usize::from(y)).unwrap().to_owned()
    }

    pub fn header(&self) -> String {
        self.row(0)
    }

    pub fn footer(&self) -> String {
        self.row(self.size.1 - 1)
    }

    /// The row that holds these words; the test fails, showing the screen, where there is none.
    pub fn find(&self, words: &str) -> u16 {
        let text = self.text();
        match text.lines().position(|line| line.contains(words)) {
            Some(y) => y as u16,
            None => panic!("`{words}` is not on the screen:\n{text}"),
        }
    }

    pub fn shows(&self, words: &str) -> bool {
        self.text().contains(words)
    }

    /// Fails, showing the screen, unless it holds these words.
    pub fn expect(&mut self, words: &str) -> &mut Rig {
        self.find(words);
        self
    }

    /// Fails, showing the screen, if it holds these words.
    pub fn expect_not(&mut self, words: &str) -> &mut Rig {
        assert!(!self.shows(words), "`{words}` is on the screen:\n{}", self.text());
        self
    }

    /// The row of the cursor, without its mark.
    pub fn here(&self) -> String {
        let text = self.text();
        let Some(line) = text.lines().find(|line| line.starts_with('▌')) else {
            panic!("no cursor on the screen:\n{text}")
        };
        line.trim_start_matches('▌').trim().to_owned()
    }

    /// Name and line of what the editor key hands over.
    pub fn at(&mut self) -> (String, u32) {
        self.press("e");
        let edited =
            self.edited.pop().unwrap_or_else(|| panic!("no line under the cursor:\n{}", self.text()));
        (edited.name, edited.line)
    }

    /// What the copy key takes.
    pub fn copy(&mut self, key: &str) -> String {
        self.press(key);
        self.copied.pop().unwrap_or_else(|| panic!("nothing was copied:\n{}", self.text()))
    }
}
