//! Commands that count, and what they showed in a few lines. Never runs anything, and never runs more than the gate lets pass unasked.

use super::super::conversation::Step;

/// Folders that hold nothing that anybody wrote.
const PASSED_OVER: [&str; 5] = [".git", ".agent-doc", "runs", "target", "node_modules"];
/// Folders that are named.
const FOLDERS_MAX: usize = 12;
/// Lines of an output that are shown.
const LINES_MAX: usize = 20;

/// The command that names each file with one of the words.
pub(super) fn search(words: &[String]) -> String {
    let skipped: Vec<String> = PASSED_OVER.iter().map(|folder| format!("--exclude-dir={folder}")).collect();
    format!("grep -rIilE {} -e '{}' .", skipped.join(" "), words.join("|"))
}

/// The files that a search named.
pub(super) fn files(output: &str) -> Vec<String> {
    let named = output.lines().filter_map(|line| line.trim().strip_prefix("./"));
    named.filter(|path| is_plain(path)).map(str::to_owned).collect()
}

/// The command that counts the lines of some of the files.
pub(super) fn measure(files: &[String], count: usize) -> Option<String> {
    let mut chosen: Vec<&String> = files.iter().filter(|file| !file.contains("/tests/")).collect();
    // By name, for a search names them in the order of the disk.
    chosen.sort_unstable();
    chosen.truncate(count);
    let names: Vec<&str> = chosen.into_iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("wc -l {}", names.join(" ")))
}

/// Whether a path means itself in a shell.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
        && !path.starts_with('-')
}

/// What a command showed, for the document.
pub(super) fn told(step: &Step, is_last: bool) -> String {
    let command = step.argument(&["command", "cmd"]);
    let note = if is_last { format!("\n\n{}", super::NOTE) } else { String::new() };
    if step.failed {
        let why = step.output.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return format!("Ran `{command}`, which did not work: {}{note}", why.trim());
    }
    let files = files(&step.output);
    if command.starts_with("grep -rIilE") && !files.is_empty() {
        let folders = folders(&files);
        let shown: Vec<String> = folders
            .iter()
            .take(FOLDERS_MAX)
            .map(|(folder, count)| format!("- `{folder}`: {}", number(*count, "file")))
            .collect();
        let more = folders.len().saturating_sub(FOLDERS_MAX);
        let more = if more > 0 { format!("\n- and {more} more folders") } else { String::new() };
        return format!(
            "Ran `{command}`: {} files, by folder\n\n{}{more}{note}",
            files.len(),
            shown.join("\n")
        );
    }
    let lines: Vec<&str> = step.output.lines().collect();
    let mut shown = lines.iter().take(LINES_MAX).copied().collect::<Vec<_>>().join("\n");
    if lines.len() > LINES_MAX {
        shown.push_str(&format!("\n… {} more lines", lines.len() - LINES_MAX));
    }
    format!("Ran `{command}`:\n\n~~~~\n{}\n~~~~{note}", shown.trim_end())
}

/// The files of a count of lines, with their numbers.
pub(super) fn lines(output: &str) -> Vec<(String, usize)> {
    let counted = output.lines().filter_map(|line| {
        let (path, count) = line.trim().rsplit_once(':').unwrap_or((line.trim(), "1"));
        Some((path.trim_start_matches("./").to_owned(), count.trim().parse().ok()?))
    });
    let is_written =
        |path: &str| !path.contains(' ') && path.contains(['.', '/']) && !path.ends_with(".lock");
    counted
        .filter(|(path, _)| {
            is_written(path) && !PASSED_OVER.iter().any(|folder| path.starts_with(&format!("{folder}/")))
        })
        .collect()
}

/// Where words stand, by folder.
pub(super) fn places(counted: &[(String, usize)], words: &[String]) -> String {
    let about = super::quoted(words);
    if words.is_empty() {
        return "The objective names nothing that can be searched for.".to_owned();
    }
    if counted.is_empty() {
        return format!("No file says anything about {about}.");
    }
    let total: usize = counted.iter().map(|(_, count)| count).sum();
    let mut folders: Vec<(String, usize)> = Vec::new();
    for (path, count) in counted {
        let folder = folder_of(path);
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, sum)) => *sum += count,
            None => folders.push((folder, *count)),
        }
    }
    folders.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let shown: Vec<String> = folders
        .iter()
        .take(FOLDERS_MAX)
        .map(|(folder, count)| format!("- `{folder}`: {}", number(*count, "line")))
        .collect();
    let (lines, files) = (number(total, "line"), number(counted.len(), "file"));
    let verb = if total == 1 { "is" } else { "are" };
    format!("{lines} of {files} {verb} about {about}, by folder\n\n{}", shown.join("\n"))
}

/// One thing, or several.
fn number(count: usize, thing: &str) -> String {
    let more = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{more}")
}

/// The file with most of the words in each folder, the best folder first. Code that is tried out counts less than code that is used.
pub(super) fn best(counted: &[(String, usize)], count: usize) -> Vec<String> {
    let is_test = |path: &str| path.contains("/tests/") || path.starts_with("tests/");
    let mut files: Vec<&(String, usize)> = counted.iter().collect();
    files.sort_by(|one, other| {
        (is_test(&one.0), std::cmp::Reverse(one.1), &one.0).cmp(&(
            is_test(&other.0),
            std::cmp::Reverse(other.1),
            &other.0,
        ))
    });
    let mut chosen: Vec<String> = Vec::new();
    for (path, _) in files {
        if !chosen.iter().any(|known| folder_of(known) == folder_of(path)) {
            chosen.push(path.clone());
        }
    }
    chosen.truncate(count);
    chosen
}

/// The part of a project that a file belongs to: its first two folders.
fn folder_of(file: &str) -> String {
    let parts: Vec<&str> = file.split('/').collect();
    match parts.as_slice() {
        [first, second, _, ..] => format!("{first}/{second}"),
        [first, _] => (*first).to_owned(),
        _ => ".".to_owned(),
    }
}

/// How many files each folder has, most first.
fn folders(files: &[String]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for file in files {
        let folder = folder_of(file);
        match counts.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, count)) => *count += 1,
            None => counts.push((folder, 1)),
        }
    }
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counts
}
