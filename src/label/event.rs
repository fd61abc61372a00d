//! `LabelEvent`: everything that happens in a round, only ever appended.
//!
//! Promises: one shape for all of it; an event of a kind that this version does not know is kept and carried on; an
//! event of a known kind that cannot be read is told, not dropped. Events are ordered by `order` and then by id: a
//! writer gives each event a number above all that it has seen in its stream, so that a later one stands later
//! whatever the clocks say, and two copies of a round that hold the same events show the same.
//! Leaves to others: where they are kept (`study`), what they come to (`fold`, `round`).
//!
//! | stream | holds | seen by |
//! |---|---|---|
//! | `round/ID` | the round itself: items, assignment, phases, deviations | everybody |
//! | `label/ID/ANNOTATOR` | one annotator's labels | as `visible` says |
//! | `decision/ID` | what the arbitrator decided | as `visible` says |

use super::assign::Assignment;
use super::codebook::{Codebook, Stamp};
use super::item::Item;
use super::phase::Phase;
use super::round::Created;
use super::value::Value;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::HashSet;
use std::sync::Arc;
use uuid::Uuid;

/// Version of the shape of events.
pub const VERSION: u32 = 1;

/// Largest order of an event. No stream has so many; one that claims it would leave no room for later answers.
const MOST_ORDER: u64 = 1 << 53;

/// Something that happened in a round.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelEvent {
    /// Version of its shape.
    pub v: u32,
    /// UUIDv7, the same wherever the event is.
    pub id: Uuid,
    /// The round.
    pub round: Uuid,
    /// Larger than that of every event of the stream that its writer had seen; from 1.
    pub order: u64,
    /// When, by the clock of the writer.
    pub at: Timestamp,
    /// Who: the key of somebody in the round, or a name.
    pub actor: String,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum What {
    /// The round was made.
    RoundCreated(Box<Created>),
    /// Items of the round; large rounds have several of these.
    ItemsAdded(Vec<Item>),
    /// Who labels what; a later one takes the place of an earlier one.
    Assigned(Assignment),
    /// A phase ended.
    PhaseAdvanced {
        /// The one that ended.
        from: Phase,
        /// The one that began.
        to: Phase,
    },
    /// The codebook was changed in mid-round.
    CodebookChanged {
        /// The new one.
        codebook: Box<Codebook>,
        /// Why.
        why: String,
    },
    /// Somebody has another name now.
    Renamed {
        /// The key: the name at the beginning.
        key: String,
        /// The name from now on.
        name: String,
    },
    /// Something that the protocol does not foresee.
    Deviated(Deviation),
    /// The lead took the round back, in which nobody had answered anything. In a stream of labels: nothing more is
    /// answered.
    Withdrawn {
        /// Whether it is so from here on, or not any more.
        on: bool,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
    /// A sealed file was handed in: by its annotator, or taken in by somebody else.
    SealReceived {
        /// Whose.
        annotator: String,
        /// sha256 of the file: what was handed in cannot be exchanged once a key is out.
        sha256: String,
        /// The wrong file that had come first and that this one takes the place of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<String>,
    },
    /// A key to a sealed file was given out or taken in: from now on no sealed file is exchanged.
    SealRevealed {
        /// Whose.
        annotator: String,
    },
    /// A question was answered.
    Answered(Arc<Answer>),
    /// An answer, decision or remark was taken back.
    Undone {
        /// The event that no longer counts.
        target: Uuid,
    },
    /// An item was put aside, or taken up again.
    Skipped {
        /// The item.
        item: String,
        /// Whether it is put aside now.
        on: bool,
        /// Why.
        #[serde(default)]
        why: String,
    },
    /// An item was marked to be looked at again, or the mark was taken away.
    Flagged {
        /// The item.
        item: String,
        /// Whether it is marked now.
        on: bool,
    },
    /// A note on an item; an empty one takes it away.
    Noted {
        /// The item.
        item: String,
        /// The note.
        text: String,
    },
    /// A phase ended for this annotator: these answers are what they said in it, and stay so.
    Frozen {
        /// The phase.
        phase: Phase,
        /// The events of the answers.
        answers: Vec<Uuid>,
    },
    /// The annotator handed in a sealed file and labels no more in this phase.
    Sealed {
        /// sha256 of the file.
        sha256: String,
    },
    /// The arbitrator decided.
    Decided(Box<Decision>),
    /// The arbitrator wants the annotators to look again.
    SentBack {
        /// The item.
        item: String,
        /// Why.
        why: String,
    },
    /// A kind that this version does not know.
    #[serde(skip)]
    Unknown {
        /// Its name.
        kind: String,
        /// Its particulars.
        data: Json,
    },
}

/// An answer to a question about an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The item.
    pub item: String,
    /// Revision of the item that was looked at.
    pub revision: String,
    /// The question.
    pub question: String,
    /// What was answered.
    pub value: Value,
    /// Codebook by which.
    pub codebook: Stamp,
    /// Phase in which.
    pub phase: Phase,
    /// The answer to the same question that the annotator had before, as far as the writer knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Uuid>,
    /// The sending back by the arbitrator that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<Uuid>,
    /// How sure, 1 to 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Seconds that the item was looked at, idle time taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// What was looked at: `diff`, `tests`, `context`, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// A decision of the arbitrator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The item.
    pub item: String,
    /// The question.
    pub question: String,
    /// What holds.
    pub value: Value,
    /// Why the annotators differed.
    pub reason: super::adjudicate::ReasonCode,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// What was shown as A, B, …: whose it was, and what they had said.
    pub shown: Vec<Shown>,
    /// Codebook by which.
    pub codebook: Stamp,
    /// The decision on the same question that there was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Uuid>,
}

