//! Everything of a study as JSON Lines.
//!
//! Promises: each object has `type` and `v`; the first is `study`; a label is a value as stored labels are
//! (`{"one":"yes"}`), or `"not-applicable"`; a statistic that is undefined is `null` with its reason in `why`.
//! Leaves to others: events, which `label export` has.

use super::measure::{Measured, Raters, Statistic};
use super::{Answer, Study, measure};
use crate::label::value::NOT_APPLICABLE;
use serde_json::{Map, Value as Json, json};

/// The objects, one a line: `study`, `study-round`, `deviation`, `study-label`, `study-agreement`.
pub fn json_lines(study: &Study) -> String {
    let mut lines = String::new();
    let mut put = |object: Json| {
        lines.push_str(&object.to_string());
        lines.push('\n');
    };
    let codebook = study.codebook.as_ref();
    let questions: Vec<Json> = study
        .questions
        .iter()
        .map(|question| {
            json!({
                "id": question.id, "text": question.text, "categories": question.categories,
                "counts": question.counts, "conditional": question.conditional,
            })
        })
        .collect();
    put(json!({
        "type": "study", "v": 1, "name": study.name,
        "codebook": codebook.map(|codebook| &codebook.id), "title": codebook.map(|codebook| &codebook.title),
        "stamp": codebook.map(|codebook| &codebook.stamp),
        "questions": questions, "n_rounds": study.rounds.len(), "n_labels": study.rows.len(),
    }));
    for round in &study.rounds {
        put(json!({
            "type": "study-round", "v": 1, "round": round.name, "n_items": round.items, "seed": round.seed,
            "arbitrator": round.arbitrator, "phase": round.phase,
        }));
    }
    for deviation in &study.deviations {
        put(json!({
            "type": "deviation", "v": 1, "round": deviation.round, "at": deviation.at, "what": deviation.what,
        }));
    }
    for row in &study.rows {
        let label = match &row.answer {
            Answer::Value(value) => json!(value),
            Answer::NotApplicable => json!(NOT_APPLICABLE),
        };
        put(json!({
            "type": "study-label", "v": 1, "round": &*row.round, "phase": row.stage.phase(),
            "revision": row.stage.revision(), "question": &*row.question, "item": &*row.item,
            "subject": &*row.subject, "annotator": &*row.annotator, "label": label,
            "seen_before": row.seen_before, "codebook": &*row.codebook, "at": &*row.at,
        }));
    }
    for measured in measure(study) {
        put(agreement(&measured));
    }
    lines
}

fn agreement(measured: &Measured) -> Json {
    let place = &measured.place;
    let annotators: Vec<&str> = match &measured.raters {
        Raters::Pair(one, other) => vec![one, other],
        Raters::All(all) => all.iter().map(|name| &**name).collect(),
    };
    let mut statistics = Map::new();
    for statistic in &measured.statistics {
        statistics.insert(statistic.name.to_owned(), told(statistic));
    }
    json!({
        "type": "study-agreement", "v": 1, "round": &*place.round, "phase": place.stage.phase(),
        "revision": place.stage.revision(), "question": &*place.question, "reading": measured.reading.name(),
        "annotators": annotators, "independent": measured.is_independent(), "categories": measured.categories,
        "n_items": measured.items, "n_joint": measured.joint, "n_one_sided": measured.one_sided,
        "n_seen_before": measured.seen_before, "statistics": statistics,
    })
}

fn told(statistic: &Statistic) -> Json {
    let mut object = Map::new();
    object.insert("value".to_owned(), statistic.value.as_ref().ok().map_or(Json::Null, |value| json!(value)));
    if let Err(why) = &statistic.value {
        object.insert("why".to_owned(), json!(why));
    }
    match &statistic.interval {
        Some(Ok(interval)) => {
            object.insert("ci95".to_owned(), json!([interval.low, interval.high]));
        }
        Some(Err(why)) => {
            object.insert("ci95".to_owned(), Json::Null);
            object.insert("ci95_why".to_owned(), json!(why));
        }
        None => {}
    }
    Json::Object(object)
}
