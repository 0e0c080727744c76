//! Settings, and who says so.

use std::fs;
use std::process::Output;

use expect_test::{Expect, expect};

use crate::scratch::{Scratch, told};

/// A person with a file of their own, in a project.
struct Person {
    scratch: Scratch,
}

impl Person {
    fn new(own: &str, project: &str) -> Person {
        let scratch = Scratch::new();
        for folder in ["home/agent-doc", "project/.agent-doc"] {
            fs::create_dir_all(scratch.path(folder)).unwrap();
        }
        scratch.write("home/agent-doc/config.toml", own);
        scratch.write("project/.agent-doc/config.toml", project);
        Person { scratch }
    }

    /// The same person, who trusts the project.
    fn trusting(self) -> Person {
        let output = self.run(&["trust"], &[]);
        assert!(output.status.success(), "{}", told(&output));
        self
    }

    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = self.scratch.command(arguments);
        for name in [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "ANTHROPIC_BASE_URL",
            "OPENAI_BASE_URL",
            "AGENT_DOC_MODEL",
        ] {
            command.env_remove(name);
        }
        command.current_dir(self.scratch.path("project")).env("XDG_CONFIG_HOME", self.scratch.path("home"));
        command.envs(environment.iter().copied()).output().unwrap()
    }

    fn check(&self, environment: &[(&str, &str)], expect: Expect) {
        let output = told(&self.run(&["config"], environment));
        let root = self.scratch.path("").canonicalize().unwrap();
        expect.assert_eq(
            &output
                .replace(root.to_str().unwrap(), "ROOT")
                .replace(self.scratch.path("").to_str().unwrap(), "ROOT/"),
        );
    }
}

