"""Gradients compared with PyTorch's: random programs of views and writes that PyTorch can run, and the rules of operations."""

import random

import numpy as np
import pytest

import belvedere as bv

torch = pytest.importorskip("torch", reason="PyTorch is not installed: gradients are compared with the scalar oracle")

N_PROGRAMS = 400

UNARY = ("sin", "tanh", "exp", "square")


def program(seed):
    """Returns a random program: a list of steps on a list of arrays, of which the first is the argument."""
    rng = random.Random(seed)
    return [
        (rng.choice(("view", "view", "unary", "binary", "write", "write")), [rng.random() for _ in range(6)])
        for _ in range(rng.randint(3, 14))
    ]


def view(x, a, b):
    """Returns a view with positive strides: PyTorch has no others."""
    if x.ndim == 0:
        return x
    n = x.shape[0]
    kind = int(a * 4)
    if kind == 0:
        # Of one axis a single element is a value here, as NumPy's, and a view in PyTorch.
        return x[int(b * n)] if x.ndim > 1 else x[int(b * n) :][:1]
    if kind == 1:
        return x[int(b * n) :]
    if kind == 2:
        return x[::2]
    return x.T if x.ndim == 2 else x.reshape((1, *x.shape))


def fitting(x, shape):
    """Returns a value that broadcasts to a shape: the array, or its sum."""
    return x if tuple(x.shape) == tuple(shape) else x.sum() * 0.1


def execute(steps, x, functions):
    """Runs a program; returns a weighted sum of everything that it has computed."""
    arrays = [x * 1.0]
    for kind, (a, b, c, d, *_) in steps:
        own, other = arrays[int(a * len(arrays))], arrays[int(b * len(arrays))]
        if kind == "view":
            arrays.append(view(own, c, d))
        elif kind == "unary":
            arrays.append(functions[UNARY[int(c * len(UNARY))]](own * 0.5))
        elif kind == "binary":
            value = fitting(other, own.shape)
            arrays.append(own + value if c < 0.5 else own * value)
        else:
            value = fitting(other, own.shape)
            if c < 0.3:
                own[...] = value
            elif c < 0.6:
                own += value
            else:
                own *= value
    total = x.sum() * 0.0
    for n, it in enumerate(arrays):
        total = total + it.sum() * (0.3 + 0.1 * n)
    return total


