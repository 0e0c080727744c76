//! Session documents: the person's edit is the prompt, and the answer is merged into the file while they keep typing. Never
//! writes a document itself; its owner does.

pub mod agent;
