"""Games on boards: queens, Sudoku by elimination and search, noughts and crosses, a maze, a minefield."""

import numpy as np

SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
MOVES = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])


def queens(n):
    """All placements, as columns by row."""
    boards = np.zeros((1, 0), dtype=int)
    for row in range(n):
        candidates = np.hstack([np.repeat(boards, n, axis=0), np.tile(np.arange(n), len(boards))[:, None]])
        last, others = candidates[:, -1:], candidates[:, :-1]
        gap = np.arange(row, 0, -1)
        fine = ((others != last) & (np.abs(others - last) != gap)).all(axis=1)
        boards = candidates[fine]
    return boards


def solve(grid):
    if (grid > 0).all():
        return grid
    best, options = None, None
    for y, x in np.argwhere(grid == 0):
        by, bx = y // 3 * 3, x // 3 * 3
        used = np.union1d(np.union1d(grid[y], grid[:, x]), grid[by : by + 3, bx : bx + 3])
        free = np.setdiff1d(np.arange(1, 10), used)
        if options is None or len(free) < len(options):
            best, options = (y, x), free
        if len(free) <= 1:
            break
    for value in options:
        attempt = grid.copy()
        attempt[best] = value
        solved = solve(attempt)
        if solved is not None:
            return solved
    return None


def winner(board):
    lines = np.concatenate([board, board.T, [board.diagonal()], [np.fliplr(board).diagonal()]])
    sums = lines.sum(axis=1)
    return 1 if 3 in sums else -1 if -3 in sums else 0


def flood(maze, start):
    distance = np.full(maze.shape, -1)
    distance[start] = 0
    frontier = [start]
    while frontier:
        following = []
        for cell in frontier:
            for y, x in MOVES + cell:
                if 0 <= y < maze.shape[0] and 0 <= x < maze.shape[1] and not maze[y, x] and distance[y, x] < 0:
                    distance[y, x] = distance[cell] + 1
                    following.append((y, x))
        frontier = following
    return distance


def main():
    boards = queens(7)
    print("queens:", len(boards), "placements, first", boards[0])
    unique = {min(tuple(v.tolist()) for v in (b, b[::-1], 6 - b, 6 - b[::-1])) for b in boards}
    print("up to reflections:", len(unique))
    grid = np.array([0 if c == "." else int(c) for c in SUDOKU]).reshape(9, 9)
    solved = solve(grid)
    print(solved)
    assert (solved.sum(axis=0) == 45).all() and np.all(solved.sum(axis=1) == 45)
    game = np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 1]])
    print("winner:", winner(game), "free:", list(map(tuple, np.argwhere(game == 0).tolist())))
    maze = np.zeros((21, 21), dtype=bool)
    maze[1::4, 1:] = maze[3::4, :-1] = True
    distance = flood(maze, (0, 0))
    print("way out:", distance[-1, -1], "reached", (distance >= 0).sum())
    mines = (np.arange(400).reshape(20, 20) * 7919 % 13) == 0
    field = sum(np.pad(mines.astype(int), 1)[1 + y : 21 + y, 1 + x : 21 + x] for y in (-1, 0, 1) for x in (-1, 0, 1))
    shown = np.where(mines, 9, field)
    print("mines:", mines.sum(), "counts", np.bincount(shown.ravel()))
    return {"boards": boards, "solved": solved, "distance": distance, "shown": shown, "winner": winner(game)}
