//! Any two changes of any text can be merged, and nobody's words are lost.
//! Never asks which order is nicer; only what every merge promises.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [base, ours, theirs] = fuzz::texts::<3>(bytes);
    // CALL: merge the three; if one side is unchanged, the result is the other side.
    std::hint::black_box((base, ours, theirs));
});
