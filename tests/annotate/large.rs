//! A difference of twenty thousand lines as an item: it opens, scrolls and is answered, and what a key costs does not grow
//! with it, but for the rows of the next item, which are numbered when it is shown.
//!
//! Counted is what is allocated, not time: work that goes over all lines would allocate for them, or copy them.

use super::study::{Plot, Study, fingers, yes_no};
use crate::rig::{Options, Rig, task};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// The allocator of the system, which counts the bytes that a thread asks for.
struct Counting;

fn count(bytes: usize) {
    // A thread that ends has nothing left to count with.
    let _ = ALLOCATED.try_with(|all| all.set(all.get() + bytes));
}

// SAFETY: everything is passed on to the allocator of the system as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Items whose difference changes so many lines.
fn study(lines: usize) -> Study {
    let buggy: String = (0..lines).map(|line| format!("    value_{line} = compute({line})\n")).collect();
    let reference = buggy.replace("compute(", "compute_well(");
    let tasks = (0..3).map(|number| task(&format!("big-{number}"), &buggy, &reference)).collect();
    Study::new(Plot { codebook: yes_no("Is it?"), tasks, ..Plot::default() })
}

/// Bytes that each of these keys asks for until the screen that follows is painted, and jobs that it starts.
fn costs(rig: &mut Rig, keys: &str) -> Vec<(String, usize, usize)> {
    let cost = |key: &str| {
        let (before, jobs) = (ALLOCATED.get(), rig.jobs);
        rig.press(key);
        let _ = rig.buffer();
        let cost = (key.to_owned(), ALLOCATED.get() - before, rig.jobs - jobs);
        rig.wait(200);
        cost
    };
    keys.split_whitespace().map(cost).collect()
}

const KEYS: &str = "j j k pagedown ctrl-d G k pageup home l h } { end down up I D n";

#[test]
fn what_a_key_costs_does_not_grow_with_the_difference() {
    let measured = |lines, size: (u16, u16)| {
        let study = study(lines);
        let mut rig = study.rig("anna", Options::sized(size.0, size.1));
        rig.press("g a").wait(500);
        rig.expect("item 1 of 3").expect("value_0");
        // The first of each may fill what is kept.
        costs(&mut rig, "j k");
        // What is read ahead and coloured is done beside.
        rig.hold = true;
        let costs = costs(&mut rig, KEYS);
        rig.expect("item 2 of 3").expect("value_0");
        assert_eq!(study.said("anna").len(), 1);
        costs
    };
    for size in [(80, 24), (140, 40)] {
        let (small, large) = (measured(200, size), measured(20_000, size));
        for ((key, few, jobs), (_, many, jobs_of_many)) in small.iter().zip(&large) {
            // The next item is laid out once: a few numbers for each of its rows, two of which make a line.
            let laid_out = if key == "n" { 2 * 20_000 * 32 } else { 0 };
            assert!(
                *many <= few * 2 + laid_out + 65_536,
                "{key} at {size:?}: {few} bytes for 200 lines, {many} for 20,000"
            );
            // The item behind the next one is read ahead, and what is large is coloured apart.
            let most = if key == "n" { 2 } else { 0 };
            assert!(*jobs <= most && *jobs_of_many <= most, "{key} at {size:?}: {jobs}, {jobs_of_many} jobs");
        }
    }
}

#[test]
fn twenty_thousand_lines_are_walked_through_searched_and_answered() {
    let study = study(20_000);
    let mut rig = study.labelling("anna");
    rig.expect("value_0 = compute(0)");
    fingers(&mut rig, "G");
    rig.expect("value_19999");
    fingers(&mut rig, "home pagedown ctrl-d } { W D I D");
    rig.press("/").kind("value_12345").press("enter").wait(200);
    rig.expect("value_12345").expect("lines");
    fingers(&mut rig, "ctrl-n ctrl-p esc");
    for size in [(40, 12), (200, 60), (1, 1), (80, 24)] {
        rig.resize(size.0, size.1);
        let _ = rig.text();
    }
    fingers(&mut rig, "y");
    rig.expect("item 2 of 3");
    assert_eq!(study.said("anna").len(), 1);
}
