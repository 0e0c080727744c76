//! Recorded streams: however they are cut and glued, the events are those of the whole.

use std::path::Path;

use agent::model::ModelEvent;
use models::Protocol;
use models::answer::Answer;
use models::recording::Recording;

use crate::row;

/// Random pieces for each file.
const ROUNDS: u64 = 500;

pub(crate) fn run(folder: &Path) {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        row(&name, check(&std::fs::read(&file).expect("a file")));
    }
}

fn check(bytes: &[u8]) -> Result<String, String> {
    let recording = Recording::read(bytes).map_err(|error| error.to_string())?;
    let mut told = Vec::new();
    for exchange in &recording.exchanges {
        let protocol = exchange.protocol.ok_or("the provider is unknown")?;
        told.push(check_stream(protocol, &exchange.bytes())?);
    }
    Ok(told.join("; "))
}

fn check_stream(protocol: Protocol, stream: &[u8]) -> Result<String, String> {
    let whole = decoded(protocol, &[stream]);
    let stopped = whole.0.iter().find_map(|event| match event {
        ModelEvent::Stopped { reason, .. } => Some(reason.to_string()),
        _ => None,
    });
    let stopped = stopped.ok_or(format!("not understood as a whole: {:?}", whole.1))?;
    for place in 0..=stream.len() {
        let (head, tail) = stream.split_at(place);
        if decoded(protocol, &[head, tail]) != whole {
            return Err(format!("cut at {place}, the events differ"));
        }
    }
    let mut seed = 1;
    for round in 0..ROUNDS {
        if decoded(protocol, &pieces(stream, &mut seed)) != whole {
            return Err(format!("glued at random, round {round}, the events differ"));
        }
    }
    Ok(format!("{protocol}, {stopped}, {} events, {} cuts, {ROUNDS} glued", whole.0.len(), stream.len() + 1))
}

fn decoded(protocol: Protocol, pieces: &[&[u8]]) -> (Vec<ModelEvent>, Option<String>) {
    let (mut answer, mut events) = (Answer::new(protocol, 1), Vec::new());
    for piece in pieces {
        if let Err(error) = answer.feed(piece, &mut events) {
            return (events, Some(error.to_string()));
        }
    }
    let error = answer.finish(&mut events).err().map(|error| error.to_string());
    (events, error)
}

/// Pieces of one to sixty-four bytes.
fn pieces<'a>(bytes: &'a [u8], seed: &mut u64) -> Vec<&'a [u8]> {
    let (mut rest, mut pieces) = (bytes, Vec::new());
    while !rest.is_empty() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = 1 + usize::try_from(*seed >> 58).unwrap_or(0);
        let (piece, tail) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}
