//! Time on the wall and on the processor, of this thread and of child processes.
//! Never averages: one slow outlier of a busy machine moves a mean, so repeated work is told by its median.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// What one piece of work took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// From start to end as a person sees it.
    pub(crate) wall: Duration,
    /// What the processor spent on it, in our code and in the kernel. Other work on the machine hardly moves it.
    pub(crate) cpu: Duration,
}

/// Runs `work` once on this thread. Threads that `work` starts are in `wall` only.
pub(crate) fn once<T>(work: impl FnOnce() -> Result<T>) -> Result<(Cost, T)> {
    let (wall, cpu) = (Instant::now(), thread_cpu()?);
    let value = work()?;
    let cost = Cost { wall: wall.elapsed(), cpu: thread_cpu()?.saturating_sub(cpu) };
    Ok((cost, value))
}

/// Runs `work` `rounds` times after one round that warms the caches; each column is the median of its own.
pub(crate) fn median_of<T>(rounds: usize, mut work: impl FnMut() -> Result<T>) -> Result<Cost> {
    ensure!(rounds > 0, "a median needs at least one round");
    work()?;
    let costs = (0..rounds).map(|_| Ok(once(&mut work)?.0)).collect::<Result<Vec<Cost>>>()?;
    let wall = median(costs.iter().map(|cost| cost.wall).collect()).context("no rounds")?;
    let cpu = median(costs.iter().map(|cost| cost.cpu).collect()).context("no rounds")?;
    Ok(Cost { wall, cpu })
}

/// Runs a program to its end; `cpu` covers it and every process it waited for.
///
/// The kernel keeps one sum for all children, so no other child may end meanwhile.
pub(crate) fn child(command: &mut Command) -> Result<Cost> {
    let (wall, cpu) = (Instant::now(), children()?);
    let status = command.status().context("cannot start the measured program")?;
    ensure!(status.success(), "the measured program failed with {status}");
    Ok(Cost { wall: wall.elapsed(), cpu: children()?.saturating_sub(cpu) })
}

/// The middle value, or the lower of the two middle ones; none of nothing.
pub(crate) fn median(mut values: Vec<Duration>) -> Option<Duration> {
    values.sort();
    let middle = values.len().checked_sub(1)? / 2;
    values.get(middle).copied()
}

fn thread_cpu() -> Result<Duration> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).context("this system has no thread clock")?;
    Ok(Duration::from(time))
}

/// What all threads of this process have spent so far.
pub(crate) fn process_cpu() -> Result<Duration> {
    let time =
        clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).context("this system has no process clock")?;
    Ok(Duration::from(time))
}

/// What all children that were waited for have spent so far.
pub(crate) fn children() -> Result<Duration> {
    let usage =
        getrusage(UsageWho::RUSAGE_CHILDREN).context("this system does not tell what children used")?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: nix::sys::time::TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or_default();
    let microseconds = u64::try_from(time.tv_usec()).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

#[cfg(test)]
mod tests {
    use super::{child, median, median_of, once};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn the_median_ignores_an_outlier() {
        let of = |values: &[u64]| median(values.iter().copied().map(Duration::from_secs).collect());
        assert_eq!(of(&[900, 1, 2]), Some(Duration::from_secs(2)));
        assert_eq!(of(&[4, 1, 3, 2]), Some(Duration::from_secs(2)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_busy_thread_spends_processor_time_and_a_failure_is_passed_on() {
        let spin = || Ok((0..3_000_000_u64).fold(0, |sum: u64, n| sum.wrapping_add(std::hint::black_box(n))));
        let (cost, _) = once(spin).unwrap();
        assert!(cost.cpu > Duration::ZERO);
        assert!(median_of(3, || -> anyhow::Result<()> { anyhow::bail!("no") }).is_err());
    }

    #[test]
    fn a_child_is_measured_from_outside() {
        let cost =
            child(Command::new(env!("CARGO")).arg("--version").stdout(std::process::Stdio::null())).unwrap();
        assert!(cost.cpu > Duration::ZERO && cost.wall > Duration::ZERO);
    }
}
