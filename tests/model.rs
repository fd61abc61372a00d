//! Calls against a server that misbehaves: what comes of each, and that no key gets out. Time is moved by hand.
#![allow(clippy::unwrap_used)]

mod model_server;

use mendbench::config::{Decoding, KeySource, ModelSettings, Models, Money, Prices, RateLimits};
use mendbench::model::{
    Answer, Budget, BudgetError, Call, CancellationToken, ChatRequest, Connections, Failed, Fault, Finish,
    Limit, ManualTime, Model, ModelError, ModelEvent, NoConnection, RawStream, Surroundings, Timed, Why,
    replay,
};
use model_server::{DONE, STOP, Script, Server, Step, USAGE, answer, head, piece, plain, stream, text};
use std::sync::Arc;
use std::time::Duration;

/// The key that must never be seen anywhere.
const KEY: &str = "sk-never-to-be-seen-0123456789";

/// What a call came to.
struct Asked {
    result: Result<Answer, Box<Failed>>,
    events: Vec<Timed>,
}

impl Asked {
    #[track_caller]
    fn answer(&self) -> &Answer {
        self.result.as_ref().unwrap_or_else(|failed| panic!("{failed}"))
    }

    #[track_caller]
    fn failed(&self) -> &Failed {
        self.result.as_ref().expect_err("it should have failed")
    }

    #[track_caller]
    fn error(&self) -> &ModelError {
        &self.failed().error
    }

