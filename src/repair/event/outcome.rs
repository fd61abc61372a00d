//! Words for how requests and trajectories end, and values of scores.
//!
//! Promises: one spelling each, read back. Leaves to others: when a trajectory stops (`repair::machine`).

use crate::repair::cell::word::words;
use serde::{Deserialize, Serialize};

words! {
    /// Why a trajectory is over.
    pub enum StopReason as "stop reason" {
        /// The newest code passes.
        Passed = "passed",
        /// All turns of the strategy were taken.
        Exhausted = "exhausted",
        /// A turn gave code that the attempt had before, and the run stops on that.
        Repeat = "repeat",
        /// A turn gave no usable code, and the run stops on that.
        NoCode = "no-code",
        /// The money or time of the run is spent.
        Budget = "budget",
        /// A person ended it.
        Cancelled = "cancelled",
        /// A model, the sandbox or the machine failed, again and again.
        Infrastructure = "infrastructure",
        /// The buggy code already passes: there is nothing to repair.
        NotFaulty = "not-faulty",
    }
}

impl StopReason {
    /// Whether a trajectory that stopped so leaves the denominators of every metric: what failed was not the
    /// model, or there was no task.
    pub fn is_excluded(self) -> bool {
        matches!(self, StopReason::Infrastructure | StopReason::NotFaulty)
    }

    /// Whether it stopped before the model had all its turns, for a reason that is not the model's.
    pub fn is_cut_short(self) -> bool {
        matches!(self, StopReason::Budget | StopReason::Cancelled | StopReason::Infrastructure)
    }
}

impl RequestFault {
    /// Whether asking again would give the same fault.
    pub fn is_final(self) -> bool {
        matches!(self, RequestFault::Unauthorised | RequestFault::Refused | RequestFault::NotRecorded)
    }
}

words! {
    /// Why a request gave no answer.
    pub enum RequestFault as "request fault" {
        /// No connection.
        Connect = "connect",
        /// The server asks to wait.
        RateLimit = "rate-limit",
        /// The server failed.
        Server = "server",
        /// Nothing came for too long.
        Timeout = "timeout",
        /// The stream ended without its terminal event.
        IncompleteStream = "incomplete-stream",
        /// What came could not be read.
        Protocol = "protocol",
        /// The key was refused.
        Unauthorised = "unauthorised",
        /// The server refuses the request as it is: too long, an unknown model, a forbidden setting.
        Refused = "refused",
        /// It was broken off on purpose.
        Aborted = "aborted",
        /// A model of the past has no answer for this prompt.
        NotRecorded = "not-recorded",
    }
}

/// The value of a metric, or why it has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricValue {
    /// The value.
    Defined(f64),
    /// It is not defined here, and this is why.
    Undefined(String),
}
