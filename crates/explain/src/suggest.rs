//! Spelling suggestions for unknown names.

/// The maximum length of a name, in characters, for which suggestions are computed.
const MAX_NAME_CHARS: usize = 32;

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
    let wanted = normalized(given);
    if wanted.is_empty() || wanted.len() > MAX_NAME_CHARS {
        return None;
    }
    // A single letter matches only in the other case: `t` for `T`.
    let allowed = if wanted.len() == 1 { 0 } else { wanted.len().div_ceil(3).min(3) };
    let distances = known.into_iter().filter(|name| name.len() <= MAX_NAME_CHARS).map(|name| {
        let other = normalized(name);
        // Prefer names with the same first four letters: `permute` for `permutation`.
        let begins = wanted.len() >= 4 && other.len() >= 4 && wanted[..4] == other[..4];
        (distance(&wanted, &other), !begins, name)
    });
    let (steps, _, name) = distances.min()?;
    (steps <= allowed && name != given).then_some(name)
}

/// Normalizes a name to lower case without underscores, so that `swap_axes` and `swapAxes` are equal.
fn normalized(name: &str) -> Vec<char> {
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
