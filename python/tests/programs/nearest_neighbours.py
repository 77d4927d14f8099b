"""Classification by nearest neighbours, with a confusion matrix, cross-validation and a distance-weighted vote."""

import numpy as np

NAMES = np.array([0, 1, 2])


def make_flowers(n):
    i = np.arange(n)
    kind = i % 3
    jitter = np.stack([(i * g) % 1.0 - 0.5 for g in (0.8566748838, 0.7338918566, 0.6287067210, 0.5385972572)], axis=1)
    means = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.5, 2.0]])
    return means[kind] + jitter * [2.5, 1.8, 3.4, 1.9], kind


def distances(a, b):
    """Euclidean distances of all pairs, by the expanded square."""
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0))


def predict(train, labels, test, k, weighted=False):
    d = distances(test, train)
    nearest = np.argpartition(d, k, axis=1)[:, :k]
    votes = np.zeros((len(test), 3))
    weight = 1 / (np.take_along_axis(d, nearest, axis=1) + 1e-9) if weighted else np.ones(nearest.shape)
    for c in range(3):
        votes[:, c] = np.sum(weight * (labels[nearest] == c), axis=1)
    return votes.argmax(axis=1)


def confusion(truth, predicted, n=3):
    return np.bincount(truth * n + predicted, minlength=n * n).reshape(n, n)


def main():
    x, y = make_flowers(900)
    fold = (np.arange(len(x)) // 3) % 5
    scores = np.zeros((4, 5))
    for row, k in enumerate([1, 3, 9, 27]):
        for f in range(5):
            test = fold == f
            guess = predict(x[~test], y[~test], x[test], k)
            scores[row, f] = (guess == y[test]).mean()
        print(f"k = {k:2d}: accuracy {scores[row].mean():.4f} +- {scores[row].std(ddof=1):.4f}")
    test = fold == 0
    guess = predict(x[~test], y[~test], x[test], 9, weighted=True)
    table = confusion(y[test], guess)
    print(table)
    recall = np.diag(table) / table.sum(axis=1)
    precision = table.diagonal() / table.sum(axis=0)
    for name in NAMES:
        print(f"class {name}: precision {precision[name]:.3f}, recall {recall[name]:.3f}")
    d = distances(x, x)
    np.fill_diagonal(d, np.inf)
    pair = np.unravel_index(d.argmin(), d.shape)
    print("closest pair:", tuple(int(p) for p in pair), f"{d.min():.5f}")
    chance = table.sum(0) @ table.sum(1) / table.sum()
    print("kappa: %.4f" % ((np.trace(table) - chance) / (table.sum() - chance)))
    return {"scores": scores, "table": table, "recall": recall, "nearest": d.argmin(axis=1), "guess": guess}