    /// The events' names, texts in full.
    fn story(&self) -> String {
        let word = |timed: &Timed| match &timed.event {
            ModelEvent::Waiting { why, .. } => format!("waiting({why:?})"),
            ModelEvent::Connecting => "connecting".to_owned(),
            ModelEvent::Started => "started".to_owned(),
            ModelEvent::Reasoning { text } => format!("reasoning({text})"),
            ModelEvent::Text { text } => format!("text({text})"),
            ModelEvent::Usage { usage } => format!("usage({}+{})", usage.input, usage.output),
            ModelEvent::Retrying { attempt, .. } => format!("retrying({attempt})"),
            ModelEvent::Finished { finish } => format!("finished({finish})"),
        };
        self.events.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A server, a model behind it, and what a call needs.
struct Bench {
    server: Server,
    time: Arc<ManualTime>,
    settings: ModelSettings,
    request: ChatRequest,
    budget: Budget,
    cancel: CancellationToken,
}

impl Bench {
    async fn new(scripts: Vec<Script>) -> Bench {
        let time = Arc::new(ManualTime::new());
        let server = Server::start(scripts, time.clone()).await;
        let mut settings = ModelSettings::new("m", format!("{}/v1", server.origin).parse().unwrap());
        settings.key = KeySource::Variable("BENCH_KEY".into());
        Bench {
            server,
            time,
            settings,
            request: ChatRequest::ask("What is wrong?"),
            budget: Budget::new(None),
            cancel: CancellationToken::new(),
        }
    }

    fn connections(&self) -> Connections {
        Connections::new(Models::default(), self.time.clone())
    }

    fn model(&self) -> Arc<dyn Model> {
        let key = |name: &str| (name == "BENCH_KEY").then(|| KEY.to_owned());
        self.connections().connect(self.settings.clone(), &key).unwrap()
    }

    /// One call; waits pass at once.
    async fn ask(&self) -> Asked {
        self.ask_with(|_| {}).await
    }

    /// One call, with something that is done at every event.
    async fn ask_with(&self, mut at: impl FnMut(&ModelEvent) + Send) -> Asked {
        let model = self.model();
        let mut events = Vec::new();
        let mut hear = |timed: Timed| {
            match &timed.event {
                ModelEvent::Retrying { after, .. } => self.time.advance(*after),
                ModelEvent::Waiting { until: Some(until), .. } => self.time.advance_to(*until),
                event => at(event),
            }
            events.push(timed);
        };
        let call = Call { cancel: self.cancel.clone(), budget: self.budget.clone(), events: &mut hear };
        let result = model.complete(&self.request, call).await;
        let asked = Asked { result, events };
        keyless(&asked);
        asked
    }
}

/// The key is nowhere: not in what is shown, not in what is recorded.
#[track_caller]
fn keyless(asked: &Asked) {
    let mut all = serde_json::to_string(&asked.events).unwrap();
    all += &format!("{:?}", asked.result);
    let received = match &asked.result {
        Ok(answer) => {
            let json = serde_json::to_value(answer).unwrap();
            assert_eq!(&serde_json::from_value::<Answer>(json).unwrap(), answer);
            all += &answer.finish.to_string();
            &answer.received
        }
        Err(failed) => {
            all += &failed.to_string();
            &failed.received
        }
    };
    all += &serde_json::to_string(received).unwrap();
    assert!(!all.contains(KEY), "the key is in: {all}");
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const PRICES: Prices = Prices { input: Money(1_000_000_000), output: Money(2_000_000_000), cached: None };

#[tokio::test]
async fn a_good_answer_is_told_as_it_comes() {
    let mut bench = Bench::new(vec![stream(&[
        "data: {\"id\":\"c1\",\"model\":\"big-2\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        &text("The sum "),
        &text("is wrong."),
        STOP,
        USAGE,
        DONE,
    ])])
    .await;
    bench.settings.model = "vendor/big".into();
    bench.settings.prices = Some(PRICES);
    bench.settings.decoding.temperature = Some(0.3);
    bench.settings.headers.insert("x-title".into(), "mendbench".into());
    bench.request.decoding = Decoding { max_tokens: Some(50), ..Decoding::default() };
    let asked = bench
        .ask_with(|event| match event {
            ModelEvent::Started => bench.time.advance(seconds(2)),
            ModelEvent::Text { .. } => bench.time.advance(seconds(1)),
            _ => {}
        })
        .await;
    let answer = asked.answer();
    assert_eq!(
        asked.story(),
        "connecting started text(The sum ) text(is wrong.) usage(91+40) finished(stop)"
    );
    assert_eq!((answer.finish.clone(), answer.received.text.as_str()), (Finish::Stop, "The sum is wrong."));
    let received = &answer.received;
    assert_eq!((received.model.as_deref(), received.id.as_deref()), (Some("big-2"), Some("c1")));
    assert_eq!((received.requests, received.cost), (1, Some(Money(91_000 + 80_000))));
    assert_eq!(bench.budget.sums().spent, Money(171_000));
    assert_eq!(received.timing.time_to_first_token(), Some(seconds(2)));
    assert_eq!(received.timing.tokens_per_second(40), Some(39.0));
    assert_eq!(received.timing.began.to_string(), "2026-01-01T00:00:00Z");
    // What is kept reads the same again.
    let replayed = replay(&received.raw, bench.settings.wire);
    assert_eq!((replayed.text, replayed.finish), (received.text.clone(), Some(Finish::Stop)));
    let seen = &bench.server.seen()[0];
    assert!(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1\n"), "{}", seen.head);
    assert!(seen.head.contains(&format!("\nauthorization: Bearer {KEY}")), "{}", seen.head);
    assert!(seen.head.contains("\nx-title: mendbench"), "{}", seen.head);
    assert_eq!(seen.body["model"], "vendor/big");
    assert_eq!((&seen.body["max_tokens"], &seen.body["temperature"]), (&50.into(), &0.3.into()));
    assert_eq!(seen.body["messages"][0]["content"], "What is wrong?");
}

#[tokio::test]
async fn another_header_carries_the_key_where_the_server_wants_it() {
    let mut bench = Bench::new(vec![answer("a")]).await;
    bench.settings.key_header = Some("api-key".into());
    bench.ask().await.answer();
    let head = &bench.server.seen()[0].head;
    assert!(head.contains(&format!("\napi-key: {KEY}")) && !head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn reads_cut_anywhere_give_the_same_answer() {
    let whole = [text("é数😀"), text("!"), STOP.into(), USAGE.into(), DONE.into()].concat();
    let mut script = vec![head()];
    script.extend(whole.as_bytes().chunks(1).map(piece));
    script.push(Step::End);
    let bench = Bench::new(vec![script]).await;
    let asked = bench.ask().await;
    assert_eq!(asked.story(), "connecting started text(é数😀) text(!) usage(91+40) finished(stop)");
    assert_eq!(asked.answer().received.raw.bytes(), whole.as_bytes());
    assert_eq!(asked.answer().received.raw.frames().count(), whole.len());
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error_that_keeps_its_part() {
    let cuts: [(&str, Script); 4] = [
        ("the connection is cut", vec![head(), piece(text("half"))]),
        ("the body ends, and nothing says why", stream(&[&text("half")])),
        ("[DONE] alone", stream(&[&text("half"), DONE])),
        ("in the middle of an event", stream(&[&text("half"), "data: {\"choices\":[{\"del"])),
    ];
    for (name, script) in cuts {
        let bench = Bench::new(vec![script, answer("another")]).await;
        let asked = bench.ask().await;
        assert!(matches!(asked.error(), ModelError::BrokenStream { .. }), "{name}: {}", asked.error());
        assert_eq!(asked.failed().received.text, "half", "{name}");
        assert_eq!(asked.error().fault(), Fault::Infrastructure);
        assert!(asked.error().is_passing(), "the runner may start over");
        assert_eq!(bench.server.seen().len(), 1, "{name}: never joined to another answer");
        assert!(!asked.story().contains("finished"), "{name}: {}", asked.story());
    }
}

#[tokio::test]
async fn a_stream_that_breaks_before_it_says_anything_is_asked_for_again() {
    let empty = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    let bench = Bench::new(vec![vec![head(), piece(empty)], vec![], answer("whole")]).await;
    let asked = bench.ask().await;
    assert_eq!(
        asked.story(),
        "connecting started retrying(1) connecting retrying(2) connecting started text(whole) usage(91+40) finished(stop)"
    );
    assert_eq!(asked.answer().received.requests, 3);
    assert!(
        !String::from_utf8_lossy(asked.answer().received.raw.bytes()).contains("assistant"),
        "only the last"
    );
}

#[tokio::test]
async fn what_happens_after_the_end_does_not_matter() {
    let cut = vec![head(), piece(text("a")), piece(STOP)];
    let bench = Bench::new(vec![cut]).await;
    let asked = bench.ask().await;
    assert_eq!(asked.answer().received.text, "a");
    assert!(asked.answer().received.quirks.no_done);
    let endless = [stream(&[&text("a"), STOP, DONE]), vec![Step::Gone]].concat();
    let bench = Bench::new(vec![endless]).await;
    bench.ask().await.answer();
    bench.server.gone().await;
}

#[tokio::test]
async fn too_many_requests_then_success() {
    let busy = plain("429 Too Many Requests", &["retry-after: 7"], r#"{"error":{"message":"slow down"}}"#);
    let bench = Bench::new(vec![busy.clone(), busy, answer("a")]).await;
    let asked = bench.ask().await;
    assert_eq!(
        asked.story(),
        "connecting retrying(1) connecting retrying(2) connecting started text(a) usage(91+40) finished(stop)"
    );
    let waits: Vec<(f64, &str)> = asked
        .events
        .iter()
        .filter_map(|timed| match &timed.event {
            ModelEvent::Retrying { after, why, .. } => Some((after.as_secs_f64(), why.as_str())),
            _ => None,
        })
        .collect();
    let why = "too many requests, and the server asks to wait 7 s: slow down";
    assert_eq!(waits, [(7.35, why), (7.35, why)]);
    let timing = asked.answer().received.timing;
    assert_eq!((timing.waited, timing.sent), (Duration::from_millis(14_700), Duration::from_millis(14_700)));
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_told_and_not_waited_for() {
    let busy = plain("429 Too Many Requests", &["retry-after: 10800"], "{}");
    let bench = Bench::new(vec![busy]).await;
    let asked = bench.ask().await;
    assert_eq!(asked.error().retry_after(), Some(seconds(10_800)));
    assert_eq!(asked.story(), "connecting");
}

#[tokio::test]
async fn a_call_that_gives_up_makes_the_others_wait_all_the_same() {
    let busy = plain("429 Too Many Requests", &["retry-after: 30"], "{}");
    let mut bench = Bench::new(vec![busy, answer("a")]).await;
    bench.settings.retries = 0;
    let key = |_: &str| Some(KEY.to_owned());
    let model = bench.connections().connect(bench.settings.clone(), &key).unwrap();
    let mut stories = Vec::new();
    for _ in 0..2 {
        let mut events = Vec::new();
        let mut hear = |timed: Timed| {
            if let ModelEvent::Waiting { until: Some(until), .. } = timed.event {
                bench.time.advance(until);
            }
            events.push(timed);
        };
        let call = Call { cancel: bench.cancel.clone(), budget: bench.budget.clone(), events: &mut hear };
        let result = model.complete(&bench.request, call).await;
        stories.push(Asked { result, events });
    }
    assert_eq!((stories[0].story().as_str(), stories[0].error().name()), ("connecting", "rate-limited"));
    assert!(
        stories[1].story().starts_with("waiting(RetryAfter) connecting started text(a)"),
        "{}",
        stories[1].story()
    );
    let waited = stories[1].answer().received.timing.waited;
    assert_eq!(waited, Duration::from_millis(31_500), "as long as the server asked, and a little more");
}

#[tokio::test]
async fn tries_are_bounded() {
    let mut bench = Bench::new(vec![plain("503 Service Unavailable", &[], "overloaded")]).await;
    bench.settings.retries = 2;
    let asked = bench.ask().await;
    assert_eq!(asked.story(), "connecting retrying(1) connecting retrying(2) connecting");
    assert_eq!(asked.error().to_string(), "the server failed (503): overloaded");
    assert_eq!(asked.failed().received.requests, 3);
}

#[tokio::test]
async fn refusals_say_what_to_do_and_are_not_repeated() {
    let echo =
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}","headers":"Bearer {KEY}"}}}}"#);
    for (script, name, words) in [
        (
            plain("401 Unauthorized", &[], &echo),
            "unauthorized",
            "does not accept the key (401): Incorrect API key provided: [key]",
        ),
        (plain("403 Forbidden", &[&format!("x-echo: {KEY}")], "{}"), "unauthorized", "(403)"),
        (
            plain("404 Not Found", &[], r#"{"error":{"message":"model not found"}}"#),
            "not-found",
            "no model `m`",
        ),
        (
            plain("404 Not Found", &[], "<html><title>404 Not Found</title>"),
            "not-found",
            "a web page, \"404 Not Found\"",
        ),
        (
            plain(
                "400 Bad Request",
                &[],
                r#"{"error":{"message":"This model's maximum context length is 4096 tokens"}}"#,
            ),
            "context-too-long",
            "does not fit",
        ),
        (plain("402 Payment Required", &[], "{}"), "quota", "no credit"),
        (plain("422 Unprocessable Entity", &[], r#"{"detail":"temperature"}"#), "http", "(422): temperature"),
        (
            plain("308 Permanent Redirect", &["location: http://127.0.0.1:1/v2"], ""),
            "http",
            "redirects to http://127.0.0.1:1/v2",
        ),
        (
            plain("200 OK", &["content-type: text/html"], "<!doctype html><title>Log in</title>"),
            "not-a-stream",
            "a web page, \"Log in\"",
        ),
        (
            plain(
                "200 OK",
                &["content-type: application/json"],
                r#"{"choices":[{"message":{"content":"a"}}]}"#,
            ),
            "not-a-stream",
            "one JSON object",
        ),
        (
            plain("200 OK", &["content-type: application/json"], r#"{"error":{"code":401,"message":"no"}}"#),
            "unauthorized",
            "(401): no",
        ),
        (stream(&["data: {oops\n\n"]), "protocol", "no JSON"),
    ] {
        let bench = Bench::new(vec![script]).await;
        let asked = bench.ask().await;
        assert_eq!(asked.error().name(), name, "{}", asked.error());
        assert!(asked.error().to_string().contains(words), "{words:?} is not in: {}", asked.error());
        assert_eq!(bench.server.seen().len(), 1, "{name}");
        let is_request = name == "context-too-long";
        assert_eq!(asked.error().fault() == Fault::Request, is_request, "{name}");
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_is_one() {
    let error = "data: {\"error\":{\"code\":502,\"message\":\"upstream\"}}\n\n";
    let bench = Bench::new(vec![stream(&[&text("half"), error, STOP, DONE])]).await;
    let asked = bench.ask().await;
    assert_eq!(asked.error().to_string(), "the server failed (502): upstream [502]");
    assert_eq!(asked.failed().received.text, "half");
    // Before any text it is asked for again.
    let overloaded = "data: {\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    let bench = Bench::new(vec![stream(&[overloaded]), answer("a")]).await;
    assert!(
        bench.ask().await.story().starts_with("connecting started retrying(1) connecting started text(a)")
    );
}

#[tokio::test]
async fn limits_of_time_are_held() {
    // No first byte.
    let bench = Bench::new(vec![vec![Step::Advance(seconds(121)), Step::Gone]]).await;
    let asked = bench.ask().await;
    let late = |which, after| ModelError::Timeout { which, after: seconds(after) };
    assert_eq!(asked.error(), &late(Limit::FirstByte, 120));
    assert!(asked.error().to_string().contains("`timeouts.first_byte_s`"));
    bench.server.gone().await;
    // A head, and no body.
    let bench = Bench::new(vec![vec![head(), Step::Advance(seconds(121)), Step::Gone]]).await;
    assert_eq!(bench.ask().await.error(), &late(Limit::FirstByte, 120));
    // Nothing more.
    let bench = Bench::new(vec![vec![head(), piece(text("half")), Step::Gone]]).await;
    let stall = |event: &ModelEvent| {
        if matches!(event, ModelEvent::Text { .. }) {
            bench.time.advance(seconds(61));
        }
    };
    let asked = bench.ask_with(stall).await;
    assert_eq!(asked.error(), &late(Limit::Idle, 60));
    assert_eq!(asked.failed().received.text, "half");
    bench.server.gone().await;
    // A stream that never ends.
    let mut bench = Bench::new(vec![vec![head(), Step::Endless(text("again").into_bytes())]]).await;
    bench.settings.timeouts.total = seconds(20);
    let slow = |event: &ModelEvent| {
        if matches!(event, ModelEvent::Text { .. }) {
            bench.time.advance(seconds(1));
        }
    };
    let asked = bench.ask_with(slow).await;
    assert_eq!(asked.error(), &late(Limit::Total, 20));
    bench.server.gone().await;
}

/// Time that goes on whenever somebody begins to wait.
struct Stepping {
    time: ManualTime,
    step: Duration,
}

impl Surroundings for Stepping {
    fn now(&self) -> Duration {
        self.time.now()
    }

    fn date(&self) -> jiff::Timestamp {
        self.time.date()
    }

    fn until(&self, at: Duration) -> futures_util::future::BoxFuture<'static, ()> {
        self.time.advance(self.step);
        self.time.until(at)
    }

    fn random(&self) -> f64 {
        0.5
    }
}

#[tokio::test]
async fn comments_keep_a_stream_alive() {
    let script = [
        vec![head(), piece(": OPENROUTER PROCESSING\n\n")],
        vec![piece(": ping\n\n"); 5],
        vec![piece(text("a")), piece(STOP), piece(DONE), Step::End],
    ];
    let mut bench = Bench::new(vec![script.concat()]).await;
    bench.settings.key = KeySource::None;
    let stepping = Arc::new(Stepping { time: ManualTime::new(), step: seconds(40) });
    let connections = Connections::new(Models::default(), stepping.clone());
    let model = connections.connect(bench.settings.clone(), &|_| None).unwrap();
    let mut first = None;
    let mut hear = |timed: Timed| {
        if matches!(timed.event, ModelEvent::Text { .. }) {
            first = Some(timed.at);
        }
    };
    let call = Call { cancel: CancellationToken::new(), budget: Budget::new(None), events: &mut hear };
    assert_eq!(model.complete(&bench.request, call).await.unwrap().received.text, "a");
    assert!(first.unwrap() > bench.settings.timeouts.first_byte + bench.settings.timeouts.idle, "{first:?}");
}

#[tokio::test]
async fn size_is_bounded() {
    let comment = [b": ".as_slice(), &vec![b'x'; 1 << 20], b"\n"].concat();
    let bench = Bench::new(vec![vec![head(), piece(text("a")), Step::Endless(comment)]]).await;
    let asked = bench.ask().await;
    assert_eq!(asked.error().name(), "too-large");
    assert_eq!(asked.failed().received.text, "a");
    bench.server.gone().await;
    let line = vec![b'x'; 1 << 20];
    let bench = Bench::new(vec![vec![head(), piece(text("a")), piece("data: "), Step::Endless(line)]]).await;
    let asked = bench.ask().await;
    assert!(asked.error().to_string().contains("larger than 8 MiB"), "{}", asked.error());
    bench.server.gone().await;
}

#[tokio::test]
async fn cancelling_closes_the_connection_and_keeps_the_part() {
    let bench = Bench::new(vec![vec![head(), piece(text("half")), Step::Gone]]).await;
    let cancel = |event: &ModelEvent| {
        if matches!(event, ModelEvent::Text { .. }) {
            bench.cancel.cancel();
        }
    };
    let asked = bench.ask_with(cancel).await;
    assert_eq!(asked.error(), &ModelError::Cancelled);
    assert_eq!(asked.error().fault(), Fault::Stopped);
    assert_eq!(asked.failed().received.text, "half");
    bench.server.gone().await;
    // And while it waits for another try.
    let bench = Bench::new(vec![plain("500 Internal Server Error", &[], "")]).await;
    let model = bench.model();
    let cancel = bench.cancel.clone();
    let mut hear = |timed: Timed| {
        if matches!(timed.event, ModelEvent::Retrying { .. }) {
            cancel.cancel();
        }
    };
    let call = Call { cancel: bench.cancel.clone(), budget: bench.budget.clone(), events: &mut hear };
    assert_eq!(model.complete(&bench.request, call).await.unwrap_err().error, ModelError::Cancelled);
    assert_eq!(bench.time.now(), Duration::ZERO, "without waiting");
}

#[tokio::test]
async fn connections_that_fail_are_told_apart() {
    let mut bench = Bench::new(vec![]).await;
    bench.settings.retries = 0;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    bench.settings.address = format!("http://127.0.0.1:{closed}/v1").parse().unwrap();
    let asked = bench.ask().await;
    assert!(
        matches!(asked.error(), ModelError::Connect { kind: NoConnection::Refused, .. }),
        "{:?}",
        asked.error()
    );
    let expected = format!("http://127.0.0.1:{closed} cannot be reached: nothing listens there");
    assert!(asked.error().to_string().starts_with(&expected), "{}", asked.error());
    assert_eq!(bench.budget.sums().unpriced, 0, "nothing was answered");
    assert!(!asked.failed().received.was_sent(), "there was no connection to send it on");
    // TLS where there is none.
    let mut bench = Bench::new(vec![]).await;
    bench.settings.retries = 0;
    bench.settings.address = format!("https://127.0.0.1:{}/v1", bench.server.port).parse().unwrap();
    let garbage = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    bench.settings.address.set_port(Some(garbage.local_addr().unwrap().port())).unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut stream, _) = garbage.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    });
    let asked = bench.ask().await;
    assert!(matches!(asked.error(), ModelError::Tls { .. }), "{:?}", asked.error());
    assert!(asked.error().to_string().contains("does not speak TLS"), "{}", asked.error());
    // A name that cannot exist.
    let mut bench = Bench::new(vec![]).await;
    bench.settings.retries = 0;
    bench.settings.route = mendbench::config::Route::Direct;
    bench.settings.address = "http://model.invalid/v1".parse().unwrap();
    let asked = bench.ask().await;
    assert!(
        matches!(asked.error(), ModelError::Connect { kind: NoConnection::NoSuchHost, .. }),
        "{:?}",
        asked.error()
    );
}

#[tokio::test]
async fn a_key_that_a_server_sends_back_gets_nowhere() {
    let (first, last) = KEY.split_at(9);
    let script = stream(&[
        &format!("data: {{\"id\":\"{KEY}\",\"model\":\"{KEY}\",\"choices\":[]}}\n\n"),
        &text(&format!("your key is {first}")),
        &text(&format!("{last}, they say sk-")),
        &text("n"),
        &format!(
            "data: {{\"choices\":[{{\"delta\":{{\"reasoning\":\"{KEY}\"}},\"finish_reason\":\"{KEY}\"}}]}}\n\n"
        ),
        DONE,
    ]);
    let bench = Bench::new(vec![script]).await;
    let asked = bench.ask().await;
    let received = &asked.answer().received;
    assert_eq!(received.text, "your key is [key], they say sk-n");
    assert_eq!(received.reasoning, "[key]");
    assert_eq!(
        (&asked.answer().finish, received.raw.bytes()),
        (&Finish::Other("[key]".into()), b"".as_slice())
    );
    assert!(received.quirks.raw_withheld, "the key could be put together from its pieces");
    // In one piece it is overwritten where it stands.
    let script = stream(&[&text(&format!("it is {KEY}.")), &format!(": {KEY}\n\n"), STOP, DONE]);
    let bench = Bench::new(vec![script]).await;
    let asked = bench.ask().await;
    let received = &asked.answer().received;
    let kept = String::from_utf8_lossy(received.raw.bytes()).into_owned();
    assert_eq!(kept.matches(&"*".repeat(KEY.len())).count(), 2, "{kept}");
    assert_eq!((received.text.as_str(), received.quirks.raw_withheld), ("it is [key].", false));
}

#[tokio::test]
async fn the_budget_is_reserved_and_settled() {
    let ask = async |limit: u64, prices: Option<Prices>, script: Script| {
        let mut bench = Bench::new(vec![script]).await;
        bench.settings.prices = prices;
        bench.settings.decoding.max_tokens = Some(100);
        bench.budget = Budget::new(Some(Money(limit)));
        let asked = bench.ask().await;
        (asked, bench)
    };
    // The worst of this request: 23 tokens of prompt and 100 of answer.
    let worst = 23_000 + 200_000;
    let (asked, bench) = ask(worst, Some(PRICES), answer("a")).await;
    asked.answer();
    assert_eq!((bench.budget.sums().spent, bench.budget.sums().reserved), (Money(171_000), Money::ZERO));
    let (asked, bench) = ask(worst - 1, Some(PRICES), answer("a")).await;
    assert!(matches!(asked.error(), ModelError::Budget(BudgetError::Exhausted { .. })), "{}", asked.error());
    assert_eq!((bench.server.seen().len(), asked.error().fault()), (0, Fault::Stopped));
    let (asked, bench) = ask(worst, None, answer("a")).await;
    assert!(matches!(asked.error(), ModelError::Budget(BudgetError::NoPrice { .. })));
    assert_eq!(bench.server.seen().len(), 0);
    // What breaks off is estimated, what was refused costs nothing.
    let (asked, bench) = ask(worst, Some(PRICES), stream(&[&text("12345678")])).await;
    assert_eq!(asked.error().name(), "broken-stream");
    let estimated = Money(7 * 1000 + 2 * 2000);
    assert_eq!((bench.budget.sums().spent, bench.budget.sums().estimated), (estimated, estimated));
    assert_eq!(asked.failed().received.cost, Some(estimated));
    let (_, bench) = ask(worst, Some(PRICES), plain("401 Unauthorized", &[], "{}")).await;
    assert_eq!(bench.budget.sums().spent, Money::ZERO);
}

#[tokio::test]
async fn a_budget_stops_calls_that_run() {
    // The server does not heed `max_tokens`.
    let mut bench = Bench::new(vec![vec![head(), Step::Endless(text(&"x".repeat(400)).into_bytes())]]).await;
    bench.settings.prices = Some(PRICES);
    bench.settings.decoding.max_tokens = Some(100);
    bench.budget = Budget::new(Some(Money(1_000_000)));
    let asked = bench.ask().await;
    assert!(matches!(asked.error(), ModelError::Budget(BudgetError::Exhausted { .. })), "{}", asked.error());
    let spent = bench.budget.sums().spent.0;
    assert!((900_000..1_300_000).contains(&spent), "{spent}");
    bench.server.gone().await;
    // Somebody closes it.
    let bench = Bench::new(vec![vec![head(), piece(text("half")), Step::Gone]]).await;
    let close = |event: &ModelEvent| {
        if matches!(event, ModelEvent::Text { .. }) {
            bench.budget.close();
        }
    };
    let asked = bench.ask_with(close).await;
    assert_eq!(asked.error(), &ModelError::Budget(BudgetError::Closed));
    bench.server.gone().await;
}

#[tokio::test]
async fn models_with_the_same_key_share_its_limits() {
    let time = Arc::new(ManualTime::new());
    let server = Server::start(vec![answer("a")], time.clone()).await;
    let model = |name: &str, limit: &str| {
        format!("[{name}]\naddress = \"{}/v1\"\nkey_env = \"K\"\n{limit}\n", server.origin)
    };
    let file = model("one", "limits = { requests_per_minute = 1 }")
        + &model("two", "")
        + &model("three", "key_header = \"k\"");
    let file = file.replace("key_env = \"K\"\nkey_header", "key_env = \"OTHER\"\nkey_header");
    let models = Models::parse("models.toml", &file, std::path::Path::new("/"), None).unwrap();
    assert_eq!(models.get("two").unwrap().limits, RateLimits::default());
    let connections = Connections::new(models, time.clone());
    let ask = async |name: &str| {
        let model = connections.model(name, &|_| Some(KEY.into())).unwrap();
        let mut waits = Vec::new();
        let mut hear = |timed: Timed| {
            if let ModelEvent::Waiting { why, until: Some(until) } = timed.event {
                time.advance(until);
                waits.push((why, until));
            }
        };
        let call = Call { cancel: CancellationToken::new(), budget: Budget::new(None), events: &mut hear };
        model.complete(&ChatRequest::ask("?"), call).await.unwrap();
        waits
    };
    assert_eq!(ask("one").await, []);
    assert_eq!(ask("two").await, [(Why::RateLimit, seconds(60))]);
    assert_eq!(ask("three").await, []);
    let error = connections.model("tow", &|_| None).err().unwrap().to_string();
    assert!(error.contains("did you mean `two`?"), "{error}");
    let error = connections.model("one", &|_| None).err().unwrap().to_string();
    assert!(error.contains("`K` is not set"), "{error}");
}

#[test]
fn what_was_kept_can_be_stored() {
    let json = r#"{"v":1,"frames":[{"at_us":5,"length":2}],"text":"ab"}"#;
    let raw: RawStream = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), json);
}
