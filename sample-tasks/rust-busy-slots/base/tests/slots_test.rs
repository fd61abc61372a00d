use crate::slots::{busy_blocks, busy_minutes, free_times, Slot};

/// Start and end of each block.
fn spans(slots: Vec<Slot>) -> Vec<(u32, u32)> {
    busy_blocks(slots).iter().map(|block| (block.start, block.end)).collect()
}

#[test]
fn empty_day() {
    assert_eq!(spans(vec![]), vec![]);
    assert_eq!(free_times(vec![], 480, 1020, 30), vec![(480, 1020)]);
}

#[test]
fn keeps_gaps() {
    let slots = vec![Slot::new(540, 570, "standup"), Slot::new(571, 600, "review")];
    assert_eq!(spans(slots), vec![(540, 570), (571, 600)]);
}

#[test]
fn merges_overlapping() {
    let slots = vec![Slot::new(600, 660, "planning"), Slot::new(540, 615, "demo")];
    let blocks = busy_blocks(slots);
    assert_eq!(blocks.len(), 1);
    assert_eq!((blocks[0].start, blocks[0].end), (540, 660));
    assert_eq!(blocks[0].titles, ["demo", "planning"]);
}

#[test]
fn merges_touching() {
    let slots = vec![Slot::new(540, 570, "standup"), Slot::new(570, 600, "review")];
    assert_eq!(spans(slots), vec![(540, 600)]);
}

#[test]
fn keeps_the_longer_end() {
    let slots = vec![Slot::new(540, 720, "workshop"), Slot::new(600, 615, "coffee")];
    assert_eq!(spans(slots), vec![(540, 720)]);
}

#[test]
fn counts_busy_minutes_once() {
    let slots = vec![
        Slot::new(540, 720, "workshop"),
        Slot::new(600, 615, "coffee"),
        Slot::new(700, 760, "call"),
        Slot::new(800, 830, "mail"),
    ];
    assert_eq!(busy_minutes(slots), 250);
}

#[test]
fn offers_no_time_inside_a_long_meeting() {
    let slots = vec![Slot::new(540, 720, "workshop"), Slot::new(600, 615, "coffee")];
    assert_eq!(free_times(slots, 480, 780, 30), vec![(480, 540), (720, 780)]);
}

#[test]
fn ignores_reminders() {
    let slots = vec![Slot::new(540, 540, "take pill"), Slot::new(600, 630, "call")];
    assert_eq!(spans(slots), vec![(600, 630)]);
}

#[test]
fn skips_gaps_that_are_too_short() {
    let slots = vec![Slot::new(480, 540, "a"), Slot::new(550, 600, "b"), Slot::new(640, 700, "c")];
    assert_eq!(free_times(slots, 480, 700, 30), vec![(600, 640)]);
}
