//! Pages that write: over a real WebSocket, with frames made by hand.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::desk::{Desk, TEXT};

pub(crate) struct Page {
    socket: WebSocketStream<TcpStream>,
}

/// A socket of the server, with this secret.
pub(crate) async fn opened(
    desk: &Desk,
    token: &str,
    target: &str,
) -> Result<WebSocketStream<TcpStream>, Error> {
    let mut request = format!("ws://{}{target}", desk.host()).into_client_request().unwrap();
    let offered = format!("agent-doc, bearer.{token}");
    request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
    Ok(client_async(request, desk.connect().await).await?.0)
}

impl Page {
    pub(crate) async fn open(desk: &Desk, client: u64, epoch: &str) -> Result<Page, Error> {
        Page::open_with(desk, &desk.token, client, epoch).await
    }

    pub(crate) async fn open_with(desk: &Desk, token: &str, client: u64, epoch: &str) -> Result<Page, Error> {
        let target = format!("/ws?path=plan.md&client={client}&name=anna&epoch={epoch}");
        Page::joined(opened(desk, token, &target).await?).await
    }

    pub(crate) async fn open_at(desk: &Desk, path: &str, client: u64) -> Result<Page, Error> {
        Page::joined(opened(desk, &desk.token, &format!("/ws?path={path}&client={client}")).await?).await
    }

    async fn joined(socket: WebSocketStream<TcpStream>) -> Result<Page, Error> {
        let mut page = Page { socket };
        // A state vector without an entry: this page knows nothing.
        page.send(vec![0, 0, 1, 0]).await;
        Ok(page)
    }

    pub(crate) async fn send(&mut self, bytes: Vec<u8>) {
        use futures_util::SinkExt as _;
        self.socket.send(Message::Binary(Bytes::from(bytes))).await.unwrap();
    }

    /// Sends a frame to a server that may have hung up.
    async fn send_if_heard(&mut self, bytes: Vec<u8>) {
        use futures_util::SinkExt as _;
        drop(self.socket.send(Message::Binary(Bytes::from(bytes))).await);
    }

    /// The next event of a kind; binary frames before it are passed over.
    pub(crate) async fn event(&mut self, kind: &str) -> Value {
        loop {
            if let Message::Text(text) = self.next().await {
                let event: Value = serde_json::from_str(&text).unwrap();
                if event["kind"] == kind {
                    return event;
                }
            }
        }
    }

    /// The kinds of all events up to the next of a kind.
    pub(crate) async fn kinds_until(&mut self, kind: &str) -> Vec<String> {
        let mut kinds = Vec::new();
        while kinds.last().is_none_or(|last| last != kind) {
            if let Message::Text(text) = self.next().await {
                let event: Value = serde_json::from_str(&text).unwrap();
                kinds.push(event["kind"].as_str().unwrap().to_owned());
            }
        }
        kinds
    }

    /// The next binary frame that holds these words.
    async fn words(&mut self, words: &str) {
        loop {
            if let Message::Binary(bytes) = self.next().await
                && bytes.windows(words.len()).any(|window| window == words.as_bytes())
            {
                return;
            }
        }
    }

    pub(crate) async fn closed(&mut self) -> u16 {
        loop {
            if let Message::Close(Some(frame)) = self.next().await {
                return frame.code.into();
            }
        }
    }

    async fn next(&mut self) -> Message {
        use futures_util::StreamExt as _;
        timeout(Duration::from_secs(30), self.socket.next()).await.unwrap().unwrap().unwrap()
    }
}

/// A frame that types `text` at the very beginning, as the first words of `client`.
pub(crate) fn typing(client: u8, text: &str) -> Vec<u8> {
    let mut update = vec![1, 1, client, 0, 4, 1, 4];
    update.extend_from_slice(b"text");
    update.push(text.len() as u8);
    update.extend_from_slice(text.as_bytes());
    update.push(0);
    [vec![0, 2, update.len() as u8], update].concat()
}

/// A frame that types `text` behind the first `clock` letters that `client` has typed, as its next words.
fn typing_on(client: u8, clock: u8, text: &str) -> Vec<u8> {
    behind(client, clock, (client, clock - 1), text)
}

