//! What is going on, in two lines: what the agent does, and what it works with. Never says "esc to interrupt" when there is nothing to
//! interrupt.

use std::time::Duration;

use ratatui::text::{Line, Span};

use crate::harmless;
use crate::theme::Theme;
use crate::wrap::{cut, width};

const SIGNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Between two pictures of the moving sign.
pub(crate) const STEP: Duration = Duration::from_millis(120);

/// What is going on.
#[derive(Debug, Default)]
pub(crate) struct Status {
    pub(crate) model: String,
    pub(crate) mode: String,
    pub(crate) context: Option<u32>,
    pub(crate) tokens: u64,
    pub(crate) cost: u64,
    /// When the turn began, while there is one.
    pub(crate) began: Option<Duration>,
    /// When it began to be watched what others do, while it is.
    pub(crate) watched: Option<Duration>,
    pub(crate) doing: String,
    /// When the request is sent again, and the words for it.
    pub(crate) retry: Option<(Duration, String)>,
}

impl Status {
    pub(crate) fn is_busy(&self) -> bool {
        self.began.is_some()
    }

    /// Whether something goes on, be it ours or of others.
    pub(crate) fn is_moving(&self) -> bool {
        self.began.or(self.watched).is_some()
    }

    /// What the agent does now.
    pub(crate) fn busy_row(&self, columns: usize, now: Duration, theme: Theme) -> Option<Line<'static>> {
        let began = self.began.or(self.watched)?;
        let step = usize::try_from(now.as_millis() / STEP.as_millis()).unwrap_or_default();
        let sign = SIGNS.get(step % SIGNS.len()).copied().unwrap_or("·");
        let doing = match &self.retry {
            Some((at, words)) => format!("again in {} s, {words}", at.saturating_sub(now).as_secs()),
            None if self.doing.is_empty() => "working".to_owned(),
            None => harmless::one_line(&self.doing),
        };
        let keys = if self.is_busy() { " · esc to interrupt" } else { "" };
        let rest = format!(" ({}{keys})", elapsed(now.saturating_sub(began)));
        let doing = cut(&doing, columns.saturating_sub(2 + width(&rest)).max(8));
        let row = vec![
            Span::styled(format!("{sign} "), theme.accent()),
            Span::styled(doing, theme.accent()),
            Span::styled(cut(&rest, columns.saturating_sub(10)), theme.dim()),
        ];
        Some(Line::from(row))
    }

    /// What the agent works with.
    pub(crate) fn row(&self, hint: Option<&str>, columns: usize, theme: Theme) -> Line<'static> {
        if let Some(hint) = hint {
            return Line::styled(cut(hint, columns), theme.warning());
        }
        let mut parts = vec![harmless::one_line(&self.model)];
        if !self.mode.is_empty() && self.mode != "default" {
            parts.push(format!("{} mode", self.mode));
        }
        parts.extend(self.context.map(|used| format!("{}% context left", 100_u32.saturating_sub(used))));
        if self.tokens > 0 {
            parts.push(format!("{} tokens", short(self.tokens)));
        }
        if self.cost > 0 {
            parts.push(format!("${}.{:02}", self.cost / 100_000, self.cost / 1000 % 100));
        }
        parts.retain(|part| !part.is_empty());
        let (left, right) = (parts.join(" · "), "/help");
        let free = columns.saturating_sub(width(&left) + right.len());
        if free < 2 {
            return Line::styled(cut(&left, columns), theme.dim());
        }
        Line::styled(format!("{left}{}{right}", " ".repeat(free)), theme.dim())
    }
}

fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

fn short(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}.{}k", count / 1000, count % 1000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}
