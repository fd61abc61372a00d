//! A server on loopback that behaves as its script says: what is sent, cut where, and when time moves.
#![allow(clippy::unwrap_used, dead_code)]

use mendbench::model::ManualTime;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does next.
#[derive(Clone)]
pub enum Step {
    /// Sends these bytes as they are.
    Bytes(Vec<u8>),
    /// Sends these bytes as one chunk of the body, which arrives as one.
    Piece(Vec<u8>),
    /// Sends this chunk again and again, until nobody takes it.
    Endless(Vec<u8>),
    /// Ends the body.
    End,
    /// Moves the time.
    Advance(Duration),
    /// Waits until the other side has closed the connection.
    Gone,
}

pub type Script = Vec<Step>;

/// A request that came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Request line and headers, names in lower case.
    pub head: String,
    /// Its body; null where it is no JSON.
    pub body: Value,
}

/// A server that gives each request the next script, and the last one again and again.
pub struct Server {
    /// `http://127.0.0.1:PORT`.
    pub origin: String,
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    gone: Arc<Notify>,
}

impl Server {
    pub async fn start(scripts: Vec<Script>, time: Arc<ManualTime>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, gone) = (Arc::<Mutex<Vec<Seen>>>::default(), Arc::new(Notify::new()));
        let server = Server {
            origin: format!("http://127.0.0.1:{port}"),
            port,
            seen: seen.clone(),
            gone: gone.clone(),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (scripts, seen, gone, time) = (scripts.clone(), seen.clone(), gone.clone(), time.clone());
                tokio::spawn(async move { serve(stream, &scripts, &seen, &gone, &time).await });
            }
        });
        server
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until a script has seen the other side close the connection.
    pub async fn gone(&self) {
        self.gone.notified().await;
    }
}

async fn serve(
    mut stream: TcpStream,
    scripts: &[Script],
    seen: &Mutex<Vec<Seen>>,
    gone: &Notify,
    time: &ManualTime,
) {
    let Some(request) = request(&mut stream).await else { return };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request);
        seen.len() - 1
    };
    let script = scripts.get(number).or(scripts.last()).unwrap();
    for step in script {
        let sent = match step {
            Step::Bytes(bytes) => stream.write_all(bytes).await,
            Step::Piece(bytes) => stream.write_all(&chunk(bytes)).await,
            Step::Endless(bytes) => {
                let chunk = chunk(bytes);
                while stream.write_all(&chunk).await.is_ok() {}
                gone.notify_one();
                return;
            }
            Step::End => stream.write_all(b"0\r\n\r\n").await,
            Step::Advance(by) => {
                time.advance(*by);
                Ok(())
            }
            Step::Gone => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                gone.notify_one();
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
    let _ = stream.shutdown().await;
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

async fn request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let lower = head.to_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            let body = &bytes[end + 4..];
            if body.len() >= length {
                let body = serde_json::from_slice(body).unwrap_or(Value::Null);
                let mut lines = head.lines();
                let first = lines.next().unwrap().to_owned();
                let headers = lines.map(|line| {
                    let (name, value) = line.split_once(':').unwrap();
                    format!("\n{}:{value}", name.to_lowercase())
                });
                return Some(Seen { head: first + &headers.collect::<String>(), body });
            }
        }
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}

/// The head of a stream; its body is chunks.
pub fn head() -> Step {
    Step::Bytes(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
            .to_vec(),
    )
}

pub fn piece(text: impl AsRef<[u8]>) -> Step {
    Step::Piece(text.as_ref().to_vec())
}

/// A stream of these pieces, ended as it should be.
pub fn stream(pieces: &[&str]) -> Script {
    let pieces = pieces.iter().map(piece);
    std::iter::once(head()).chain(pieces).chain([Step::End]).collect()
}

/// An answer that is no stream.
pub fn plain(status: &str, headers: &[&str], body: &str) -> Script {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    vec![Step::Bytes(
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .into_bytes(),
    )]
}

/// An event with this text.
pub fn text(text: &str) -> String {
    let text = Value::from(text);
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"
    )
}

pub const STOP: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
pub const USAGE: &str =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":91,\"completion_tokens\":40}}\n\n";
pub const DONE: &str = "data: [DONE]\n\n";

/// A good answer that says this.
pub fn answer(said: &str) -> Script {
    stream(&[&text(said), STOP, USAGE, DONE])
}
