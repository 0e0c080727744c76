//! What the README shows is what the program does.

use crate::scratch::{Scratch, told};

#[test]
fn the_merge_in_the_readme_is_a_real_one() {
    let readme = include_str!("../../../../README.md");
    let blocks: Vec<&str> =
        readme.split("```markdown\n").skip(1).filter_map(|rest| rest.split("```\n").next()).collect();
    let [base, agent, mine, merged] = blocks[..] else {
        panic!("the README shows four texts, not {}", blocks.len());
    };
    let scratch = Scratch::with(&[("base.md", base), ("agent.md", agent), ("mine.md", mine)]);
    let output = scratch.run(&["merge", "base.md", "agent.md", "mine.md"]);
    assert_eq!(told(&output), format!("exit 0\n{merged}"));
}
