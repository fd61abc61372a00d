//! What the engine of repair loops costs beside model and sandbox: loops of 50 turns whose answers and tests are there at
//! once, recorded in a workspace on disk. Time per turn, and what of it is waiting for the disk; medians of 5 loops.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/loops/mod.rs"]
mod loops;
#[path = "../tests/scripted/mod.rs"]
mod scripted;

use loops::{Heard, Says, answer, cell, drive, engine, memory, task, tests};
use mendbench::repair::event::What;
use mendbench::runner::{Control, RunSpec};
use mendbench::store::Store;
use mendbench::store::sqlite::{OpenMode, SqliteStore};
use scripted::Scripted;
use std::sync::{Arc, Mutex};
use std::time::Instant;

const TURNS: usize = 50;

/// Milliseconds a turn, and from the last token to where the sandbox is asked for: medians of five loops.
fn measure(store: impl Fn() -> Arc<dyn Store>) -> (f64, f64) {
    let gaps = Arc::new(Mutex::new(Vec::new()));
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let says = Says::new(|situation| Ok(answer(&format!("return a * b - {}", situation.turn))));
            let engine = engine(store(), &Scripted::new(tests), &says);
            let spec = RunSpec::new(cell(&format!("iterative:{TURNS}")));
            let record = engine.create(spec, &[Arc::new(task("t"))]).unwrap();
            let (last, found) = (Mutex::new(None::<Instant>), gaps.clone());
            let heard = Heard {
                act: Some(Box::new(move |_, event| match &event.what {
                    What::AnswerDelta(_) => *last.lock().unwrap() = Some(Instant::now()),
                    What::Waiting(waiting) if waiting.what == "preparing" => {
                        if let Some(last) = last.lock().unwrap().take() {
                            found.lock().unwrap().push(last.elapsed().as_secs_f64() * 1000.0);
                        }
                    }
                    _ => {}
                })),
                ..Heard::default()
            };
            let began = Instant::now();
            engine.drive(&record, &drive(&Control::new()), &heard).unwrap();
            let took = began.elapsed().as_secs_f64() * 1000.0;
            assert_eq!(says.asked.lock().unwrap().len(), TURNS);
            took / TURNS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let mut gaps = std::mem::take(&mut *gaps.lock().unwrap());
    gaps.sort_by(f64::total_cmp);
    assert!(gaps.len() >= TURNS, "the sandbox was asked for after each answer");
    (times[times.len() / 2], gaps[gaps.len() / 2])
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::sync::atomic::AtomicUsize::new(0);
    let (on_disk, gap) = measure(|| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let path = folder.path().join(format!("{number}.db"));
        Arc::new(SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap())
    });
    let (in_memory, _) = measure(memory);
    // What the disk of this machine takes for one durable write.
    let file = std::fs::File::create(folder.path().join("sync")).unwrap();
    let mut syncs: Vec<f64> = (0..200_u64)
        .map(|at| {
            std::os::unix::fs::FileExt::write_all_at(&file, &[1; 4096], at * 4096).unwrap();
            let began = Instant::now();
            file.sync_data().unwrap();
            began.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    syncs.sort_by(f64::total_cmp);
    println!("engine, a turn, recorded on disk    {on_disk:>8.2} ms    at most 5");
    println!("last token to asking for a sandbox  {gap:>8.2} ms    at most 50");
    println!("engine, a turn, recorded in memory  {in_memory:>8.2} ms");
    println!("one durable write of this disk      {:>8.2} ms", syncs[syncs.len() / 2]);
}
