//! When something was done, for people to read. Never knows time zones: all times are shown in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970 as `2026-03-01 14:05:09`.
pub(crate) fn shown(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (days, second) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// The date so many days after the first of 1970. Years begin in March here, so that the leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year_of_era + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(shown(0), "1970-01-01 00:00:00");
        assert_eq!(shown(951_782_399_999), "2000-02-28 23:59:59");
        assert_eq!(shown(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(shown(951_868_800_000), "2000-03-01 00:00:00");
        assert_eq!(shown(1_735_689_599_000), "2024-12-31 23:59:59");
        assert_eq!(shown(4_107_542_400_000), "2100-03-01 00:00:00");
    }
}
