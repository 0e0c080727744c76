//! What tokens cost, by the prices that the person has set. Never guesses a price: without one, there is no cost.

use agent::message::Usage;

use crate::configuration::Configuration;

/// Tokens in the unit of prices.
const MILLION: f64 = 1_000_000.0;

/// Prices of a million tokens.
#[derive(Debug, Clone)]
pub(crate) struct Prices {
    /// In what, if the person says so.
    pub(crate) currency: String,
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

impl Prices {
    /// The prices that are set; none if what is read or what is written has none.
    pub(crate) fn of(settings: &Configuration) -> Option<Prices> {
        let price = |key: &str| settings.text(key)?.parse::<f64>().ok();
        let (input, output) = (price("price.input")?, price("price.output")?);
        let cache_read = price("price.cache_read").unwrap_or(input);
        let cache_write = price("price.cache_write").unwrap_or(input);
        let currency = settings.text("price.currency").unwrap_or_default().to_owned();
        Some(Prices { currency, input, output, cache_read, cache_write })
    }

    /// What the tokens cost.
    pub(crate) fn cost(&self, usage: &Usage) -> f64 {
        let sum = number(usage.input) * self.input
            + number(usage.output) * self.output
            + number(usage.cache_read) * self.cache_read
            + number(usage.cache_write) * self.cache_write;
        sum / MILLION
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of tokens is far below what a float holds exactly")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}