/// What the arbitrator saw under a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Key of the annotator, which was not shown.
    pub annotator: String,
    /// What they had said; none: they were not asked the question.
    pub value: Option<Value>,
}

/// Something that the protocol does not foresee; every export carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "deviation", rename_all = "kebab-case")]
pub enum Deviation {
    /// The lead looked at agreement while labels were blind.
    LiveAgreement,
    /// The lead took labels out while they were blind.
    LiveLabels,
    /// A phase was ended though something was missing.
    ForcedAdvance {
        /// The phase that was ended.
        from: Phase,
        /// The one that began.
        to: Phase,
        /// What was missing, in words.
        missing: Vec<String>,
    },
    /// The codebook was changed while labels were blind.
    CodebookChanged {
        /// The codebook before.
        from: Stamp,
        /// The codebook since.
        to: Stamp,
    },
    /// A sealed file was taken in the place of another one because somebody said so.
    SealReplaced {
        /// Whose.
        annotator: String,
    },
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

impl Deviation {
    /// What happened, in words, behind a date.
    pub fn words(&self) -> String {
        match self {
            Deviation::LiveAgreement => "the lead looked at agreement while labelling was blind".to_owned(),
            Deviation::LiveLabels => "the lead took labels out while labelling was blind".to_owned(),
            Deviation::ForcedAdvance { from, to, missing } => {
                format!("{from} was ended for {to} though work was missing ({})", missing.join("; "))
            }
            Deviation::CodebookChanged { from, to } => {
                format!("the codebook was changed from {from} to {to} while labelling was blind")
            }
            Deviation::SealReplaced { annotator } => {
                format!(
                    "the sealed file of {annotator} was exchanged for another one, before any key was out"
                )
            }
            Deviation::Other => "a deviation that a newer version of mendbench wrote down".to_owned(),
        }
    }
}

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {id} of kind `{kind}` cannot be read: {why}")]
pub struct Unreadable {
    /// Its id.
    pub id: Uuid,
    /// Its kind.
    pub kind: String,
    /// What is wrong.
    pub why: String,
}

/// What all events have beside their particulars.
#[derive(Serialize, Deserialize)]
struct Envelope<Data = Json> {
    round: Uuid,
    order: u64,
    actor: String,
    data: Data,
}

/// What an event comes to of whose particulars the form is known.
fn whole<Data: DeserializeOwned>(
    text: &str,
    what: impl FnOnce(Data) -> What,
) -> serde_json::Result<(Uuid, u64, String, What)> {
    let Envelope { round, order, actor, data } = serde_json::from_str(text)?;
    Ok((round, order, actor, what(data)))
}

/// The same without the particulars.
#[derive(Deserialize)]
struct Head {
    round: Uuid,
    order: u64,
    actor: String,
}

/// Names of the kinds that this version knows.
const KINDS: [&str; 19] = [
    "round-created",
    "items-added",
    "assigned",
    "phase-advanced",
    "codebook-changed",
    "renamed",
    "deviated",
    "withdrawn",
    "seal-received",
    "seal-revealed",
    "answered",
    "undone",
    "skipped",
    "flagged",
    "noted",
    "frozen",
    "sealed",
    "decided",
    "sent-back",
];

impl What {
    /// Name of its kind, and its particulars.
    pub fn parts(&self) -> (String, Json) {
        if let What::Unknown { kind, data } = self {
            return (kind.clone(), data.clone());
        }
        // Maps with keys that are no texts are what could fail, and there are none.
        let mut whole = serde_json::to_value(self).unwrap_or_default();
        let kind = whole.get("kind").and_then(Json::as_str).unwrap_or_default().to_owned();
        (kind, whole.get_mut("data").map(Json::take).unwrap_or_default())
    }
}

impl LabelEvent {
    /// An event as it is kept: its kind and its data.
    pub fn stored(round: Uuid, order: u64, actor: &str, what: &What) -> (String, Json) {
        let (kind, data) = what.parts();
        let envelope = Envelope { round, order, actor: actor.to_owned(), data };
        (kind, serde_json::to_value(envelope).unwrap_or_default())
    }

