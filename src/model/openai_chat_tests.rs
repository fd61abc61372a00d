//! Streams as servers send them, each quirk one of them; and the same whatever way they are cut.
#![allow(clippy::unwrap_used)]
use super::answer::{Finish, Quirks};
use super::event::ModelEvent;
use super::openai_chat::OpenaiChat;
use super::raw::RawStream;
use super::replay::{Replayed, replay};
use super::request::{ChatRequest, Message, Role};
use super::wire::Wire;
use crate::config::{Decoding, ModelSettings, WireFormat};
use proptest::prelude::*;
use serde_json::json;
use std::time::Duration;

/// As OpenAI documents it.
const GOOD: &str = r#"data: {"id":"c1","model":"big","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"choices":[{"index":0,"delta":{"content":"def f"},"finish_reason":null}],"usage":null}

data: {"choices":[{"index":0,"delta":{"content":"():\n    return \"é数😀\""},"finish_reason":null}],"usage":null}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"choices":[],"usage":{"prompt_tokens":91,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":7}}}

data: [DONE]

"#;

/// As DeepSeek does it, behind a proxy that keeps the line alive: CRLF, comments, no blank behind `data:`.
const REASONED: &str = "\u{feff}: OPENROUTER PROCESSING\r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning_content\":\"Let me \"}}]}\r\n\r\n: ping\r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning_content\":\"see.\"}}]}\r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"42\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9,\"prompt_cache_hit_tokens\":3}}\r\n\r\ndata:[DONE]\r\n\r\n";

/// As llama.cpp's server sent it (b0, November 2026), ids shortened.
const LLAMA: &str = r#"data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796033758,"id":"chatcmpl-p","model":"qwen2.5-coder-0.5b-instruct","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Hello"}}],"created":1796033758,"id":"chatcmpl-p","model":"qwen2.5-coder-0.5b-instruct","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"!"}}],"created":1796033758,"id":"chatcmpl-p","model":"qwen2.5-coder-0.5b-instruct","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":1796033760,"id":"chatcmpl-p","model":"qwen2.5-coder-0.5b-instruct","object":"chat.completion.chunk"}

data: {"choices":[],"created":1796033760,"id":"chatcmpl-p","model":"qwen2.5-coder-0.5b-instruct","object":"chat.completion.chunk","usage":{"completion_tokens":4,"prompt_tokens":30,"total_tokens":34,"prompt_tokens_details":{"cached_tokens":24}},"timings":{"cache_n":24,"prompt_n":6,"prompt_ms":1034.76,"predicted_n":4,"predicted_ms":1911.915}}

data: [DONE]

"#;

fn raw(pieces: &[&[u8]]) -> RawStream {
    let mut raw = RawStream::default();
    for piece in pieces {
        assert!(raw.push(Duration::ZERO, piece));
    }
    raw
}

fn read(text: &str) -> Replayed {
    replay(&raw(&[text.as_bytes()]), WireFormat::OpenaiChat)
}

/// A chunk with this delta and what else belongs into the choice.
fn delta(delta: &str, more: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}{more}}}]}}\n\n")
}

const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

#[test]
fn a_good_stream() {
    let replayed = read(GOOD);
    assert_eq!(replayed.text, "def f():\n    return \"é数😀\"");
    assert_eq!(replayed.finish, Some(Finish::Stop));
    assert_eq!(replayed.quirks, Quirks::default());
    let usage = replayed.usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.cached, usage.reasoning), (91, 40, Some(64), Some(7)));
    let kinds: Vec<&str> = replayed
        .events
        .iter()
        .map(|timed| match timed.event {
            ModelEvent::Started => "started",
            ModelEvent::Text { .. } => "text",
            ModelEvent::Usage { .. } => "usage",
            ModelEvent::Finished { .. } => "finished",
            _ => "?",
        })
        .collect();
    assert_eq!(kinds, ["started", "text", "text", "usage", "finished"]);
}

