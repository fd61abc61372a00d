//! Slots of a day, in minutes since midnight, and what can be computed from them.

/// A half-open stretch of time: it contains `start` but not `end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub start: u32,
    pub end: u32,
    /// Titles of the appointments in it, in order of their beginning.
    pub titles: Vec<String>,
}

impl Slot {
    /// A slot with one appointment.
    pub fn new(start: u32, end: u32, title: &str) -> Slot {
        Slot { start, end, titles: vec![title.to_string()] }
    }

    /// Minutes from start to end.
    pub fn minutes(&self) -> u32 {
        self.end - self.start
    }
}

/// Joins appointments into blocks of busy time.
///
/// Appointments that overlap, lie inside one another or follow each other without a gap become one
/// block. The blocks come in order, with at least one free minute between any two. Appointments without
/// any duration are reminders and do not make anybody busy.
pub fn busy_blocks(mut slots: Vec<Slot>) -> Vec<Slot> {
    slots.retain(|slot| slot.start < slot.end);
    slots.sort_by_key(|slot| slot.start);

    let mut blocks: Vec<Slot> = Vec::new();
    for slot in slots {
        match blocks.last_mut() {
            Some(block) if slot.start <= block.end => {
                block.titles.extend(slot.titles);
                block.end = block.end.max(slot.end);
            }
            _ => blocks.push(slot),
        }
    }
    blocks
}

/// The stretches of at least `minutes` between `from` and `to` in which nobody is busy.
pub fn free_times(slots: Vec<Slot>, from: u32, to: u32, minutes: u32) -> Vec<(u32, u32)> {
    let mut free = Vec::new();
    let mut cursor = from;
    for block in busy_blocks(slots) {
        let gap_end = block.start.min(to);
        if gap_end >= cursor + minutes {
            free.push((cursor, gap_end));
        }
        cursor = cursor.max(block.end);
    }
    if to >= cursor + minutes {
        free.push((cursor, to));
    }
    free
}

/// Minutes of the day in which at least one appointment takes place.
pub fn busy_minutes(slots: Vec<Slot>) -> u32 {
    busy_blocks(slots).iter().map(Slot::minutes).sum()
}
