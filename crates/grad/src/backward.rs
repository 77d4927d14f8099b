//! The walk back over the entries of a tape: the one place where gradients are taken, passed on and summed.

use crate::accumulate::{GradientStore, sum_dtype, widened};
use crate::components::component_span;
use crate::entry::{Entry, EntryInput, EntryKind, InputElements, Region};
use crate::entry_log::EntryLog;
use crate::gradients::Grads;
use crate::hash::FastMap;
use crate::live_reads::LiveReads;
use crate::observer::FlagScope;
use crate::pullback::{Contribution, Pullback};
use crate::rules::Rule;
use crate::shadow::Shadows;
use crate::tracked::{TrackedStorage, TrackedStorages};
use belvedere::{Answer, Chain, DType, Error, StorageId, Tensor, copies};
use std::cell::Cell;

thread_local! {
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread computes a gradient.
pub(crate) fn is_running() -> bool {
    IS_RUNNING.get()
}

/// Calls a function whose operations are not those of a gradient, although one is computed.
pub(crate) fn suspended<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_RUNNING.set(self.0);
        }
    }
    let _restore = Restore(IS_RUNNING.replace(false));
    f()
}

/// What the entries of a tape need: offsets of storages, and whether derivatives are of higher order.
pub(crate) struct Spans {
    /// Those that have gradients.
    tracked: TrackedStorages,
    /// Whether the tape recorded the backward of another one.
    pub is_higher_order: bool,
}

impl Spans {
    fn new(tracked: TrackedStorages, entries: &EntryLog) -> Spans {
        Spans { tracked, is_higher_order: entries.has_backward() }
    }
}

/// Results with the factors of their elements.
pub(crate) type Seeds<'a> = &'a [(&'a Tensor, &'a Tensor)];

/// Computes gradients, and drops each entry as soon as it was passed.
pub(crate) fn run(
    mut entries: EntryLog,
    tracked: TrackedStorages,
    seeds: Seeds<'_>,
    finds_anomalies: bool,
) -> Result<Grads, Error> {
    let _scope = FlagScope::set(&IS_RUNNING);
    let mut walk = Walk::new(&entries, tracked, seeds, finds_anomalies)?;
    while let Some(entry) = entries.pop() {
        walk.pass(entries.len(), &entry)?;
    }
    Ok(walk.grads)
}

/// Computes gradients and keeps the entries.
pub(crate) fn run_keeping(
    entries: &EntryLog,
    tracked: TrackedStorages,
    seeds: Seeds<'_>,
    finds_anomalies: bool,
) -> Result<Grads, Error> {
    let _scope = FlagScope::set(&IS_RUNNING);
    let mut walk = Walk::new(entries, tracked, seeds, finds_anomalies)?;
    for at in (0..entries.len()).rev() {
        walk.pass(at, &entries.entry(at))?;
    }
    Ok(walk.grads)
}

/// What a rule has computed.
struct FoundContributions {
    contributions: Vec<(usize, Contribution)>,
    to_old: Option<Tensor>,
    /// What it reads; sums in place read it when they are carried out.
    reads: LiveReads,
}

/// Copies contributions that are views of saved elements, which other threads may overwrite before they are added.
fn own_elements(
    reads: &LiveReads,
    contributions: &mut [(usize, Contribution)],
) -> Result<(), Error> {
    for (_, contribution) in contributions {
        if let Contribution::Tensor(x) = contribution
            && reads.contain(x.storage().id())
        {
            *x = copies::allow(|| x.copy())?;
        }
    }
    Ok(())
}

/// The state of the walk.
pub(crate) struct Walk {
    pub spans: Spans,
    stores: FastMap<StorageId, GradientStore>,
    pub shadows: Shadows,
    /// The first entry, other than one that watches, that touches each storage.
    first_touch: FastMap<StorageId, usize>,
    grads: Grads,
    /// Whether a gradient that is not finite is an error.
    pub finds_anomalies: bool,
}

impl Walk {
    fn new(
        entries: &EntryLog,
        tracked: TrackedStorages,
        seeds: Seeds<'_>,
        finds_anomalies: bool,
    ) -> Result<Walk, Error> {
        let mut first_touch = FastMap::default();
        for (at, id) in entries.touched() {
            first_touch.entry(id).or_insert(at);
        }
        let mut spans = Spans::new(tracked, entries);
        for (y, _) in seeds {
            // The result may be a view that reaches further than what was touched.
            let (id, span) = (y.storage().id(), component_span(y.layout().span(), y.dtype()));
            spans.tracked.extend_span(id, span);
        }
        let (stores, shadows, grads) = (FastMap::default(), Shadows::default(), Grads::default());
        let mut walk = Walk { spans, stores, shadows, first_touch, grads, finds_anomalies };
        for (y, seed) in seeds {
            walk.store(y.storage().id())?.add(y.layout(), y.dtype(), seed)?;
        }
        Ok(walk)
    }

