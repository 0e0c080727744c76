//! Any text has components, and what they span can be cut out and put back.
//! Never asks what a component contains; only that finding one cannot panic or eat text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text] = fuzz::texts::<1>(bytes);
    // CALL: find the components of `text`; replacing each by its own content gives `text` again.
    std::hint::black_box(text);
});
