//! How things look. Only the terminal's own sixteen colours, so that it fits light and dark ones; never a colour where the person
//! wants none.

use ratatui::style::{Color, Modifier, Style};

/// A set of looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    has_colour: bool,
}

impl Theme {
    /// With colours.
    pub fn coloured() -> Theme {
        Theme { has_colour: true }
    }

    /// Without: bold, dim and underlined only.
    pub fn colourless() -> Theme {
        Theme { has_colour: false }
    }

    fn fg(self, colour: Color) -> Style {
        if self.has_colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(crate) fn text(self) -> Style {
        Style::new()
    }

    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn thinking(self) -> Style {
        Style::new().add_modifier(Modifier::DIM | Modifier::ITALIC)
    }

    pub(crate) fn heading(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn accent(self) -> Style {
        self.fg(Color::Cyan)
    }

    pub(crate) fn person(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn code(self) -> Style {
        self.fg(Color::Magenta)
    }

    pub(crate) fn link(self) -> Style {
        self.fg(Color::Blue).add_modifier(Modifier::UNDERLINED)
    }

    pub(crate) fn good(self) -> Style {
        self.fg(Color::Green)
    }

    pub(crate) fn bad(self) -> Style {
        self.fg(Color::Red)
    }

    pub(crate) fn warning(self) -> Style {
        self.fg(Color::Yellow)
    }

    pub(crate) fn chosen(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn keyword(self) -> Style {
        self.fg(Color::Magenta)
    }

    pub(crate) fn string(self) -> Style {
        self.fg(Color::Green)
    }

    pub(crate) fn number(self) -> Style {
        self.fg(Color::Yellow)
    }

    pub(crate) fn name(self) -> Style {
        self.fg(Color::Blue)
    }
}