    /// Returns the gradient of a storage, if something has been added to it.
    pub(crate) fn known_store(&self, id: StorageId) -> Option<&GradientStore> {
        self.stores.get(&id)
    }

    /// Returns the gradient of a storage, which is zero at first.
    pub(crate) fn store(&mut self, id: StorageId) -> Result<&GradientStore, Error> {
        if !self.stores.contains_key(&id) {
            let TrackedStorage { dtype, span } = &self.spans.tracked[&id];
            self.stores.insert(id, GradientStore::zeros(span.clone(), *dtype)?);
        }
        Ok(&self.stores[&id])
    }

    /// Passes the gradients of an entry's outputs on to its inputs.
    fn pass(&mut self, at: usize, entry: &Entry) -> Result<(), Error> {
        match &entry.kind {
            EntryKind::Watch => self.keep_watched(at, &entry.outputs[0]),
            EntryKind::Constant => {
                let Region { storage, layout, dtype } = &entry.outputs[0];
                match self.stores.get(storage) {
                    Some(store) => store.view(layout, *dtype)?.clear(),
                    None => Ok(()),
                }
            }
            EntryKind::Rule(rule) => self.pull(rule, entry),
            EntryKind::Custom(pull) => self.pull_custom(&**pull, entry),
            EntryKind::Checkpoint(function) => self.pull_checkpoint(function, entry),
        }?;
        if self.finds_anomalies { self.check_finite(entry) } else { Ok(()) }
    }

    /// Keeps the gradient of watched elements as it is at this entry.
    fn keep_watched(&mut self, at: usize, region: &Region) -> Result<(), Error> {
        let Region { storage, layout, dtype } = region;
        let is_final = self.first_touch.get(storage).is_none_or(|&first| first > at);
        let store = self.stores.get(storage).map(|it| it.keep(*dtype, is_final)).transpose()?;
        self.grads.insert(*storage, (layout, *dtype), store)
    }

    fn pull(&mut self, rule: &'static Rule, entry: &Entry) -> Result<(), Error> {
        if rule.keeps_gradient(entry) {
            return self.pull_in_place(rule, entry);
        }
        let mut gradients = Vec::with_capacity(entry.outputs.len());
        for region in &entry.outputs {
            gradients.push(self.take_gradient(region, entry.is_fresh)?);
        }
        if gradients.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut found = self.contributions(rule, entry, &gradients)?;
        if let Some(old) = found.to_old.take() {
            let Region { storage, layout, dtype } = &entry.outputs[0];
            self.store(*storage)?.add(layout, *dtype, &old)?;
        }
        self.add_contributions(rule, entry, gradients, found)
    }

    /// Returns the contributions of a rule, which is called again while another thread overwrites what it reads.
    fn contributions(
        &mut self,
        rule: &'static Rule,
        entry: &Entry,
        gradients: &[Option<Tensor>],
    ) -> Result<FoundContributions, Error> {
        loop {
            let reads = LiveReads::start();
            let mut pullback = Pullback::new(entry, gradients, &mut self.shadows, &self.spans);
            let outcome = copies::allow(|| rule.pull(&mut pullback));
            let (mut contributions, to_old) = (pullback.contributions, pullback.to_old);
            let outcome = outcome.and_then(|()| own_elements(&reads, &mut contributions));
            if !reads.are_overwritten()? {
                outcome?;
                return Ok(FoundContributions { contributions, to_old, reads });
            }
        }
    }

    /// Adds contributions to the gradients of the inputs; that of an input in place was not moved.
    fn add_contributions(
        &mut self,
        rule: &'static Rule,
        entry: &Entry,
        mut gradients: Vec<Option<Tensor>>,
        found: FoundContributions,
    ) -> Result<(), Error> {
        let FoundContributions { mut contributions, mut reads, .. } = found;
        let is_in_place = |(_, it): &(usize, Contribution)| matches!(it, Contribution::InPlace(_));
        // Only sums in place still read what was saved.
        let may_repeat = contributions.iter().any(is_in_place);
        if !may_repeat {
            // What a rule passes on unchanged has one owner less.
            gradients.clear();
        }
        let (mut n_added, keeps_first) = (0, rule.keeps_gradient(entry));
        loop {
            let added = contributions.into_iter().skip(n_added).try_for_each(|(n, it)| {
                if n > 0 || !keeps_first {
                    self.accumulate(&entry.inputs[n], it)?;
                }
                n_added += 1;
                Ok(())
            });
            // A sum in place that was refused has added nothing.
            if added.is_ok() || !may_repeat || !reads.are_overwritten()? {
                return added;
            }
            drop(reads);
            let again = self.contributions(rule, entry, &gradients)?;
            (contributions, reads) = (again.contributions, again.reads);
        }
    }

