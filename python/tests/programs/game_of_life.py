"""Conway's game of life on a torus: still lifes, oscillators, gliders and a large random board."""

import numpy as np

GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8)
BLINKER = np.array([[1, 1, 1]], dtype=np.uint8)


def step(board):
    neighbours = sum(
        np.roll(np.roll(board, dy, 0), dx, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
    )
    return ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(np.uint8)


def place(board, pattern, y, x):
    h, w = pattern.shape
    board[y : y + h, x : x + w] = pattern


def show(board):
    for row in board:
        print("".join("#" if cell else "." for cell in row))


def random_board(n):
    state, cells = 2463534242, np.zeros(n * n, dtype=np.uint8)
    noise = (np.arange(n * n, dtype=np.uint64) * np.uint64(6364136223846793005) + np.uint64(state)) >> np.uint64(33)
    cells[noise % np.uint64(3) == 0] = 1
    return cells.reshape(n, n)


def main():
    board = np.zeros((8, 12), dtype=np.uint8)
    place(board, GLIDER, 0, 0)
    place(board, BLINKER, 5, 8)
    show(board)
    for _ in range(4):
        board = step(board)
    print("after four steps:")
    show(board)

    large = random_board(512)
    alive = [large.sum()]
    for _ in range(40):
        large = step(large)
        alive.append(large.sum())
    alive = np.array(alive)
    print("alive:", alive[::10], "of", large.size)
    still = np.count_nonzero(large & step(large))
    print(f"{still} cells stay alive, density {alive[-1] / large.size:.4f}")
    ys, xs = np.nonzero(large)
    print("centre of mass: ({:.2f}, {:.2f})".format(ys.mean(), xs.mean()))
    return {"board": board, "large": large, "alive": alive, "still": still}
