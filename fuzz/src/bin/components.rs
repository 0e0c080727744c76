//! Any text has components, and what they span can be cut out and put back.
//! Never asks what a component contains; only that finding and writing one cannot panic, eat text or touch a byte elsewhere.
#![no_main]

use document::component::{Mode, apply, closing_line, components, find_component, inert};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text, addition] = fuzz::texts::<2>(bytes);
    inert(&text);
    closing_line(&text);
    let Ok(found) = components(&text) else {
        return;
    };
    let mut at = 0;
    for component in &found {
        assert!(at <= component.open.start, "components stand in order");
        at = component.open.start;
        assert_eq!(component.open.end, component.content.start);
        assert_eq!(component.content.end, component.close.start);
        let range = component.range();
        let parts = [
            &text[..range.start],
            &text[component.open.clone()],
            &text[component.content.clone()],
            &text[component.close.clone()],
            &text[range.end..],
        ];
        assert_eq!(parts.concat(), text);
        if let Some(parent) = component.parent {
            let around = &found[parent].content;
            assert!(around.start <= range.start && range.end <= around.end);
        }
    }
    for component in found.iter().take(8) {
        let Ok(named) = find_component(&text, &component.name) else {
            continue;
        };
        for mode in [Mode::Replace, Mode::Append, Mode::Prepend] {
            let Ok(written) = apply(&text, &component.name, mode, &addition) else {
                continue;
            };
            assert!(written.starts_with(&text[..named.open.start]));
            assert!(written.ends_with(&text[named.close.end..]));
            let names = |text: &str| -> Option<Vec<String>> {
                let found = components(text).ok()?;
                Some(found.into_iter().map(|component| component.name).collect())
            };
            assert_eq!(names(&written), names(&text), "which components there are");
        }
    }
});
