//! Styles as the bytes that a terminal takes for them. Never more than its sixteen colours.

use ratatui::style::{Color, Modifier, Style};

/// The bytes that set a style, whatever was set before.
pub(super) fn escape(style: Style) -> String {
    let mut codes = vec!["0".to_owned()];
    let modifiers = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ];
    let set = modifiers.iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    codes.extend(set.map(|(_, code)| (*code).to_owned()));
    codes.extend(style.fg.and_then(colour).map(|code| (30 + code).to_string()));
    format!("\x1b[{}m", codes.join(";"))
}

fn colour(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        _ => return None,
    })
}
