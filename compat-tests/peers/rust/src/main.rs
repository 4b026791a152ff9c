// SPDX-License-Identifier: Apache-2.0
//! A Rust process with zookeeper-client's lock, for the tests to talk to; speaks the line protocol of support/peer.c.
//! How the lock is made is what docs/compatibility.md offers to copy.
use std::collections::HashMap;
use std::io::BufRead;
use std::sync::{mpsc, Arc, Mutex};
use std::time::Duration;

mod offered;

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct State {
    clients: HashMap<String, zookeeper_client::Client>,
    mutexes: HashMap<String, (String, String)>, // name -> client, path
    holds: HashMap<String, zookeeper_client::OwnedLockClient>,
}

fn now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn decode(token: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = token.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        let (byte, used) = if first == b'%' { (code.unwrap_or(b'%'), 2.min(tail.len())) } else { (first, 0) };
        bytes.push(byte);
        rest = &tail[used..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

async fn open(options: &[String]) -> Result<zookeeper_client::Client, Failure> {
    let settings: HashMap<&str, &str> = options.iter().filter_map(|option| option.split_once('=')).collect();
    let timeout = settings.get("session_timeout").unwrap_or(&"10000").parse()?;
    let connector = zookeeper_client::Client::connector().with_session_timeout(Duration::from_millis(timeout));
    Ok(connector.connect(settings["connect"]).await?)
}

async fn perform(state: &Mutex<State>, request: &[String]) -> Result<(), Failure> {
    let name = request[3].clone();
    match request[2].as_str() {
        "open" => {
            let client = open(&request[4..]).await?;
            state.lock().unwrap().clients.insert(name, client);
        }
        "mutex" => {
            state.lock().unwrap().mutexes.insert(name, (request[4].clone(), request[5].clone()));
        }
        "acquire" => {
            let (client, path) = {
                let state = state.lock().unwrap();
                let (client, path) = &state.mutexes[&name];
                (state.clients[client].clone(), path.clone())
            };
            let hold = offered::curator_lock(&client, &path).await?;
            state.lock().unwrap().holds.insert(name, hold);
        }
        "release" => drop(state.lock().unwrap().holds.remove(&name).ok_or("not held")?),
        "close" => drop(state.lock().unwrap().clients.remove(&name)),
        "await" => {}
        verb => return Err(format!("no verb {verb}").into()),
    }
    Ok(())
}

fn main() {
    let runtime = Arc::new(tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap());
    let state = Arc::new(Mutex::new(State::default()));
    let mut workers: HashMap<String, mpsc::Sender<Vec<String>>> = HashMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let request: Vec<String> = line.split_whitespace().map(decode).collect();
        let worker = workers.entry(request[1].clone()).or_insert_with(|| {
            let (sender, receiver) = mpsc::channel::<Vec<String>>();
            let (runtime, state) = (runtime.clone(), state.clone());
            std::thread::spawn(move || {
                for request in receiver {
                    let began = now();
                    let (status, details) = match runtime.block_on(perform(&state, &request)) {
                        Ok(()) => ("CURATOR_OK", String::new()),
                        Err(failure) => ("CURATOR_ERROR", format!(" {}", encode(&failure.to_string()))),
                    };
                    println!("{} {status} {began:.3} {:.3}{details}", request[0], now());
                }
            });
            sender
        });
        worker.send(request).unwrap();
    }
    std::process::exit(0);
}
