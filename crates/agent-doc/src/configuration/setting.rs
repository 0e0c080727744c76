//! The settings that there are: what each may hold, who may set it, and what it is for. Never reads one.

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Its name, with a dot after its table's.
    pub(crate) key: &'static str,
    /// What it may hold.
    pub(super) shape: Shape,
    /// Who may set it.
    pub(super) by: By,
    /// The variable of the environment that outranks all files.
    pub(crate) variable: Option<&'static str>,
    /// What it is if nobody sets it.
    pub(super) default: Option<&'static str>,
    /// What it is for, in a line.
    pub(crate) about: &'static str,
}

/// Who may set a setting in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The person and the project.
    Anyone,
    /// The person alone: a project that comes from elsewhere could send their words and their key to a stranger.
    PersonOnly,
}

/// What a setting may hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Words without line breaks.
    Words,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A whole number in these limits.
    Number { least: u32, most: u32 },
    /// Where a service answers.
    Address,
    /// What something costs.
    Price,
}

/// The table. Its order is the order in which `agent-doc config` shows them.
pub(crate) const SETTINGS: [Setting; 16] = [
    Setting {
        key: "model",
        shape: Shape::Words,
        by: By::Anyone,
        variable: Some("AGENT_DOC_MODEL"),
        default: None,
        about: "the model that answers, such as anthropic/claude-sonnet-5, openai/gpt-5 or offline",
    },
    Setting {
        key: "agent",
        shape: Shape::Words,
        by: By::PersonOnly,
        variable: Some("AGENT_DOC_AGENT"),
        default: None,
        about: "who answers session documents that name nobody, such as claude, codex or offline",
    },
    Setting {
        key: "thinking",
        shape: Shape::Choice(&["off", "low", "medium", "high"]),
        by: By::Anyone,
        variable: None,
        default: Some("off"),
        about: "how long the model thinks before it answers",
    },
    Setting {
        key: "output_max",
        shape: Shape::Number { least: 256, most: 1_000_000 },
        by: By::Anyone,
        variable: None,
        default: None,
        about: "the longest answer, in tokens; else what the model can",
    },
    Setting {
        key: "max_turns",
        shape: Shape::Number { least: 1, most: 10_000 },
        by: By::Anyone,
        variable: None,
        default: Some("25"),
        about: "how often the model is asked in one turn before it has to stop",
    },
    Setting {
        key: "anthropic.base_url",
        shape: Shape::Address,
        by: By::PersonOnly,
        variable: Some("ANTHROPIC_BASE_URL"),
        default: Some("https://api.anthropic.com"),
        about: "where Anthropic's Messages are asked for",
    },
    Setting {
        key: "openai.base_url",
        shape: Shape::Address,
        by: By::PersonOnly,
        variable: Some("OPENAI_BASE_URL"),
        default: Some("https://api.openai.com/v1"),
        about: "where OpenAI's interface answers; also Ollama, llama.cpp, vLLM, LM Studio, OpenRouter",
    },
    Setting {
        key: "openai.api",
        shape: Shape::Choice(&["chat", "responses"]),
        by: By::PersonOnly,
        variable: None,
        default: None,
        about: "which of OpenAI's two interfaces is spoken there; else what the address suggests",
    },
    Setting {
        key: "openai.context_window",
        shape: Shape::Number { least: 1024, most: 100_000_000 },
        by: By::PersonOnly,
        variable: None,
        default: None,
        about: "how many tokens a model of your own can read",
    },
    Setting {
        key: "search.provider",
        shape: Shape::Choice(&["searxng", "brave", "tavily"]),
        by: By::PersonOnly,
        variable: None,
        default: None,
        about: "who searches the web for the agent; else it cannot",
    },
    Setting {
        key: "search.url",
        shape: Shape::Address,
        by: By::PersonOnly,
        variable: None,
        default: None,
        about: "where that service answers; needed for searxng",
    },
    Setting {
        key: "price.input",
        shape: Shape::Price,
        by: By::Anyone,
        variable: None,
        default: None,
        about: "what a million tokens cost that the model reads",
    },
    Setting {
        key: "price.output",
        shape: Shape::Price,
        by: By::Anyone,
        variable: None,
        default: None,
        about: "what a million tokens cost that the model writes",
    },
    Setting {
        key: "price.cache_read",
        shape: Shape::Price,
        by: By::Anyone,
        variable: None,
        default: None,
        about: "what a million tokens cost that come from the provider's cache; else as read",
    },
    Setting {
        key: "price.cache_write",
        shape: Shape::Price,
        by: By::Anyone,
        variable: None,
        default: None,
        about: "what a million tokens cost that go into the provider's cache; else as read",
    },
    Setting {
        key: "price.currency",
        shape: Shape::Words,
        by: By::Anyone,
        variable: None,
        default: None,
        about: "the currency of the prices, such as USD, EUR or €",
    },
];

impl Setting {
    /// The setting of this name.
    pub(super) fn named(key: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// The name that was probably meant.
    pub(super) fn nearest(key: &str) -> Option<&'static str> {
        let close = |name: &str| strsim::levenshtein(key, name);
        let nearest = SETTINGS.iter().map(|setting| setting.key).min_by_key(|name| close(name))?;
        (close(nearest) <= 1 + nearest.len() / 4).then_some(nearest)
    }
}

impl Shape {
    /// The value as it is kept, or what is wrong with it.
    pub(super) fn accepts(self, text: &str) -> Result<String, String> {
        let is_good = match self {
            Shape::Words => !text.is_empty() && !text.chars().any(char::is_control),
            Shape::Choice(words) => words.contains(&text),
            Shape::Number { least, most } => {
                text.parse::<u32>().is_ok_and(|number| (least..=most).contains(&number))
            }
            Shape::Address => is_address(text),
            Shape::Price => text.parse::<f64>().is_ok_and(|price| (0.0..=1_000_000.0).contains(&price)),
        };
        match self {
            _ if is_good => Ok(text.to_owned()),
            // It may hold a password.
            Shape::Address => Err("no address that can be used".to_owned()),
            _ => Err(format!("'{}'", text.escape_debug())),
        }
    }

    /// What it may hold, in words.
    pub(super) fn wanted(self) -> String {
        match self {
            Shape::Words => "a name".to_owned(),
            Shape::Choice(words) => format!("one of {}", words.join(", ")),
            Shape::Number { least, most } => format!("a whole number from {least} to {most}"),
            Shape::Price => "a price such as 3 or 0.25".to_owned(),
            Shape::Address => {
                "an address such as https://example.com/v1, without a name or key in it".to_owned()
            }
        }
    }
}

/// Whether it is an address of the web. One with a name and password in it would be shown in messages, and is none.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(host) = rest.and_then(|rest| rest.split(['/', '?', '#']).next()) else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_graphic() && !"@\"<>\\^`{|}".contains(c);
    !host.is_empty() && text.chars().all(is_plain) && !text.contains(['?', '#'])
}
