//! A table of aligned columns, and the ways to write a number in one. Never measures.

use std::time::Duration;

/// Rows under a heading. The first column is text and stands left; the others are numbers and stand right.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self { rows: vec![columns.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row; cells that are missing stay blank.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                line += &if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
            }
            writeln!(formatter, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Three digits and the unit that fits: `12.3 µs`.
pub(crate) fn time(duration: Duration) -> String {
    let nanoseconds = duration.as_secs_f64() * 1e9;
    match nanoseconds {
        n if n < 1e3 => format!("{n:.0} ns"),
        n if n < 1e6 => format!("{} µs", digits(n / 1e3)),
        n if n < 1e9 => format!("{} ms", digits(n / 1e6)),
        n => format!("{} s", digits(n / 1e9)),
    }
}

/// How many times `base` fits into `duration`: `2.50×`.
pub(crate) fn ratio(duration: Duration, base: Duration) -> String {
    if base.is_zero() {
        return "–".to_owned();
    }
    format!("{}×", digits(duration.as_secs_f64() / base.as_secs_f64()))
}

/// A round size: `10 KB`.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        n if n < 1000 => format!("{n} B"),
        n if n < 1_000_000 => format!("{} KB", n / 1000),
        n => format!("{} MB", n / 1_000_000),
    }
}

fn digits(number: f64) -> String {
    match number {
        n if n < 10.0 => format!("{n:.2}"),
        n if n < 100.0 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, bytes, ratio, time};
    use std::time::Duration;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["size", "read", "slower"]);
        table.row([
            bytes(10_000),
            time(Duration::from_nanos(12_345)),
            ratio(Duration::from_secs(5), Duration::from_secs(2)),
        ]);
        table.row([
            bytes(1_000_000),
            time(Duration::from_millis(250)),
            ratio(Duration::from_secs(5), Duration::ZERO),
        ]);
        assert_eq!(
            table.to_string(),
            "size      read  slower\n10 KB  12.3 µs   2.50×\n1 MB    250 ms       –\n"
        );
    }
}
