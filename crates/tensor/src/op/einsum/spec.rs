//! Subscripts matched with operands: every axis has an index, and every index a length.

use super::error::{EinsumError, EinsumProblem as Problem};
use super::parse::{Notation, Term};
use crate::{Error, Shape};
use std::fmt::Write;

/// An index: its position in [`Spec::names`] and [`Spec::lens`].
pub(super) type Label = usize;

/// The indices of all operands and of the output.
pub(super) struct Spec {
    /// The index of each axis of each operand.
    pub inputs: Vec<Vec<Label>>,
    /// The indices of the output, without repetition.
    pub output: Vec<Label>,
    /// The length of each index.
    pub lens: Vec<usize>,
    /// The letter of each index; `None` for an index of the ellipsis.
    names: Vec<Option<char>>,
    /// The distance of each index of the ellipsis from the last one.
    depths: Vec<usize>,
}

impl Spec {
    pub(super) fn new(text: &str, shapes: &[Shape]) -> Result<Spec, Error> {
        let notation = Notation::parse(text)?;
        let (wanted, given) = (notation.inputs.len(), shapes.len());
        if given == 0 {
            return Err(EinsumError::at(text, 0..text.len(), Problem::Nothing));
        }
        if wanted != given {
            let problem = Problem::Operands { wanted, given };
            // The first term without an operand, or the end of the text if a term is missing.
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
            None => spec.infer_output(),
        }
        Ok(spec)
    }

    /// Assigns an index to each axis of an operand.
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
                    (self.label_of_letter(c), Some(c), at..at + 1)
                }
                k => {
                    let at = term.dots.map_or(0, |(_, at)| at);
                    (self.label_of_ellipsis(before + n_dots - 1 - k), None, at..at + 3)
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

    /// Returns the index of a letter, a new one at its first occurrence.
    fn label_of_letter(&mut self, c: char) -> Label {
        let known = self.names.iter().position(|name| *name == Some(c));
        known.unwrap_or_else(|| self.new_label(Some(c), 0))
    }

    /// Returns the index of an axis of the ellipsis, `depth` axes before its last one.
    fn label_of_ellipsis(&mut self, depth: usize) -> Label {
        let is_match = |i: &usize| self.names[*i].is_none() && self.depths[*i] == depth;
        (0..self.names.len()).find(is_match).unwrap_or_else(|| self.new_label(None, depth))
    }

    fn new_label(&mut self, name: Option<char>, depth: usize) -> Label {
        self.names.push(name);
        self.depths.push(depth);
        self.lens.push(1);
        self.names.len() - 1
    }

    /// Returns the indices of the ellipsis, outermost first.
    fn ellipsis_labels(&self) -> Vec<Label> {
        let mut dots: Vec<Label> =
            (0..self.names.len()).filter(|&i| self.names[i].is_none()).collect();
        dots.sort_by_key(|&i| std::cmp::Reverse(self.depths[i]));
        dots
    }

    fn read_output(&mut self, notation: &Notation<'_>, term: &Term) -> Result<(), Error> {
        let error = |at, problem| Err(EinsumError::at(notation.text, at, problem));
        let dots = self.ellipsis_labels();
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

    /// Sets the output of subscripts without `->`: the indices of the ellipsis, then the letters that occur once.
    fn infer_output(&mut self) {
        let occurs_once = |label: Label| {
            self.inputs.iter().flatten().filter(|&&other| other == label).count() == 1
        };
        let letters = (0..self.names.len()).filter(|&i| self.names[i].is_some() && occurs_once(i));
        let mut letters: Vec<Label> = letters.collect();
        letters.sort_by_key(|&i| self.names[i]);
        self.output = [self.ellipsis_labels(), letters].concat();
    }

    /// Returns the shape of the result.
    pub(super) fn shape(&self) -> Shape {
        self.output.iter().map(|&label| self.lens[label]).collect()
    }

    /// Formats indices as subscripts, with one `...` for all indices of the ellipsis.
    pub(super) fn write(&self, labels: &[Label]) -> String {
        let mut text = String::new();
        for &label in labels {
            match self.names[label] {
                Some(letter) => text.push(letter),
                None if text.contains("...") => {}
                None => write!(text, "...").expect("writing to a string does not fail"),
            }
        }
        text
    }
}
