"""Derivatives of functions, checkpoints, functions with rules of their own, and what tapes report and refuse."""

import gc
import re
import threading
import weakref

import pytest

import belvedere as bv


def numbers(x):
    return [float(it) for it in x.reshape(-1).tolist()]


def near(x):
    return pytest.approx(x, rel=1e-7, abs=1e-7)


def written_slices(x):
    y = bv.zeros((3, 4))
    y[:, 1] = x[:, 0] * 2.0
    y[0, ::-2] = x[1, :2]
    y[2] += y[1] * x[2]
    y[1:, 2:] = bv.sin(x[:2, :2])
    return y * y


def recurrence(x):
    state = x[0] * 1.0
    for n in range(1, x.shape[0]):
        state *= bv.tanh(x[n])
        state[::-1] += x[n - 1]
    return state


FUNCTIONS = [written_slices, recurrence, lambda x: bv.exp(x @ x.T), lambda x: bv.std(x, axis=0)]


def point():
    return bv.asarray([[0.3, 0.9, -0.4, 0.7], [0.8, -0.2, 0.6, 0.1], [0.45, 0.55, -0.7, 0.2]])


def moved(x, n, h):
    y = x.copy()
    y.reshape(-1)[n] += h
    return y


def differences(function, x, h=1e-6):
    """Returns the Jacobian as columns of central differences."""
    columns = []
    for n in range(x.size):
        above, below = numbers(function(moved(x, n, h))), numbers(function(moved(x, n, -h)))
        columns.append([(a - b) / (2 * h) for a, b in zip(above, below, strict=True)])
    return columns


@pytest.mark.parametrize("function", FUNCTIONS)
def test_jacobians_and_products_with_them(function):
    x = point()
    columns = differences(function, x)
    jacobian = bv.jacobian(function)(x)
    assert jacobian.shape == (*function(x).shape, 3, 4)
    rows = bv.reshape(jacobian, (-1, 12), copy=True)
    for n in range(12):
        assert numbers(rows[:, n]) == pytest.approx(columns[n], abs=1e-6)
        _, tangent = bv.jvp(function, (x,), (moved(bv.zeros((3, 4)), n, 1.0),))
        assert numbers(tangent) == near(numbers(rows[:, n]))
    value, pullback = bv.vjp(function, x)
    for n in range(2):
        (gradient,) = pullback(moved(bv.zeros(value.shape), n, 1.0))
        assert numbers(gradient) == near(numbers(rows[n]))


def test_hessians_are_symmetric_jacobians_of_gradients():
    x = point()
    function = lambda x: bv.sum(written_slices(x) * recurrence(x))  # noqa: E731
    hessian = bv.hessian(function)(x)
    assert hessian.shape == (3, 4, 3, 4)
    square = bv.reshape(hessian, (12, 12), copy=True)
    assert numbers(square) == near(numbers(square.T.copy()))
    columns = differences(bv.grad(function), x)
    for n in range(12):
        assert numbers(square[:, n]) == pytest.approx(columns[n], abs=1e-5)


def test_arguments_and_values_are_containers():
    parameters = {"w": bv.asarray([1.0, 2.0]), "rest": [bv.asarray(3.0), (bv.asarray([4.0]),)]}

    def function(p, x):
        return {"y": p["w"] * x * p["rest"][0], "z": (p["rest"][1][0] ** 2,)}

    value, pullback = bv.vjp(function, parameters, bv.asarray([1.0, 10.0]))
    assert numbers(value["y"]) == [3.0, 60.0]
    for _ in range(2):
        found, _ = pullback({"y": bv.asarray([1.0, 1.0]), "z": (bv.asarray([1.0]),)})
        assert numbers(found["w"]) == [3.0, 30.0] and isinstance(found["rest"][1], tuple)
        assert numbers(found["rest"][1][0]) == [8.0]
    tangents = {"w": bv.asarray([1.0, 0.0]), "rest": [bv.asarray(0.0), (bv.asarray([1.0]),)]}
    _, derivative = bv.jvp(function, (parameters, bv.asarray([1.0, 10.0])), (tangents, bv.asarray([0.0, 0.0])))
    assert numbers(derivative["y"]) == [3.0, 0.0] and numbers(derivative["z"][0]) == [8.0]
    blocks = bv.jacobian(function)(parameters, bv.asarray([1.0, 10.0]))
    assert blocks["y"]["w"].shape == (2, 2) and blocks["z"][0]["rest"][1][0].shape == (1, 1)
    assert numbers(blocks["y"]["rest"][0]) == [1.0, 20.0]
    first, second = bv.jacobian(lambda x, y: x * y, (0, 1))(bv.asarray([2.0]), bv.asarray([3.0]))
    assert (numbers(first), numbers(second)) == ([3.0], [2.0])
    second = bv.hessian(lambda x, y: bv.sum(x * y**2), (0, 1))(bv.asarray([2.0]), bv.asarray([3.0]))
    assert [[numbers(it) for it in row] for row in second] == [[[0.0], [6.0]], [[6.0], [4.0]]]