#[test]
fn comments_crlf_and_reasoning() {
    let replayed = read(REASONED);
    assert_eq!((replayed.reasoning.as_str(), replayed.text.as_str()), ("Let me see.", "42"));
    assert_eq!(replayed.finish, Some(Finish::Stop));
    assert_eq!(replayed.usage.unwrap().cached, Some(3));
    assert_eq!(replayed.quirks, Quirks::default());
}

#[test]
fn a_stream_of_a_real_server() {
    let replayed = read(LLAMA);
    assert_eq!((replayed.text.as_str(), replayed.finish), ("Hello!", Some(Finish::Length)));
    assert_eq!(replayed.quirks, Quirks::default());
    let usage = replayed.usage.unwrap();
    assert_eq!((usage.input, usage.output, usage.cached), (30, 4, Some(24)));
}

/// What a quirk comes to: text, reasoning, finish.
type Outcome = (&'static str, &'static str, Option<Finish>);

/// A quirk: what it is, its stream, what it comes to, whether it was counted as it should be.
type Case = (&'static str, String, Outcome, fn(&Quirks) -> bool);

#[test]
fn every_quirk_is_met() {
    let a = delta(r#"{"content":"a"}"#, "");
    let b = delta(r#"{"content":"b"}"#, "");
    let untold = || Some(Finish::Other("untold".into()));
    let stop = || Some(Finish::Stop);
    let cases: Vec<Case> = vec![
        (
            "`reasoning` in place of `reasoning_content` (newer vLLM, OpenRouter)",
            [&delta(r#"{"reasoning":"hm","reasoning_details":[{"text":"hm"}]}"#, ""), &a, STOP, DONE].concat(),
            ("a", "hm", stop()),
            |quirks| *quirks == Quirks { no_usage: true, ..Quirks::default() },
        ),
        (
            "both names with the same text count once",
            [&delta(r#"{"reasoning":"hm","reasoning_content":"hm"}"#, ""), STOP].concat(),
            ("", "hm", stop()),
            |quirks| quirks.no_done,
        ),
        (
            "reasoning left in the content",
            [&delta(r#"{"content":"<thi"}"#, ""), &delta(r#"{"content":"nk>hm</think>\n\na"}"#, ""), STOP]
                .concat(),
            ("a", "hm", stop()),
            |quirks| quirks.think_marks,
        ),
        (
            "first delta with `content: null` and `timings` (llama.cpp)",
            [
                &delta(r#"{"role":"assistant","content":null}"#, ""),
                &a,
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}],\"timings\":{\"prompt_n\":3,\"cache_n\":4,\"predicted_n\":9}}\n\n",
                DONE,
            ]
            .concat(),
            ("a", "", Some(Finish::Length)),
            |quirks| !quirks.no_usage,
        ),
        (
            "no [DONE]: the finish reason is enough",
            [&a, STOP].concat(),
            ("a", "", stop()),
            |quirks| quirks.no_done,
        ),
        (
            "no finish reason: the closing usage is enough",
            [&a, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n", DONE]
                .concat(),
            ("a", "", untold()),
            |quirks| !quirks.no_usage,
        ),
        ("[DONE] alone is no end", [&a, DONE].concat(), ("a", "", None), |quirks| !quirks.no_done),
        ("nothing at the end is no end", a.clone(), ("a", "", None), |quirks| quirks.no_done),
        (
            "usage with every chunk is no end (vLLM)",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n".to_owned(),
            ("a", "", None),
            |quirks| !quirks.no_usage,
        ),
        (
            "an `error:` field at status 200 (older llama.cpp)",
            [&a, "error: {\"code\":500,\"message\":\"no slot\"}\n\n", STOP, DONE].concat(),
            ("a", "", None),
            |_| true,
        ),
        (
            "an error object at status 200",
            [&a, "data: {\"error\":{\"message\":\"no slot\"}}\n\n", STOP, DONE].concat(),
            ("a", "", None),
            |_| true,
        ),
        (
            "empty choices, an error beside them, finish `error` (OpenRouter)",
            [&a, "data: {\"choices\":[],\"error\":{\"code\":502,\"message\":\"upstream\"}}\n\n", STOP].concat(),
            ("a", "", None),
            |_| true,
        ),
        ("finish `error`", [a.as_str(), &delta("{}", ",\"finish_reason\":\"error\"")].concat(), ("a", "", None), |_| true),
        (
            "an `event: error`",
            [&a, "event: error\ndata: {\"message\":\"overloaded\"}\n\n", STOP].concat(),
            ("a", "", None),
            |_| true,
        ),
        (
            "`error: null` is none",
            ["data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}\n\n", STOP]
                .concat(),
            ("a", "", stop()),
            |_| true,
        ),
        (
            "a second finish and text behind the end are left out and counted",
            [&a, STOP, &b, STOP, DONE, &b].concat(),
            ("a", "", stop()),
            |quirks| quirks.after_end == 3,
        ),
        (
            "events without an empty line between them",
            [a.trim_end(), "\n", b.trim_end(), "\n", STOP].concat(),
            ("ab", "", stop()),
            |_| true,
        ),
        (
            "parts in place of a text (Mistral)",
            [
                &delta(r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}"#, ""),
                STOP,
            ]
            .concat(),
            ("a", "hm", stop()),
            |_| true,
        ),
        (
            "a refusal is the answer",
            [&delta(r#"{"refusal":"No."}"#, ""), STOP].concat(),
            ("No.", "", stop()),
            |_| true,
        ),
        (
            "tool calls are an end of their own",
            [&delta(r#"{"tool_calls":[{"index":0}]}"#, ",\"finish_reason\":\"tool_calls\""), DONE].concat(),
            ("", "", Some(Finish::Tool)),
            |_| true,
        ),
        (
            "another choice is not ours",
            ["data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n", &a].concat(),
            ("a", "", None),
            |_| true,
        ),
        (
            "words of other servers",
            delta("{}", ",\"finish_reason\":\"content_filter\""),
            ("", "", Some(Finish::ContentFilter)),
            |_| true,
        ),
        (
            "an unknown word is kept",
            delta("{}", ",\"finish_reason\":\"bored\""),
            ("", "", Some(Finish::Other("bored".into()))),
            |_| true,
        ),
        (
            "the last empty line is missing",
            [&a, STOP, "data: [DONE]"].concat(),
            ("a", "", stop()),
            |quirks| !quirks.no_done,
        ),
        (
            "cut in the middle of an event",
            [&a, "data: {\"choices\":[{\"ind"].concat(),
            ("a", "", None),
            |quirks| quirks.ignored == 1,
        ),
        ("an event that is no JSON", [&a, "data: {oops\n\n", STOP].concat(), ("a", "", None), |_| true),
        (
            "JSON of another shape",
            ["data: 3\n\ndata: {\"choices\":{}}\n\ndata: {\"choices\":[3]}\n\ndata: {\"choices\":[{\"delta\":[]}]}\n\n", &a, STOP].concat(),
            ("a", "", stop()),
            |_| true,
        ),
        ("unknown fields", ["x: y\nid: 3\n", &a, STOP].concat(), ("a", "", stop()), |quirks| quirks.ignored == 1),
    ];
    for (name, text, (answer, reasoning, finish), quirks) in cases {
        let replayed = read(&text);
        assert_eq!(replayed.text, answer, "{name}");
        assert_eq!(replayed.reasoning, reasoning, "{name}");
        assert_eq!(replayed.finish, finish, "{name}");
        assert!(quirks(&replayed.quirks), "{name}: {:?}", replayed.quirks);
    }
}

#[test]
fn counts_that_cannot_be_are_not_told() {
    let closing = |usage: &str| {
        let last = format!("data: {{\"choices\":[],\"usage\":{usage}}}\n\n");
        read(&[delta(r#"{"content":"a"}"#, "").as_str(), last.as_str(), DONE].concat())
    };
    for count in
        ["-1", "0.5", "1e300", "1099511627777", "18446744073709551615", "99999999999999999999", "\"12\""]
    {
        for usage in [
            format!("{{\"prompt_tokens\":{count},\"completion_tokens\":3}}"),
            format!("{{\"prompt_tokens\":3,\"completion_tokens\":{count}}}"),
        ] {
            let replayed = closing(&usage);
            assert_eq!(replayed.usage, None, "{usage}");
            assert_eq!((replayed.quirks.impossible_counts, replayed.quirks.no_usage), (1, true), "{usage}");
            assert!(replayed.quirks.describe().iter().any(|words| words.contains("cannot be")), "{usage}");
            assert_eq!(replayed.text, "a", "the answer is what it is");
            assert_eq!(replayed.finish, Some(Finish::Other("untold".into())), "it is still the end");
        }
    }
    // The most there may be, whole numbers with a point, and a detail that cannot be.
    let usage = |text: &str| (closing(text).usage.unwrap(), closing(text).quirks.impossible_counts);
    let (most, none) = usage(r#"{"prompt_tokens":1099511627776,"completion_tokens":4.0,"cost":-1}"#);
    assert_eq!((most.input, most.output, most.told_cost, none), (1 << 40, 4, None, 0));
    let (part, one) =
        usage(r#"{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":-3}}"#);
    assert_eq!((part.input, part.output, part.cached, one), (9, 4, None, 1));
}

#[test]
fn what_is_no_utf8_is_replaced_and_counted() {
    let text = delta(r#"{"content":"a?b"}"#, "");
    let mut bytes = text.into_bytes();
    let place = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[place] = 0xff;
    let replayed = replay(&raw(&[&bytes, STOP.as_bytes()]), WireFormat::OpenaiChat);
    assert_eq!((replayed.text.as_str(), replayed.quirks.invalid_utf8), ("a\u{fffd}b", 1));
}

#[test]
fn a_request_is_what_servers_expect() {
    let mut settings = ModelSettings::new("m", "http://localhost/v1".parse().unwrap());
    settings.model = "vendor/m".into();
    settings.decoding = Decoding { temperature: Some(0.3), max_tokens: Some(100), ..Decoding::default() };
    settings.extra.insert("top_k".into(), json!(20));
    let request = ChatRequest {
        messages: vec![Message::new(Role::System, "Be brief."), Message::new(Role::User, "Hi")],
        decoding: Decoding {
            max_tokens: Some(7),
            seed: Some(1),
            stop: vec!["x".into()],
            ..Decoding::default()
        },
        extra: json!({"model": "other", "stream": false, "min_p": 0.1}).as_object().unwrap().clone(),
    };
    let body = OpenaiChat.body(&settings, &request);
    assert_eq!(
        body,
        json!({
            "top_k": 20, "min_p": 0.1, "model": "vendor/m", "stream": true,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            "stream_options": {"include_usage": true}, "temperature": 0.3, "seed": 1, "max_tokens": 7, "stop": ["x"],
        })
    );
    settings.max_tokens_field = "max_completion_tokens".into();
    settings.stream_usage = false;
    let body = OpenaiChat.body(&settings, &ChatRequest::ask("Hi"));
    assert_eq!(
        (&body["max_completion_tokens"], body.get("max_tokens"), body.get("stream_options")),
        (&json!(100), None, None)
    );
}

proptest! {
    #[test]
    fn any_cut_of_a_stream_gives_the_same_events(
        which in 0..4_usize,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let marks = [&delta(r#"{"content":"<think>a"}"#, ""), &delta(r#"{"content":"</think>\nb"}"#, ""), STOP].concat();
        let whole = [GOOD, REASONED, &marks, LLAMA][which].as_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|two| &whole[two[0]..two[1]]).collect();
        let expected = replay(&raw(&[whole]), WireFormat::OpenaiChat);
        prop_assert_eq!(&replay(&raw(&pieces), WireFormat::OpenaiChat), &expected);
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        prop_assert_eq!(&replay(&raw(&bytes), WireFormat::OpenaiChat), &expected);
        // Whatever is cut off, what is left is a part of the text, and no complete answer before its end is there.
        let part = replay(&raw(&pieces[..pieces.len() / 2]), WireFormat::OpenaiChat);
        prop_assert!(expected.text.starts_with(&part.text) && expected.reasoning.starts_with(&part.reasoning));
    }
}
