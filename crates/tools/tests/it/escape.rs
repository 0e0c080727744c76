//! Commands that try to get out. Never harms this machine: what they aim at lies in temporary folders.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

use tools::sandbox::Confinement;

use crate::arena::Arena;
use crate::desk::{Desk, appeared, ground};
use crate::gate::attacks::{OTHERS, PROVEN};

/// Each kind of confinement of this machine. Both must be there: tests install bubblewrap, and CI has Landlock.
fn confinements() -> [Confinement; 2] {
    let strongest = Confinement::probe();
    assert!(matches!(strongest, Confinement::Bubblewrap(_)), "{}", strongest.told());
    [strongest, Confinement::Landlock]
}

/// Runs `command` in a workspace with a repository and settings, and sees that the canary appears nowhere.
async fn check_contained(command: &str) {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        desk.write(".git/config", "[core]\n");
        desk.write(".git/hooks/README", "");
        desk.write(".agent-doc/config.toml", "");
        desk.write("src/main.rs", "fn main() {}\n");
        let outside = desk.folder.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("file"), "untouched\n").unwrap();
        std::os::unix::fs::symlink(&outside, desk.root.join("src/way-out")).unwrap();
        let command = command.replace("OUTSIDE", &outside.display().to_string());
        let said = desk.bash(&command).await;
        for place in
            [outside.clone(), desk.root.join(".git"), desk.root.join(".agent-doc"), desk.home.clone()]
        {
            let found = canaries(&place);
            assert_eq!(found, [""; 0], "{confinement:?}: {command}: {}", said.text);
        }
        assert_eq!(
            std::fs::read_to_string(outside.join("file")).unwrap(),
            "untouched\n",
            "{confinement:?}: {command}"
        );
        assert_eq!(desk.read(".git/config"), "[core]\n", "{confinement:?}: {command}");
    }
}

fn canaries(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_name().to_string_lossy().contains("canary") {
            found.push(entry.path().display().to_string());
        }
        if entry.file_type().unwrap().is_dir() {
            found.extend(canaries(&entry.path()));
        }
    }
    found
}

#[tokio::test]
async fn nothing_is_written_outside() {
    for command in [
        "touch OUTSIDE/canary",
        "echo x > OUTSIDE/file",
        "touch src/way-out/canary",
        "ln OUTSIDE/file src/linked && echo x > src/linked",
        "mv src/main.rs OUTSIDE/canary",
        "cp src/main.rs /proc/1/root/OUTSIDE/canary",
        "mkdir OUTSIDE/canary || cp src/main.rs /proc/self/root/OUTSIDE/canary",
        "(setsid bash -c 'touch OUTSIDE/canary' &); wait",
        "mount --bind OUTSIDE src; touch src/canary",
        "unshare -Ur touch OUTSIDE/canary",
        "chmod 777 OUTSIDE && touch OUTSIDE/canary",
    ] {
        check_contained(command).await;
    }
}

#[tokio::test]
async fn the_repository_and_our_settings_are_only_read() {
    for command in [
        "touch .git/canary",
        "touch .git/hooks/canary",
        "echo '[core] fsmonitor = canary' > .git/config",
        "mv .git old; mkdir .git; touch .git/canary",
        "rm -rf .git; mkdir -p .git/canary",
        "touch .agent-doc/canary",
        "mv .agent-doc gone; mkdir .agent-doc; touch .agent-doc/canary",
        "ln -s .git src/git; touch src/git/canary",
        "umount .git; touch .git/canary",
        "mount -o remount,rw .git; touch .git/canary",
        "cd .git && touch canary",
    ] {
        check_contained(command).await;
    }
}

#[tokio::test]
async fn what_the_project_tells_agents_is_only_read() {
    for confinement in confinements() {
        let desk = Desk::furnished(confinement.clone(), &[("AGENTS.md", "be kind\n")]);
        for command in [
            "echo canary >> AGENTS.md",
            "rm -f AGENTS.md; echo canary > AGENTS.md",
            "mv AGENTS.md old; echo canary > AGENTS.md",
            "ln AGENTS.md linked && echo canary > linked",
        ] {
            let said = desk.bash(command).await;
            assert_eq!(desk.read("AGENTS.md"), "be kind\n", "{confinement:?}: {command}: {}", said.text);
        }
        assert_eq!(desk.bash("cat AGENTS.md").await.ok(), "be kind\n");
    }
}

#[tokio::test]
async fn protected_folders_that_do_not_exist_cannot_be_made_and_leave_no_trace() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        desk.bash("mkdir -p .git/hooks && echo x > .git/hooks/pre-commit").await.failed();
        desk.bash("mkdir -p .agent-doc/canary").await.failed();
        desk.bash("rmdir .git; ln -s src .git").await.failed();
        assert_eq!(std::fs::read_dir(&desk.root).unwrap().count(), 0, "{confinement:?}");
    }
}

