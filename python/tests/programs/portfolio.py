"""Portfolio theory: returns, covariance, the efficient frontier, risk parity, value at risk and a report."""

import numpy as np

NAMES = ["bonds", "stocks", "gold", "land", "cash"]


def make_returns(days):
    t = np.arange(days)
    common = np.sin(t * 0.7) + np.cos(t * t % 97)
    columns = []
    for k, (drift, own, beta) in enumerate([(2, 3, 0.5), (7, 12, 6), (3, 9, -1), (5, 6, 3), (1, 0.2, 0.0)]):
        noise = ((t * (k + 3) * 7919 + t * t) % 1013) / 506.5 - 1
        columns.append((drift / 252 + (own * noise + beta * common) / np.sqrt(252)) / 100)
    return np.array(columns).T


def frontier(mean, cov, targets):
    """Weights of least variance for each target return: one linear system for all of them."""
    n = len(mean)
    ones = np.ones(n)
    kkt = np.block([[2 * cov, mean[:, None], ones[:, None]], [mean, np.zeros(2)], [ones, np.zeros(2)]])
    rhs = np.zeros((n + 2, len(targets)))
    rhs[n], rhs[n + 1] = targets, 1
    return np.linalg.solve(kkt, rhs)[:n].T


def risk_parity(cov, steps=2000):
    w = np.ones(len(cov)) / len(cov)
    for _ in range(steps):
        marginal = cov @ w
        w *= (w @ marginal / len(w) / (w * marginal)) ** 0.2
        w /= w.sum()
    return w


def main():
    returns = make_returns(5040)
    mean, cov = returns.mean(axis=0) * 252, np.cov(returns, rowvar=False) * 252
    volatility = np.sqrt(np.diag(cov))
    for name, m, v in zip(NAMES, mean, volatility):
        print(f"{name:<8}{m:8.2%}{v:8.2%}{m / v:8.3f}")
    correlation = cov / np.outer(volatility, volatility)
    print(np.array2string(correlation, precision=2, suppress_small=True))
    targets = np.linspace(mean.min(), mean.max(), 9)
    weights = frontier(mean, cov, targets)
    risks = np.sqrt(np.einsum("ij,jk,ik->i", weights, cov, weights))
    best = np.argmax((targets - 0.01) / risks)
    print("best Sharpe ratio at a return of", f"{targets[best]:.2%},", "risk", f"{risks[best]:.2%}")
    parity = risk_parity(cov)
    shares = parity * (cov @ parity) / (parity @ cov @ parity)
    print("risk parity:", dict(zip(NAMES, parity.round(4).tolist())), "shares", np.round(shares, 3))
    daily = returns @ weights[best]
    var, worst = np.percentile(daily, 5), np.sort(daily)[: len(daily) // 20]
    print(f"value at risk {-var:.3%}, expected shortfall {-worst.mean():.3%}")
    wealth = np.cumprod(1 + daily)
    years = wealth.reshape(-1, 252)[:, -1]
    print("wealth:", ", ".join("%.2f" % x for x in years[::4]))
    return {"cov": cov, "weights": weights, "risks": risks, "parity": parity, "wealth": wealth, "var": var}
