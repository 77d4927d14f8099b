//! Spelling suggestions for unknown names.

/// The longest name that gets a suggestion.
const LONGEST: usize = 32;

/// Returns the name in `known` with the smallest edit distance from `given`, if it is small enough.
///
/// ```
/// use belvedere_explain::closest;
///
/// assert_eq!(closest("reshpae", ["reshape", "repeat"]), Some("reshape"));
/// assert_eq!(closest("Transpose", ["transpose", "T"]), Some("transpose"));
/// assert_eq!(closest("softmax", ["reshape", "repeat"]), None);
/// ```
pub fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(given);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    // One letter is too little to guess from: only `t` for `T`.
    let allowed = if wanted.len() == 1 { 0 } else { wanted.len().div_ceil(3).min(3) };
    let distances = known.into_iter().filter(|name| name.len() <= LONGEST).map(|name| {
        let other = folded(name);
        // `permutation` for `permute`: the beginning of a word counts for more than its length.
        let begins = wanted.len() >= 4 && other.len() >= 4 && wanted[..4] == other[..4];
        (distance(&wanted, &other), !begins, name)
    });
    let (steps, _, name) = distances.min()?;
    (steps <= allowed && name != given).then_some(name)
}

/// Lower case and without underscores: `swap_axes` and `swapAxes` are one name to a reader.
fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}

/// Returns the Damerau–Levenshtein distance (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        let [before, last, row] = &mut rows;
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if is_swap {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}
