//! Binary frames of the Yjs protocols: which message it is, and where its bytes begin. Never looks into an update; the
//! document's owner does, and strictly.

/// The longest state of a peer about itself.
const PRESENCE_MAX: usize = 4096;

/// A frame that came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'f> {
    /// The peer says what it knows.
    StateVector(&'f [u8]),
    /// The peer sends words: what we lacked, or what it just typed.
    Update(&'f [u8]),
    /// The peer says where it is.
    Presence(&'f [u8]),
    /// The peer wants to know where the others are.
    Query,
}

/// Reads a frame; none if it is not one of these, or more than one.
pub(crate) fn read(bytes: &[u8]) -> Option<Frame<'_>> {
    let mut rest = bytes;
    let frame = match number(&mut rest)? {
        0 => match number(&mut rest)? {
            0 => Frame::StateVector(sized(&mut rest)?),
            1 | 2 => Frame::Update(sized(&mut rest)?),
            _ => return None,
        },
        1 => Frame::Presence(sized(&mut rest)?),
        3 => Frame::Query,
        _ => return None,
    };
    rest.is_empty().then_some(frame)
}

/// Whether a word about presence is about this client alone, short, and JSON.
pub(crate) fn is_own_presence(bytes: &[u8], client: u64) -> bool {
    let mut rest = bytes;
    let mut parse = || {
        let is_one = number(&mut rest)? == 1 && number(&mut rest)? == client;
        let _clock = number(&mut rest)?;
        let state = sized(&mut rest)?;
        let is_json =
            state.len() <= PRESENCE_MAX && serde_json::from_slice::<serde_json::Value>(state).is_ok();
        Some(is_one && is_json)
    };
    parse().unwrap_or(false) && rest.is_empty()
}

pub(crate) fn state_vector(vector: &[u8]) -> Vec<u8> {
    framed(&[0, 0], vector)
}

pub(crate) fn missing(update: &[u8]) -> Vec<u8> {
    framed(&[0, 1], update)
}

pub(crate) fn update(update: &[u8]) -> Vec<u8> {
    framed(&[0, 2], update)
}

pub(crate) fn presence(state: &[u8]) -> Vec<u8> {
    framed(&[1], state)
}

fn framed(kind: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(kind.len() + 10 + bytes.len());
    frame.extend_from_slice(kind);
    let mut length = bytes.len();
    while length >= 0x80 {
        frame.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    frame.push(length as u8);
    frame.extend_from_slice(bytes);
    frame
}

/// A number in groups of seven bits, the lowest first.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..56).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn sized<'f>(rest: &mut &'f [u8]) -> Option<&'f [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (bytes, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Frame, is_own_presence, missing, presence, read, state_vector, update};

    #[test]
    fn what_is_written_is_read() {
        let long = vec![7; 300];
        assert_eq!(read(&state_vector(b"ab")), Some(Frame::StateVector(b"ab")));
        assert_eq!(read(&missing(&long)), Some(Frame::Update(&long)));
        assert_eq!(read(&update(b"")), Some(Frame::Update(b"")));
        assert_eq!(read(&presence(b"x")), Some(Frame::Presence(b"x")));
        assert_eq!(read(&[3]), Some(Frame::Query));
    }

    #[test]
    fn anything_else_is_no_frame() {
        let bytes: &[&[u8]] =
            &[b"", &[0], &[0, 0], &[0, 0, 5, 1], &[0, 3, 0], &[2, 0], &[9], &[3, 3], &[0x80; 20]];
        for bytes in bytes {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_peer_speaks_of_itself_only() {
        let state = |client: u8, json: &str| [&[1, client, 4, json.len() as u8], json.as_bytes()].concat();
        assert!(is_own_presence(&state(5, "{}"), 5));
        assert!(is_own_presence(&state(5, "null"), 5));
        assert!(!is_own_presence(&state(6, "{}"), 5));
        assert!(!is_own_presence(&state(5, "{"), 5));
        assert!(!is_own_presence(&[state(5, "{}"), vec![0]].concat(), 5));
    }
}
