//! What every backend must do, as checks that run against any of them.
//!
//! Promises: [`run`] names each check that failed and why; a backend that passes can stand behind the
//! rest of mendbench. Leaves to others: what only one backend has (files, several processes).

use super::{BlobId, Expected, Merged, NewEvent, PAGE_LIMIT, Position, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A check: an error says what was not as it must be.
pub type Check = fn(&dyn Store) -> Result<(), String>;

/// All checks with their names; each is given a store without content.
pub const CHECKS: &[(&str, Check)] = &[
    ("appended events are read back in order", append_and_read),
    ("an expectation that fails appends nothing", expectations),
    ("an append with one bad event appends nothing", all_or_none),
    ("reading is paged and bounded", paging),
    ("scanning shows what reading reads", scanning),
    ("the tail holds every event once, in order of commits", tail_order),
    ("followers of the tail miss nothing while others append", tail_while_appending),
    ("data come back as they were", data_survive),
    ("streams are listed by prefix", stream_lists),
    ("blobs are kept once and come back", blobs),
    ("blobs and the events that name them are kept together", recording),
    ("merging is idempotent and keeps numbers without gaps", merging),
    ("leases exclude each other and fences grow", leases),
];

/// Runs all checks, each on a new store, and collects what failed.
pub fn run(make: &mut dyn FnMut() -> Box<dyn Store>) -> Vec<String> {
    CHECKS
        .iter()
        .filter_map(|(name, check)| check(make().as_ref()).err().map(|why| format!("{name}: {why}")))
        .collect()
}

fn sure(holds: bool, why: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.into()) }
}

fn same<T: PartialEq + std::fmt::Debug>(got: T, wanted: T, what: &str) -> Result<(), String> {
    sure(got == wanted, format!("{what}: got {got:?}, wanted {wanted:?}"))
}