#[test]
fn each_value_is_shown_with_where_it_comes_from() {
    let own =
        "model = \"anthropic/own\"\nmax_turns = 40\n\n[openai]\nbase_url = \"http://127.0.0.1:11434/v1\"\n";
    let person = Person::new(own, "# ours\nmodel = 'openai/project'\nthinking = \"high\"\n").trusting();
    person.check(
        &[("ANTHROPIC_BASE_URL", "http://localhost:9/"), ("OPENAI_API_KEY", "sk-very-secret")],
        expect![[r#"
            exit 0
            model                  openai/project             ROOT/project/.agent-doc/config.toml:2
            agent                  not set                    default
            thinking               high                       ROOT/project/.agent-doc/config.toml:3
            output_max             not set                    default
            max_turns              40                         ROOT/home/agent-doc/config.toml:2
            anthropic.base_url     http://localhost:9/        $ANTHROPIC_BASE_URL
            openai.base_url        http://127.0.0.1:11434/v1  ROOT/home/agent-doc/config.toml:5
            openai.api             not set                    default
            openai.context_window  not set                    default
            search.provider        not set                    default
            search.url             not set                    default
            price.input            not set                    default
            price.output           not set                    default
            price.cache_read       not set                    default
            price.cache_write      not set                    default
            price.currency         not set                    default

            ANTHROPIC_API_KEY      not set
            OPENAI_API_KEY         set
            BRAVE_API_KEY          not set
            TAVILY_API_KEY         not set

            Your own settings: ROOT/home/agent-doc/config.toml
        "#]],
    );
    person.check(
        &[("AGENT_DOC_MODEL", "offline")],
        expect![[r#"
            exit 0
            model                  offline                    $AGENT_DOC_MODEL
            agent                  not set                    default
            thinking               high                       ROOT/project/.agent-doc/config.toml:3
            output_max             not set                    default
            max_turns              40                         ROOT/home/agent-doc/config.toml:2
            anthropic.base_url     https://api.anthropic.com  default
            openai.base_url        http://127.0.0.1:11434/v1  ROOT/home/agent-doc/config.toml:5
            openai.api             not set                    default
            openai.context_window  not set                    default
            search.provider        not set                    default
            search.url             not set                    default
            price.input            not set                    default
            price.output           not set                    default
            price.cache_read       not set                    default
            price.cache_write      not set                    default
            price.currency         not set                    default

            ANTHROPIC_API_KEY      not set
            OPENAI_API_KEY         not set
            BRAVE_API_KEY          not set
            TAVILY_API_KEY         not set

            Your own settings: ROOT/home/agent-doc/config.toml
        "#]],
    );
}

#[test]
fn json_has_the_same_and_no_key_either() {
    let output = Person::new("", "").run(&["config", "--json"], &[("ANTHROPIC_API_KEY", "sk-very-secret")]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("secret"));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["keys"][0]["is_set"], true);
    assert_eq!(report["settings"][0]["key"], "model");
    assert_eq!(report["settings"][0]["value"], serde_json::Value::Null);
}

#[test]
fn a_project_cannot_say_where_words_are_sent() {
    for line in [
        "anthropic.base_url = \"https://evil.example\"",
        "[openai]\nbase_url = \"https://evil.example\"",
        "openai.api = \"chat\"",
    ] {
        let person = Person::new("", line);
        let unheard = told(&person.run(&["config"], &[]));
        assert!(unheard.starts_with("exit 0\n") && !unheard.contains("evil"), "{unheard}");
        let output = told(&person.run(&["trust"], &[]));
        assert!(output.starts_with("exit 2\n") && output.contains("a project may not set '"), "{output}");
        assert!(output.contains(".agent-doc/config.toml:"), "{output}");
    }
}

#[test]
fn what_is_not_understood_is_said_with_its_line() {
    let person = |own: &str| Person::new(own, "");
    person("\nmodle = \"x\"\n").check(
        &[],
        expect![[r#"
        exit 2
        ! error: ROOT/home/agent-doc/config.toml:2: there is no setting 'modle'
        !   help: did you mean 'model'? 'agent-doc config' shows all
    "#]],
    );
    person("max_turns = 0\n").check(
        &[],
        expect![[r#"
            exit 2
            ! error: ROOT/home/agent-doc/config.toml:1: 'max_turns' is '0'
            !   help: give a whole number from 1 to 10000
        "#]],
    );
    person("thinking = \"hard\"\n").check(
        &[],
        expect![[r#"
            exit 2
            ! error: ROOT/home/agent-doc/config.toml:1: 'thinking' is 'hard'
            !   help: give one of off, low, medium, high
        "#]],
    );
    person("model = true\n").check(
        &[],
        expect![[r#"
        exit 2
        ! error: ROOT/home/agent-doc/config.toml:1: 'model' is of the wrong kind
        !   help: give a name
    "#]],
    );
    person("model = \"a\"\nmodel = \"b\"\n").check(
        &[],
        expect![[r#"
        exit 2
        ! error: ROOT/home/agent-doc/config.toml:2: duplicate key
        !   help: mend the line; the file is TOML
    "#]],
    );
    person("[openai]\nbase_url = \"https://me:secret@example.com\"\n").check(
        &[],
        expect![[r#"
        exit 2
        ! error: ROOT/home/agent-doc/config.toml:2: 'openai.base_url' is no address that can be used
        !   help: give an address such as https://example.com/v1, without a name or key in it
    "#]],
    );
    person("").check(&[("OPENAI_BASE_URL", "localhost")], expect![[r#"
        exit 2
        ! error: OPENAI_BASE_URL is no address that can be used
        !   help: set OPENAI_BASE_URL to an address such as https://example.com/v1, without a name or key in it
    "#]]);
}

#[test]
fn agents_of_the_person_are_shown_and_a_project_sets_none() {
    let own =
        "[agents.mine]\ncommand = \"llm\"\nargs = [\"-m\", \"x\"]\n\n[agents.claude]\npatience = 1200\n";
    let person = Person::new(own, "");
    let output = person.run(&["config"], &[]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("agent mine  llm -m x  "), "{shown}");
    assert!(shown.contains("agent claude  claude -p --output-format stream-json"), "{shown}");
    let bad = [
        ("[agents.mine]\nargs = []\n", "the agent 'mine' has no command"),
        (
            "[agents.mine]\ncommand = \"./run\"\n",
            "'command' of the agent 'mine' is a path that depends on the folder",
        ),
        (
            "[agents.mine]\ncommand = \"x\"\nargs = \"y\"\n",
            "config.toml:3: 'args' of the agent 'mine' is no list of texts",
        ),
        ("[agents.mine]\ncommand = \"x\"\nformat = \"xml\"\n", "'format' of the agent 'mine' is 'xml'"),
        ("[agents.mine]\ncommand = \"x\"\npatience = 0\n", "'patience' of the agent 'mine' is no such time"),
        ("[agents.mine]\ncomand = \"x\"\n", "an agent has no 'comand'"),
        ("[agents.mine]\nlike = \"clod\"\n", "'like' of the agent 'mine' is 'clod'"),
    ];
    for (own, told) in bad {
        let output = Person::new(own, "").run(&["config"], &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(told), "{said}");
    }
    // Not even with the person's trust.
    let output = Person::new("", "[agents.mine]\ncommand = \"llm\"\n").run(&["trust"], &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("a project may not set the agent 'mine'"), "{said}");
}

#[test]
fn servers_are_shown_without_what_may_be_secret() {
    let own = "[mcp.files]\ncommand = \"npx\"\nargs = [\"--key=secret\"]\nenv = { A = \"${B}\" }\n\n\
               [mcp.web]\nurl = \"https://example.com/mcp\"\nheaders = { Authorization = \"Bearer secret\" }\n";
    let shown = told(&Person::new(own, "").run(&["config"], &[]));
    assert!(shown.contains("\nmcp.files  npx  ") && shown.contains("config.toml:1\n"), "{shown}");
    assert!(shown.contains("\nmcp.web  https://example.com/mcp  ") && !shown.contains("secret"), "{shown}");
}

#[test]
fn a_server_that_is_not_understood_is_said_with_its_line() {
    for (own, what) in [
        ("[mcp.a__b]\ncommand = \"x\"\n", "config.toml:1: an MCP server cannot be called 'a__b'"),
        ("mcp.a = 1\n", "config.toml:1: 'mcp.a' is of the wrong kind"),
        ("[mcp.a]\nargs = []\n", "config.toml:1: 'mcp.a' needs either a command or a url"),
        ("[mcp.a]\ncommand = \"x\"\nurl = \"http://x/\"\n", "config.toml:1: 'mcp.a' needs either"),
        ("[mcp.a]\ncommand = \"x\"\nheaders = {}\n", "'mcp.a' has headers"),
        ("[mcp.a]\nurl = \"http://x/\"\nenv = {}\n", "'mcp.a' has what only a command gets"),
        ("[mcp.a]\ncommand = \"./x\"\n", "'mcp.a' names a program by a relative path"),
        ("[mcp.a]\ncomand = \"x\"\n", "config.toml:2: there is no setting 'mcp.a.comand'"),
        ("[mcp.a]\ncommand = \"x\"\nargs = [1]\n", "config.toml:3: 'mcp.a.args' is of the wrong kind"),
        ("[mcp.a]\ncommand = \"x\"\nenv = [\"secret\"]\n", "config.toml:3: 'mcp.a.env' is of the wrong kind"),
        (
            "[mcp.a]\nurl = \"http://me:secret@x/\"\n",
            "config.toml:2: 'mcp.a.url' is no address that can be used",
        ),
    ] {
        let output = told(&Person::new(own, "").run(&["config"], &[]));
        assert!(output.starts_with("exit 2\n") && output.contains(what), "{own}: {output}");
        assert!(!output.contains("secret"), "{output}");
    }
}
