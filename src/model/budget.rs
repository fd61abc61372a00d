//! What may be spent.
//!
//! Promises: the worst a call can cost is reserved before it is made and settled after it, so that what was spent and what
//! runs never pass the limit together; a call that turns out worse than was reserved ends all that run; what is not known
//! is refused unless it was allowed. Leaves to others: prices (`config`), where the limit comes from (`cli`).

use crate::config::Money;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The worst that a call can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worst {
    /// At most this.
    Known(Money),
    /// The model has no prices.
    NoPrice,
    /// The model has prices, and nothing says how long an answer may get.
    NoLength,
}

/// Why a budget does not allow a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// Not enough is left.
    #[error("the budget of {limit} is used up: {spent} spent, and this call may cost {wanted}")]
    Exhausted {
        /// The budget.
        limit: Money,
        /// Spent so far.
        spent: Money,
        /// What the call may cost.
        wanted: Money,
    },
    /// Nothing is known about prices.
    #[error(
        "`{model}` has no `prices` in models.toml, so a budget cannot hold for it: write them down (0 for what is free), or allow unknown prices"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// Nothing is known about the length of answers.
    #[error(
        "nothing says how long an answer of `{model}` may get, so a budget cannot hold for it: set `max_tokens`, `max_output` or `context`"
    )]
    NoLength {
        /// The model.
        model: String,
    },
    /// Somebody ended it.
    #[error("the budget was closed")]
    Closed,
}

/// A budget; clones share it.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: Option<Money>,
    unknown_allowed: bool,
    sums: Mutex<Sums>,
    settled: Notify,
    over: CancellationToken,
}

/// How a budget stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Spent, estimates included.
    pub spent: Money,
    /// The part of it that was estimated, because no usage was told.
    pub estimated: Money,
    /// Reserved by calls that run.
    pub reserved: Money,
    /// Calls whose cost is not known.
    pub unpriced: u64,
}

impl Budget {
    /// One with a limit, or without.
    pub fn new(limit: Option<Money>) -> Budget {
        Budget::with(limit, false)
    }

    /// One that lets calls through whose cost is not known; they count nothing.
    pub fn allowing_unknown(limit: Option<Money>) -> Budget {
        Budget::with(limit, true)
    }

    fn with(limit: Option<Money>, unknown_allowed: bool) -> Budget {
        Budget(Arc::new(Shared {
            limit,
            unknown_allowed,
            sums: Mutex::default(),
            settled: Notify::new(),
            over: CancellationToken::new(),
        }))
    }

    /// How it stands.
    pub fn sums(&self) -> Sums {
        *self.lock()
    }

    /// The limit.
    pub fn limit(&self) -> Option<Money> {
        self.0.limit
    }

    /// Ends all calls that run under it, and lets none begin.
    pub fn close(&self) {
        self.0.over.cancel();
    }

    /// Ends when the calls that run must end.
    pub async fn over(&self) {
        self.0.over.cancelled().await;
    }

    /// Why calls must end, once they must.
    pub fn why_over(&self) -> BudgetError {
        let sums = self.sums();
        match self.0.limit {
            Some(limit) if sums.spent > limit => {
                BudgetError::Exhausted { limit, spent: sums.spent, wanted: Money::ZERO }
            }
            _ => BudgetError::Closed,
        }
    }