fn told<T>(result: Result<T, StoreError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn time(second: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_secs(second)).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn note(number: u64) -> NewEvent {
    NewEvent::new("note", time(1_000), json!({ "number": number }))
}

fn numbers(events: &[super::Event]) -> Vec<u64> {
    events.iter().filter_map(|event| event.data.get("number").and_then(Value::as_u64)).collect()
}

fn scanning(store: &dyn Store) -> Result<(), String> {
    let odd = NewEvent::new("odd \u{e9}", time(7), json!({ "b": [1.5, "\u{0}\u{1f600}"], "a": null }));
    told(store.append("a", Expected::Any, &[note(1), odd, note(2)]))?;
    told(store.append("b", Expected::Any, &[note(10)]))?;
    told(store.append("a", Expected::Any, &[note(3)]))?;
    for (stream, from) in [("a", 0), ("a", 1), ("a", 3), ("a", 5), ("b", 1), ("nothing", 1)] {
        let mut shown = Vec::new();
        told(store.scan(stream, from, &mut |row| {
            shown.push((row.id, row.seq, row.at, row.kind.to_owned(), row.v, row.data.to_owned()));
        }))?;
        let read = told(store.read(stream, from, PAGE_LIMIT))?;
        let read = read
            .into_iter()
            .map(|event| (event.id, event.seq, event.at, event.kind, event.v, event.data.to_string()));
        same(shown, read.collect(), stream)?;
    }
    Ok(())
}

fn append_and_read(store: &dyn Store) -> Result<(), String> {
    same(told(store.append("a", Expected::Any, &[note(1), note(2)]))?, 2, "last number")?;
    same(told(store.append("b", Expected::Any, &[note(10)]))?, 1, "other stream")?;
    same(told(store.append("a", Expected::Any, &[note(3)]))?, 3, "last number")?;
    same(told(store.append("a", Expected::Any, &[]))?, 3, "nothing appended")?;
    let events = told(store.read("a", 0, 100))?;
    same(numbers(&events), vec![1, 2, 3], "content")?;
    same(events.iter().map(|event| event.seq).collect(), vec![1, 2, 3], "numbers")?;
    same(numbers(&told(store.read("a", 3, 100))?), vec![3], "from the third")?;
    same(told(store.read("a", 4, 100))?.len(), 0, "behind the end")?;
    same(told(store.read("nothing", 0, 100))?.len(), 0, "unknown stream")?;
    let first = events.first().ok_or("no event")?;
    same(first.at, time(1_000), "time")?;
    same((first.kind.as_str(), first.v, first.stream.as_str()), ("note", 1, "a"), "envelope")?;
    same(first.id.get_version_num(), 7, "version of the id")?;
    let ids: BTreeSet<_> = events.iter().map(|event| event.id).collect();
    same(ids.len(), 3, "distinct ids")
}

fn expectations(store: &dyn Store) -> Result<(), String> {
    same(told(store.append("a", Expected::At(0), &[note(1)]))?, 1, "first")?;
    same(told(store.append("a", Expected::At(1), &[note(2)]))?, 2, "second")?;
    for wrong in [0, 1, 3, u64::MAX] {
        match store.append("a", Expected::At(wrong), &[note(9)]) {
            Err(StoreError::Conflict { stream, expected, actual }) => {
                same((stream.as_str(), expected, actual), ("a", Expected::At(wrong), 2), "the conflict")?;
            }
            other => return Err(format!("expected a conflict, got {other:?}")),
        }
    }
    sure(store.append("a", Expected::At(7), &[]).is_err(), "an empty append checks too")?;
    same(numbers(&told(store.read("a", 0, 10))?), vec![1, 2], "content")
}

fn all_or_none(store: &dyn Store) -> Result<(), String> {
    let bad = NewEvent::new("", time(0), json!(1));
    sure(store.append("a", Expected::Any, &[note(1), bad]).is_err(), "an event without kind was taken")?;
    sure(store.append("", Expected::Any, &[note(1)]).is_err(), "a stream without name was taken")?;
    sure(store.append("a\n", Expected::Any, &[note(1)]).is_err(), "a control character was taken")?;
    same(told(store.head())?, Position::START, "head")?;
    same(told(store.streams(""))?.len(), 0, "streams")
}

fn paging(store: &dyn Store) -> Result<(), String> {
    let many: Vec<NewEvent> = (1..=PAGE_LIMIT as u64 + 5).map(note).collect();
    told(store.append("a", Expected::Any, &many))?;
    same(told(store.read("a", 0, usize::MAX))?.len(), PAGE_LIMIT, "a page")?;
    same(numbers(&told(store.read("a", 2, 3))?), vec![2, 3, 4], "a small page")?;
    same(told(store.read("a", 0, 0))?.len(), 0, "no room")?;
    let (events, next) = told(store.tail(Position::START, usize::MAX))?;
    same(events.len(), PAGE_LIMIT, "a page of the tail")?;
    let (rest, end) = told(store.tail(next, usize::MAX))?;
    same(rest.len(), 5, "the rest")?;
    same(told(store.tail(end, 10))?, (Vec::new(), end), "the end")?;
    same(end, told(store.head())?, "the head")?;
    let large = NewEvent::new("note", time(0), json!("x".repeat(12 << 20)));
    told(store.append("large", Expected::Any, &[large.clone(), large.clone(), large.clone(), large]))?;
    let page = told(store.read("large", 0, 100))?.len();
    sure((1..4).contains(&page), format!("{page} events of 12 MB in one page"))
}

fn tail_order(store: &dyn Store) -> Result<(), String> {
    for round in 0..20 {
        told(store.append(["a", "b", "c"][round % 3], Expected::Any, &[note(round as u64)]))?;
    }
    let (mut seen, mut from) = (Vec::new(), Position::START);
    loop {
        let (events, next) = told(store.tail(from, 7))?;
        if events.is_empty() {
            break;
        }
        sure(events.iter().all(|event| event.position > from && event.position <= next), "positions")?;
        seen.extend(numbers(&events));
        from = next;
    }
    same(seen, (0..20).collect(), "order")
}

fn tail_while_appending(store: &dyn Store) -> Result<(), String> {
    const EACH: u64 = 40;
    let followed = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3_u64)
            .map(|writer| {
                scope.spawn(move || -> Result<(), String> {
                    for number in 0..EACH {
                        let stream =
                            if number % 2 == 0 { "shared".to_owned() } else { format!("own-{writer}") };
                        told(store.append(&stream, Expected::Any, &[note(writer * EACH + number)]))?;
                    }
                    Ok(())
                })
            })
            .collect();
        let mut seen = Vec::new();
        let mut from = Position::START;
        loop {
            // Asked before the tail: what was appended by then must be in it.
            let finished = writers.iter().all(|writer| writer.is_finished());
            let (events, next) = told(store.tail(from, 5))?;
            seen.extend(numbers(&events));
            from = next;
            if events.is_empty() && finished {
                break;
            }
        }
        for writer in writers {
            writer.join().map_err(|_| "a writer panicked".to_owned())??;
        }
        Ok::<_, String>(seen)
    })?;
    same(followed.len() as u64, 3 * EACH, "events followed")?;
    same(followed.iter().collect::<BTreeSet<_>>().len() as u64, 3 * EACH, "distinct ones")?;
    let shared = told(store.read("shared", 0, 1000))?;
    same(
        shared.iter().map(|event| event.seq).collect::<Vec<_>>(),
        (1..=3 * EACH / 2).collect(),
        "numbers of the shared stream",
    )
}

