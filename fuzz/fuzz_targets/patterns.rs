//! Rearrange patterns, most of them valid, compared with splits and permutations of lists.

#![no_main]

use arbitrary::{Result, Unstructured};
use belvedere_fuzz::grid::Grid;
use belvedere_fuzz::{any, assert_sound, wild};
use belvedere_layout::{Layout, LayoutError, Pattern, Rearranged};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = check(&mut Unstructured::new(data));
});

/// Tokens of the notation, and some invalid ones.
const CHARACTERS: [&str; 20] = [
    "a", "b", " ", "(", ")", "->", "...", "1", ".", "-", ">", "_", "2", "c", "\n", "é", "٣",
    "\u{0}", ",", "\u{300}",
];

const NAMES: [&str; 9] = ["a", "b", "c", "d_", "e1", "é", "G", "_h", "long_name"];

/// The lengths of named axes that are passed with a pattern.
type Lengths = Vec<(String, usize)>;

fn check(u: &mut Unstructured) -> Result<()> {
    let layout = any::layout(u)?;
    let (mut text, mut lengths) = (String::new(), Lengths::new());
    if u.ratio(7, 8)? {
        (text, lengths) = valid_pattern(u, &layout)?;
    }
    for _ in 0..if text.is_empty() { u.int_in_range(0..=12)? } else { u.int_in_range(0..=7u8)? / 7 }
    {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = places.get(any::index_below(u, places.len() + 1)?).copied();
        text.insert_str(at.unwrap_or(text.len()), u.choose(&CHARACTERS)?);
    }
    if u.ratio(1, 8)? {
        lengths.push((u.choose(&NAMES)?.to_string(), wild::len(u)?));
    }
    check_rearranged(&layout, &text, &lengths);
    Ok(())
}

fn check_rearranged(layout: &Layout, text: &str, lengths: &Lengths) {
    let found = apply(layout, text, lengths);
    let (shape, items) = match found {
        Ok(Rearranged::View(view)) => {
            assert_sound(&view);
            (view.shape(), Grid::from_layout(&view).items)
        }
        Ok(Rearranged::Copy { ordered, shape, .. }) => {
            assert_sound(&ordered);
            assert_eq!(ordered.view(&shape).ok(), None);
            (shape, Grid::from_layout(&ordered).items)
        }
        Err(error) => return check_message(&error, text),
    };
    let context = || format!("{text:?} of {layout:?} with {lengths:?}");
    let result = Grid { shape: shape.to_vec(), items };
    assert_eq!(result.shape.iter().product::<usize>(), layout.len(), "{}", context());

    // First split groups, so that every name is an axis, in the same order.
    let (left, right) = text.split_once("->").expect("the pattern was parsed");
    let (names, new_names) = (axis_names(left), axis_names(right));
    let cut = apply(layout, &format!("{left}->{}", names.join(" ")), lengths);
    let cut = cut.ok().and_then(Rearranged::into_view).expect("splitting axes gives a view");
    assert!(cut.offsets().eq(layout.offsets()), "{}", context());
    let places = |name: &&str| {
        let n_hidden = cut.rank() + 1 - names.len();
        let before = names.iter().take_while(|it| *it != name);
        let first: usize = before.map(|it| if *it == "..." { n_hidden } else { 1 }).sum();
        first..first + if *name == "..." { n_hidden } else { 1 }
    };
    let order: Vec<usize> = new_names.iter().flat_map(places).collect();
    assert_eq!(result.items, Grid::from_layout(&cut).permute(&order).items, "{}", context());

    // The inverse pattern, unless a group contains an ellipsis.
    let named = names.iter().filter(|it| **it != "...");
    let known = named.map(|it| (it.to_string(), cut.axes()[places(it).start].len));
    let fresh = Layout::row_major(&result.shape).expect("there are as many elements");
    let back = match apply(&fresh, &format!("{right}->{left}"), &known.collect()) {
        Ok(Rearranged::View(view)) => Grid::from_layout(&view).reshape(&view.shape()),
        Ok(Rearranged::Copy { ordered, shape, .. }) => Grid::from_layout(&ordered).reshape(&shape),
        Err(_) if new_names.contains(&"...") => return,
        Err(error) => panic!("{} has no inverse: {error}", context()),
    };
    let items = back.items.iter().flatten().map(|&at| result.items[at]).collect();
    assert_eq!(Grid { items, ..back }, Grid::from_layout(layout), "{}", context());
}

