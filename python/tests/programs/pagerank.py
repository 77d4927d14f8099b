"""PageRank by power iteration and by a linear system, on a made-up web of 300 pages; hubs and authorities."""

import numpy as np


def make_links(n):
    links = np.zeros((n, n), dtype=bool)
    for page in range(n):
        for k in range(1, 6):
            target = (page * page * 3 + 17 * k * k + page) % n
            if target != page and (page % 29 or k < 2):
                links[page, target] = True
    links[7] = False
    return links


def transition(links):
    out = links.sum(axis=1)
    n = len(links)
    dangling = out == 0
    p = np.where(dangling[:, None], 1.0 / n, links / np.maximum(out, 1)[:, None])
    return p, dangling


def power_iteration(p, damping=0.85, tolerance=1e-12):
    n = p.shape[0]
    rank = np.full(n, 1 / n)
    for step in range(1000):
        new = damping * (rank @ p) + (1 - damping) / n
        if np.abs(new - rank).sum() < tolerance:
            break
        rank = new
    return new, step


def hits(links, steps=60):
    a = links.astype(float)
    hub = np.ones(len(a))
    for _ in range(steps):
        authority = a.T.dot(hub)
        authority /= np.linalg.norm(authority)
        hub = a.dot(authority)
        hub /= np.linalg.norm(hub)
    return hub, authority


def main():
    links = make_links(300)
    print("links:", links.sum(), "dangling:", (~links.any(axis=1)).sum(), "never linked:", (~links.any(0)).sum())
    p, dangling = transition(links)
    rank, steps = power_iteration(p)
    n = len(rank)
    direct = np.linalg.solve(np.eye(n) - 0.85 * p.T, np.full(n, 0.15 / n))
    print(f"{steps} steps, sum {rank.sum():.6f}, agrees with the system: {np.allclose(rank, direct)}")
    best = np.argsort(-rank, kind="stable")[:8]
    for place, page in enumerate(best, 1):
        print(f"{place}. page {page:3d}  rank {rank[page]:.5f}  linked from {links[:, page].sum()}")
    hub, authority = hits(links)
    print("best hub", hub.argmax(), "best authority", authority.argmax())
    degrees = links.sum(axis=0)
    correlation = np.corrcoef(degrees, rank)[0, 1]
    print(f"correlation of rank and in-degree: {correlation:.4f}")
    share = np.sort(rank)[::-1].cumsum()
    print("half of the rank is on", np.searchsorted(share, 0.5) + 1, "pages")
    return {"rank": rank, "direct": direct, "hub": hub, "authority": authority, "best": best, "share": share}
