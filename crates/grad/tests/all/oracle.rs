//! The oracle: memory as lists of scalars. A view is a list of addresses, a write replaces scalars, and gradients are
//! computed scalar by scalar. It has no strides and no tape.

/// A scalar with the scalars that it was computed from and the derivative with respect to each.
struct Node {
    value: f64,
    args: Vec<(usize, f64)>,
}

/// All scalars, and the memory: for each storage, the scalar at each address.
#[derive(Default)]
pub(crate) struct Oracle {
    nodes: Vec<Node>,
    memory: Vec<Vec<usize>>,
}

/// A list of addresses of one storage, in row-major order of a shape.
#[derive(Clone, Debug)]
pub(crate) struct ModelView {
    pub(crate) storage: usize,
    pub(crate) addresses: Vec<usize>,
    pub(crate) shape: Vec<usize>,
}

/// Calls `f` with every index of a shape, in row-major order.
pub(crate) fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product::<usize>() {
        f(&index);
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
}

/// Returns the position of an index in row-major order.
fn position(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (len, i)| at * len + i)
}

impl ModelView {
    /// Returns the view of another shape whose element at each index is this one's at `from(index)`.
    pub(crate) fn reindexed(
        &self,
        shape: &[usize],
        from: impl Fn(&[usize]) -> Vec<usize>,
    ) -> ModelView {
        let mut addresses = Vec::new();
        for_each_index(shape, |index| {
            addresses.push(self.addresses[position(&self.shape, &from(index))]);
        });
        ModelView { storage: self.storage, addresses, shape: shape.to_vec() }
    }

    /// Returns the view broadcast to a shape.
    pub(crate) fn broadcast_to(&self, shape: &[usize]) -> ModelView {
        let (own, missing) = (self.shape.clone(), shape.len() - self.shape.len());
        self.reindexed(shape, |index| {
            let own_index = index[missing..].iter().zip(&own);
            own_index.map(|(&i, &len)| if len == 1 { 0 } else { i }).collect()
        })
    }
}

impl Oracle {
    fn node(&mut self, value: f64, args: Vec<(usize, f64)>) -> usize {
        self.nodes.push(Node { value, args });
        self.nodes.len() - 1
    }

    /// Allocates a storage.
    pub(crate) fn allocate(&mut self, values: &[f64]) -> usize {
        let nodes = values.iter().map(|&it| self.node(it, Vec::new())).collect();
        self.memory.push(nodes);
        self.memory.len() - 1
    }

    /// Returns the scalars of a view.
    fn read(&self, view: &ModelView) -> Vec<usize> {
        view.addresses.iter().map(|&at| self.memory[view.storage][at]).collect()
    }

    /// Returns the values of a view.
    pub(crate) fn values(&self, view: &ModelView) -> Vec<f64> {
        self.read(view).into_iter().map(|it| self.nodes[it].value).collect()
    }

    /// Replaces the scalars of a view.
    pub(crate) fn write(&mut self, view: &ModelView, nodes: &[usize]) {
        for (&at, &node) in view.addresses.iter().zip(nodes) {
            self.memory[view.storage][at] = node;
        }
    }

    /// Makes a new storage of scalars.
    pub(crate) fn fresh(&mut self, shape: &[usize], nodes: Vec<usize>) -> ModelView {
        let addresses = (0..nodes.len()).collect();
        self.memory.push(nodes);
        ModelView { storage: self.memory.len() - 1, addresses, shape: shape.to_vec() }
    }

    /// Returns constants.
    pub(crate) fn constants(&mut self, values: &[f64]) -> Vec<usize> {
        values.iter().map(|&it| self.node(it, Vec::new())).collect()
    }

    /// Marks the elements of a view: returns a scalar for each, with respect to which gradients can be asked for.
    pub(crate) fn watch(&mut self, view: &ModelView) -> Vec<usize> {
        let old = self.read(view);
        let marked: Vec<usize> =
            old.iter().map(|&it| self.node(self.nodes[it].value, vec![(it, 1.0)])).collect();
        self.write(view, &marked);
        // An address that occurs twice has one scalar.
        self.read(view)
    }

    /// Applies a function of a value, which returns its result and its derivative.
    pub(crate) fn unary(&mut self, x: &ModelView, f: impl Fn(f64) -> (f64, f64)) -> Vec<usize> {
        let apply = |oracle: &mut Oracle, it: usize| {
            let (value, slope) = f(oracle.nodes[it].value);
            oracle.node(value, vec![(it, slope)])
        };
        self.read(x).into_iter().map(|it| apply(self, it)).collect()
    }

    /// Applies a function of two values of views of one shape, which returns its result and its derivatives.
    pub(crate) fn binary(
        &mut self,
        x: &ModelView,
        y: &ModelView,
        f: impl Fn(f64, f64) -> (f64, f64, f64),
    ) -> Vec<usize> {
        let pairs: Vec<(usize, usize)> = self.read(x).into_iter().zip(self.read(y)).collect();
        let apply = |(a, b): (usize, usize)| {
            let (value, to_a, to_b) = f(self.nodes[a].value, self.nodes[b].value);
            self.node(value, vec![(a, to_a), (b, to_b)])
        };
        pairs.into_iter().map(apply).collect()
    }

    /// Computes linear combinations of a view's elements: a list of positions and factors for each result.
    pub(crate) fn linear(&mut self, x: &ModelView, rows: &[Vec<(usize, f64)>]) -> Vec<usize> {
        let nodes = self.read(x);
        let combine = |row: &Vec<(usize, f64)>| {
            let args: Vec<(usize, f64)> =
                row.iter().map(|&(at, factor)| (nodes[at], factor)).collect();
            let value = args.iter().map(|&(it, factor)| self.nodes[it].value * factor).sum();
            self.node(value, args)
        };
        rows.iter().map(combine).collect()
    }

    /// Computes sums of products of two views' elements: a list of pairs of positions for each result.
    pub(crate) fn bilinear(
        &mut self,
        x: &ModelView,
        y: &ModelView,
        rows: &[Vec<(usize, usize)>],
    ) -> Vec<usize> {
        let (a, b) = (self.read(x), self.read(y));
        let combine = |row: &Vec<(usize, usize)>| {
            let (mut value, mut args) = (0.0, Vec::new());
            for &(i, j) in row {
                let (x, y) = (self.nodes[a[i]].value, self.nodes[b[j]].value);
                value += x * y;
                args.extend([(a[i], y), (b[j], x)]);
            }
            self.node(value, args)
        };
        rows.iter().map(combine).collect()
    }

    /// Returns the scalars of a view, as they are.
    pub(crate) fn copy(&self, x: &ModelView) -> Vec<usize> {
        self.read(x)
    }

    /// Returns the gradient of `Σ factor · node` with respect to every scalar.
    pub(crate) fn gradient(&self, seeds: &[(usize, f64)]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.nodes.len()];
        seeds.iter().for_each(|&(it, factor)| gradient[it] += factor);
        for at in (0..self.nodes.len()).rev() {
            let g = gradient[at];
            for &(arg, slope) in &self.nodes[at].args {
                gradient[arg] += g * slope;
            }
        }
        gradient
    }
}
