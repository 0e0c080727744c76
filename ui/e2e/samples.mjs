// Documents to write in.
export const PLAN = `# Moving the release to Friday

We ship the new store on **Friday**. Two things stand in the way: the migration of old journals, and a test that fails once in a hundred runs on slow disks.

## Conductor

The store is ready; the journals are not. Ship on Friday if the migration is done by Wednesday noon, otherwise a week later. See [the notes on journals](notes/journals.md).

1. Freeze the format on Tuesday.
2. Migrate a copy of every journal and compare.
3. Switch over, and keep the old files for a month.

## Researcher
<!-- proposal -->

Found three ways to migrate. ~~All of them need a lock.~~ The second needs none, because a journal is only ever appended to:

| way | time for 10,000 journals | lock |
|---|---|---|
| copy and swap | 41 s | yes |
| append a marker | 3 s | no |

## Terminal
<!-- proposal -->

\`\`\`
$ cargo xtask bench io
flush p50 1.9 ms   p99 6.4 ms
\`\`\`

Note to Researcher: the marker costs one flush and nothing else.

## User
<!-- proposal -->

/also look at Windows
`;

export const NOTES = `# Notes on journals

Each operation is a record with a sum.
`;

export const SESSION = `---
agent: offline
agent_doc_mode: append
---

# Questions about the store

## User

Where is it said why a rename is not enough?
`;

export const RUN = `# Compare the error handling of the crates

## Conductor

## Researcher
<!-- proposal -->
`;

export const COMMANDS = `---
agent: offline
agent_doc_mode: append
---

# Switching over

The journals are copied and compared. What is left is the switch itself.

## User

Tag the release and push it, please.

$ git push --force-with-lease origin release
`;