/// A frame that types `text` behind one letter of somebody.
fn behind(client: u8, clock: u8, (left, left_clock): (u8, u8), text: &str) -> Vec<u8> {
    let mut update = vec![1, 1, client, clock, 0x84, left, left_clock, text.len() as u8];
    update.extend_from_slice(text.as_bytes());
    update.push(0);
    [vec![0, 2, update.len() as u8], update].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_types_is_in_the_file_when_the_page_hears_so() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    page.words("Ship it.").await;
    page.send(typing(5, "Typed. ")).await;
    let saved = page.event("saved").await;
    assert_eq!(saved["count"], 1);
    assert_eq!(std::fs::read_to_string(desk.file()).unwrap(), format!("Typed. {TEXT}"));
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_hears_another_page_and_a_worker_and_an_editor() {
    let desk = Desk::open().await;
    let mut one = Page::open(&desk, 5, "").await.unwrap();
    let mut two = Page::open(&desk, 6, "").await.unwrap();
    one.event("hello").await;
    two.event("hello").await;
    one.send(typing(5, "From the first page. ")).await;
    two.words("From the first page.").await;
    let call = json!({ "path": "plan.md", "section": "Researcher",
        "change": { "kind": "append", "content": "Three sources found." } });
    let key = json!({ "role": { "kind": "worker", "name": "Researcher" } }).to_string();
    let worker = desk.ask("POST", "/api/keys", &key).await.json()["token"].as_str().unwrap().to_owned();
    let answer = desk.ask_as(&worker, &[], ("POST", "/api/section"), &call.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // Who wrote is told before what was written.
    let worker = loop {
        let event = two.event("visitors").await;
        let visitors = event["visitors"].as_array().unwrap().clone();
        if let Some(worker) = visitors.into_iter().find(|visitor| visitor["name"] == "Researcher") {
            break worker;
        }
    };
    assert_eq!(worker["agent"], true);
    two.words("Three sources found.").await;
    let text = std::fs::read_to_string(desk.file()).unwrap();
    std::fs::write(desk.file(), text.replace("Ship it.", "Ship it on Friday.")).unwrap();
    one.words(" on Friday").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_comes_back_to_another_session_is_told_so_and_its_words_are_merged() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "an-epoch-of-before").await.unwrap();
    let hello = page.event("hello").await;
    assert_ne!(hello["epoch"], "an-epoch-of-before");
    let asked = json!({ "path": "plan.md", "name": "anna", "base": TEXT, "text": TEXT.replace("Ship it.", "Ship it. Offline words.") });
    for _ in 0..2 {
        assert_eq!(desk.ask("POST", "/api/rebase", &asked.to_string()).await.status, 200);
    }
    page.words("Offline words.").await;
    let text = std::fs::read_to_string(desk.file()).unwrap();
    assert_eq!(text, TEXT.replace("Ship it.", "Ship it. Offline words."), "sent twice, and there once");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_is_none_ends_only_its_own_page() {
    let desk = Desk::open().await;
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    good.event("hello").await;
    let forged = typing(7, "As somebody else. ");
    let broken: [Vec<u8>; 3] = [vec![9, 9], forged, vec![0, 2, 3, 1, 1, 6]];
    for frame in broken {
        let mut bad = Page::open(&desk, 6, "").await.unwrap();
        bad.event("hello").await;
        bad.send(frame.clone()).await;
        let code = bad.closed().await;
        assert!(matches!(code, 4400 | 4409), "{frame:?}: {code}");
    }
    good.send(typing(5, "Still here. ")).await;
    good.event("saved").await;
    assert!(std::fs::read_to_string(desk.file()).unwrap().starts_with("Still here. # Plan"));
    desk.close().await;
}

/// The text of the file when all that was sent before is in it: nothing is merged, and that is answered after it.
async fn settled(desk: &Desk) -> String {
    let nothing = json!({ "path": "plan.md", "name": "anna", "base": TEXT, "text": TEXT }).to_string();
    assert_eq!(desk.ask("POST", "/api/rebase", &nothing).await.status, 200);
    desk.text()
}

/// The three parts of what a page types, in its order.
fn parts() -> [Vec<u8>; 3] {
    [typing(6, "One "), typing_on(6, 4, "two "), typing_on(6, 8, "three. ")]
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_come_twice_are_there_once() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 6, "").await.unwrap();
    page.event("hello").await;
    let [one, two, three] = parts();
    for frame in [&one, &one, &two, &one, &two, &three, &three, &one] {
        page.send(frame.clone()).await;
    }
    while page.event("saved").await["count"] != 8 {}
    assert_eq!(std::fs::read_to_string(desk.file()).unwrap(), format!("One two three. {TEXT}"));
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_comes_before_its_time_is_not_taken_and_nothing_of_the_text_is_mixed_up() {
    let desk = Desk::open().await;
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    let epoch = good.event("hello").await["epoch"].as_str().unwrap().to_owned();
    let [one, two, three] = parts();
    let unknown = behind(6, 4, (9, 3), "behind a letter that nobody wrote");
    // The second part is missing; the last comes before the first; the words lean on those of a page that never came.
    for (sent, kept) in [
        (vec![&one, &three], "One "),
        (vec![&three, &one, &two], "One "),
        (vec![&one, &unknown], "One "),
        (vec![&one, &two, &two, &three], "One two three. "),
    ] {
        let mut bad = Page::open(&desk, 6, &epoch).await.unwrap();
        bad.event("hello").await;
        for frame in sent {
            bad.send_if_heard(frame.clone()).await;
        }
        if kept == "One " {
            assert_eq!(bad.closed().await, 4409);
        } else {
            // It joined again with all that it had typed, and all of it is there once.
            while bad.event("saved").await["count"] != 4 {}
        }
        assert_eq!(settled(&desk).await, format!("{kept}{TEXT}"));
    }
    good.send(typing(5, "Still here. ")).await;
    good.event("saved").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_types_before_it_says_what_it_knows_is_refused() {
    let desk = Desk::open().await;
    let target = "/ws?path=plan.md&client=6&name=anna";
    let mut early = Page { socket: opened(&desk, &desk.token, target).await.unwrap() };
    early.send(typing(6, "Early. ")).await;
    assert_eq!(early.closed().await, 4400);
    assert_eq!(std::fs::read_to_string(desk.file()).unwrap(), TEXT);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_peer_says_about_where_others_are_is_told_to_nobody() {
    let desk = Desk::open().await;
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    let mut bad = Page::open(&desk, 6, "").await.unwrap();
    good.event("hello").await;
    bad.event("hello").await;
    // It speaks of number 7, then of itself.
    for client in [7, 6] {
        let state = br#"{"a":1}"#;
        let words = [&[1, client, 1, state.len() as u8], state.as_slice()].concat();
        bad.send([&[1, words.len() as u8], words.as_slice()].concat()).await;
    }
    good.words("{\"a\":1}").await;
    bad.send(typing(6, "Still here. ")).await;
    bad.event("saved").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_64_megabytes_is_refused_and_others_go_on() {
    use futures_util::{SinkExt as _, StreamExt as _};
    let desk = Desk::open().await;
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    good.event("hello").await;
    let mut bad = Page::open(&desk, 6, "").await.unwrap();
    bad.event("hello").await;
    // The server may hang up while the frame is still on its way.
    let _is_sent = bad.socket.send(Message::Binary(Bytes::from(vec![0; 64 << 20]))).await.is_ok();
    while let Some(Ok(_)) = bad.socket.next().await {}
    good.send(typing(5, "Still here. ")).await;
    good.event("saved").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_reads_holds_up_nobody() {
    let desk = Desk::open().await;
    let _deaf = Page::open(&desk, 6, "").await.unwrap();
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    good.event("hello").await;
    let block = "A long line of many words that fills what lies between. ".repeat(400);
    for number in 0..40 {
        let call = json!({ "path": "plan.md", "section": "Researcher",
            "change": { "kind": "append", "content": format!("{block}{number}.") } });
        assert_eq!(desk.ask("POST", "/api/section", &call.to_string()).await.status, 200);
        good.words(&format!("{number}.")).await;
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ld_5_a_page_that_does_not_read_is_told_to_join_again_and_others_hear_everything() {
    let desk = Desk::open().await;
    // As little as possible is held for it on the way.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = socket.connect(([127, 0, 0, 1], desk.port).into()).await.unwrap();
    let target = format!("ws://{}/ws?path=plan.md&client=6", desk.host());
    let mut request = target.into_client_request().unwrap();
    let offered = format!("agent-doc, bearer.{}", desk.token);
    request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
    let mut slow = Page::joined(client_async(request, stream).await.unwrap().0).await.unwrap();
    let mut good = Page::open(&desk, 5, "").await.unwrap();
    good.event("hello").await;
    let mut loud = Page::open(&desk, 7, "").await.unwrap();
    loud.event("hello").await;
    // Much is said, and none of it changes the text: only where somebody is.
    const WORDS: usize = 3000;
    let (told, mut heard) = tokio::sync::watch::channel(0);
    let hearing = tokio::spawn(async move {
        while *told.borrow() < WORDS {
            let is_one = matches!(good.next().await, Message::Binary(bytes) if bytes.len() > 3900);
            told.send_modify(|heard| *heard += usize::from(is_one));
        }
    });
    for number in 0..WORDS {
        // Nobody runs ahead of the one who reads: it is the other who shall miss something.
        if number % 200 == 0 {
            heard.wait_for(|heard| *heard == number).await.unwrap();
        }
        let state = format!("{{\"at\":\"{}\"}}", "x".repeat(3900)).into_bytes();
        let mut words = vec![1, 7, 1];
        words.extend([(state.len() & 0x7f) as u8 | 0x80, (state.len() >> 7) as u8]);
        words.extend(&state);
        let length = words.len();
        let head = vec![1, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
        loud.send([head, words].concat()).await;
    }
    hearing.await.unwrap();
    // Now it reads. A client of WebSockets would answer pings meanwhile, and nobody would take that: so the bytes are looked at.
    let mut bytes = Vec::new();
    let reading = slow.socket.get_mut().read_to_end(&mut bytes);
    timeout(Duration::from_secs(30), reading).await.unwrap().unwrap();
    let end = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(200)..]).into_owned();
    assert!(end.contains(r#"{"kind":"resync","reason":"events were missed"}"#), "{end}");
    // The code of the close is 4409.
    assert!(bytes.windows(2).rev().take(40).any(|pair| pair == [0x11, 0x39]), "{end}");
    let mut again = Page::open(&desk, 6, "").await.unwrap();
    again.event("hello").await;
    again.words("Ship it.").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_without_the_secret_is_not_opened() {
    let mut desk = Desk::open().await;
    let right = std::mem::replace(&mut desk.token, "0".repeat(32));
    assert!(matches!(Page::open(&desk, 5, "").await, Err(Error::Http(answer)) if answer.status() == 401));
    desk.token = right;
    assert!(matches!(Page::open(&desk, 0, "").await, Err(Error::Http(answer)) if answer.status() == 400));
    desk.close().await;
}