fn data_survive(store: &dyn Store) -> Result<(), String> {
    let values = [
        json!(null),
        json!([]),
        json!({ "z": 1, "a": [true, null, "ü\u{0}\u{1b}\u{202e}\n\"\\"] }),
        json!(u64::MAX),
        json!(i64::MIN),
        json!([0.1, 1e300, -0.0, 2.2250738585072014e-308, 0.30000000000000004, 123456789.12345678]),
    ];
    let events: Vec<NewEvent> =
        values.iter().map(|value| NewEvent::new("k", time(5), value.clone())).collect();
    told(store.append("a", Expected::Any, &events))?;
    for (event, value) in told(store.read("a", 0, 100))?.iter().zip(&values) {
        same(event.data.to_string(), value.to_string(), "text of the data")?;
    }
    let precise: Timestamp = "2026-03-04T05:06:07.123456789Z".parse().unwrap_or(Timestamp::UNIX_EPOCH);
    told(store.append("b", Expected::Any, &[NewEvent::new("k", precise, json!(1))]))?;
    let times: Vec<String> = told(store.read("b", 0, 9))?.iter().map(|event| event.at.to_string()).collect();
    same(times, vec!["2026-03-04T05:06:07.123456Z".to_owned()], "time in microseconds")
}

fn stream_lists(store: &dyn Store) -> Result<(), String> {
    for stream in ["run/2", "run/1", "run", "dataset/x", "run0", "ru", "röm"] {
        told(store.append(stream, Expected::Any, &[note(1), note(2)]))?;
    }
    let names = |prefix: &str| -> Result<Vec<String>, String> {
        Ok(told(store.streams(prefix))?.into_iter().map(|head| head.name).collect())
    };
    same(names("run/")?, vec!["run/1".to_owned(), "run/2".to_owned()], "by prefix")?;
    same(names("nothing")?, Vec::new(), "none")?;
    same(names("")?.len(), 7, "all")?;
    sure(names("")?.is_sorted(), "sorted")?;
    sure(told(store.streams("run"))?.iter().all(|head| head.seq == 2), "last numbers")
}

fn blobs(store: &dyn Store) -> Result<(), String> {
    let contents: [&[u8]; 4] = [b"", b"text", &[0, 255, 1], &[b'x'; 100_000]];
    let mut ids = BTreeSet::new();
    for bytes in contents {
        let id = told(store.put(bytes))?;
        same(id, BlobId::of(bytes), "id")?;
        same(told(store.put(bytes))?, id, "put again")?;
        same(told(store.get(&id))?.as_deref(), Some(bytes), "content")?;
        ids.insert(id);
    }
    let again = told(store.put_all(&[b"text", b"new", b"new"]))?;
    same(again.iter().map(|stored| stored.added).collect(), vec![false, true, false], "added")?;
    ids.insert(BlobId::of(b"new"));
    same(told(store.put_all(&[]))?.len(), 0, "nothing put")?;
    same(told(store.get(&BlobId::of(b"absent")))?, None, "absent")?;
    let mut listed = Vec::new();
    loop {
        let page = told(store.blobs(listed.last(), 2))?;
        sure(page.len() <= 2, "bounded")?;
        if page.is_empty() {
            break;
        }
        listed.extend(page);
    }
    same(listed, ids.into_iter().collect(), "listed")?;
    let huge = vec![0; super::MAX_BLOB + 1];
    sure(matches!(store.put(&huge), Err(StoreError::BlobTooLarge { .. })), "a blob above the limit")
}

