//! Busy and free time in a calendar.

pub mod slots;

#[cfg(test)]
#[path = "../tests/slots_test.rs"]
mod tests;
