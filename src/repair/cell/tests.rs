//! Cells: words, ids, what counts.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use serde_json::json;

fn cell() -> Cell {
    Cell::new("qwen-coder", "t".repeat(64))
}

fn decimal(text: &str) -> Option<Decimal> {
    Some(text.parse().unwrap())
}

#[test]
fn words_read_back_and_errors_name_the_nearest() {
    for (text, expected) in [
        ("single", Strategy::Single),
        ("iterative:3", Strategy::Iterative { turns: 3 }),
        ("conversation:2x3", Strategy::Conversation { attempts: 2, turns: 3 }),
        ("conversation:10x3", Strategy::Conversation { attempts: 10, turns: 3 }),
    ] {
        let strategy: Strategy = text.parse().unwrap();
        assert_eq!(strategy, expected);
        assert_eq!(strategy.to_string(), text);
        assert_eq!(serde_json::to_value(strategy).unwrap(), json!(text));
        assert_eq!(serde_json::from_value::<Strategy>(json!(text)).unwrap(), strategy);
    }
    assert_eq!("conversation:2×3".parse::<Strategy>().unwrap().to_string(), "conversation:2x3");
    for (text, nearest) in [
        ("iterative", "iterative:3"),
        ("iterative:0", "iterative:3"),
        ("iterative:03", "iterative:3"),
        ("iterative:1001", "iterative:3"),
        ("conversation:3", "conversation:2x3"),
        ("conversation:0x3", "conversation:2x3"),
        ("single:1", "single"),
        ("itterative:3", "iterative"),
    ] {
        let error = text.parse::<Strategy>().unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some(nearest), "{text}");
        assert!(error.to_string().contains(text), "{error}");
    }
    for text in ["task", "none", "oracle", "bm25:4000"] {
        assert_eq!(text.parse::<Context>().unwrap().to_string(), text);
    }
    for (text, nearest) in
        [("bm25", Some("bm25:4000")), ("bm25:0", Some("bm25:4000")), ("orcale", Some("oracle")), ("x", None)]
    {
        assert_eq!(text.parse::<Context>().unwrap_err().nearest.as_deref(), nearest, "{text}");
    }
    for technique in Technique::ALL {
        assert_eq!(technique.as_str().parse::<Technique>().unwrap(), technique);
    }
    assert_eq!("chain".parse::<Technique>().unwrap_err().nearest, None);
    assert_eq!("self_ask".parse::<Technique>().unwrap_err().nearest.as_deref(), Some("self-ask"));
    assert_eq!(parse_form("functoin").unwrap_err().nearest.as_deref(), Some("function"));
    assert_eq!(parse_feedback("llm-exprt").unwrap_err().nearest.as_deref(), Some("llm-expert"));
    assert_eq!(parse_feedback("human").unwrap(), FeedbackKind::Human);
    assert_eq!(parse_policy("lenient").unwrap(), Policy::Lenient);
    assert_eq!(parse_without(" role, guidelines,").unwrap(), [Section::Role, Section::Guidelines].into());
    assert_eq!(parse_without("rolle").unwrap_err().nearest.as_deref(), Some("role"));
    assert_eq!(parse_without("").unwrap(), BTreeSet::new());
}