#[tokio::test]
async fn the_workspace_itself_can_be_written() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        desk.write("src/main.rs", "");
        desk.bash("echo new > src/new; mkdir src/deep; echo x > $TMPDIR/kept; rm src/main.rs").await.ok();
        assert_eq!(desk.read("src/new"), "new\n");
        assert_eq!(desk.bash("cat $TMPDIR/kept; ls src").await.ok(), "x\ndeep\nnew\n");
    }
    let desk = Desk::new();
    desk.bash("echo top > top").await.ok();
    assert_eq!(desk.read("top"), "top\n");
}

#[tokio::test]
async fn keys_are_neither_in_the_environment_nor_in_reach() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        std::fs::create_dir(desk.home.join(".ssh")).unwrap();
        std::fs::write(desk.home.join(".ssh/id_ed25519"), "sk-canary").unwrap();
        std::fs::write(desk.home.join(".netrc"), "sk-canary").unwrap();
        let home = desk.home.display();
        let text = desk.bash("env").await.ok();
        assert!(text.contains("PATH=") && !text.contains("canary"), "{confinement:?}: {text}");
        let names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
        let secret = ["_KEY", "TOKEN", "SECRET", "PASSWORD"];
        let leaked = names.iter().find(|name| secret.iter().any(|part| name.ends_with(part)));
        assert_eq!(leaked, None, "{confinement:?}");
        let text =
            desk.bash(&format!("cat {home}/.ssh/id_ed25519 {home}/.netrc; ls {home}/.ssh; true")).await.ok();
        assert!(
            !text.contains("canary") && !text.lines().any(|line| line == "id_ed25519"),
            "{confinement:?}: {text}"
        );
        // Our own environment, by way of the list of processes.
        let ours = std::process::id();
        let text = desk
            .bash(&format!("cat /proc/{ours}/environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; true"))
            .await
            .ok();
        assert!(!text.contains("CARGO_MANIFEST_DIR"), "{confinement:?}: {text}");
    }
}

#[tokio::test]
async fn there_is_no_network_not_even_to_ourselves() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        desk.bash(&format!("echo leak > /dev/tcp/127.0.0.1/{tcp_port}")).await.failed();
        desk.bash(&format!("echo leak > /dev/udp/127.0.0.1/{udp_port}")).await;
        assert!(tcp.accept().is_err(), "{confinement:?}");
        assert!(udp.recv(&mut [0; 16]).is_err(), "{confinement:?}");
    }
}

#[tokio::test]
async fn the_network_is_there_when_it_was_allowed_for_the_call() {
    for confinement in confinements() {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let desk = Desk::with(confinement);
        let bash = desk.bash_tool();
        let command = format!("echo hello > /dev/tcp/127.0.0.1/{port}");
        desk.run(&bash, serde_json::json!({ "command": command, "network": true })).await.ok();
        tcp.set_nonblocking(true).unwrap();
        assert!(tcp.accept().is_ok());
    }
}

#[tokio::test]
async fn a_command_is_no_server_for_others() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        desk.write("sub/begun", "");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let serve = format!(
            "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\", LocalPort => {port}); \
             open(F, \">sub/begun\"); print F ($s ? \"listens\\n\" : \"may not\\n\"); close(F); sleep(300)'"
        );
        let connect = async {
            let said = appeared(&desk.root.join("sub/begun")).await;
            let reached = TcpStream::connect(("127.0.0.1", port));
            desk.controller.abort();
            (said, reached.is_ok())
        };
        let (_, (said, reached)) = tokio::join!(desk.bash(&serve), connect);
        assert!(!reached, "{confinement:?}: {said}");
    }
}

#[tokio::test]
async fn services_behind_sockets_are_out_of_reach() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        std::fs::create_dir(desk.root.join(".agent-doc")).unwrap();
        // An agent for keys, our own daemon, one that the person left in the workspace, and one without a file.
        let places = [
            desk.home.join("agent.sock").display().to_string(),
            desk.root.join(".agent-doc/daemon.sock").display().to_string(),
            desk.root.join("docker.sock").display().to_string(),
            format!("@agent-doc-test-{}", std::process::id()),
        ];
        for place in places {
            let address = match place.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name).unwrap(),
                None => SocketAddr::from_pathname(&place).unwrap(),
            };
            let listener = UnixListener::bind_addr(&address).unwrap();
            listener.set_nonblocking(true).unwrap();
            for network in [false, true] {
                let connect = format!(
                    "perl -MSocket -e '$p = shift; $p =~ s/^@/\\0/; socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 1; \
                     connect(S, pack_sockaddr_un($p)) or exit 1' '{place}'"
                );
                let input = serde_json::json!({ "command": connect, "network": network });
                desk.run(&desk.bash_tool(), input).await.failed();
                assert!(listener.accept().is_err(), "{confinement:?}: {place}");
            }
        }
    }
}

