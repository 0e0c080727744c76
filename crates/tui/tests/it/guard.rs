//! The terminal is given back after a panic, in a real terminal.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

const MARK: &str = "TUI_TEST_PANICS";

/// Run again by the test below, in a pane of its own.
#[test]
fn the_program_that_panics() {
    let Some(log) = std::env::var_os(MARK) else { return };
    let _guard = tui::Guard::take(Path::new(&log)).unwrap();
    // Nobody but the screen writes to the terminal.
    eprintln!("a stray line");
    let worker = std::thread::spawn(|| panic!("in a worker"));
    assert!(worker.join().is_err());
    panic!("in the front end");
}

fn tmux(socket: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new("tmux").arg("-S").arg(socket).args(arguments).env_remove("TMUX").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told_after_that() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, log) = (folder.path().join("tmux"), folder.path().join("log"));
    let program = std::env::current_exe().unwrap().display().to_string();
    let command = format!(
        "{MARK}='{}' '{program}' --exact guard::the_program_that_panics --nocapture; stty -a; echo given back; cat -v",
        log.display()
    );
    tmux(&socket, &["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", &command]);
    let mut shown = String::new();
    for _ in 0..2000 {
        shown = tmux(&socket, &["capture-pane", "-p"]);
        if shown.contains("given back") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let cursor = tmux(&socket, &["display-message", "-p", "#{cursor_flag}"]);
    // What is pasted now comes without marks, as before.
    tmux(&socket, &["set-buffer", "pasted"]);
    tmux(&socket, &["paste-buffer", "-p"]);
    tmux(&socket, &["send-keys", "Enter"]);
    let mut pasted = String::new();
    for _ in 0..2000 {
        pasted = tmux(&socket, &["capture-pane", "-p"]);
        if pasted.matches("pasted").count() >= 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    tmux(&socket, &["kill-server"]);
    assert_eq!(cursor.trim(), "1");
    assert!(pasted.contains("\npasted\npasted\n"), "{pasted}");
    assert!(shown.contains(" icanon ") && shown.contains(" echo "), "{shown}");
    assert!(shown.contains("in the front end") && !shown.contains("in a worker"), "{shown}");
    assert!(!shown.contains("a stray line"), "{shown}");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("a stray line") && log.contains("in a worker"), "{log}");
}
