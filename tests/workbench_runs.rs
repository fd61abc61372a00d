//! Verifications and repairs beside the keys, on real threads: bounded news, one at a time, nothing left behind.
//!
//! Nothing sleeps: the scripted sandbox goes on until it is told, and messages are waited for.
#![allow(clippy::unwrap_used)]

#[path = "rig/mod.rs"]
mod rig;
mod scripted;
#[path = "scripted/talker.rs"]
mod talker;

use mendbench::catalogue::LoadedTask;
use mendbench::diff::DiffOptions;
use mendbench::harness::{Harness, Version};
use mendbench::repair::Cell;
use mendbench::repair::event::StopReason;
use mendbench::repair::live::Live;
use mendbench::report::Verdict;
use mendbench::sandbox::Exit;
use mendbench::task::{Command, Task};
use mendbench::tui::msg::repair::{Ask, LaunchChoice, Steer, Told};
use mendbench::tui::msg::verify::{Finished, VerifyJob};
use mendbench::tui::msg::{JobResult, Msg};
use mendbench::tui::runtime::Runtime;
use mendbench::tui::runtime::repair::{EngineWish, MakeEngine};
use mendbench::tui::widgets::output_view::Source;
use rig::{Memory, task};
use scripted::{Run, Scripted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

fn no_studies() -> mendbench::tui::runtime::study::MakeBench {
    Arc::new(|_| Err("no studies are configured".to_owned()))
}

fn made() -> Task {
    let mut made = task("one", "a\n", "b\n");
    made.test.command = Some(Command::Arguments(vec!["./run_tests".to_owned()]));
    made.test.parser = Some("tap".to_owned());
    made
}

fn job() -> VerifyJob {
    let loaded = Arc::new(LoadedTask::new(0, made(), DiffOptions::default()));
    VerifyJob { loaded, version: Version::Buggy, fresh: true }
}

fn runtime(scripted: &Scripted) -> (Runtime, UnboundedReceiver<Msg>, Arc<AtomicUsize>) {
    let (sender, receiver) = unbounded_channel();
    let harness: Arc<Harness> = Arc::new(scripted.harness(None));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let make = Arc::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(harness.clone())
    });
    let engine = Arc::new(|_| Err("no engine is wanted here".to_owned()));
    (Runtime::new(Arc::new(Memory::new(vec![made()])), make, engine, no_studies(), sender), receiver, asked)
}

/// Waits for the result of a run; news are dropped as they come.
fn finished(receiver: &mut UnboundedReceiver<Msg>, wanted: u64) -> Box<Finished> {
    loop {
        let Msg::Done { ticket, result } = receiver.blocking_recv().unwrap() else { continue };
        match *result {
            JobResult::Verified(finished) if ticket == wanted => return finished,
            JobResult::VerifyFailed(why) => panic!("{why}"),
            _ => {}
        }
    }
}

/// Goes on until somebody ends it.
fn endless(run: &mut Run<'_>) -> Exit {
    while !run.killed.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    Exit::Code(0)
}

#[test]
fn opening_asks_for_no_sandbox_and_the_harness_is_made_once() {
    let scripted = Scripted::new(|run| {
        run.out("1..1\nok 1 - a\n");
        Exit::Code(0)
    });
    let (mut runtime, mut receiver, asked) = runtime(&scripted);
    runtime.read_list();
    assert!(matches!(receiver.blocking_recv().unwrap(), Msg::Table(_)));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    for ticket in [1, 2] {
        runtime.verify(ticket, job());
        assert_eq!(finished(&mut receiver, ticket).verdict, Verdict::Passed);
    }
    assert_eq!((asked.load(Ordering::SeqCst), scripted.made.load(Ordering::SeqCst)), (1, 2));
}

#[test]
fn leaving_kills_the_sandbox_and_waits_until_it_is_cleaned() {
    let (tell, begun) = channel();
    let scripted = Scripted::new(move |run| {
        tell.send(()).unwrap();
        endless(run)
    });
    let (mut runtime, _receiver, _) = runtime(&scripted);
    runtime.verify(1, job());
    begun.recv().unwrap();
    drop(runtime);
    assert_eq!((scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst)), (1, 1));
}

#[test]
fn a_panic_of_the_thread_that_draws_leaves_nothing_behind_either() {
    let (tell, begun) = channel();
    let scripted = Scripted::new(move |run| {
        tell.send(()).unwrap();
        endless(run)
    });
    let (mut runtime, _receiver, _) = runtime(&scripted);
    let drawing = std::thread::spawn(move || {
        runtime.verify(1, job());
        begun.recv().unwrap();
        panic!("this test panics on purpose");
    });
    assert!(drawing.join().is_err());
    assert_eq!((scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst)), (1, 1));
}

#[test]
fn a_new_run_begins_when_the_one_before_is_cleaned_up() {
    let first = AtomicBool::new(true);
    let (go, wait) = channel();
    let wait = std::sync::Mutex::new(wait);
    let scripted = Scripted::new(move |run| {
        if first.swap(false, Ordering::SeqCst) {
            return endless(run);
        }
        // The second goes on when the first was looked at: it would be cleaned up itself before that.
        wait.lock().unwrap().recv().unwrap();
        run.out("1..1\nok 1 - a\n");
        Exit::Code(0)
    });
    let (mut runtime, mut receiver, _) = runtime(&scripted);
    runtime.verify(1, job());
    // It runs: its sandbox was made.
    while scripted.made.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    runtime.verify(2, job());
    assert_eq!(finished(&mut receiver, 1).verdict, Verdict::NotRun);
    assert_eq!(scripted.cleaned.load(Ordering::SeqCst), 1);
    go.send(()).unwrap();
    assert_eq!(finished(&mut receiver, 2).verdict, Verdict::Passed);
}