    /// Reserves the worst that a call of `model` can cost. Where calls that run hold what is left, it calls `wait` once
    /// and waits for them.
    pub async fn reserve(
        &self,
        model: &str,
        worst: Worst,
        wait: &mut (dyn FnMut() + Send),
    ) -> Result<Reservation, BudgetError> {
        let wanted = match worst {
            Worst::Known(money) => money,
            _ if self.0.limit.is_none() || self.0.unknown_allowed => Money::ZERO,
            Worst::NoPrice => return Err(BudgetError::NoPrice { model: model.to_owned() }),
            Worst::NoLength => return Err(BudgetError::NoLength { model: model.to_owned() }),
        };
        let mut told = false;
        loop {
            if self.0.over.is_cancelled() {
                return Err(self.why_over());
            }
            // Asked for before the sums are looked at, so that nothing is missed in between.
            let settled = self.0.settled.notified();
            {
                let mut sums = self.lock();
                let fits = |taken: Money| self.0.limit.is_none_or(|limit| taken.plus(wanted) <= limit);
                if fits(sums.spent.plus(sums.reserved)) {
                    sums.reserved = sums.reserved.plus(wanted);
                    return Ok(Reservation { budget: self.clone(), held: wanted, settled: false });
                }
                if let Some(limit) = self.0.limit
                    && (!fits(sums.spent) || sums.reserved == Money::ZERO)
                {
                    return Err(BudgetError::Exhausted { limit, spent: sums.spent, wanted });
                }
            }
            if !std::mem::replace(&mut told, true) {
                wait();
            }
            tokio::select! {
                () = settled => {}
                () = self.0.over.cancelled() => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sums> {
        self.0.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// Counted by the server.
    Counted(Money),
    /// Estimated by us.
    Estimated(Money),
    /// Not known: there are no prices.
    Unknown,
    /// Nothing: it was not answered.
    Nothing,
}

/// Money that a call may spend. Dropped without being settled, all of it counts as spent.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    held: Money,
    settled: bool,
}

impl Reservation {
    /// The call costs at least this already. More than was reserved is reserved now; where the budget does not have
    /// it, the call must end.
    pub fn raise(&mut self, to: Money) -> Result<(), BudgetError> {
        let more = to.less(self.held);
        if more == Money::ZERO {
            return Ok(());
        }
        let mut sums = self.budget.lock();
        if let Some(limit) = self.budget.0.limit
            && sums.spent.plus(sums.reserved).plus(more) > limit
        {
            return Err(BudgetError::Exhausted { limit, spent: sums.spent, wanted: to });
        }
        sums.reserved = sums.reserved.plus(more);
        self.held = to;
        Ok(())
    }

    /// The call is over and cost this.
    pub fn settle(mut self, charge: Charge) {
        self.close(charge);
    }

    fn close(&mut self, charge: Charge) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        let mut sums = self.budget.lock();
        sums.reserved = sums.reserved.less(self.held);
        match charge {
            Charge::Counted(money) => sums.spent = sums.spent.plus(money),
            Charge::Estimated(money) => {
                sums.spent = sums.spent.plus(money);
                sums.estimated = sums.estimated.plus(money);
            }
            Charge::Unknown => sums.unpriced += 1,
            Charge::Nothing => {}
        }
        let over = self.budget.0.limit.is_some_and(|limit| sums.spent > limit);
        drop(sums);
        if over {
            self.budget.0.over.cancel();
        }
        self.budget.0.settled.notify_waiters();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let held = self.held;
        self.close(Charge::Estimated(held));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use futures_util::FutureExt;

    fn take(budget: &Budget, money: u64) -> Option<Result<Reservation, BudgetError>> {
        budget.reserve("m", Worst::Known(Money(money)), &mut || {}).now_or_never()
    }

    #[test]
    fn what_runs_and_what_was_spent_never_pass_the_limit() {
        let budget = Budget::new(Some(Money(100)));
        let one = take(&budget, 60).unwrap().unwrap();
        assert!(take(&budget, 60).is_none(), "it waits: the first may cost less than it may");
        let error = take(&budget, 101).unwrap().unwrap_err();
        assert!(error.to_string().contains("used up"), "{error}");
        let mut waited = 0;
        let mut count = || waited += 1;
        let mut second = Box::pin(budget.reserve("m", Worst::Known(Money(60)), &mut count));
        assert!(second.as_mut().now_or_never().is_none());
        one.settle(Charge::Counted(Money(10)));
        let second_reservation = second.as_mut().now_or_never().unwrap().unwrap();
        drop(second);
        assert_eq!(waited, 1);
        assert_eq!(budget.sums().reserved, Money(60));
        second_reservation.settle(Charge::Estimated(Money(50)));
        let sums = Sums { spent: Money(60), estimated: Money(50), reserved: Money(0), unpriced: 0 };
        assert_eq!(budget.sums(), sums);
        assert!(matches!(take(&budget, 60), Some(Err(BudgetError::Exhausted { .. }))));
    }

    #[test]
    fn a_call_that_gets_worse_is_ended_and_ends_the_others() {
        let budget = Budget::new(Some(Money(100)));
        let mut one = take(&budget, 40).unwrap().unwrap();
        let mut two = take(&budget, 40).unwrap().unwrap();
        assert_eq!(one.raise(Money(30)), Ok(()));
        assert_eq!(one.raise(Money(60)), Ok(()));
        assert!(matches!(two.raise(Money(41)), Err(BudgetError::Exhausted { .. })));
        assert!(budget.over().now_or_never().is_none());
        two.settle(Charge::Counted(Money(101)));
        assert!(budget.over().now_or_never().is_some());
        assert!(matches!(budget.why_over(), BudgetError::Exhausted { .. }));
        assert!(matches!(take(&budget, 0), Some(Err(_))));
    }

    #[test]
    fn a_lost_reservation_counts_as_spent() {
        let budget = Budget::new(Some(Money(100)));
        drop(take(&budget, 30).unwrap().unwrap());
        assert_eq!((budget.sums().spent, budget.sums().estimated), (Money(30), Money(30)));
    }

    #[test]
    fn what_is_not_known_is_refused_under_a_limit() {
        let ask = |budget: &Budget, worst| budget.reserve("m", worst, &mut || {}).now_or_never().unwrap();
        let strict = Budget::new(Some(Money(100)));
        assert!(ask(&strict, Worst::NoPrice).unwrap_err().to_string().contains("`m` has no `prices`"));
        assert!(ask(&strict, Worst::NoLength).unwrap_err().to_string().contains("max_tokens"));
        for budget in [Budget::new(None), Budget::allowing_unknown(Some(Money(1)))] {
            ask(&budget, Worst::NoPrice).unwrap().settle(Charge::Unknown);
            assert_eq!(budget.sums().unpriced, 1);
        }
    }

    #[test]
    fn closing_ends_everything() {
        let budget = Budget::new(Some(Money(100)));
        let _one = take(&budget, 100).unwrap().unwrap();
        let mut wait = || {};
        let mut waiting = Box::pin(budget.reserve("m", Worst::Known(Money(1)), &mut wait));
        assert!(waiting.as_mut().now_or_never().is_none());
        budget.close();
        assert_eq!(waiting.as_mut().now_or_never().unwrap().unwrap_err(), BudgetError::Closed);
        assert!(budget.over().now_or_never().is_some());
    }
}
