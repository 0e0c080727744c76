//! Time of quiet, without a disk.

use super::*;

fn quiet(pending_max: usize) -> (Quiet, Instant) {
    let mut quiet = Quiet::new(Duration::from_millis(500), pending_max);
    quiet.know_root(PathBuf::from("root"));
    quiet.know("root/live.md".into(), Duration::ZERO);
    (quiet, Instant::now())
}

fn changed(path: &str) -> Watched {
    Watched::FileChanged(path.into())
}

#[tokio::test(start_paused = true)]
async fn many_events_of_a_file_become_one_once_it_is_quiet() {
    let (mut quiet, begun) = quiet(10);
    let at = |milliseconds| begun + Duration::from_millis(milliseconds);
    for milliseconds in [0, 100, 300] {
        quiet.hear("root/a.md".into(), at(milliseconds));
        assert_eq!(quiet.take(at(milliseconds)), []);
    }
    assert_eq!(quiet.next(), Some(at(800)));
    assert_eq!(quiet.take(at(799)), []);
    assert_eq!(quiet.take(at(800)), [changed("root/a.md")]);
    assert_eq!(quiet.next(), None);
}

#[tokio::test(start_paused = true)]
async fn a_document_may_have_no_time_of_quiet() {
    let (mut quiet, now) = quiet(10);
    quiet.hear("root/live.md".into(), now);
    assert_eq!(quiet.take(now), [changed("root/live.md")]);
}

#[tokio::test(start_paused = true)]
async fn hidden_and_other_files_are_of_no_interest() {
    let (mut quiet, now) = quiet(10);
    for path in ["root/.a.md.new", "root/.agent-doc/a.md", "root/a.txt", "other/a.md", "root/a.md~"] {
        quiet.hear(path.into(), now);
    }
    assert_eq!(quiet.next(), None);
}

#[tokio::test(start_paused = true)]
async fn a_flood_becomes_one_rescan() {
    let (mut quiet, now) = quiet(10);
    for number in 0..100 {
        quiet.hear(format!("root/{number}.md").into(), now);
    }
    assert_eq!(quiet.take(now), []);
    quiet.miss();
    assert_eq!(quiet.take(now), []);
    let later = now + Duration::from_millis(500);
    assert_eq!(quiet.take(later), [Watched::Rescan]);
    assert_eq!((quiet.take(later), quiet.next()), (Vec::new(), None));
}
