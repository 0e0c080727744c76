//! Builds the Writer's page when its sources changed, if Node is there. Never fails the build: without the page the program
//! shows documents to read, and says what is missing.

use std::path::Path;
use std::process::Command;

fn main() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    for name in ["src", "wire", "index.html", "style.css", "build.mjs", "package.json", "package-lock.json"] {
        println!("cargo:rerun-if-changed={}", ui.join(name).display());
    }
    if let Err(missing) = build(&ui) {
        println!("cargo:warning=the Writer's page is not built: {missing}");
    }
}

fn build(ui: &Path) -> Result<(), String> {
    if !is_installed(ui) {
        run(ui, "npm", &["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
    }
    run(ui, "node", &["build.mjs"])
}

/// Whether the packages are those of the lock file: npm notes the time when it is done.
fn is_installed(ui: &Path) -> bool {
    let time = |name: &str| ui.join(name).metadata().and_then(|found| found.modified()).ok();
    match (time("node_modules/.package-lock.json"), time("package-lock.json")) {
        (Some(installed), Some(locked)) => installed >= locked,
        _ => false,
    }
}

fn run(ui: &Path, program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).current_dir(ui).output();
    let output = output
        .map_err(|error| format!("{program} cannot be started ({error}); install Node.js 20 or later"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(format!("{program} {} failed: {line}", arguments.join(" ")))
}
