//! When to try again.
//!
//! Promises: what a server asks for comes first (`retry-after-ms`, `retry-after`, its reset headers, its words), then
//! doubling times with chance in them; the sum of all waits is bounded. Leaves to others: whether a failure passes
//! (`error`), waiting (`limiter`).

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use std::time::Duration;

/// Most time that one call spends between its tries.
pub const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

/// First of the doubling times, and longest.
const FIRST: f64 = 1.0;
const LONGEST: f64 = 60.0;

/// How long a server asks to wait, by its headers or its words; `now` is the date.
pub fn asked(headers: &HeaderMap, words: &str, now: Timestamp) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |name: &str| header(name)?.parse::<f64>().ok();
    number("retry-after-ms")
        .and_then(|milliseconds| seconds(milliseconds / 1e3))
        .or_else(|| number("retry-after").and_then(seconds))
        .or_else(|| until(jiff::fmt::rfc2822::parse(header("retry-after")?).ok()?.timestamp(), now))
        .or_else(|| {
            // The reset of what is used up.
            let reset = |kind: &str| {
                let left = number(&format!("x-ratelimit-remaining-{kind}"))?;
                let reset = header(&format!("x-ratelimit-reset-{kind}"))?;
                if left <= 0.0 { duration(reset) } else { None }
            };
            reset("requests").into_iter().chain(reset("tokens")).max()
        })
        .or_else(|| {
            let reset = number("x-ratelimit-reset")?;
            match reset {
                // A date in milliseconds, a date in seconds, or seconds.
                1e12.. => until(Timestamp::from_millisecond(reset as i64).ok()?, now),
                1e9.. => until(Timestamp::from_second(reset as i64).ok()?, now),
                _ => seconds(reset),
            }
        })
        .or_else(|| in_words(words))
}

/// The time before try number `failed + 1`, when the server asks for nothing; `random` is 0 to 1.
pub fn back_off(failed: u32, random: f64) -> Duration {
    let most = (FIRST * 2_f64.powi(failed.saturating_sub(1).min(16) as i32)).min(LONGEST);
    // Not all at once, and not at once either.
    Duration::from_secs_f64((most * random).max(0.1))
}

/// A little more than asked for, so that not everybody comes back in the same moment.
pub fn spread(asked: Duration, random: f64) -> Duration {
    asked + asked.mul_f64(0.1 * random).min(Duration::from_secs(5))
}

fn seconds(seconds: f64) -> Option<Duration> {
    // A week: more is no time to wait.
    (0.0..=604_800.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

fn until(date: Timestamp, now: Timestamp) -> Option<Duration> {
    let left = date.duration_since(now);
    seconds(left.as_secs_f64().max(0.0))
}

/// Times as servers write them: `1s`, `6m0s`, `120ms`, `1h2m3.5s`, `7` (seconds).
fn duration(text: &str) -> Option<Duration> {
    let mut sum = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let scale = match unit {
            "ms" | "millisecond" | "milliseconds" => 1e-3,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return None,
        };
        sum += number.parse::<f64>().ok()? * scale;
        rest = after;
    }
    seconds(sum)
}

/// `try again in 1.3s`, `retry after 5 seconds`, `retry in 20ms`.
fn in_words(words: &str) -> Option<Duration> {
    let lower = words.to_lowercase();
    ["again in ", "retry in ", "retry after ", "again after ", "wait "].iter().find_map(|start| {
        let from = lower.find(start)? + start.len();
        let mut words = lower[from..].split_whitespace();
        let first = words.next()?.trim_end_matches(['.', ',', ')', ';']);
        match first.ends_with(|c: char| c.is_ascii_digit()) {
            // A number, and its unit behind it.
            true => {
                let unit = words.next().unwrap_or("").trim_end_matches(['.', ',', ')', ';']);
                duration(&format!("{first}{unit}")).or_else(|| duration(first))
            }
            false => duration(first),
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn asked_by(headers: &[(&str, &str)], words: &str) -> Option<f64> {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect();
        asked(&headers, words, now).map(|time| (time.as_secs_f64() * 1000.0).round() / 1000.0)
    }

    #[test]
    fn servers_are_heeded_in_order() {
        for (headers, words, expected) in [
            ([("retry-after-ms", "1500"), ("retry-after", "9")].as_slice(), "", Some(1.5)),
            (&[("retry-after", "9")], "try again in 3s", Some(9.0)),
            (&[("retry-after", "0.5")], "", Some(0.5)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "", Some(37.0)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], "", Some(0.0)),
            (&[("retry-after", "soon")], "", None),
            (&[("retry-after", "-3")], "", None),
            (&[("retry-after", "1e300")], "", None),
            (
                &[
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "7"),
                    ("x-ratelimit-reset-tokens", "9h"),
                ],
                "",
                Some(360.0),
            ),
            (&[("x-ratelimit-reset", "784111777000")], "", None),
            (&[("x-ratelimit-reset", "12")], "", Some(12.0)),
            (&[], "Rate limit reached. Please try again in 1.3s. Visit", Some(1.3)),
            (&[], "Please try again in 20ms.", Some(0.02)),
            (&[], "try again in 1m2.5s", Some(62.5)),
            (&[], "Please retry after 5 seconds.", Some(5.0)),
            (&[], "retry in 31.2 s, or not", Some(31.2)),
            (&[], "try again in a while", None),
            (&[], "overloaded", None),
        ] {
            assert_eq!(asked_by(headers, words), expected, "{headers:?} {words}");
        }
        let date = Timestamp::from_millisecond(1_800_000_002_000).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("x-ratelimit-reset", HeaderValue::from_static("1800000002000"));
        let before = date - jiff::SignedDuration::from_secs(2);
        assert_eq!(asked(&headers, "", before), Some(Duration::from_secs(2)));
    }

    #[test]
    fn times_double_up_to_a_bound() {
        let times: Vec<f64> = (1..=9).map(|failed| back_off(failed, 1.0).as_secs_f64()).collect();
        assert_eq!(times, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
        assert_eq!(back_off(1, 0.0), Duration::from_millis(100));
        assert_eq!(back_off(u32::MAX, 1.0), Duration::from_secs(60));
        assert_eq!(spread(Duration::from_secs(10), 0.5), Duration::from_secs_f64(10.5));
        assert_eq!(spread(Duration::from_secs(600), 1.0), Duration::from_secs(605));
    }
}
