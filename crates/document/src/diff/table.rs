//! The best pairing of two short sequences, in order, by a table of sums. Never used on long ones: its cost is their product.

/// Sequences whose lengths multiply to more than this are not paired by a table.
pub(super) const CELLS_MAX: usize = 16 * 1024;

/// The pairs `(row, column)` with the greatest sum of `weight_of`, in order. A weight of zero is no pair.
/// Among equally good pairings the one with the earliest pairs is taken.
pub(super) fn best_pairs(
    rows: usize,
    columns: usize,
    weight_of: impl Fn(usize, usize) -> usize,
) -> Vec<(usize, usize)> {
    let mut weights = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        weights.extend((0..columns).map(|column| weight_of(row, column)));
    }
    let table = Table { rows, columns, best: best_sums(rows, columns, &weights), weights };
    table.pairs()
}

struct Table {
    rows: usize,
    columns: usize,
    weights: Vec<usize>,
    best: Vec<usize>,
}

/// For each place, the greatest sum that can be had from there to the end.
fn best_sums(rows: usize, columns: usize, weights: &[usize]) -> Vec<usize> {
    let width = columns + 1;
    let mut best = vec![0; (rows + 1) * width];
    for row in (0..rows).rev() {
        let (upper, lower) = best.split_at_mut((row + 1) * width);
        let (Some(here), Some(below)) = (upper.get_mut(row * width..), lower.get(..width)) else {
            continue;
        };
        let Some(weights) = weights.get(row * columns..) else {
            continue;
        };
        let mut right = 0;
        for (column, cell) in here.iter_mut().enumerate().take(columns).rev() {
            let weight = weights.get(column).copied().unwrap_or(0);
            let skip = right.max(below.get(column).copied().unwrap_or(0));
            let pair = if weight > 0 { weight + below.get(column + 1).copied().unwrap_or(0) } else { 0 };
            right = skip.max(pair);
            *cell = right;
        }
    }
    best
}

impl Table {
    fn best(&self, row: usize, column: usize) -> usize {
        self.best.get(row * (self.columns + 1) + column).copied().unwrap_or(0)
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let (mut row, mut column) = (0, 0);
        while row < self.rows && column < self.columns {
            let here = self.best(row, column);
            let weight = self.weights.get(row * self.columns + column).copied().unwrap_or(0);
            if weight > 0 && here == weight + self.best(row + 1, column + 1) {
                pairs.push((row, column));
                row += 1;
                column += 1;
            } else if here == self.best(row + 1, column) {
                row += 1;
            } else {
                column += 1;
            }
        }
        pairs
    }
}
