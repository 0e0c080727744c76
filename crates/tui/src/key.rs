//! What came from the keyboard, in our words. Never acts on it.

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What the person did at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A letter.
    Letter(char),
    /// Many letters at once.
    Pasted(String),
    /// The end of the line.
    Enter,
    /// A line break inside of what is written.
    NewLine,
    /// Back, to before, or away.
    Escape,
    /// The next one, or what is offered.
    Tab,
    /// Another mode.
    BackTab,
    /// To the left by a letter or a word.
    Left(By),
    /// To the right by a letter or a word.
    Right(By),
    /// To the line above.
    Up,
    /// To the line below.
    Down,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// To the beginning of the line.
    Home,
    /// To the end of the line.
    End,
    /// Take away what stands before the cursor.
    Backspace(By),
    /// Take away what stands behind it.
    Delete(By),
    /// Take away the line before the cursor.
    CutBefore,
    /// Take away the line behind it.
    CutBehind,
    /// Put back what was taken away.
    Yank,
    /// Stop, or leave.
    Cancel,
    /// Leave, if nothing is written.
    EndOfFile,
    /// Open the person's editor.
    Editor,
    /// Show the whole of what is shortened.
    Expand,
    /// Show thoughts, or do not.
    Thoughts,
    /// Leave for a while.
    Suspend,
    /// Draw anew.
    Redraw,
    /// The terminal is so large now.
    Resized(u16, u16),
}

/// How far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// One letter.
    Letter,
    /// One word.
    Word,
}

/// What an event of the terminal means; nothing for what means nothing.
pub fn read_input(event: TerminalEvent) -> Option<Input> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
        TerminalEvent::Paste(text) => Some(Input::Pasted(text)),
        TerminalEvent::Resize(columns, rows) => Some(Input::Resized(columns, rows)),
        TerminalEvent::Key(_)
        | TerminalEvent::Mouse(_)
        | TerminalEvent::FocusGained
        | TerminalEvent::FocusLost => None,
    }
}

fn of_key(key: KeyEvent) -> Option<Input> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_alt = key.modifiers.contains(KeyModifiers::ALT);
    let by = if is_control || is_alt { By::Word } else { By::Letter };
    Some(match key.code {
        KeyCode::Char(letter) if is_control => return of_control(letter.to_ascii_lowercase()),
        KeyCode::Char('b') if is_alt => Input::Left(By::Word),
        KeyCode::Char('f') if is_alt => Input::Right(By::Word),
        KeyCode::Char('d') if is_alt => Input::Delete(By::Word),
        KeyCode::Char(letter) if !is_alt => Input::Letter(letter),
        KeyCode::Enter if is_alt || key.modifiers.contains(KeyModifiers::SHIFT) => Input::NewLine,
        KeyCode::Enter => Input::Enter,
        KeyCode::Esc => Input::Escape,
        KeyCode::BackTab => Input::BackTab,
        KeyCode::Tab => Input::Tab,
        KeyCode::Left => Input::Left(by),
        KeyCode::Right => Input::Right(by),
        KeyCode::Up => Input::Up,
        KeyCode::Down => Input::Down,
        KeyCode::PageUp => Input::PageUp,
        KeyCode::PageDown => Input::PageDown,
        KeyCode::Home => Input::Home,
        KeyCode::End => Input::End,
        KeyCode::Backspace => Input::Backspace(by),
        KeyCode::Delete => Input::Delete(by),
        _ => return None,
    })
}

fn of_control(letter: char) -> Option<Input> {
    Some(match letter {
        'a' => Input::Home,
        'b' => Input::Left(By::Letter),
        'c' => Input::Cancel,
        'd' => Input::EndOfFile,
        'e' => Input::End,
        'f' => Input::Right(By::Letter),
        'g' => Input::Editor,
        'h' => Input::Backspace(By::Letter),
        'j' => Input::NewLine,
        'k' => Input::CutBehind,
        'l' => Input::Redraw,
        'n' => Input::Down,
        'o' => Input::Expand,
        'p' => Input::Up,
        't' => Input::Thoughts,
        'u' => Input::CutBefore,
        'w' => Input::Backspace(By::Word),
        'y' => Input::Yank,
        'z' => Input::Suspend,
        _ => return None,
    })
}