def test_arguments_that_share_elements_have_gradients_of_their_own():
    x = bv.asarray([2.0, 3.0])
    first, second = bv.grad(lambda x, y: bv.sum(x * y**2), (0, 1))(x, x)
    assert (numbers(first), numbers(second)) == ([4.0, 9.0], [8.0, 18.0])
    assert numbers(bv.grad(lambda x, y: bv.sum(x * y))(x, x[::-1])) == [3.0, 2.0]
    assert numbers(bv.grad(lambda x, scale: bv.sum(x * scale))(x, scale=x)) == [2.0, 3.0]
    tied = {"embedding": bv.ones((2, 2)), "output": None}
    tied["output"] = tied["embedding"].T
    found = bv.grad(lambda p: bv.sum(p["embedding"] * 2.0) + bv.sum(p["output"] * 3.0))(tied)
    assert (numbers(found["embedding"]), numbers(found["output"])) == ([2.0] * 4, [3.0] * 4)


def test_tangents_and_seeds_are_checked():
    x = bv.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match=r"tangent 0 needs shape \[2\] and dtype float64, got \[1\]"):
        bv.jvp(bv.exp, (x,), (bv.asarray([1.0]),))
    with pytest.raises(ValueError, match="the tangents needs 1 items, got 2 items"):
        bv.jvp(bv.exp, (x,), (x, x))
    _, pullback = bv.vjp(bv.exp, x)
    with pytest.raises(ValueError, match="seed needs shape"):
        pullback(bv.asarray([1.0]))
    with pytest.raises(TypeError, match="the seed needs an array, got tuple"):
        pullback((x, x))
    _, pullback = bv.vjp(lambda x: {"a": x, "b": [x * 2.0]}, x)
    (gradient,) = pullback({"b": [x * 0.0], "a": x})
    assert numbers(gradient) == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"needs a dict with the keys \['a', 'b'\], got \['a'\]"):
        pullback({"a": x})
    with pytest.raises(TypeError, match="int64 has no gradient"):
        bv.jacobian(lambda x: bv.argmax(x))(x)
    with pytest.raises(TypeError, match="got float"):
        bv.vjp(lambda x: float(x[0]), x)


def test_checkpoints_have_the_same_gradients():
    x, w = point(), bv.asarray([[1.0, -1.0], [0.5, 0.2], [0.3, 0.1], [2.0, 0.7]])

    def layer(p, x, power, *, scale):
        y = bv.zeros((3, 2))
        y += x @ p["w"]
        y[::-1] *= bv.tanh(y)
        return {"y": y**power * scale, "mean": bv.mean(x * w[:, 0])}

    def loss(call):
        def function(p, x):
            found = call(p, x, 2, scale=3.0)
            return bv.sum(found["y"]) * found["mean"]

        return function

    expected = bv.grad(loss(layer), (0, 1))({"w": w}, x)
    found = bv.grad(loss(bv.checkpoint(layer)), (0, 1))({"w": w}, x)
    assert numbers(found[0]["w"]) == near(numbers(expected[0]["w"]))
    assert numbers(found[1]) == near(numbers(expected[1]))
    second = bv.hessian(lambda x: loss(bv.checkpoint(layer))({"w": w}, x))(x)
    assert numbers(second) == near(numbers(bv.hessian(lambda x: loss(layer)({"w": w}, x))(x)))


