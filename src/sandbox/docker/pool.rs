//! Containers made ahead, so that nobody waits for one, each used once; and used ones on their way out.
//!
//! Promises: never more than asked for; one that is old or dead is not handed out; when the pool is closed, none
//! remains, not even one that was just being made. Leaves to others: what a container is (`container`).

use super::container::{Container, Profile, Shape, kill, remove};
use bollard::Docker;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// An engine ends containers after a day; one that is half that old is replaced.
const OLD: Duration = Duration::from_secs(12 * 3600);

/// So many used containers may wait for their removal; who wants another waits with them.
const MOST_GOING: usize = 16;

/// The pool.
#[derive(Default)]
pub struct Pool {
    inner: Mutex<Inner>,
    /// Making or removing one has ended.
    made: Notify,
    /// Nobody wants any more.
    closing: Notify,
}

#[derive(Default)]
struct Inner {
    wanted: usize,
    shape: Option<Shape>,
    ready: Vec<Container>,
    making: usize,
    closed: bool,
    /// Used containers that the engine still kills or removes.
    going: usize,
    /// What could not be removed.
    left: Vec<String>,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // What a panicking thread left is still a list of containers.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants so many containers of this shape from now on; those of another shape are given back for removal.
    pub fn want(&self, count: usize, shape: Shape) -> Vec<Container> {
        let mut inner = self.lock();
        inner.wanted = count;
        inner.shape = Some(shape);
        let (mut keep, mut surplus): (Vec<_>, Vec<_>) =
            std::mem::take(&mut inner.ready).into_iter().partition(|container| container.shape == shape);
        if keep.len() > count {
            surplus.extend(keep.drain(count..));
        }
        inner.ready = keep;
        surplus
    }

    /// Takes one of this shape, if one is ready; the old ones that were found meanwhile come along.
    pub fn take(&self, shape: Shape) -> (Option<Container>, Vec<Container>) {
        let mut inner = self.lock();
        let mut old = Vec::new();
        while let Some(at) = inner.ready.iter().position(|container| container.shape == shape) {
            let container = inner.ready.swap_remove(at);
            if container.born.elapsed() < OLD {
                return (Some(container), old);
            }
            old.push(container);
        }
        (None, old)
    }

    /// Keeps a container that was made for something else, if it is wanted; else gives it back.
    pub fn keep(&self, container: Container) -> Option<Container> {
        let mut inner = self.lock();
        if inner.closed
            || inner.ready.len() + inner.making >= inner.wanted
            || inner.shape != Some(container.shape)
        {
            return Some(container);
        }
        inner.ready.push(container);
        None
    }

    /// Makes what is missing, in the background, one after the other, beginning after this while.
    pub fn fill(pool: &Arc<Pool>, handle: &Handle, docker: &Docker, profile: &Arc<Profile>, after: Duration) {
        {
            let mut inner = pool.lock();
            if inner.closed || inner.making > 0 || inner.ready.len() >= inner.wanted {
                return;
            }
            inner.making = 1;
        }
        let (pool, docker, profile) = (Arc::clone(pool), docker.clone(), Arc::clone(profile));
        handle.spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(after) => {}
                () = pool.closing.notified() => {}
            }
            while let Some(shape) = pool.next() {
                match Container::open(&docker, &profile, shape).await {
                    Ok(container) => {
                        if let Some(surplus) = pool.add(container) {
                            // What cannot be removed now is removed by its keeper's end or at the next start.
                            let _ = remove(&docker, &surplus.id).await;
                        }
                    }
                    // Whoever needs one next makes it and hears why that fails.
                    Err(_) => break,
                }
            }
            pool.lock().making = 0;
            pool.made.notify_waiters();
        });
    }

    fn next(&self) -> Option<Shape> {
        let inner = self.lock();
        if inner.closed || inner.ready.len() >= inner.wanted { None } else { inner.shape }
    }

    fn add(&self, container: Container) -> Option<Container> {
        let mut inner = self.lock();
        if inner.closed || inner.shape != Some(container.shape) || inner.ready.len() >= inner.wanted {
            return Some(container);
        }
        inner.ready.push(container);
        None
    }

    /// Kills and removes a used container, in the background: the engine takes its time with both.
    pub fn bury(pool: &Arc<Pool>, handle: &Handle, docker: &Docker, id: &str) {
        pool.lock().going += 1;
        let (pool, docker, id) = (Arc::clone(pool), docker.clone(), id.to_owned());
        handle.spawn(async move {
            // One that cannot be killed is removed by force, or that says why it fails.
            kill(&docker, &id).await;
            let removed = remove(&docker, &id).await;
            {
                let mut inner = pool.lock();
                inner.going -= 1;
                if let Err(error) = removed {
                    inner.left.push(error.to_string());
                }
            }
            pool.made.notify_waiters();
        });
    }

    /// What could not be removed since this was asked last.
    pub fn left(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().left)
    }

    /// Waits until nothing is being made or removed.
    pub async fn settled(&self) {
        self.until(|inner| inner.making == 0 && inner.going == 0).await;
    }

    /// Waits while too many used ones are still on their way out.
    pub async fn not_crowded(&self) {
        self.until(|inner| inner.going < MOST_GOING).await;
    }

    async fn until(&self, holds: impl Fn(&Inner) -> bool) {
        loop {
            let made = self.made.notified();
            tokio::pin!(made);
            // Listening begins before looking, so that nothing is missed in between.
            made.as_mut().enable();
            if holds(&self.lock()) {
                return;
            }
            made.await;
        }
    }

    /// How many are ready.
    pub fn ready(&self) -> usize {
        self.lock().ready.len()
    }

    /// Whether no more are made.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Makes no more, and gives back what is there.
    pub fn close(&self) -> Vec<Container> {
        let mut inner = self.lock();
        inner.closed = true;
        self.closing.notify_one();
        std::mem::take(&mut inner.ready)
    }
}
