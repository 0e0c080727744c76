//! Any text can be asked for its settings, and setting one key changes nothing else.
//! Never asks whether the settings are sensible; bad ones are a message, never a panic.
#![no_main]

use document::frontmatter::{Frontmatter, Settings, remove_key, set_key};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text, key, value] = fuzz::texts::<3>(bytes);
    check_key(&text, &key, &value);
    // A key that can be read back, whatever name the fuzzer finds.
    let Some(written) = check_key(&text, "model", &value) else {
        return;
    };
    let [before, after] = [&*text, &written].map(|text| Frontmatter::parse(text).settings);
    // A blank value is as good as none.
    if !value.trim().is_empty() {
        assert_eq!(after.model.as_deref(), Some(&*value));
    }
    let others = |settings: Settings| Settings { model: None, ..settings };
    assert_eq!(others(after), others(before), "the other settings");
});

/// Sets and removes a key: it can be done again without a change, and what is new is put in without taking anything out.
fn check_key(text: &str, key: &str, value: &str) -> Option<String> {
    let written = set_key(text, key, value).ok()?;
    assert_eq!(set_key(&written, key, value).as_deref(), Ok(&*written), "set again");
    let start = common(text.bytes(), written.bytes());
    let end = common(text.bytes().rev(), written.bytes().rev());
    if !text.contains(key) {
        assert!(start + end >= text.len(), "{text:?} became {written:?}");
    }
    let removed = remove_key(text, key).ok()?;
    assert!(removed.len() <= text.len());
    assert_eq!(remove_key(&removed, key).as_deref(), Ok(&*removed), "removed again");
    Some(written)
}

fn common(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}