def test_random_numbers_of_checkpoints_repeat():
    own = bv.random.default_rng(5)
    calls = []

    def dropout(x):
        calls.append(1)
        mask = own.random(1000) < 0.5
        return bv.where(mask, x * 2.0, 0.0) * bv.random.rand(1000)

    x = bv.ones(1000)
    for nested in (False, True):
        function = bv.checkpoint(lambda x: bv.checkpoint(dropout)(x) * 1.0) if nested else bv.checkpoint(dropout)
        with bv.tape() as tape:
            tape.watch(x)
            y = function(x)
        next_numbers = (own.__copy__().random(3), own)
        found = tape.gradient(y, x, seed=bv.ones(1000))
        assert numbers(found) == numbers(y)
        # The generators go on as if the function had not been called again.
        assert numbers(next_numbers[0]) == numbers(own.random(3))
    assert len(calls) == 2 + 3


def test_a_checkpoint_may_not_write_to_older_memory():
    x, running_mean = bv.ones(4), bv.zeros(1)

    def function(x):
        running_mean[0] += 1.0
        return x * 2.0

    with pytest.raises(bv.exceptions.UnsupportedError, match=r"test_derivatives.py:\d+: .* existed before"):
        bv.grad(lambda x: bv.sum(bv.checkpoint(function)(x)))(x)
    assert numbers(running_mean) == [0.0]
    w = bv.ones(4)
    with bv.tape() as tape:
        tape.watch(x, w)
        y = bv.sum(bv.checkpoint(lambda x: x * w)(x))
        w[1] = 5.0
    with pytest.raises(ValueError, match="has overwritten elements that .* reads"):
        tape.gradient(y, x)
    # As an argument it may.
    with bv.tape() as tape:
        tape.watch(x, w)
        y = bv.sum(bv.checkpoint(lambda x, w: x * w)(x, w))
        w[1] = 7.0
    assert numbers(tape.gradient(y, x)) == [1.0, 5.0, 1.0, 1.0]


def test_exceptions_pass_through():
    class OwnError(Exception):
        pass

    calls = []

    def function(x):
        calls.append(1)
        if len(calls) > 1:
            raise OwnError("second")
        return x * 2.0

    x = bv.ones(2)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(bv.checkpoint(function)(x))
        with pytest.raises(OwnError, match="second"):
            bv.checkpoint(function)(x)
    with pytest.raises(OwnError, match="second"):
        tape.gradient(y, x)

    @bv.custom_rule
    def own(x):
        return x * 2.0

    @own.pullback
    def _(gradient, x):
        raise OwnError("rule")

    with pytest.raises(OwnError, match="rule"):
        bv.grad(lambda x: bv.sum(own(x)))(x)


def test_custom_rules():
    @bv.custom_rule
    def scaled_norm(p, factor):
        """A documented function."""
        return bv.sqrt(bv.sum(p["x"] ** 2)) * factor, p["y"] * 1.0

    @scaled_norm.pullback
    def _(gradient, p, factor):
        norm = bv.sqrt(bv.sum(p["x"] ** 2))
        return {"x": gradient[0] * p["x"] / norm * factor, "y": gradient[1] * 100.0}, None

    assert scaled_norm.__name__ == "scaled_norm" and scaled_norm.__doc__ == "A documented function."
    p = {"x": bv.asarray([3.0, 4.0]), "y": bv.asarray([1.0])}
    found = bv.grad(lambda p: scaled_norm(p, 2.0)[0] + bv.sum(scaled_norm(p, 2.0)[1]))(p)
    assert numbers(found["x"]) == near([1.2, 1.6]) and numbers(found["y"]) == [100.0]
    # Second derivatives are those of the rule.
    hessian = bv.hessian(lambda x: scaled_norm({"x": x, "y": p["y"]}, 1.0)[0])(p["x"])
    assert numbers(hessian) == near([0.128, -0.096, -0.096, 0.072])