fn apply(
    layout: &Layout,
    text: &str,
    lengths: &Lengths,
) -> std::result::Result<Rearranged, LayoutError> {
    let lengths: Vec<(&str, usize)> = lengths.iter().map(|(name, len)| (&name[..], *len)).collect();
    let found = layout.rearrange(text, &lengths);
    let recipe = text.parse::<Pattern>().and_then(|it| it.recipe(layout.rank(), &lengths));
    assert_eq!(recipe.and_then(|it| it.apply(layout)), found);
    found
}

/// Returns the names and the ellipsis of one side of a pattern, in order.
fn axis_names(side: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in side.split(|c: char| c.is_whitespace() || c == '(' || c == ')') {
        match part.split_once("...") {
            Some((before, behind)) => words.extend([before, "...", behind]),
            None => words.push(part),
        }
    }
    words.retain(|it| !it.is_empty() && *it != "1");
    words
}

/// Checks that the message of a pattern error has three lines, with carets below the pattern or after its end.
fn check_message(error: &LayoutError, text: &str) {
    let message = error.to_string();
    assert!(!message.is_empty());
    if !matches!(error, LayoutError::Pattern(_)) {
        return;
    }
    let lines: Vec<&str> = message.split('\n').collect();
    let [_, pattern, carets] = lines[..] else { panic!("not three lines: {message:?}") };
    let n_places = pattern.chars().count();
    assert_eq!(n_places, 2 + text.chars().count(), "{message}");
    assert!(carets.starts_with("  ") && carets.trim_start().chars().all(|c| c == '^'), "{message}");
    let n_carets = carets.trim_start().len();
    assert!(n_carets > 0 && carets.len() <= n_places.max(carets.len() - n_carets + 1), "{message}");
    assert!(carets.len() <= n_places + 1, "{message}");
}

/// Draws a pattern that is nearly always valid for the layout, and the lengths it needs.
fn valid_pattern(u: &mut Unstructured, layout: &Layout) -> Result<(String, Lengths)> {
    let mut unused = NAMES.to_vec();
    let mut lengths = Lengths::new();
    let mut left: Vec<String> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let hidden = match u.ratio(1, 3)? {
        true => any::index_below(u, layout.rank() + 1)?..u.int_in_range(0..=layout.rank())?,
        false => usize::MAX..usize::MAX,
    };
    for (k, axis) in layout.axes().iter().enumerate() {
        if k == hidden.start {
            names.push("...");
            left.push("...".into());
        }
        if hidden.contains(&k) {
            continue;
        }
        if axis.len == 1 && u.arbitrary()? {
            left.push(u.choose(&["1", "()", "( 1)"])?.to_string());
            continue;
        }
        let parts = if u.arbitrary()? { any::shape(u, axis.len)? } else { vec![axis.len] };
        let open = any::index_below(u, parts.len())?;
        let mut group = Vec::new();
        for (i, &len) in parts.iter().enumerate().take(unused.len()) {
            let name = unused.remove(any::index_below(u, unused.len())?);
            if i != open || u.ratio(1, 4)? {
                lengths.push((name.to_string(), len));
            }
            group.push(name);
        }
        names.extend(&group);
        let is_single = group.len() == 1 && u.arbitrary()?;
        left.push(if is_single { group[0].into() } else { format!("({})", group.join(" ")) });
    }
    if hidden.start == layout.rank() {
        names.push("...");
        left.push("...".into());
    }
    let right = group_names(u, &names)?;
    Ok((format!("{} -> {right}", left.join(" ")), lengths))
}

/// Draws the names in any order, some grouped, with axes of length 1 inserted.
fn group_names(u: &mut Unstructured, names: &[&str]) -> Result<String> {
    let mut right = String::new();
    let mut is_open = false;
    for k in any::permutation(u, names.len())? {
        right += match u.int_in_range(0..=15u8)? {
            0..=2 if !is_open => "(",
            3..=6 if is_open => ") ",
            7 => " 1 ",
            8 if !is_open => "()",
            _ => " ",
        };
        is_open = right.matches('(').count() > right.matches(')').count();
        right += names[k];
    }
    Ok(right + if is_open { ")" } else { "" })
}
