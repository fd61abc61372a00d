//! A task about a sum, and a server on loopback whose model repairs it in three turns: it is wrong, then has words only,
//! then is right.
#![allow(clippy::unwrap_used, dead_code)]

use crate::cli_rig::Home;
use mendbench::runner::{RunRecord, Runs};
use mendbench::store::sqlite::{OpenMode, SqliteStore};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Wrong, then words only, then right, by what the prompt says of the code.
fn answer_to(prompt: &str) -> &'static str {
    if prompt.contains("could not be used") {
        "The sum it is.\n\n```python\ndef add(a, b):\n    return a + b\n```\n"
    } else if prompt.contains("a * b") {
        "I cannot say what is wrong with this code, for I have not seen what it is for."
    } else {
        "A product, I think.\n\n```python\ndef add(a, b):\n    return a * b\n```\n"
    }
}

/// A model's server on loopback; counts the requests that came.
pub fn serve() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::<AtomicUsize>::default();
    let count = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let count = count.clone();
            std::thread::spawn(move || {
                // A client that is killed is no failure of the server.
                let _ = talk(stream, &count);
            });
        }
    });
    (port, requests)
}

fn talk(stream: TcpStream, count: &AtomicUsize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        count.fetch_add(1, Ordering::SeqCst);
        let answer = answer_to(&String::from_utf8_lossy(&body));
        writer.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        let mut send = |text: String| write!(writer, "{:x}\r\n{text}\r\n", text.len());
        for piece in answer.split_inclusive(' ') {
            let data = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": piece } }] });
            send(format!("data: {data}\n\n"))?;
        }
        let end = serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
        send(format!("data: {end}\n\ndata: [DONE]\n\n"))?;
        writer.write_all(b"0\r\n\r\n")?;
        writer.flush()?;
    }
}

pub fn home(port: u16) -> Home {
    let home = Home::new();
    let folder = "tasks/sum";
    home.write(
        format!("{folder}/task.toml"),
        "schema = 1\nid = \"sum\"\ntitle = \"t\"\nkind = \"repair\"\nlanguage = \"python\"\n\
         protected = [\"check.py\"]\n[[target]]\nfile = \"sum.py\"\nfunction = \"add\"\n\
         [test]\ncommand = [\"python3\", \"check.py\"]\nparser = \"tap\"\ntimeout_s = 30\n",
    );
    let check = "from sum import add\nprint('1..2')\nprint('ok 1 - zero' if add(0, 0) == 0 else 'not ok 1 - zero')\n\
                 good = add(2, 3) == 5\nprint('ok 2 - sum' if good else 'not ok 2 - sum')\nraise SystemExit(0 if good else 1)\n";
    home.write(format!("{folder}/base/check.py"), check);
    home.write(format!("{folder}/buggy/sum.py"), "def add(a, b):\n    return a - b\n");
    home.write(format!("{folder}/reference/sum.py"), "def add(a, b):\n    return a + b\n");
    let models = format!(
        "[m]\naddress = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\nmax_output = 1000\n\
         prices = {{ input = 1, output = 2 }}\n"
    );
    std::fs::write(home.config("models.toml"), models).unwrap();
    home
}

/// The newest run of a workspace.
pub fn newest(home: &Home, workspace: &str) -> Option<RunRecord> {
    let path = home.path(workspace).join(".mendbench/workspace.db");
    let store = SqliteStore::open(&path, OpenMode::ReadOnly).ok()?;
    let runs = Runs::new(Arc::new(store));
    Some(runs.open(runs.find("last").ok()?).unwrap())
}