def test_what_a_rule_returns_is_checked():
    @bv.custom_rule
    def product(x, y):
        return x * y

    x = bv.asarray([1.0, 2.0])
    with pytest.raises(TypeError, match=r"product has no rule: decorate one with @.*product.pullback"):
        product(x, x)
    gradient = bv.grad(lambda x: bv.sum(product(x, bv.ones(2))))
    product.pullback(lambda g, x, y: g)
    with pytest.raises(ValueError, match="rule of .*product needs 2 items, got Array"):
        gradient(x)
    product.pullback(lambda g, x, y: (g[:1], None))
    with pytest.raises(ValueError, match=r"test_derivatives.py:\d+: the gradient of argument 0 needs shape \[2\]"):
        gradient(x)
    product.pullback(lambda g, x, y: ((g, g), None))
    with pytest.raises(TypeError, match="rule of .*product needs an array, got tuple"):
        gradient(x)
    w = bv.ones(2)
    captures = bv.custom_rule(lambda x: x * w)
    captures.pullback(lambda g, x: g)
    with bv.tape() as tape:
        tape.watch(x, w)
        with pytest.raises(bv.exceptions.UnsupportedError, match="is no argument"):
            captures(x)


@pytest.mark.parametrize(
    "create",
    [
        lambda: bv.zeros(3),
        lambda: bv.empty(3),
        lambda: bv.full(3, 1.0),
        lambda: bv.arange(3.0),
        lambda: bv.linspace(0.0, 1.0, 3),
        lambda: bv.eye(3)[0],
        lambda: bv.asarray([1.0, 2.0, 3.0]),
        lambda: bv.ones_like(bv.zeros(3)),
        lambda: bv.zeros(3, dtype="float32").astype("float64"),
        lambda: bv.random.default_rng(1).random(3),
        lambda: bv.random.default_rng(1).normal(size=3),
        lambda: bv.concat([bv.zeros(1), bv.zeros(2)]),
        lambda: bv.stack([bv.zeros(3)])[0],
        lambda: bv.tril(bv.ones((3, 3)))[1],
        lambda: bv.meshgrid(bv.arange(3.0), bv.arange(3.0))[0][0].copy(),
        lambda: bv.fft.fftfreq(3),
        lambda: bv.sort(bv.arange(3.0)),
        lambda: bv.zeros((3, 4)).T.reshape(-1, copy=True)[:3],
        lambda: bv.fromfunction(lambda i: i * 1.0, (3,)),
    ],
)
def test_a_checkpoint_may_write_to_every_array_that_it_creates(create):
    def function(x):
        own = create()
        own += x
        own[1:] *= x[1:]
        return own

    x = bv.asarray([1.0, 2.0, 3.0])
    expected = bv.grad(lambda x: bv.sum(function(x)))(x)
    assert numbers(bv.grad(lambda x: bv.sum(bv.checkpoint(function)(x)))(x)) == numbers(expected)


def test_memory_of_other_libraries_is_copied_when_it_is_saved():
    np = pytest.importorskip("numpy")
    theirs = np.asarray([1.0, 2.0])
    scale = bv.asarray(theirs, copy=False)
    own = bv.custom_rule(lambda x, scale: x * scale)
    own.pullback(lambda g, x, scale: (g * scale, g * x))
    for function in (bv.checkpoint(lambda x, scale: x * scale), own):
        x = bv.asarray([3.0, 4.0])
        theirs[:] = 1.0, 2.0
        with bv.tape() as tape:
            tape.watch(x, scale)
            y = bv.sum(function(x, scale))
        theirs[:] = 100.0
        first, second = tape.gradient(y, [x, scale])
        assert (numbers(first), numbers(second)) == ([1.0, 2.0], [3.0, 4.0])


def test_anomalies_name_the_line():
    x = bv.asarray([0.0, 1.0])
    with bv.tape(anomalies=True) as tape:
        tape.watch(x)
        y = bv.sqrt(x)
        z = bv.sum(y * y)
    with pytest.raises(ValueError, match=r"test_derivatives.py:\d+: the gradient of sqrt .* 1 NaN and 0 infinite"):
        tape.gradient(z, x)


def test_a_report_is_a_table_of_lines():
    x = bv.ones(6)
    with bv.tape() as tape:
        tape.watch(x)
        for _ in range(3):
            y = bv.sum(x**2)
        x[:2] = 5.0
    report = str(tape.report()).splitlines()
    assert report[0] == "8 entries, 3 leases of 48 bytes, 16 bytes kept from writes"
    table = [re.split(r" {2,}", line.strip()) for line in report[1:]]
    assert [row[:2] for row in table[1:5]] == [["1", "watch"], ["3", "pow"], ["3", "sum"], ["1", "assign"]]
    assert all(re.search(r"test_derivatives.py:\d+$", row[-1]) for row in [*table[1:5], table[-1]])
    assert table[-1][:2] == ["16 bytes", "assign"]
    assert numbers(tape.gradient(y, x)) == [2.0] * 6


