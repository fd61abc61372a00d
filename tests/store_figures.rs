//! Figures of the store with 200,000 tasks; `cargo test --release --test store_figures -- --ignored
//! --nocapture` prints them. It asserts what was stored, not how long it took.
#![allow(clippy::unwrap_used)]

use mendbench::store::bundle::{export, import};
use mendbench::store::{IndexRow, OpenMode, PreparedTask, SqliteStore, Store, Summary, TaskIndex};
use mendbench::task::{Content, Granularity, Task};
use std::io::Write;
use std::time::Instant;

const TASKS: u64 = 200_000;

/// Time of the processor so far, in milliseconds; steadier than the clock on a busy machine.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks * 10.0
}

fn say(what: &str, started: Instant) {
    let (wall, processor) = (started.elapsed().as_secs_f64() * 1000.0, processor());
    let _ = writeln!(std::io::stdout(), "{what:<44} {wall:9.2} ms  (processor so far {processor:7.0} ms)");
}

/// Words from a small vocabulary, so that the text compresses and repeats as code and prose do.
fn words(seed: &mut u64, count: usize) -> String {
    const WORDS: [&str; 24] = [
        "buffer", "index", "return", "length", "node", "value", "parse", "token", "count", "list", "head",
        "tail", "error", "state", "queue", "size", "offset", "cache", "lock", "merge", "split", "range",
        "frame", "match",
    ];
    let mut text = String::new();
    for _ in 0..count {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        text.push_str(WORDS[(*seed % 24) as usize]);
        if (*seed).is_multiple_of(5) {
            text.push_str(&(*seed % 1000).to_string());
        }
        text.push(if (*seed).is_multiple_of(9) { '\n' } else { ' ' });
    }
    text
}

fn task(number: u64) -> PreparedTask {
    let mut seed = number * 2_654_435_761 + 88_172_645_463_325_252;
    let mut task = Task::new("", format!("task-{number:06}"));
    task.group = format!("group-{}", number / 5);
    task.title = words(&mut seed, 8).replace('\n', " ");
    task.language = ["python", "c", "rust", "go"][number as usize % 4].into();
    task.description = words(&mut seed, 60);
    let code = words(&mut seed, 90);
    task.files.buggy.insert("solution.py".into(), Content::from(code.clone()));
    task.files.reference.insert("solution.py".into(), Content::from(code + "pass\n"));
    task.provenance.error_type = Some("C.3".into());
    task.test.fail_to_pass = vec![format!("test_{number}")];
    PreparedTask { task, summary: Summary { granularity: Some(Granularity::Line), added: 1, removed: 0 } }
}

#[test]
#[ignore = "a measurement of minutes, not a check"]
fn figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace.db");
    let (mut json, mut pulled) = (0, 0);
    {
        let started = Instant::now();
        let store = SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap();
        say("create", started);
        let started = Instant::now();
        let mut tasks = (0..TASKS).map(task).inspect(|prepared| {
            if pulled % 100 == 0 {
                json += prepared.task.canonical_json().len();
            }
            pulled += 1;
        });
        let report = store.import("big", &mut tasks).unwrap();
        say("import of 200,000", started);
        assert_eq!(report.added, TASKS);
    }
    let size = std::fs::metadata(&path).unwrap().len();
    let _ = writeln!(std::io::stdout(), "task {} bytes, file {} MB", json / 2000, size >> 20);
    for _ in 0..3 {
        let started = Instant::now();
        let store = SqliteStore::open(&path, OpenMode::ReadOnly).unwrap();
        say("open", started);
        let mut titles = 0;
        let mut look = |row: IndexRow<'_>| titles += row.title.len() + row.id.len();
        store.page(0, 60, &mut look).unwrap();
        say("open and first page", started);
        let started = Instant::now();
        assert_eq!(store.page(0, TASKS, &mut look).unwrap(), TASKS);
        say("all rows by SELECT", started);
        let started = Instant::now();
        assert_eq!(store.visit(&mut look).unwrap(), TASKS);
        say("all rows by segments", started);
        let started = Instant::now();
        for row in (1..=TASKS).step_by(1000) {
            assert!(store.task_at(row).unwrap().is_some());
        }
        say("200 tasks by row", started);
        let started = Instant::now();
        assert!(!store.search("buffer index", &|| false).unwrap().is_empty());
        say("search, common words", started);
        let started = Instant::now();
        assert_eq!(store.search("task-123456", &|| false).unwrap().len(), 1);
        say("search, one task", started);
        assert!(titles > 0);
    }
    let store = SqliteStore::open(&path, OpenMode::ReadWrite).unwrap();
    let bundle = folder.path().join("bundle.jsonl");
    let started = Instant::now();
    let mut out = std::io::BufWriter::new(std::fs::File::create(&bundle).unwrap());
    let exported = export(&store, &mut out, &mut |error| panic!("{error}")).unwrap();
    drop(out);
    assert_eq!(exported.events, TASKS);
    say("bundle export", started);
    let started = Instant::now();
    let mut input = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(&bundle).unwrap());
    let copy = SqliteStore::open(&folder.path().join("copy.db"), OpenMode::CreateIfMissing).unwrap();
    assert!(import(&copy, &mut input, &mut |problem| panic!("{problem}")).unwrap().complete);
    assert_eq!(copy.count().unwrap(), TASKS);
    say("bundle import", started);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("");
    let _ = writeln!(std::io::stdout(), "{peak}");
    let started = Instant::now();
    assert_eq!(store.import("big", &mut (0..TASKS).map(task)).unwrap().unchanged, TASKS);
    say("import again, all unchanged", started);
    let started = Instant::now();
    assert_eq!(store.rebuild_index().unwrap().tasks, TASKS);
    say("rebuild", started);
    assert_eq!(store.head().unwrap().0, TASKS);
}