    /// An event out of what is kept.
    pub fn read(id: Uuid, at: Timestamp, v: u32, kind: &str, data: &Json) -> Result<LabelEvent, Unreadable> {
        LabelEvent::read_any(id, at, v, kind, data).and_then(|event| event.bounded(kind))
    }

    fn bounded(self, kind: &str) -> Result<LabelEvent, Unreadable> {
        if self.order <= MOST_ORDER {
            return Ok(self);
        }
        let why = format!("its order {} is larger than {MOST_ORDER}", self.order);
        Err(Unreadable { id: self.id, kind: kind.to_owned(), why })
    }

    fn read_any(id: Uuid, at: Timestamp, v: u32, kind: &str, data: &Json) -> Result<LabelEvent, Unreadable> {
        let unreadable = |why: String| Unreadable { id, kind: kind.to_owned(), why };
        if kind == "answered" && v <= VERSION {
            // Nearly all events are answers: they are read without a copy of their particulars.
            let head = Head::deserialize(data).map_err(|error| unreadable(error.to_string()))?;
            let particulars = data.get("data").unwrap_or(&Json::Null);
            let answer = Answer::deserialize(particulars).map_err(|error| unreadable(error.to_string()))?;
            let what = What::Answered(Arc::new(answer));
            return Ok(LabelEvent {
                v,
                id,
                round: head.round,
                order: head.order,
                at,
                actor: head.actor,
                what,
            });
        }
        let envelope = Envelope::deserialize(data).map_err(|error| unreadable(error.to_string()))?;
        let what = if KINDS.contains(&kind) && v <= VERSION {
            let whole = serde_json::json!({ "kind": kind, "data": envelope.data });
            serde_json::from_value(whole).map_err(|error| unreadable(error.to_string()))?
        } else {
            What::Unknown { kind: kind.to_owned(), data: envelope.data }
        };
        let Envelope { round, order, actor, .. } = envelope;
        Ok(LabelEvent { v, id, round, order, at, actor, what })
    }

    /// An event out of what is kept, with its data as text.
    ///
    /// # Errors
    ///
    /// As [`LabelEvent::read`].
    pub fn parse(id: Uuid, at: Timestamp, v: u32, kind: &str, data: &str) -> Result<LabelEvent, Unreadable> {
        // Of the kinds that fill a round no tree is made on the way.
        let parsed = match kind {
            "answered" if v <= VERSION => whole(data, |answer| What::Answered(Arc::new(answer))),
            "items-added" if v <= VERSION => whole(data, What::ItemsAdded),
            "assigned" if v <= VERSION => whole(data, What::Assigned),
            _ => match serde_json::from_str(data) {
                Ok(data) => return LabelEvent::read(id, at, v, kind, &data),
                Err(error) => Err(error),
            },
        };
        match parsed {
            Ok((round, order, actor, what)) => {
                LabelEvent { v, id, round, order, at, actor, what }.bounded(kind)
            }
            Err(error) => Err(Unreadable { id, kind: kind.to_owned(), why: error.to_string() }),
        }
    }

