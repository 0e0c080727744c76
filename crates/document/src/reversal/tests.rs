//! The older text comes back whatever was done to the newer one.

use super::Reversal;

/// A few thousand edits of each of many texts; after each, the older text is still what it was.
#[test]
fn the_older_text_comes_back_after_any_edits() {
    let mut state = 1_u64;
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound.max(1)
    };
    for _ in 0..2_000 {
        let first: String = (0..draw(40)).map(|_| char::from(b'a' + draw(26) as u8)).collect();
        let mut texts = vec![first.clone()];
        let mut steps = Vec::new();
        let mut text = first;
        for _ in 0..draw(6) {
            let mut step = Reversal::default();
            for _ in 0..draw(6) {
                let start = draw(text.len() + 1);
                let end = (start + draw(5)).min(text.len());
                let inserted: String = (0..draw(5)).map(|_| char::from(b'A' + draw(26) as u8)).collect();
                let removed = text[start..end].to_owned();
                text.replace_range(start..end, &inserted);
                step.edit(start..end, &removed, inserted.len());
            }
            assert_eq!(step.apply(&text), texts[texts.len() - 1]);
            texts.push(text.clone());
            steps.push(step);
        }
        let mut whole = Reversal::default();
        for (step, older) in steps.iter().zip(&texts).rev() {
            whole = whole.after(step);
            assert_eq!(&whole.apply(&text), older);
        }
    }
}