    /// Passes on the gradient of `x += y`, which stays the gradient of `x`.
    fn pull_in_place(&mut self, rule: &'static Rule, entry: &Entry) -> Result<(), Error> {
        let Region { storage, layout, dtype } = &entry.outputs[0];
        let Some(store) = self.stores.get(storage) else { return Ok(()) };
        let is_own = entry.inputs.iter().skip(1).any(|it| it.tracked == Some(*storage));
        let g = store.rounded_view(layout, *dtype)?;
        // A sum into the same storage must not change what is added.
        let gradients = [Some(if is_own { g.copy()? } else { g })];
        let found = self.contributions(rule, entry, &gradients)?;
        self.add_contributions(rule, entry, gradients.into(), found)
    }

    /// Takes the gradient of an output out of its storage's; `None` if nothing depends on it.
    pub(crate) fn take_gradient(
        &mut self,
        region: &Region,
        is_fresh: bool,
    ) -> Result<Option<Tensor>, Error> {
        // The entry made the storage, so no earlier one knows it.
        if is_fresh {
            let store = self.stores.remove(&region.storage);
            return store.map(|it| it.rounded_view(&region.layout, region.dtype)).transpose();
        }
        let Some(store) = self.stores.get(&region.storage) else { return Ok(None) };
        let own = store.view(&region.layout, region.dtype)?;
        let gradient = match own.dtype() == region.dtype {
            true => own.copy()?,
            false => store.rounded_view(&region.layout, region.dtype)?,
        };
        own.clear()?;
        Ok(Some(gradient))
    }

    /// Adds a contribution to the gradient of an input, through its layout.
    pub(crate) fn accumulate(
        &mut self,
        input: &EntryInput,
        added: Contribution,
    ) -> Result<(), Error> {
        let (Some(id), Some(dtype)) = (input.tracked, input.dtype) else { return Ok(()) };
        let mut contribution = match (added, input.layout()) {
            (Contribution::Tensor(contribution), _) => contribution,
            (Contribution::InPlace(add), Some(layout)) if layout.injective() == Answer::Yes => {
                let gradient = self.store(id)?.view(layout, dtype)?;
                return copies::allow(|| add(&gradient));
            }
            (Contribution::InPlace(add), _) => {
                let gradient = Tensor::zeros(&*input.shape(), sum_dtype(dtype))?;
                copies::allow(|| add(&gradient))?;
                gradient
            }
        };
        if contribution.dtype().is_complex() && !dtype.is_complex() {
            contribution = contribution.real()?;
        }
        let shape = input.shape();
        if contribution.shape() != shape {
            contribution = widened(&contribution)?.sum_to_shape(&*shape)?;
        }
        if ![dtype, sum_dtype(dtype)].contains(&contribution.dtype()) {
            contribution = contribution.astype(sum_dtype(dtype))?;
        }
        if let Some(layout) = input.layout()
            && !self.stores.contains_key(&id)
        {
            let span = self.spans.tracked[&id].span.clone();
            let store = GradientStore::of_contribution(&contribution, span, layout, dtype)?;
            if let Some(store) = store {
                self.stores.insert(id, store);
                return Ok(());
            }
        }
        let store = self.store(id)?;
        match (input.layout(), input.other_elements()) {
            (Some(layout), _) => store.add(layout, dtype, &contribution),
            (None, Some(InputElements::Chain(chain))) => {
                add_through_chain(store, chain, dtype, &contribution)
            }
            (None, Some(InputElements::Offsets(offsets))) => {
                store.add_at(offsets, dtype, &contribution)
            }
            (None, _) => Ok(()),
        }
    }
}

/// Adds a contribution to the gradient of the elements that a lens reads. Padding receives nothing.
fn add_through_chain(
    store: &GradientStore,
    chain: &Chain,
    dtype: DType,
    contribution: &Tensor,
) -> Result<(), Error> {
    let (mut to, mut from) = (Vec::new(), Vec::new());
    for (at, offset) in chain.offsets().enumerate() {
        if let Some(offset) = offset {
            to.push(offset);
            from.push(at as i64);
        }
    }
    let n = to.len();
    let values = copies::allow(|| contribution.reshape([-1]))?;
    store.add_at(&to, dtype, &values.take(&Tensor::from_vec(from, [n])?, 0)?)
}
