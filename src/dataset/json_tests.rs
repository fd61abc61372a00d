//! Tests of JSON values that are read within bounds.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

#[test]
fn a_value_is_parsed_as_serde_json_does() {
    let text = r#"{"a": [1, -2, 3.5, 18446744073709551615, true, null, "é\n"], "b": {"c": {}}}"#;
    let expected: Value = serde_json::from_str(text).unwrap();
    assert_eq!(parse(text, 100).unwrap(), expected);
}

#[test]
fn too_many_values_are_refused() {
    assert!(matches!(parse("[1,1,1,1,1,1,1,1]", 5), Err(ParseError::TooMany)));
    assert!(parse("[1,1,1]", 5).is_ok());
    assert!(parse(&"[".repeat(10_000), 1_000_000).is_err());
}

#[test]
fn errors_have_a_place_in_characters() {
    let Err(ParseError::Syntax { column, eof, .. }) = parse("{\"é\": x}", 10) else { panic!("no error") };
    assert_eq!((column, eof), (7, false));
    let Err(ParseError::Syntax { eof, .. }) = parse("{\"a\": \"b", 10) else { panic!("no error") };
    assert!(eof);
    let Err(ParseError::Syntax { message, .. }) = parse(r#"{"a":1,"a":2}"#, 10) else { panic!("no error") };
    assert!(message.contains("`a` stands twice"), "{message}");
}

#[test]
fn keys_are_seen_in_a_cut_text() {
    let keys = |text: &str| peek_keys(text.as_bytes());
    let owned = |list: &[&str]| Some(list.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
    assert_eq!(keys(r#"{"a": 1, "b": "x,\"}", "c": [{"d": 1}, 2], "e""#), owned(&["a", "b", "c"]));
    assert_eq!(keys(r#" {"a": {"x": "}"#), owned(&["a"]));
    assert_eq!(keys(r#"{"a\u0062": 1}"#), owned(&["ab"]));
    assert_eq!(keys("{}"), None);
    assert_eq!(keys("{"), None);
    assert_eq!(keys("[{\"a\": 1}]"), None);
    assert_eq!(keys("text"), None);
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = peek_keys(&bytes);
        let _ = parse(&String::from_utf8_lossy(&bytes), 50);
    }

    #[test]
    fn every_cut_of_an_object_gives_a_prefix_of_its_keys(cut in 0_usize..60) {
        let text = r#"{"one": "a\\\"b", "two": [1, {"x": "]"}], "three": null}"#;
        let all = ["one", "two", "three"];
        let keys = peek_keys(&text.as_bytes()[..cut.min(text.len())]).unwrap_or_default();
        prop_assert_eq!(&keys[..], &all[..keys.len()]);
    }
}
