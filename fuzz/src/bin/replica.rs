//! Any bytes can be offered as a saved replica or as an update of one.
//! Never builds a valid update on purpose; bad bytes are an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // CALL: decode `bytes` as an update of a replica; an update that was taken leaves a readable text.
    std::hint::black_box(bytes);
});
