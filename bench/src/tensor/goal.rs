//! The goal of each benchmark row, and whether it is met.

/// The goals of the rows. A ratio is a peer's time over ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A copy: twice as fast as the best peer.
    Copy,
    /// A copy: twice as fast as the best peer, and 80 % of the speed of `memcpy`.
    CopyNearMemcpy,
    /// As fast as the best peer.
    Ahead,
    /// A large result in new memory: 1.5 times as fast as the best peer.
    Allocating,
    /// One transposed operand: five times NumPy, three times PyTorch.
    Crossed,
    /// One pass over memory: twice as fast as the best peer.
    Fused,
    /// As fast as PyTorch.
    Transcendental,
    /// As fast as the best Rust peer, and 0.9 of NumPy.
    Product,
    /// A small operation: as fast as ndarray.
    Small,
}

/// The measured times of a row, in nanoseconds.
pub struct Measured<'a> {
    pub ours: f64,
    /// The peers by name.
    pub peers: &'a [(&'static str, Option<f64>)],
    /// The share of the speed of `memcpy`, if bytes have to move.
    pub share: Option<f64>,
}

impl Measured<'_> {
    fn ratio(&self, name: &str) -> Option<f64> {
        let peer = self.peers.iter().find(|it| it.0.starts_with(name))?;
        peer.1.map(|time| time / self.ours)
    }

    /// The least ratio among the peers that `which` selects.
    pub fn least(&self, which: impl Fn(&str) -> bool) -> Option<f64> {
        let times = self.peers.iter().filter(|it| which(it.0)).filter_map(|it| it.1);
        times.min_by(f64::total_cmp).map(|time| time / self.ours)
    }

    fn reaches(&self, ratio: Option<f64>, goal: f64) -> bool {
        ratio.is_none_or(|ratio| ratio >= goal)
    }
}

/// How a row did. The two questions are counted apart: a row at the speed of memory has no faster
/// implementation, but a peer may be as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Whether the goal is met as it is printed.
    pub meets_goal: bool,
    /// Whether the row moves its bytes at 90 % of the speed of `memcpy` or more.
    pub at_memory_speed: bool,
}

impl Goal {
    /// Scores a measured row.
    pub fn score(self, it: &Measured<'_>) -> Score {
        let at_memory_speed = it.share.is_some_and(|share| share >= 0.9);
        Score { meets_goal: self.is_met(it), at_memory_speed }
    }

    /// Whether the goal is met as it is printed.
    fn is_met(self, it: &Measured<'_>) -> bool {
        let best = it.least(|_| true);
        let is_rust = |name: &str| name.starts_with("ndarray") || name.starts_with("candle");
        let near_memcpy = it.share.is_none_or(|share| share >= 0.8);
        match self {
            Goal::Copy | Goal::Fused => it.reaches(best, 2.0),
            Goal::CopyNearMemcpy => it.reaches(best, 2.0) && near_memcpy,
            Goal::Ahead => it.reaches(best, 1.0),
            Goal::Allocating => it.reaches(best, 1.5),
            Goal::Crossed => {
                it.reaches(it.ratio("NumPy"), 5.0) && it.reaches(it.ratio("PyTorch"), 3.0)
            }
            Goal::Transcendental => it.reaches(it.ratio("PyTorch"), 1.0),
            // A peer that calls the same routines may be ahead by chance.
            Goal::Product => {
                it.reaches(it.least(is_rust), 0.97) && it.reaches(it.ratio("NumPy"), 0.9)
            }
            Goal::Small => it.reaches(it.ratio("ndarray"), 1.0),
        }
    }

    /// The goal as text, for the table.
    pub fn text(self) -> &'static str {
        match self {
            Goal::Copy | Goal::Fused => "2× the best",
            Goal::CopyNearMemcpy => "2× the best, 80 % of memcpy",
            Goal::Ahead => "1× the best",
            Goal::Allocating => "1.5× the best",
            Goal::Crossed => "5× NumPy, 3× PyTorch",
            Goal::Transcendental => "1× PyTorch",
            Goal::Product => "1× Rust peers, 0.9× NumPy",
            Goal::Small => "1× ndarray",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(goal: Goal, peers: &[(&'static str, Option<f64>)], share: Option<f64>) -> bool {
        goal.score(&Measured { ours: 100.0, peers, share }).meets_goal
    }

    #[test]
    fn the_smallest_ratio_decides_independently_of_memcpy() {
        let peers = [("NumPy 2", Some(450.0)), ("PyTorch 2", Some(310.0)), ("candle", None)];
        assert!(met(Goal::Copy, &peers, Some(0.2)));
        assert!(!met(Goal::Crossed, &peers, Some(0.2)), "NumPy is only 4.5 times slower");
        assert!(!met(Goal::Crossed, &peers, Some(0.95)), "nor at the speed of memory");
        assert!(!met(Goal::CopyNearMemcpy, &peers, Some(0.5)));
        assert!(!met(Goal::Ahead, &[("ndarray", Some(90.0))], None));
        assert!(met(Goal::Product, &[("ndarray", Some(98.0)), ("NumPy", Some(92.0))], None));
    }

    #[test]
    fn memory_speed_is_counted_separately() {
        let speed = |share| {
            let it = Measured { ours: 100.0, peers: &[], share };
            Goal::Copy.score(&it).at_memory_speed
        };
        assert_eq!(
            [Some(0.95), Some(0.9), Some(0.89), None].map(speed),
            [true, true, false, false]
        );
    }
}
