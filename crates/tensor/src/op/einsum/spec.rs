//! Subscripts that fit to their operands: every axis has an index, and every index a length.

use super::error::{EinsumError, EinsumProblem as Problem};
use super::parse::{Notation, Term};
use crate::{Error, Shape};
use std::fmt::Write;

/// An index: its place in [`Spec::names`] and [`Spec::lens`].
pub(super) type Label = usize;

/// What is to be calculated.
pub(super) struct Spec {
    /// For each operand the index of each axis.
    pub inputs: Vec<Vec<Label>>,
    /// The indices of the result, each of which is there once.
    pub output: Vec<Label>,
    /// The length of each index.
    pub lens: Vec<usize>,
    /// The letter of each index: none for one under the ellipsis.
    names: Vec<Option<char>>,
    /// How many axes each index under the ellipsis is away from the end.
    depths: Vec<usize>,
}

impl Spec {
    pub fn new(text: &str, shapes: &[Shape]) -> Result<Spec, Error> {
        let notation = Notation::parse(text)?;
        let (wanted, given) = (notation.inputs.len(), shapes.len());
        if given == 0 {
            return Err(EinsumError::at(text, 0..text.len(), Problem::Nothing));
        }
        if wanted != given {
            let problem = Problem::Operands { wanted, given };
            // Where the first one begins for which there is nothing, or where the next is missing.
            let at = notation.inputs.get(given).map_or(text.len()..text.len(), |it| it.at.clone());
            return Err(EinsumError::at(text, at, problem));
        }
        let mut spec = Spec {
            inputs: Vec::new(),
            output: Vec::new(),
            lens: Vec::new(),
            names: Vec::new(),
            depths: Vec::new(),
        };
        for (operand, shape) in shapes.iter().enumerate() {
            spec.add(&notation, operand, shape)?;
        }
        match &notation.output {
            Some(term) => spec.read_output(&notation, term)?,
            None => spec.guess_output(),
        }
        Ok(spec)
    }

    /// Gives each axis of an operand its index.
    fn add(
        &mut self,
        notation: &Notation<'_>,
        operand: usize,
        shape: &[usize],
    ) -> Result<(), Error> {
        let (text, term) = (notation.text, &notation.inputs[operand]);
        let (letters, rank) = (term.letters.len(), shape.len());
        if letters > rank || letters < rank && term.dots.is_none() {
            let problem = Problem::Rank { operand, letters, rank };
            return Err(EinsumError::at(text, term.at.clone(), problem));
        }
        let n_dots = rank - letters;
        let mut labels = Vec::new();
        for (axis, &len) in shape.iter().enumerate() {
            let before = term.dots.map_or(letters, |(before, _)| before);
            let (label, letter, at) = match axis {
                k if k < before || k >= before + n_dots => {
                    let (c, at) = term.letters[if k < before { k } else { k - n_dots }];
                    (self.letter(c), Some(c), at..at + 1)
                }
                k => {
                    let at = term.dots.map_or(0, |(_, at)| at);
                    (self.depth(before + n_dots - 1 - k), None, at..at + 3)
                }
            };
            let twin = labels.iter().position(|&it| it == label);
            if let (Some(letter), Some(twin)) = (letter, twin)
                && shape[twin] != len
            {
                let lens = (shape[twin], len);
                let problem = Problem::Diagonal { letter, operand, lens };
                return Err(EinsumError::at(text, at, problem));
            }
            let before = self.lens[label];
            if before != len && before != 1 && len != 1 {
                let problem = Problem::Lengths { letter, before, operand, axis, len };
                return Err(EinsumError::at(text, at, problem));
            }
            if before == 1 {
                self.lens[label] = len;
            }
            labels.push(label);
        }
        self.inputs.push(labels);
        Ok(())
    }

    fn letter(&mut self, c: char) -> Label {
        let known = self.names.iter().position(|name| *name == Some(c));
        known.unwrap_or_else(|| self.index(Some(c), 0))
    }

    fn depth(&mut self, depth: usize) -> Label {
        let is_it = |i: &usize| self.names[*i].is_none() && self.depths[*i] == depth;
        (0..self.names.len()).find(is_it).unwrap_or_else(|| self.index(None, depth))
    }

    fn index(&mut self, name: Option<char>, depth: usize) -> Label {
        self.names.push(name);
        self.depths.push(depth);
        self.lens.push(1);
        self.names.len() - 1
    }

    /// The indices under the ellipsis, the outermost first.
    fn dots(&self) -> Vec<Label> {
        let mut dots: Vec<Label> =
            (0..self.names.len()).filter(|&i| self.names[i].is_none()).collect();
        dots.sort_by_key(|&i| std::cmp::Reverse(self.depths[i]));
        dots
    }

    fn read_output(&mut self, notation: &Notation<'_>, term: &Term) -> Result<(), Error> {
        let error = |at, problem| Err(EinsumError::at(notation.text, at, problem));
        let dots = self.dots();
        if term.dots.is_none() && !dots.is_empty() {
            return error(term.at.clone(), Problem::NoEllipsis { axes: dots.len() });
        }
        for (i, &(c, at)) in term.letters.iter().enumerate() {
            if term.dots.is_some_and(|(before, _)| before == i) {
                self.output.extend(&dots);
            }
            let Some(label) = self.names.iter().position(|name| *name == Some(c)) else {
                return error(at..at + 1, Problem::Unknown(c));
            };
            if self.output.contains(&label) {
                return error(at..at + 1, Problem::Repeated(c));
            }
            self.output.push(label);
        }
        if term.dots.is_some_and(|(before, _)| before == term.letters.len()) {
            self.output.extend(&dots);
        }
        Ok(())
    }

    /// Without an arrow: what is under the ellipsis, and then the letters that occur once.
    fn guess_output(&mut self) {
        let occurs_once = |label: Label| {
            self.inputs.iter().flatten().filter(|&&other| other == label).count() == 1
        };
        let letters = (0..self.names.len()).filter(|&i| self.names[i].is_some() && occurs_once(i));
        let mut letters: Vec<Label> = letters.collect();
        letters.sort_by_key(|&i| self.names[i]);
        self.output = [self.dots(), letters].concat();
    }

    /// The shape of the result.
    pub fn shape(&self) -> Shape {
        self.output.iter().map(|&label| self.lens[label]).collect()
    }

    /// Some indices as they are written, with one ellipsis for all that are under it.
    pub fn write(&self, labels: &[Label]) -> String {
        let mut text = String::new();
        for &label in labels {
            match self.names[label] {
                Some(letter) => text.push(letter),
                None if text.contains("...") => {}
                None => write!(text, "...").expect("a string can be written to"),
            }
        }
        text
    }
}
