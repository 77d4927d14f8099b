"""Shortest paths on a dense matrix: Floyd-Warshall, Dijkstra, breadth-first search, and a spanning tree."""

import numpy as np


def make_graph(n):
    i, j = np.indices((n, n))
    weight = ((i * 31 + j * 17 + i * j) % 23 + 1).astype(float)
    weight = (weight + weight.T) / 2
    weight[(i + j) % 4 != 0] = np.inf
    k = np.arange(n - 1)
    weight[k, k + 1] = weight[k + 1, k] = 30
    np.fill_diagonal(weight, 0)
    return weight


def floyd_warshall(weight):
    d = weight.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def dijkstra(weight, source):
    n = weight.shape[0]
    distance = np.full(n, np.inf)
    previous = -np.ones(n, dtype=int)
    done = np.zeros(n, dtype=bool)
    distance[source] = 0
    for _ in range(n):
        u = np.argmin(np.where(done, np.inf, distance))
        done[u] = True
        candidate = distance[u] + weight[u]
        better = candidate < distance
        distance[better] = candidate[better]
        previous[better] = u
    return distance, previous


def path_to(previous, target):
    path = [target]
    while previous[path[-1]] >= 0:
        path.append(int(previous[path[-1]]))
    return path[::-1]


def spanning_tree(weight):
    """Prim's algorithm: the total weight and the edges."""
    n = len(weight)
    inside = np.arange(n) == 0
    edges = []
    while not inside.all():
        cut = np.where(np.outer(inside, ~inside), weight, np.inf)
        i, j = np.unravel_index(cut.argmin(), cut.shape)
        edges.append((i, j))
        inside[j] = True
    return sum(weight[i, j] for i, j in edges), np.array(edges)


def main():
    weight = make_graph(200)
    print("edges:", np.isfinite(weight).sum() - len(weight))
    d = floyd_warshall(weight)
    print("diameter", d.max(), "mean distance", f"{d[np.triu_indices(len(d), 1)].mean():.4f}")
    distance, previous = dijkstra(weight, 5)
    print("Dijkstra agrees:", np.array_equal(distance, d[5]))
    path = path_to(previous, 78)
    print("path:", " -> ".join(map(str, path)), "length", distance[78])
    hops = np.isfinite(weight).astype(int)
    reach, level = np.eye(len(weight), dtype=bool)[0], 0
    while not reach.all():
        reach, level = reach @ hops > 0, level + 1
    print("all vertices within", level, "hops of 0")
    total, edges = spanning_tree(weight[:40, :40])
    print(f"spanning tree: {total:.1f} with {len(edges)} edges, first {edges[:3].tolist()}")
    centre = d.max(axis=1).argmin()
    print("centre", centre, "radius", d[centre].max())
    return {"d": d, "distance": distance, "previous": previous, "total": total, "edges": edges}
