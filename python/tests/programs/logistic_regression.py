"""Logistic regression by gradient descent and by Newton's method, with accuracy, ROC curve and AUC."""

import numpy as np


def make_data(n):
    i = np.arange(n)
    x = np.column_stack([(i * 0.8191725134) % 1, (i * 0.6710436067) % 1, (i * 0.5497004779) % 1]) * 4 - 2
    noise = ((i * 48271) % 2147483647 % 997) / 997 - 0.5
    y = (x[:, 0] - 1.5 * x[:, 1] + 0.25 + 2 * noise > 0).astype(int)
    mean, std = x.mean(axis=0), x.std(axis=0)
    return np.concatenate([np.ones((n, 1)), (x - mean) / std], axis=1), y


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def loss(w, x, y):
    p = np.clip(sigmoid(x @ w), 1e-12, 1 - 1e-12)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def descend(x, y, rate=0.5, steps=300):
    w = np.zeros(x.shape[1])
    history = np.zeros(steps)
    for k in range(steps):
        w -= rate * x.T @ (sigmoid(x @ w) - y) / len(y)
        history[k] = loss(w, x, y)
    return w, history


def newton(x, y, steps=12):
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        p = sigmoid(x @ w)
        hessian = (x * (p * (1 - p))[:, None]).T @ x
        w = w - np.linalg.solve(hessian, x.T @ (p - y))
    return w


def roc(scores, y):
    order = np.argsort(-scores)
    hits = np.cumsum(y[order]) / y.sum()
    alarms = np.cumsum(1 - y[order]) / (1 - y).sum()
    return np.r_[0, alarms], np.r_[0, hits]


def main():
    x, y = make_data(3000)
    print("data", x.shape, "positives", y.sum())
    w, history = descend(x, y)
    print("loss:", ", ".join(f"{h:.4f}" for h in history[::75]))
    exact = newton(x, y)
    print("descent", w.round(3), "Newton", exact.round(3))
    predicted = (sigmoid(x @ exact) > 0.5).astype(int)
    print(f"accuracy {np.mean(predicted == y):.4f}")
    table = np.zeros((2, 2), dtype=int)
    np.add.at(table, (y, predicted), 1)
    print(table)
    precision, recall = table[1, 1] / table[:, 1].sum(), table[1, 1] / table[1].sum()
    print(f"precision {precision:.4f} recall {recall:.4f} F1 {2 * precision * recall / (precision + recall):.4f}")
    alarms, hits = roc(x @ exact, y)
    area = np.trapezoid(hits, alarms)
    print(f"area under the curve {area:.4f}")
    return {"w": w, "exact": exact, "history": history, "table": table, "area": area, "precision": precision}
