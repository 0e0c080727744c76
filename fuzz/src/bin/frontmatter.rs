//! Any text can be asked for its settings, and setting one key changes nothing else.
//! Never asks whether the settings are sensible; bad ones are a message, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text, key, value] = fuzz::texts::<3>(bytes);
    // CALL: parse the frontmatter of `text`, then set `key` to `value`; the body stays byte for byte the same.
    std::hint::black_box((text, key, value));
});