def torch_gradient(steps, values):
    """Returns PyTorch's gradient; ``None`` if it refuses the program."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    try:
        total = execute(steps, x, {name: getattr(torch, name) for name in UNARY})
        total.backward()
    except RuntimeError:
        return None
    return float(total), x.grad.numpy()


def test_random_programs_have_the_gradients_of_pytorch():
    functions = {name: getattr(bv, name) for name in UNARY}
    compared = 0
    for seed in range(N_PROGRAMS):
        steps = program(seed)
        values = np.random.default_rng(seed).uniform(-0.8, 0.8, (3, 4))
        found, gradient = bv.value_and_grad(lambda x, steps=steps: execute(steps, x, functions))(bv.asarray(values))
        expected = torch_gradient(steps, values)
        if expected is None or not np.isfinite(expected[0]):
            continue
        compared += 1
        np.testing.assert_allclose(float(found), expected[0], rtol=1e-9, atol=1e-9, err_msg=f"program {seed}")
        np.testing.assert_allclose(np.asarray(gradient), expected[1], rtol=1e-8, atol=1e-8, err_msg=f"program {seed}")
    assert compared > N_PROGRAMS / 10


#: The same function here and in PyTorch, of one or two matrices of 3 × 4 with positive elements.
RULES = {
    "sqrt": (bv.sqrt, torch.sqrt),
    "log1p": (bv.log1p, torch.log1p),
    "expm1": (bv.expm1, torch.expm1),
    "atan2": (bv.atan2, torch.atan2),
    "hypot": (bv.hypot, torch.hypot),
    "logaddexp": (bv.logaddexp, torch.logaddexp),
    "pow": (bv.pow, torch.pow),
    "maximum": (bv.maximum, torch.maximum),
    "prod": (lambda x: bv.prod(x, axis=1), lambda x: torch.prod(x, 1)),
    "std": (lambda x: bv.std(x, axis=1), lambda x: torch.std(x, 1, correction=0)),
    "var": (lambda x: bv.var(x, axis=0, correction=1), lambda x: torch.var(x, 0)),
    "max": (lambda x: bv.max(x, axis=0), lambda x: torch.amax(x, 0)),
    "cumsum": (lambda x: bv.cumulative_sum(x, axis=1), lambda x: torch.cumsum(x, 1)),
    "cumprod": (lambda x: bv.cumulative_prod(x, axis=1), lambda x: torch.cumprod(x, 1)),
    "sort": (lambda x: bv.sort(x, axis=1), lambda x: torch.sort(x, 1).values),
    "softmax": (lambda x: bv.softmax(x, axis=1), lambda x: torch.softmax(x, 1)),
    "log_softmax": (lambda x: bv.log_softmax(x, axis=0), lambda x: torch.log_softmax(x, 0)),
    "matmul": (lambda x, y: x @ y.T, lambda x, y: x @ y.T),
    "einsum": (lambda x, y: bv.einsum("ij,kj->ik", x, y), lambda x, y: torch.einsum("ij,kj->ik", x, y)),
    "norm": (lambda x: bv.linalg.vector_norm(x, axis=1), lambda x: torch.linalg.vector_norm(x, dim=1)),
    "inv": (lambda x: bv.linalg.inv(x[:, :3] + 4 * bv.eye(3)), lambda x: torch.linalg.inv(x[:, :3] + 4 * torch.eye(3))),
    "det": (lambda x: bv.linalg.det(x[:, :3]), lambda x: torch.linalg.det(x[:, :3])),
    "where": (lambda x, y: bv.where(x > y, x * y, y), lambda x, y: torch.where(x > y, x * y, y)),
    "stack": (lambda x, y: bv.stack([x, y], axis=1), lambda x, y: torch.stack([x, y], 1)),
    "roll": (lambda x: bv.roll(x, 2, axis=1) * x, lambda x: torch.roll(x, 2, 1) * x),
    "take": (
        lambda x: bv.take(x, bv.asarray([2, 0, 2]), axis=0) ** 2,
        lambda x: torch.index_select(x, 0, torch.tensor([2, 0, 2])) ** 2,
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_products_with_jacobians_are_those_of_pytorch(name):
    own, theirs = RULES[name]
    rng = np.random.default_rng(7)
    n = theirs.__code__.co_argcount if hasattr(theirs, "__code__") else 1 + (name in TWO)
    values = [rng.permutation(np.linspace(0.3, 2.1, 12)).reshape(3, 4) for _ in range(n)]
    xs = [torch.tensor(it, requires_grad=True) for it in values]
    expected = theirs(*xs)
    seed = rng.uniform(-1, 1, tuple(expected.shape))
    expected_gradients = torch.autograd.grad(expected, xs, torch.tensor(seed))
    found, pullback = bv.vjp(own, *(bv.asarray(it) for it in values))
    np.testing.assert_allclose(np.asarray(found), expected.detach().numpy(), rtol=1e-12, atol=1e-12)
    for gradient, theirs_gradient in zip(pullback(bv.asarray(seed)), expected_gradients, strict=True):
        np.testing.assert_allclose(np.asarray(gradient), theirs_gradient.numpy(), rtol=1e-8, atol=1e-10)
    tangents = [rng.uniform(-1, 1, it.shape) for it in values]
    _, derivative = bv.jvp(own, [bv.asarray(it) for it in values], [bv.asarray(it) for it in tangents])
    product = sum(float((g.numpy() * t).sum()) for g, t in zip(expected_gradients, tangents, strict=True))
    np.testing.assert_allclose(float((np.asarray(derivative) * seed).sum()), product, rtol=1e-8)


#: Built-in functions of PyTorch with two operands.
TWO = {"atan2", "hypot", "logaddexp", "pow", "maximum"}