#[tokio::test]
async fn other_processes_and_keys_of_the_kernel_cannot_be_touched() {
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        let ours = std::process::id();
        desk.bash(&format!("kill -0 {ours}")).await.failed();
        let read = desk.bash(&format!("head -c 1 /proc/{ours}/mem /proc/{ours}/maps")).await;
        assert!(read.is_error, "{confinement:?}: {}", read.text);
        let (attach, get_keyring) = (16, 0);
        for call in [
            format!("{}, {attach}, {ours}, 0, 0", libc::SYS_ptrace),
            format!("{}, {get_keyring}, -3, 0", libc::SYS_keyctl),
            format!("{}, \"user\", \"agent-doc\", \"x\", 1, -3", libc::SYS_add_key),
        ] {
            let said = desk.bash(&format!("perl -e 'exit(syscall({call}) < 0 ? 1 : 0)'")).await;
            assert!(said.is_error, "{confinement:?}: {call}: {}", said.text);
        }
    }
}

#[test]
fn the_terminal_of_the_person_is_neither_read_nor_typed_into() {
    // A terminal belongs to a session, so the commands run from one that has it.
    let child = format!(
        "'{}' --exact escape::child_reaches_for_its_terminal --nocapture",
        std::env::current_exe().unwrap().display()
    );
    let output = std::process::Command::new("script")
        .args(["-qec", &child, "/dev/null"])
        .env("TOOLS_TEST_TERMINAL", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("the terminal was left alone"), "{text}");
}

#[tokio::test]
async fn child_reaches_for_its_terminal() {
    if std::env::var_os("TOOLS_TEST_TERMINAL").is_none() {
        return;
    }
    let terminal = std::fs::read_link("/proc/self/fd/1").unwrap();
    assert!(terminal.starts_with("/dev/pts") && std::fs::File::open("/dev/tty").is_ok(), "{terminal:?}");
    for confinement in confinements() {
        let desk = Desk::with(confinement.clone());
        for name in ["/dev/tty", terminal.to_str().unwrap()] {
            for command in
                [format!("echo typed > {name}"), format!("head -c 0 {name}"), format!("echo typed >> {name}")]
            {
                let said = desk.bash(&command).await;
                assert!(said.is_error, "{confinement:?}: {command}: {}", said.text);
            }
        }
        let push = format!(
            "perl -e 'for $f (0..20) {{ open(T, \"+<&=$f\") or next; ioctl(T, {}, \"x\") and exit 0 }} exit 1'",
            libc::TIOCSTI
        );
        desk.bash(&push).await.failed();
    }
    println!("the terminal was left alone");
}

#[tokio::test]
async fn a_command_in_namespaces_can_have_a_terminal_of_its_own() {
    let said = Desk::new().bash("script -qec 'echo hello > /dev/tty; tty' /dev/null").await.ok();
    assert!(said.starts_with("hello\n/dev/pts/"), "{said}");
}

/// Runs each attack of both lists that leaves a trace. One that only looks around leaves none.
async fn check_attacks(confinement: Confinement) {
    let arena = Arena::new(confinement.clone(), &ground());
    let others = OTHERS.iter().filter(|line| line.contains("PWNED"));
    for line in others {
        assert_eq!(arena.run(line).await.escaped, [""; 0].map(PathBuf::from), "{confinement:?}: {line}");
    }
    let mut harmless = Vec::new();
    for line in PROVEN {
        let fate = arena.run(line).await;
        assert_eq!(fate.escaped, [""; 0].map(PathBuf::from), "{confinement:?}: {line}");
        if !fate.did_harm {
            harmless.push(line);
        }
    }
    // Most do their work where they may; of the rest most need git to run a program, which it is told not to.
    assert!(harmless.len() * 10 < PROVEN.len(), "{confinement:?}: {harmless:#?}");
}

#[tokio::test]
async fn the_attacks_on_the_gate_stay_inside_when_there_is_no_gate() {
    check_attacks(Confinement::probe()).await;
}

#[tokio::test]
async fn the_attacks_on_the_gate_stay_inside_also_without_namespaces() {
    check_attacks(Confinement::Landlock).await;
}

/// Others run this crate's tests as whoever they are; as root, they are run once more as nobody.
#[test]
fn all_of_this_holds_for_a_person_who_is_not_root() {
    use std::os::unix::fs::PermissionsExt as _;
    if !rustix::process::geteuid().is_root() || std::env::var_os("TOOLS_TEST_AS_NOBODY").is_some() {
        return;
    }
    let folder = tempfile::tempdir_in(ground()).unwrap();
    let open = |path: &std::path::Path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    };
    open(folder.path());
    let tests = folder.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    open(&tests);
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&tests)
        .args(["escape::", "--skip", "the_attacks_on_the_gate"])
        .env("TMPDIR", folder.path())
        .env("TOOLS_TEST_GROUND", folder.path())
        .env("HOME", folder.path())
        .env("TOOLS_TEST_AS_NOBODY", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !text.contains(" 0 passed"), "{text}");
}
