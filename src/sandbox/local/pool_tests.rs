//! A pool hands out each sandbox once, whatever its provider does, and ends with none.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::sandbox::{ExecReport, ExecRequest, Killer, Listing, OutputSink, TreeFile};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what it makes and what is there; from a number on it fails.
#[derive(Clone, Default)]
struct Counting {
    made: Arc<AtomicUsize>,
    there: Arc<AtomicUsize>,
    fails: bool,
}

struct Counted(Arc<AtomicUsize>, String);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Provider for Counting {
    fn rung(&self) -> Rung {
        Rung::Namespaces
    }

    fn make(&self, limits: &Limits) -> Result<Box<dyn Sandbox>, SandboxError> {
        if self.fails {
            return Err(SandboxError::Full { limit: limits.disk });
        }
        let number = self.made.fetch_add(1, Ordering::SeqCst);
        self.there.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Counted(Arc::clone(&self.there), format!("{number} {}", limits.disk))))
    }
}

impl Sandbox for Counted {
    fn rung(&self) -> Rung {
        Rung::Namespaces
    }

    fn work(&self) -> &str {
        &self.1
    }

    fn put(&mut self, _: &[TreeFile<'_>]) -> Result<(), SandboxError> {
        Ok(())
    }

    fn remove(&mut self, _: &str) -> Result<(), SandboxError> {
        Ok(())
    }

    fn list(&mut self, _: usize) -> Result<Listing, SandboxError> {
        Ok(Listing::default())
    }

    fn read(&mut self, _: &str, _: u64) -> Result<Option<Vec<u8>>, SandboxError> {
        Ok(None)
    }

    fn execute(&mut self, _: &ExecRequest, _: &mut dyn OutputSink) -> Result<ExecReport, SandboxError> {
        Err(SandboxError::Left { what: "it only counts".to_owned() })
    }

    fn killer(&self) -> Killer {
        Killer::new(|| {})
    }

    fn clean(self: Box<Self>) -> Result<(), SandboxError> {
        Ok(())
    }
}

fn limits(disk: u64) -> Limits {
    Limits { disk, ..Limits::default() }
}

#[test]
fn each_is_handed_out_once_with_its_limits_and_none_is_left() {
    let provider = Counting::default();
    let pool = Pool::new(Box::new(provider.clone()), 3);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..200u64 {
        // More kinds than are kept, so that some are given up on the way.
        let disk = round % 6;
        let sandbox = pool.make(&limits(disk)).unwrap();
        assert!(sandbox.work().ends_with(&format!(" {disk}")), "{}", sandbox.work());
        assert!(seen.insert(sandbox.work().to_owned()), "{} twice", sandbox.work());
    }
    drop(pool);
    assert_eq!(provider.there.load(Ordering::SeqCst), 0);
}

#[test]
fn whoever_asks_hears_why_none_can_be_made() {
    let pool = Pool::new(Box::new(Counting { fails: true, ..Counting::default() }), 3);
    for _ in 0..20 {
        assert!(matches!(pool.make(&limits(7)), Err(SandboxError::Full { limit: 7 })));
    }
}
