//! Calls, tokens and money of trajectories.
//!
//! Promises: what the server told, what was estimated, and what nobody knows are three numbers, never one; sums do not
//! depend on the order. Leaves to others: prices (`config`), limits (`model`).

use crate::repair::event::Call;
use crate::repair::machine::Request;
use serde::{Serialize, Serializer};
use serde_json::json;

/// Parts of a dollar that sums are kept in.
const PARTS: f64 = 1e9;

/// What requests took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Requests that were sent and have ended, faults included: the n of the other numbers.
    pub requests: u64,
    /// Those that gave an answer.
    pub answered: u64,
    /// Those that asked the helper model.
    pub helper: u64,
    /// Those that came before the call that answers.
    pub preliminary: u64,
    /// Those that a process which is gone had under way.
    pub lost: u64,
    /// Requests that failed before anything of them was sent (no key, no connection, no budget): in no other number.
    pub unsent: u64,
    /// Tokens of prompts, as servers counted them.
    pub input_tokens: u64,
    /// Tokens of answers, as servers counted them.
    pub output_tokens: u64,
    /// Requests whose tokens nobody counted; the lost ones, whose usage is a guess, among them.
    pub uncounted: u64,
    /// Requests whose cost nobody knows.
    pub unpriced: u64,
    /// Billionths of a dollar of requests whose usage was told.
    known: u64,
    /// Billionths of a dollar of requests whose cost is an estimate.
    estimated: u64,
}

impl Spending {
    /// Adds a request that has ended.
    pub fn add(&mut self, request: &Request) {
        let usage = &request.usage;
        if request.unsent {
            self.unsent += 1;
            return;
        }
        self.requests += 1;
        self.answered += u64::from(request.answered);
        self.lost += u64::from(request.lost);
        match request.call {
            Call::Helper => self.helper += 1,
            Call::Preliminary(_) => self.preliminary += 1,
            Call::Repair => {}
        }
        if request.lost || (usage.input_tokens.is_none() && usage.output_tokens.is_none()) {
            self.uncounted += 1;
        } else {
            self.input_tokens = self.input_tokens.saturating_add(usage.input_tokens.unwrap_or(0));
            self.output_tokens = self.output_tokens.saturating_add(usage.output_tokens.unwrap_or(0));
        }
        let Some(usd) = usage.usd.filter(|usd| usd.is_finite()) else {
            self.unpriced += 1;
            return;
        };
        // Out of range becomes the nearest number there is.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let parts = (usd * PARTS).round() as u64;
        let sum = if request.estimated { &mut self.estimated } else { &mut self.known };
        *sum = sum.saturating_add(parts);
    }

    /// US dollars of requests whose usage the server told.
    pub fn known_usd(&self) -> f64 {
        dollars(self.known)
    }

    /// US dollars that were estimated, because no usage was told.
    pub fn estimated_usd(&self) -> f64 {
        dollars(self.estimated)
    }

    /// Both together: what is known or assumed to be spent.
    pub fn usd(&self) -> f64 {
        dollars(self.known.saturating_add(self.estimated))
    }
}

// Sums of money are far below 2^53 billionths where that matters to anybody.
#[allow(clippy::cast_precision_loss)]
fn dollars(parts: u64) -> f64 {
    parts as f64 / PARTS
}

impl Serialize for Spending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({
            "requests": self.requests, "answered": self.answered, "helper": self.helper,
            "preliminary": self.preliminary, "lost": self.lost, "unsent": self.unsent, "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens, "uncounted": self.uncounted, "usd_known": self.known_usd(),
            "usd_estimated": self.estimated_usd(), "unpriced": self.unpriced,
        })
        .serialize(serializer)
    }
}
