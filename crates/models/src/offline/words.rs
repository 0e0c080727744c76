//! What of a request is worth looking for: quoted phrases, paths, commands, and words that carry meaning. Never guesses a
//! meaning.

/// The most words that one search looks for.
const WORDS_MAX: usize = 6;

/// Words that stand in every question.
const COMMON: &[&str] = &[
    "about",
    "after",
    "all",
    "also",
    "and",
    "any",
    "anything",
    "are",
    "because",
    "been",
    "before",
    "between",
    "both",
    "but",
    "can",
    "code",
    "compare",
    "could",
    "describe",
    "did",
    "do",
    "does",
    "doing",
    "each",
    "every",
    "everything",
    "explain",
    "file",
    "files",
    "find",
    "folder",
    "for",
    "from",
    "get",
    "give",
    "had",
    "happens",
    "has",
    "have",
    "hello",
    "here",
    "how",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "list",
    "look",
    "made",
    "make",
    "many",
    "me",
    "mean",
    "means",
    "more",
    "most",
    "much",
    "need",
    "not",
    "now",
    "of",
    "on",
    "one",
    "only",
    "or",
    "our",
    "over",
    "please",
    "project",
    "read",
    "repo",
    "repository",
    "say",
    "search",
    "see",
    "should",
    "show",
    "some",
    "something",
    "such",
    "summarize",
    "summary",
    "take",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "through",
    "under",
    "use",
    "used",
    "uses",
    "using",
    "very",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "will",
    "with",
    "without",
    "work",
    "works",
    "would",
    "write",
    "you",
    "your",
];

/// The commands that the person wrote to be run: lines that begin with `$ `, or a block in a fence if they say so.
pub(super) fn commands(asked: &str) -> Vec<String> {
    let lines = asked.lines().filter_map(|line| line.trim_start().strip_prefix("$ "));
    let mut commands: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
    if commands.is_empty() && wants_run(asked) {
        commands.extend(fenced(asked));
    }
    commands.retain(|command| !command.is_empty());
    commands
}

fn wants_run(asked: &str) -> bool {
    let outside = asked.split("```").step_by(2).collect::<String>().to_lowercase();
    words_of(&outside).any(|word| matches!(word, "run" | "execute" | "start" | "try"))
}

/// The blocks in fences of a shell, or of no language.
fn fenced(asked: &str) -> Vec<String> {
    let blocks = asked.split("```").skip(1).step_by(2);
    let shell = |block: &str| {
        let (language, body) = block.split_once('\n')?;
        let language = language.trim();
        let is_shell = ["", "sh", "bash", "shell", "console", "zsh"].contains(&language);
        is_shell.then(|| body.trim().to_owned())
    };
    blocks.filter_map(shell).collect()
}

/// A line such as `/read notes.md`: its verb and the rest.
pub(super) fn directives(asked: &str) -> Vec<(String, String)> {
    let directive = |line: &str| {
        let rest = line.trim().strip_prefix('/')?;
        let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let is_verb = !verb.is_empty() && verb.chars().all(|letter| letter.is_ascii_lowercase());
        is_verb.then(|| (verb.to_owned(), rest.trim().to_owned()))
    };
    asked.lines().filter_map(directive).collect()
}

/// Paths that the person named: with a slash or an ending, and no address of the web.
pub(super) fn paths(asked: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in asked.split(|letter: char| letter.is_whitespace() || "\"'`()<>,;".contains(letter)) {
        let word = word.trim_end_matches(['.', ':', '?', '!']);
        let ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=6).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric)
        });
        let slash = word.trim_matches('/').contains('/');
        let is_path = (ending || slash) && !word.contains("://") && !word.starts_with('/') && word.len() > 2;
        let is_number = word.chars().all(|letter| letter.is_numeric() || letter == '.');
        if is_path && !is_number && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found.truncate(3);
    found
}

/// The words to search for: quoted phrases first, then words that are not in every question, in their order.
pub(super) fn keywords(asked: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        let word = word.trim().to_lowercase();
        if word.chars().count() >= 3 && !found.contains(&word) {
            found.push(word);
        }
    };
    for mark in ['`', '"'] {
        asked.split(mark).skip(1).step_by(2).filter(|phrase| phrase.len() <= 60).for_each(&mut add);
    }
    // The parts of a path say nothing about what stands elsewhere.
    let rest = paths(asked).iter().fold(asked.to_owned(), |rest, path| rest.replace(path.as_str(), " "));
    for word in words_of(&rest) {
        let lower = word.to_lowercase();
        if !COMMON.contains(&lower.as_str()) {
            // The singular is found in the plural, and not the other way round.
            let singular =
                lower.strip_suffix('s').filter(|stem| stem.chars().count() > 3 && !stem.ends_with('s'));
            add(singular.unwrap_or(&lower));
        }
    }
    found.truncate(WORDS_MAX);
    found
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-');
    words.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}
