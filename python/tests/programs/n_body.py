"""Bodies under gravity, by all pairs with broadcasting; a leapfrog scheme, energies, and a collision count."""

import numpy as np


def start(n):
    i = np.arange(n)
    position = np.stack([np.cos(2.4 * i), np.sin(2.4 * i), 0.1 * np.sin(7.0 * i)], axis=1)
    position *= np.sqrt((i + 0.5) / n)[:, None]
    velocity = np.cross(position, [0.0, 0.0, -1.0]) * 0.8
    mass = np.ones(n) / n
    return position, velocity - velocity.mean(axis=0), mass


def acceleration(position, mass, softening=0.05):
    difference = position[None, :, :] - position[:, None, :]
    square = (difference**2).sum(axis=-1) + softening**2
    return np.einsum("ijk,ij,j->ik", difference, square**-1.5, mass)


def energies(position, velocity, mass, softening=0.05):
    kinetic = 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))
    difference = position[:, np.newaxis] - position
    distance = np.sqrt((difference**2).sum(-1) + softening**2)
    upper = np.triu_indices(len(mass), k=1)
    potential = -np.sum((mass[:, None] * mass / distance)[upper])
    return kinetic, potential


def main():
    n, dt = 100, 0.01
    position, velocity, mass = start(n)
    before = energies(position, velocity, mass)
    print("bodies", position.shape, f"kinetic {before[0]:.4f}, potential {before[1]:.4f}")
    track = np.empty((60, 2))
    a = acceleration(position, mass)
    for step in range(60):
        velocity += dt / 2 * a
        position += dt * velocity
        a = acceleration(position, mass)
        velocity += dt / 2 * a
        track[step] = position[0, :2]
    after = energies(position, velocity, mass)
    print(f"energy {sum(before):.5f} -> {sum(after):.5f}")
    momentum = (mass[:, None] * velocity).sum(axis=0)
    print("momentum:", np.allclose(momentum, 0, atol=1e-12))
    spin = np.sum(mass[:, None] * np.cross(position, velocity), axis=0)
    print("angular momentum:", np.round(spin, 5))
    radius = np.linalg.norm(position, axis=1)
    print(f"half-mass radius {np.median(radius):.4f}, within one: {np.count_nonzero(radius < 1)}")
    grid, xe, ye = np.histogram2d(position[:, 0], position[:, 1], bins=4, range=[[-1, 1], [-1, 1]])
    print(grid.astype(int))
    inertia = (mass[:, None, None] * position[:, :, None] * position[:, None, :]).sum(axis=0)
    print("axes:", np.sqrt(np.linalg.eigvalsh(inertia)).round(4))
    close = np.argwhere(np.triu(np.linalg.norm(position[:, None] - position[None], axis=-1) < 0.05, 1))
    print(len(close), "close pairs", close[:2].tolist())
    return {"position": position, "velocity": velocity, "track": track, "grid": grid, "inertia": inertia}
