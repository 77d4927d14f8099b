//! `layout`: the cost of view operations, without access to elements.

mod belvedere;
mod candle;
mod definitions;
mod ndarray;

use belvedere::Belvedere;
use candle::Candle;
use definitions::{Answer, Engine, Entry, OPERATIONS, Operation, RANKS, n_elements};
use ndarray::NdArray;

use crate::failure::Failure;
use crate::table::{Line, Table};
use crate::turns::{Batch, Timing, Turns};
use crate::{machine, results};

/// The headings of the peers' columns.
const PEERS: [&str; 2] = [ndarray::NAME, candle::NAME];

/// The goal for each of [`GOAL_OPERATIONS`] at rank [`GOAL_RANK`].
const GOAL_NANOSECONDS: f64 = 20.0;

/// The rank of a batch of images (NCHW).
const GOAL_RANK: usize = 4;

/// The most frequent operations.
const GOAL_OPERATIONS: [&str; 5] = ["transpose", "slice", "reshape", "flip", "expand"];

/// Compares all answers, times all rows, prints the table and writes it as Markdown.
pub fn run(turns: Turns) -> Result<(), Failure> {
    let memory = vec![0f32; RANKS.into_iter().map(n_elements).max().unwrap_or(0)];
    let teams: Vec<Team> = RANKS.iter().map(|&rank| Team::new(rank, &memory)).collect();
    let mut rows = Vec::new();
    for operation in OPERATIONS {
        for team in &teams {
            rows.extend(team.row(operation)?);
        }
    }
    let batches: Vec<Vec<&Batch<Answer>>> = rows.iter().map(Row::batches).collect();
    let timings = turns.race(&batches);
    let lines = rows.iter().zip(timings).map(|(row, timings)| row.line(timings)).collect();
    let table = Table { peers: PEERS.to_vec(), lines };

    let summary = format!("{}\n{}", table.summary(), goals(&table.lines));
    println!("{}\n{summary}", table.text());
    let about = format!(
        "Median of {} rounds of {} calls, on {}.",
        turns.n_rounds,
        turns.n_calls,
        machine::describe()
    );
    let text =
        format!("# layout\n\n{about}\n\n{}\n{}\n", table.markdown(), summary.replace('\n', "\n\n"));
    results::write("layout.md", &text, None)
}

/// All engines at one rank.
struct Team<'m> {
    rank: usize,
    belvedere: Belvedere,
    /// In the order of [`PEERS`].
    peers: [Box<dyn Engine + 'm>; 2],
}

impl<'m> Team<'m> {
    fn new(rank: usize, memory: &'m [f32]) -> Team<'m> {
        let belvedere = Belvedere::new(rank).expect("the shapes are small");
        let candle = Candle::new(rank).expect("the shapes are small");
        Team { rank, belvedere, peers: [Box::new(NdArray::new(rank, memory)), Box::new(candle)] }
    }

    /// The engines that have the operation, after their results were compared; `None` where it does not
    /// exist at this rank.
    fn row(&self, operation: &Operation) -> Result<Option<Row<'_>>, Failure> {
        let Some(ours) = (operation.entry)(&self.belvedere) else {
            return Ok(None);
        };
        let peers = self.peers.each_ref().map(|peer| (operation.entry)(&**peer));
        for (engine, peer) in PEERS.into_iter().zip(&peers) {
            let Some(peer) = peer else { continue };
            let (ours, theirs) = (ours.answer(), peer.answer());
            if theirs != ours {
                return Err(Failure::Disagreement {
                    engine,
                    row: format!("{} at rank {}", operation.name, self.rank),
                    ours: format!("{ours:?}"),
                    theirs: format!("{theirs:?}"),
                });
            }
        }
        Ok(Some(Row { operation: operation.name, rank: self.rank, ours, peers }))
    }
}

/// One operation at one rank, with all engines that have it.
struct Row<'a> {
    operation: &'static str,
    rank: usize,
    ours: Entry<'a>,
    peers: [Option<Entry<'a>>; 2],
}

impl<'a> Row<'a> {
    /// Ours, then those of the peers that have one.
    fn batches(&self) -> Vec<&Batch<'a, Answer>> {
        let entries = [&self.ours].into_iter().chain(self.peers.iter().flatten());
        entries.map(|entry| &entry.batch).collect()
    }

    /// The row of the table, from timings in the order of [`Row::batches`].
    fn line(&self, timings: Vec<Timing>) -> Line {
        let mut timings = timings.into_iter();
        let mut next = || timings.next().expect("one timing a batch");
        let ours = next();
        let peers = self.peers.iter().map(|peer| peer.as_ref().map(|_| next())).collect();
        let notes = self.peers.iter().flatten().map(|it| it.note).filter(|it| !it.is_empty());
        let note = notes.collect::<Vec<_>>().join("; ");
        Line { operation: self.operation, rank: self.rank, ours, peers, note }
    }
}

/// The results of the operations with a goal.
fn goals(lines: &[Line]) -> String {
    let measured = GOAL_OPERATIONS.map(|name| {
        let line = lines.iter().find(|it| it.operation == name && it.rank == GOAL_RANK);
        let line = line.expect("every operation with a goal is a row");
        format!("{name} {:.1} ns", line.ours.median)
    });
    format!("rank {GOAL_RANK}: {} (goal: {GOAL_NANOSECONDS})", measured.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_agree_on_every_operation_at_every_rank() {
        let memory = vec![0f32; n_elements(8)];
        for rank in RANKS {
            let team = Team::new(rank, &memory);
            for operation in OPERATIONS {
                if let Err(failure) = team.row(operation) {
                    panic!("{failure}");
                }
            }
        }
    }

    #[test]
    fn headings_name_the_versions_that_are_built() {
        let manifest = include_str!("../../Cargo.toml");
        for (package, heading) in [("candle-core", candle::NAME), ("ndarray", ndarray::NAME)] {
            let version = heading.split(' ').next_back().expect("a name and a version");
            let line = manifest.lines().find(|it| it.starts_with(&format!("{package} = ")));
            let pinned = format!("\"={version}\"");
            assert!(line.is_some_and(|it| it.contains(&pinned)), "{heading}: {line:?}");
        }
    }
}