    /// Its place among the events of its stream.
    pub fn place(&self) -> (u64, Uuid) {
        (self.order, self.id)
    }
}

/// The events that others of these take back.
pub fn undone(events: &[LabelEvent]) -> HashSet<Uuid> {
    let targets = events.iter().filter_map(|event| match event.what {
        What::Undone { target } => Some(target),
        _ => None,
    });
    targets.collect()
}

/// Puts events in their order and leaves out those that come twice.
pub fn in_order(mut events: Vec<LabelEvent>) -> Vec<LabelEvent> {
    events.sort_by_key(LabelEvent::place);
    events.dedup_by_key(|event| event.id);
    events
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn read(kind: &str, v: u32, data: Json) -> Result<LabelEvent, Unreadable> {
        let whole = json!({ "round": Uuid::nil(), "order": 3, "actor": "anna", "data": data });
        LabelEvent::read(Uuid::nil(), Timestamp::UNIX_EPOCH, v, kind, &whole)
    }

    #[test]
    fn the_stored_form_of_an_answer_never_changes() {
        let data = json!({
            "item": "d/1", "revision": "r", "question": "q", "value": {"one": "yes"},
            "codebook": {"version": 1, "hash": "h"}, "phase": "labelling",
        });
        let event = read("answered", 1, data.clone()).unwrap();
        let (kind, stored) = LabelEvent::stored(event.round, event.order, &event.actor, &event.what);
        assert_eq!((kind.as_str(), &stored["data"]), ("answered", &data));
        assert_eq!((event.order, event.actor.as_str()), (3, "anna"));
    }

    #[test]
    fn an_order_that_leaves_no_room_for_later_answers_is_refused() {
        for (order, good) in [(1, true), (1 << 53, true), ((1 << 53) + 1, false), (u64::MAX, false)] {
            let whole = json!({ "round": Uuid::nil(), "order": order, "actor": "anna",
                "data": { "item": "d/1", "on": true } });
            let at = Timestamp::UNIX_EPOCH;
            let tree = LabelEvent::read(Uuid::nil(), at, 1, "flagged", &whole);
            let text = LabelEvent::parse(Uuid::nil(), at, 1, "flagged", &whole.to_string());
            assert_eq!(tree, text);
            assert_eq!(tree.is_ok(), good, "{tree:?}");
        }
    }

    #[test]
    fn text_and_tree_are_read_the_same() {
        let answer = json!({
            "item": "d/1", "revision": "r", "question": "q", "value": {"many": ["b", "a"]},
            "codebook": {"version": 1, "hash": "h"}, "phase": "labelling", "seconds": 7, "newer": {"field": 1},
        });
        let item = json!({ "name": "d/1", "revision": "r", "purpose": "study" });
        for (kind, v, data) in [
            ("answered", 1, answer.clone()),
            ("answered", 2, answer),
            ("answered", 1, json!({ "item": "d/1" })),
            ("items-added", 1, json!([item])),
            ("items-added", 1, json!({})),
            ("assigned", 1, json!({ "queues": 7 })),
            ("noted", 1, json!({ "item": "d/1", "text": "\u{202e}" })),
            ("noted", 1, json!(7)),
            ("dreamt", 1, json!(null)),
        ] {
            let whole = json!({ "round": Uuid::nil(), "order": 3, "actor": "anna", "data": data });
            let tree = LabelEvent::read(Uuid::nil(), Timestamp::UNIX_EPOCH, v, kind, &whole);
            let text = LabelEvent::parse(Uuid::nil(), Timestamp::UNIX_EPOCH, v, kind, &whole.to_string());
            match (tree, text) {
                (Ok(tree), Ok(text)) => assert_eq!(tree, text),
                // The text's message says in addition where.
                (Err(tree), Err(text)) => assert!(text.why.starts_with(&tree.why), "{text}, {tree}"),
                (tree, text) => panic!("{kind}: {tree:?}, {text:?}"),
            }
        }
        let broken = LabelEvent::parse(Uuid::nil(), Timestamp::UNIX_EPOCH, 1, "noted", "{").unwrap_err();
        assert!(broken.why.contains("EOF"), "{broken}");
    }

    #[test]
    fn the_stored_form_of_a_withdrawal_never_changes() {
        let event = read("withdrawn", 1, json!({ "on": true })).unwrap();
        assert_eq!(event.what, What::Withdrawn { on: true, why: String::new() });
        let what = What::Withdrawn { on: false, why: "again".to_owned() };
        assert_eq!(what.parts(), ("withdrawn".to_owned(), json!({ "on": false, "why": "again" })));
    }

    #[test]
    fn unknown_kinds_and_versions_are_kept_whole() {
        for (kind, v) in [("dreamt", 1), ("answered", 2)] {
            let data = json!({ "of": [1, 2] });
            let event = read(kind, v, data.clone()).unwrap();
            assert_eq!(event.what, What::Unknown { kind: kind.to_owned(), data: data.clone() });
            let (kept, stored) = LabelEvent::stored(event.round, event.order, &event.actor, &event.what);
            assert_eq!((kept.as_str(), &stored["data"]), (kind, &data));
        }
    }

    #[test]
    fn a_known_kind_that_cannot_be_read_is_told() {
        let error = read("answered", 1, json!({ "item": "d/1" })).unwrap_err();
        assert!(error.to_string().contains("`answered` cannot be read: missing field"), "{error}");
        let error = LabelEvent::read(Uuid::nil(), Timestamp::UNIX_EPOCH, 1, "noted", &json!(7)).unwrap_err();
        assert!(error.why.contains("invalid type"), "{error}");
    }

    #[test]
    fn deviations_of_newer_versions_are_kept_as_such() {
        let event = read("deviated", 1, json!({ "deviation": "sang", "loud": true })).unwrap();
        assert_eq!(event.what, What::Deviated(Deviation::Other));
    }
}