def test_a_tracked_array_is_not_handed_out_writable():
    np = pytest.importorskip("numpy")
    x = bv.ones(3)
    with bv.tape() as tape:
        tape.watch(x)
        for hand_out in (np.asarray, memoryview, np.from_dlpack, lambda it: it.__dlpack__()):
            with pytest.raises((ValueError, BufferError), match=r"test_derivatives.py:\d+: .* hands out"):
                hand_out(x)
        y = bv.sum(x * x)
    # It is saved.
    with pytest.raises((ValueError, BufferError), match="hands out"):
        np.asarray(x)
    assert numbers(tape.gradient(y, x)) == [2.0] * 3
    assert np.asarray(x).sum() == 3.0


def test_errors_name_lines_and_numbers():
    x = bv.asarray([1.0, 2.0])
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    with pytest.raises(ValueError, match=r"tensor of shape \[\] and dtype float64 was computed"):
        tape.gradient(bv.sum(bv.ones(3)), x)
    tape.gradient(y, x)
    with pytest.raises(ValueError, match=r"consumed by the backward at .*test_derivatives.py:\d+"):
        tape.gradient(y, x)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(x * x)
    with pytest.raises(ValueError, match=r"the tensor of shape \[4\] and dtype float64 has elements that were not"):
        tape.gradient(y, bv.ones(4))


def test_nested_tapes_in_another_order():
    x = bv.asarray([3.0])
    outer, inner = bv.tape(), bv.tape()
    with outer:
        outer.watch(x)
        inner.__enter__()
        inner.watch(x)
        y = bv.sum(x**3)
    # The outer tape does not record this.
    g = inner.gradient(y, x)
    with pytest.raises(ValueError, match="did not record"):
        outer.gradient(bv.sum(g), x)
    inner.__exit__(None, None, None)
    # The tape that was entered first records the gradient of the one that outlives it.
    outer, inner = bv.tape(), bv.tape(persistent=True)
    inner.__enter__()
    inner.watch(x)
    with outer:
        outer.watch(x)
        y = bv.sum(x**3)
        g = bv.sum(inner.gradient(y, x))
    assert numbers(outer.gradient(g, x)) == [18.0]
    # A persistent tape that is still open records its own gradient.
    assert numbers(inner.gradient(g, x)) == [18.0]
    inner.__exit__(None, None, None)


def test_everything_is_freed():
    def program(x, keep):
        with bv.tape(persistent=keep) as tape:
            tape.watch(x)
            y = bv.checkpoint(lambda x: bv.sin(x) * x)(x * 2.0)
            own = bv.custom_rule(lambda x: x**2)
            own.pullback(lambda g, x: g * x)
            y = bv.sum(own(y))
            x[0] = 7.0
        return tape, y

    references = []
    for way in ("gradient", "dropped", "exception", "persistent"):
        x = bv.ones(1000)
        references.append(weakref.ref(x))
        tape, y = program(x, way == "persistent")
        if way in ("gradient", "persistent"):
            tape.gradient(y, x)
        if way == "exception":
            with pytest.raises(RuntimeError), tape:
                raise RuntimeError
        del tape, y, x
    gc.collect()
    assert all(it() is None for it in references)
    before = bv.memory_stats()["in_use"]
    program(bv.ones(100000), False)
    gc.collect()
    assert bv.memory_stats()["in_use"] < before + 100000


def test_other_threads_may_overwrite_what_a_tape_has_saved():
    x = bv.ones(1000)
    with bv.tape() as tape:
        tape.watch(x)
        y = bv.sum(bv.checkpoint(lambda x: x**2 * 1.0)(x)) + bv.sum(x**2)

        def write(part):
            for n in range(50):
                x[250 * part : 250 * (part + 1)] = float(n)

        threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
    assert numbers(tape.gradient(y, x)) == [4.0] * 1000
