//! Any text has sections, and they lie in order inside the text.
//! Never asks what a heading says; only that finding sections cannot panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text] = fuzz::texts::<1>(bytes);
    // CALL: find the sections of `text`; each range is in order, in bounds and on character boundaries.
    std::hint::black_box(text);
});