#[test]
fn the_canonical_form_is_fixed() {
    let mut cell = cell();
    cell.templates = "hash".to_owned();
    insta::assert_snapshot!(cell.canonical_json(), @r#"{"context":"task","extraction":"lenient","feedback":"test","feedback_source":"fresh","form":"function","model":"qwen-coder","strategy":"single","technique":"baseline","templates":"hash"}"#);
    cell.temperature = decimal("0.30");
    cell.seed = Some(u64::MAX);
    cell.without = [Section::Guidelines, Section::Role].into();
    cell.strategy = Strategy::Conversation { attempts: 2, turns: 3 };
    insta::assert_snapshot!(cell.canonical_json(), @r#"{"context":"task","extraction":"lenient","feedback":"test","feedback_source":"fresh","form":"function","model":"qwen-coder","seed":18446744073709551615,"strategy":"conversation:2x3","technique":"baseline","temperature":0.3,"templates":"hash","without":["role","guidelines"]}"#);
    let read: Cell = serde_json::from_str(&cell.canonical_json()).unwrap();
    assert_eq!(read, cell);
    assert_eq!(cell.id().as_str().len(), 64);
    assert_eq!(serde_json::from_value::<CellId>(json!(cell.id())).unwrap(), cell.id());
    assert!(serde_json::from_value::<CellId>(json!("abc")).is_err());
}

#[test]
fn every_setting_counts() {
    let changes: [fn(&mut Cell); 17] = [
        |cell| cell.model = "other".to_owned(),
        |cell| cell.temperature = decimal("0"),
        |cell| cell.temperature = decimal("1"),
        |cell| cell.top_p = decimal("0.95"),
        |cell| cell.seed = Some(0),
        |cell| cell.max_tokens = Some(2048),
        |cell| cell.feedback = FeedbackKind::Minimal,
        |cell| cell.feedback_source = FeedbackSource::Stored,
        |cell| cell.helper = Some("h".to_owned()),
        |cell| cell.technique = Technique::FewShot,
        |cell| cell.without = [Section::Role].into(),
        |cell| cell.form = Form::Line,
        |cell| cell.context = Context::Bm25 { tokens: 1 },
        |cell| cell.hints = [Hint::Location].into(),
        |cell| cell.strategy = Strategy::Iterative { turns: 1 },
        |cell| cell.extraction = Policy::Strict,
        |cell| cell.templates = "u".repeat(64),
    ];
    let mut ids = BTreeSet::from([cell().id()]);
    for change in changes {
        let mut changed = cell();
        change(&mut changed);
        assert!(ids.insert(changed.id()), "{changed:?}");
    }
}

#[test]
fn keys_of_a_newer_version_stay_and_count() {
    let mut value = serde_json::to_value(cell()).unwrap();
    value["thinking"] = json!({ "b": 1, "a": [2, { "d": 1, "c": 2 }] });
    let newer: Cell = serde_json::from_value(value).unwrap();
    assert!(newer.canonical_json().contains(r#""thinking":{"a":[2,{"c":2,"d":1}],"b":1}"#));
    assert_ne!(newer.id(), cell().id());
    assert_eq!(serde_json::from_str::<Cell>(&newer.canonical_json()).unwrap().id(), newer.id());
}

#[test]
fn what_cannot_change_an_answer_is_left_out() {
    let mut with_helper = cell();
    with_helper.helper = Some("h".to_owned());
    assert_eq!(with_helper.clone().settled(), cell());
    with_helper.feedback = FeedbackKind::Mixed;
    assert_eq!(with_helper.clone().settled(), with_helper);
    // Feedback that is stored for the only turn needs nobody to write it.
    with_helper.feedback_source = FeedbackSource::Stored;
    assert_eq!(with_helper.clone().settled().helper, None);
    with_helper.strategy = Strategy::Iterative { turns: 2 };
    assert!(with_helper.clone().settled().helper.is_some());
    let mut untold = with_helper;
    untold.without.insert(Section::Feedback);
    let mut other = untold.clone();
    other.feedback = FeedbackKind::Test;
    assert_eq!(untold.settled().id(), other.settled().id());
}

#[test]
fn a_cell_that_cannot_run_says_why() {
    assert_eq!(cell().check(), Ok(()));
    type Fault = (fn(&mut Cell), &'static str);
    let faults: [Fault; 5] = [
        (|cell| cell.model = " ".to_owned(), "needs a model"),
        (|cell| cell.feedback = FeedbackKind::LlmSkilled, "helper model"),
        (|cell| cell.temperature = decimal("5.1"), "`temperature` is 5.1"),
        (|cell| cell.top_p = decimal("1.001"), "`top_p`"),
        (|cell| cell.max_tokens = Some(0), "`max_tokens`"),
    ];
    for (change, word) in faults {
        let mut faulty = cell();
        change(&mut faulty);
        let error = faulty.check().unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

proptest! {
    #[test]
    fn the_order_of_keys_does_not_matter(seed in any::<u64>(), temperature in 0..2000_u32, rotate in 0..9_usize) {
        let mut one = cell();
        one.seed = Some(seed);
        one.temperature = Decimal::from_thousandths(temperature);
        let Value::Object(map) = serde_json::to_value(&one).unwrap() else { panic!("an object") };
        let mut entries: Vec<(String, Value)> = map.into_iter().collect();
        entries.rotate_left(rotate);
        let two: Cell = serde_json::from_value(Value::Object(entries.into_iter().collect())).unwrap();
        prop_assert_eq!(one.id(), two.id());
    }

    #[test]
    fn no_text_makes_a_word_panic(text in "\\PC{0,30}|(iterative|conversation|bm25):[0-9x×+.]{0,8}") {
        if let Ok(strategy) = text.parse::<Strategy>() {
            prop_assert_eq!(strategy.to_string().parse::<Strategy>().unwrap(), strategy);
            prop_assert!(strategy.most_turns() >= 1);
        }
        if let Ok(context) = text.parse::<Context>() {
            prop_assert_eq!(context.to_string(), text.clone());
        }
        let _ = (text.parse::<Technique>(), parse_without(&text), parse_form(&text));
    }
}
