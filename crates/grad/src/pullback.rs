//! [`Pullback`]: what a rule sees of an entry, and where it puts its contributions.

use crate::backward::Spans;
use crate::entry::{Entry, EntryKind, InputSource};
use crate::error::GradientError;
use crate::shadow::Shadows;
use belvedere::trace::Param;
use belvedere::{Complex, DType, Error, Index, Shape, Tensor};

/// A function that adds to some elements of a gradient.
pub(crate) type InPlaceSum = Box<dyn FnOnce(&Tensor) -> Result<(), Error>>;

/// What a rule adds to the gradient of an input.
pub(crate) enum Contribution {
    Tensor(Tensor),
    /// A sum into some of its elements.
    InPlace(InPlaceSum),
}

/// An entry while its rule runs: the gradients of the outputs, the values that were saved, and the contributions to the
/// gradients of the inputs.
pub(crate) struct Pullback<'a> {
    entry: &'a Entry,
    gradients: &'a [Option<Tensor>],
    shadows: &'a mut Shadows,
    spans: &'a Spans,
    pub(crate) contributions: Vec<(usize, Contribution)>,
    /// The contribution to what the output contained before.
    pub(crate) to_old: Option<Tensor>,
}

impl<'a> Pullback<'a> {
    pub(crate) fn new(
        entry: &'a Entry,
        gradients: &'a [Option<Tensor>],
        shadows: &'a mut Shadows,
        spans: &'a Spans,
    ) -> Pullback<'a> {
        Pullback { entry, gradients, shadows, spans, contributions: Vec::new(), to_old: None }
    }

    /// Returns the gradient of the first output; the rules of operations with one output are called only if it exists.
    pub(crate) fn g(&self) -> Tensor {
        self.gradients[0].clone().expect("a rule is called if a gradient exists")
    }

    /// Returns the gradient of an output, if something depends on it.
    pub(crate) fn gradient(&self, output: usize) -> Option<&Tensor> {
        self.gradients[output].as_ref()
    }

    /// Returns the shape of an output.
    pub(crate) fn output_shape(&self, output: usize) -> Shape {
        self.entry.outputs[output].layout.shape()
    }

    pub(crate) fn n_outputs(&self) -> usize {
        self.entry.outputs.len()
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.entry.inputs.len()
    }

    /// Returns whether an input has a gradient.
    pub(crate) fn needs(&self, input: usize) -> bool {
        self.entry.inputs.get(input).is_some_and(|it| it.tracked.is_some())
    }

    /// Returns the shape of an input.
    pub(crate) fn shape(&self, input: usize) -> Shape {
        self.entry.inputs[input].shape()
    }

    /// Returns the dtype of an input; that of the gradient for a number.
    pub(crate) fn dtype(&self, input: usize) -> DType {
        let of_gradient = || self.gradients.iter().flatten().next().map(Tensor::dtype);
        self.entry.inputs[input].dtype.or_else(of_gradient).unwrap_or(DType::Float64)
    }

    /// Returns the value of an input, which the rule has to save; a number has rank 0. It is conjugated if the rule asks for
    /// that.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn input(&mut self, input: usize) -> Result<Tensor, Error> {
        let value = self.saved_input(input)?;
        match self.entry.kind {
            EntryKind::Rule(rule) if value.dtype().is_complex() && rule.conjugates() => {
                value.conj()
            }
            _ => Ok(value),
        }
    }

    fn saved_input(&mut self, input: usize) -> Result<Tensor, Error> {
        let own = &self.entry.inputs[input];
        match &own.source {
            InputSource::Number(Some(value)) => {
                let dtype = self.dtype(input);
                let number = Tensor::zeros([0usize; 0], dtype)?;
                let unsupported = Error::Unsupported { op: self.entry.op, dtype };
                match value {
                    Param::Int(value) => number.fill(*value as f64)?,
                    Param::Float(value) => number.fill(*value)?,
                    Param::Bool(value) => number.fill(f64::from(u8::from(*value)))?,
                    Param::Text(text) => number.fill(complex_number(text).ok_or(unsupported)?)?,
                    _ => return Err(unsupported),
                }
                Ok(number)
            }
            InputSource::Leased(lease) => self.shadows.contents(lease),
            _ => Ok(own.saved_copy().expect("the rule saves this input").clone()),
        }
    }

    /// Adds to the gradient of an input, if it has one. The contribution is summed to the input's shape.
    pub(crate) fn add(&mut self, input: usize, contribution: Tensor) {
        if self.needs(input) {
            self.contributions.push((input, Contribution::Tensor(contribution)));
        }
    }

    /// Adds to some elements of the gradient of an input, if it has one: `add` receives that gradient, and adds to it in
    /// place.
    pub(crate) fn add_in_place(
        &mut self,
        input: usize,
        add: impl FnOnce(&Tensor) -> Result<(), Error> + 'static,
    ) {
        if self.needs(input) {
            self.contributions.push((input, Contribution::InPlace(Box::new(add))));
        }
    }

    /// Returns whether the tape recorded the backward of another one.
    pub(crate) fn is_higher_order(&self) -> bool {
        self.spans.is_higher_order
    }

    /// Returns the error of an operation whose derivative does not exist for these values.
    pub(crate) fn undefined(&self, reason: &'static str) -> Error {
        let (op, line) = (self.entry.op, self.entry.line.to_string());
        GradientError::Undefined { op, reason, line }.into()
    }

    /// Passes a gradient on to what the output contained before.
    pub(crate) fn add_to_old(&mut self, contribution: Tensor) {
        self.to_old = Some(contribution);
    }

    fn param(&self, name: &str) -> &'a Param<'static> {
        let found = self.entry.params.iter().find(|(it, _)| *it == name);
        found.map_or(&Param::None, |(_, value)| value)
    }

    /// Returns whether a parameter was announced.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.entry.params.iter().any(|(it, _)| *it == name)
    }

    /// Returns the rank of the tensor that an operation selects elements of: the output of one that writes in place.
    pub(crate) fn selected_rank(&self) -> usize {
        match self.entry.is_fresh {
            true => self.entry.inputs[0].shape().len(),
            false => self.entry.outputs[0].layout.rank(),
        }
    }

    /// Returns an integer parameter.
    pub(crate) fn int(&self, name: &str) -> Option<isize> {
        match self.param(name) {
            Param::Int(value) => isize::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns whether a parameter is given and true.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.param(name), Param::Bool(true))
    }

    /// Returns a numeric parameter.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        match self.param(name) {
            Param::Int(value) => Some(*value as f64),
            Param::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns a parameter that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        match self.param(name) {
            Param::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a list of integers, or one integer as a list.
    pub(crate) fn ints(&self, name: &str) -> Option<Vec<isize>> {
        match self.param(name) {
            Param::Ints(list) => Some(list.to_vec()),
            Param::Lengths(list) => Some(list.iter().map(|&it| it as isize).collect()),
            Param::Int(value) => Some(vec![isize::try_from(*value).ok()?]),
            _ => None,
        }
    }

    /// Returns an index parameter.
    pub(crate) fn index(&self, name: &str) -> Option<Vec<Index>> {
        match self.param(name) {
            Param::Index(entries) => Some(entries.to_vec()),
            _ => None,
        }
    }
}

/// Reads a complex number as events print it.
fn complex_number(text: &str) -> Option<Complex<f64>> {
    text.parse().ok()
}
