"""A perceptron and a network with one hidden layer, trained by backpropagation in batches."""

import numpy as np

DTYPE = np.float32


def initial(rows, columns, scale):
    i = np.arange(rows * columns, dtype=DTYPE).reshape(rows, columns)
    return scale * np.sin(i * 12.9898, dtype=DTYPE)


def spiral(n):
    t = np.linspace(0.5, 1.4, n, dtype=DTYPE) * np.pi
    arm = np.arange(n) % 2
    angle = t + np.pi * arm
    return np.stack([t * np.cos(angle), t * np.sin(angle)], axis=-1).astype(DTYPE) / 4, arm


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Network:
    def __init__(self, sizes):
        self.weights = [initial(a, b, 0.8) for a, b in zip(sizes[:-1], sizes[1:])]
        self.biases = [np.zeros(b, DTYPE) for b in sizes[1:]]

    def forward(self, x):
        self.inputs = [x]
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            x = np.tanh(x @ w + b)
            self.inputs.append(x)
        return softmax(x @ self.weights[-1] + self.biases[-1])

    def backward(self, p, target, rate):
        delta = p.copy()
        delta[np.arange(len(p)), target] -= 1
        delta /= len(p)
        for k in reversed(range(len(self.weights))):
            gradient = self.inputs[k].T @ delta
            bias = delta.sum(axis=0)
            delta = (delta @ self.weights[k].T) * (1 - self.inputs[k] ** 2)
            self.weights[k] -= rate * gradient
            self.biases[k] -= rate * bias


def train_perceptron(x, y):
    w = np.zeros(3)
    for epoch in range(20):
        errors = 0
        for features, label in zip(x, y):
            z = np.append(features, 1.0)
            if label * np.dot(w, z) <= 0:
                w += label * z
                errors += 1
        if errors == 0:
            break
    return w, epoch


def main():
    i = np.arange(300)
    points = np.array([(i * 0.7548) % 1 - 0.5, (i * 0.5698) % 1 - 0.5]).T
    side = np.where(points[:, 0] + 2 * points[:, 1] > 0.1, 1, -1)
    w, epochs = train_perceptron(points, side)
    wrong = np.sum(np.sign(points @ w[:2] + w[2]) != side)
    print(f"perceptron: {epochs} epochs, {wrong} wrong, direction {w[1] / w[0]:.3f}")
    x, arm = spiral(200)
    network = Network([2, 16, 2])
    losses = []
    for epoch in range(150):
        for start in range(0, len(x), 50):
            batch = slice(start, start + 50)
            p = network.forward(x[batch])
            losses.append(-np.log(p[np.arange(50), arm[batch]]).mean())
            network.backward(p, arm[batch], 0.5)
    p = network.forward(x)
    print("network", p.shape, p.dtype, f"loss {losses[0]:.2f} -> {losses[-1]:.2f}")
    print("parameters:", sum(v.size for v in network.weights + network.biases))
    print(f"accuracy {(p.argmax(axis=1) == arm).mean():.2f}; rows sum to one: {np.allclose(p.sum(axis=1), 1)}")
    return {"w": w, "loss": losses[0], "first": network.weights[0].shape, "x": x, "one_hot": np.eye(2)[arm]}