fn recording(store: &dyn Store) -> Result<(), String> {
    let last = told(store.record("a", Expected::At(0), &[note(1), note(2)], &[b"one", b"two", b"one"]))?;
    same(last, 2, "last number")?;
    same(told(store.get(&BlobId::of(b"two")))?, Some(b"two".to_vec()), "blob")?;
    same(told(store.record("a", Expected::At(2), &[note(3)], &[]))?, 3, "without blobs")?;
    same(told(store.record("a", Expected::At(3), &[], &[b"three"]))?, 3, "without events")?;
    same(told(store.get(&BlobId::of(b"three")))?, Some(b"three".to_vec()), "blob without events")?;
    sure(store.record("a", Expected::At(1), &[note(9)], &[]).is_err(), "a conflict is noticed")?;
    same(numbers(&told(store.read("a", 1, PAGE_LIMIT))?), vec![1, 2, 3], "events")
}

fn merging(store: &dyn Store) -> Result<(), String> {
    told(store.append("a", Expected::Any, &[note(1), note(2)]))?;
    let ours = told(store.read("a", 0, 10))?;
    same(told(store.merge(&ours))?, vec![Merged::Duplicate, Merged::Duplicate], "own events")?;
    let [first, second] = ours.as_slice() else { return Err("two events".into()) };
    // The same numbers elsewhere, other events.
    let foreign = |low: u128, number: u64| super::Event {
        id: uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | low),
        data: json!({ "number": number }),
        ..first.clone()
    };
    let theirs = [foreign(1, 10), foreign(2, 11)];
    same(
        told(store.merge(&theirs))?,
        vec![Merged::Added { seq: 3 }, Merged::Added { seq: 4 }],
        "foreign events",
    )?;
    same(told(store.merge(&theirs))?, vec![Merged::Duplicate; 2], "foreign events again")?;
    let changed = super::Event { data: json!("changed"), ..second.clone() };
    same(told(store.merge(&[changed]))?, vec![Merged::Conflict], "an id with other content")?;
    let events = told(store.read("a", 0, 10))?;
    same(numbers(&events), vec![1, 2, 10, 11], "content")?;
    same(events.iter().map(|event| event.seq).collect(), vec![1, 2, 3, 4], "numbers")?;
    let bad = super::Event { kind: String::new(), ..foreign(3, 12) };
    sure(store.merge(&[foreign(4, 13), bad]).is_err(), "an event without kind was taken")?;
    same(told(store.head())?, events.last().map_or(Position::START, |event| event.position), "head")?;
    told(store.refresh_derived())
}

fn leases(store: &dyn Store) -> Result<(), String> {
    let first = told(store.acquire("job", "one", time(10), time(0)))?.ok_or("a free job")?;
    same(told(store.acquire("job", "two", time(20), time(9)))?, None, "held")?;
    same(told(store.acquire("job", "one", time(20), time(9)))?, None, "held, same owner")?;
    sure(told(store.acquire("other", "two", time(20), time(9)))?.is_some(), "another job is free")?;
    sure(told(store.renew("job", first, time(15), time(9)))?, "renew in time")?;
    same(told(store.acquire("job", "two", time(20), time(14)))?, None, "held longer")?;
    sure(!told(store.renew("job", first, time(99), time(15)))?, "renew too late")?;
    let second = told(store.acquire("job", "two", time(20), time(15)))?.ok_or("a job that ran out")?;
    sure(second > first, "the fence grows")?;
    sure(!told(store.renew("job", first, time(99), time(16)))?, "renew with an old fence")?;
    sure(!told(store.release("job", first))?, "release with an old fence")?;
    sure(told(store.release("job", second))?, "release")?;
    sure(!told(store.release("job", second))?, "release twice")?;
    sure(!told(store.renew("job", second, time(99), time(16)))?, "renew after release")?;
    let third = told(store.acquire("job", "one", time(30), time(16)))?.ok_or("a job given back")?;
    sure(third > second, "the fence grows after a release")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, OpenMode, SqliteStore};

    #[test]
    fn memory() {
        assert_eq!(run(&mut || Box::new(MemoryStore::default())), [] as [String; 0]);
    }

    #[test]
    fn sqlite() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let mut count = 0;
        let mut make = || -> Box<dyn Store> {
            count += 1;
            let path = folder.path().join(format!("{count}.db"));
            Box::new(
                SqliteStore::open(&path, OpenMode::CreateIfMissing).unwrap_or_else(|error| panic!("{error}")),
            )
        };
        assert_eq!(run(&mut make), [] as [String; 0]);
    }
}