#[test]
fn who_does_not_listen_is_not_flooded() {
    const MEGABYTES: usize = 64;
    let scripted = Scripted::new(|run| {
        let chunk = format!("{}\n", "x".repeat(1023)).repeat(64);
        for _ in 0..MEGABYTES * 16 {
            run.out(&chunk);
        }
        run.out("1..1\nok 1 - a\n");
        Exit::Code(0)
    });
    let (mut runtime, mut receiver, _) = runtime(&scripted);
    runtime.verify(1, job());
    // Nothing is taken in before all is over.
    while scripted.cleaned.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    let mut kept = Vec::new();
    let (mut lines, mut left_out, mut bytes) = (0, 0, 0);
    loop {
        let Msg::Done { result, .. } = receiver.blocking_recv().unwrap() else { continue };
        match *result {
            JobResult::Verifying(news) => {
                // Headings of ours are not counted.
                lines += news.output.iter().filter(|line| line.source != Source::Note).count();
                left_out += news.left_out as usize;
                bytes += news.output.iter().map(|line| line.line.text.len()).sum::<usize>();
                kept.push(news);
            }
            JobResult::Verified(finished) => {
                assert_eq!(finished.verdict, Verdict::Passed);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(kept.len() <= 2, "the last news and those before, which nobody heard: {}", kept.len());
    assert!(bytes <= 2 << 20, "{bytes}");
    // With two lines of results.
    assert_eq!(lines + left_out, MEGABYTES * 1024 + 2, "all lines are shown or counted");
}

/// A workbench that repairs the ring buffer, once it is asked to.
fn repairing(make: MakeEngine) -> (Runtime, UnboundedReceiver<Msg>) {
    let (sender, receiver) = unbounded_channel();
    let none = Arc::new(|| Err("no harness is wanted here".to_owned()));
    let mut runtime = Runtime::new(Arc::new(Memory::new(vec![made()])), none, make, no_studies(), sender);
    let mut choice = LaunchChoice::of_cell(&Cell::new("m", "t"), 1);
    choice.strategy = "iterative:3".parse().unwrap();
    runtime.repair(1, Ask::Start { task: Arc::new(talker::ring()), choice });
    (runtime, receiver)
}

/// What is told of the repair next.
fn told(receiver: &mut UnboundedReceiver<Msg>) -> Told {
    loop {
        if let Msg::Done { ticket: 1, result } = receiver.blocking_recv().unwrap()
            && let JobResult::Repair(told) = *result
        {
            return told;
        }
    }
}

#[test]
fn a_repair_is_heard_of_to_its_end() {
    let says = [talker::Say::Text("", talker::WRONG), talker::Say::Text("", talker::RIGHT)];
    let (_runtime, mut receiver) = repairing(talker::maker(&says));
    assert!(matches!(told(&mut receiver), Told::Started(_)));
    let mut live = Live::new();
    loop {
        match told(&mut receiver) {
            Told::News(news) => news.events.iter().for_each(|event| live.hear(event)),
            Told::Ended(trouble) => break assert_eq!(trouble, None),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(live.stopped().map(|(reason, _)| reason), Some(StopReason::Passed));
    // However the pieces were joined, the text is whole.
    assert_eq!(live.turns()[1].passing.answer.text(), talker::WRONG);
    assert_eq!(live.turns()[2].passing.answer.text(), talker::RIGHT);
}

#[test]
fn leaving_lets_a_repair_be_resumed_and_waits_until_its_sandbox_is_cleaned() {
    let (tell, begun) = channel();
    let scripted = Scripted::new(move |run| {
        tell.send(()).unwrap();
        endless(run)
    });
    let make = talker::maker_on(&[], scripted.clone());
    let (runtime, _receiver) = repairing(make.clone());
    begun.recv().unwrap();
    drop(runtime);
    assert_eq!((scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst)), (1, 1));
    let runs = make(EngineWish { keeps: true, rung: None }).unwrap().runs();
    let record = runs.open(runs.find("last").unwrap()).unwrap();
    assert_eq!(record.stopped(&record.trajectories[0]).unwrap(), None);
}

#[test]
fn a_cancelled_repair_ends_as_cancelled() {
    let (tell, begun) = channel();
    let scripted = Scripted::new(move |run| {
        tell.send(()).unwrap();
        endless(run)
    });
    let (mut runtime, mut receiver) = repairing(talker::maker_on(&[], scripted.clone()));
    begun.recv().unwrap();
    runtime.repair(1, Ask::Steer(Steer::Cancel));
    let mut live = Live::new();
    loop {
        match told(&mut receiver) {
            Told::News(news) => news.events.iter().for_each(|event| live.hear(event)),
            Told::Ended(_) => break,
            _ => {}
        }
    }
    assert_eq!(live.stopped().map(|(reason, _)| reason), Some(StopReason::Cancelled));
    assert_eq!((scripted.made.load(Ordering::SeqCst), scripted.cleaned.load(Ordering::SeqCst)), (1, 1));
}
