"""Where the open valve loses its stability, by Routh's and Hurwitz's criterion."""


def hurwitz(q, k=1.25, d=10.0, b=20.0):
    low, high = 0.0, q
    for _ in range(200):  # y1 sqrt(y1 + d) = q
        y = (low + high)/2
        low, high = (y, high) if y*(y + d)**0.5 < q else (low, y)
    root = (y + d)**0.5
    u, w = b*root, b*y/(2*root)  # y3' = -u y1 - w y3
    # s^3 + (k + w) s^2 + (1 + k w) s + (w + u)
    return (k + w)*(1 + k*w) - (w + u)


def check(run):
    low, high = 5.0, 10.0
    for _ in range(60):
        q = (low + high)/2
        low, high = (q, high) if hurwitz(q) < 0 else (low, q)
    yield f"stable above {q}", abs(q - 8.49) < 0.01
    for part, stable in ((0.999, False), (1.001, True)):
        found = run("equilibrium", "FILE", "--set", f"q={part*q}", "--set", "y1=2", "--set", "y3=12")["equilibria"]
        growth = [max(v["re"] for v in e["eigenvalues"]) for e in found]
        yield f"growth {growth} at {part} of it", any((g < 0) == stable and abs(g) < 0.01 for g in growth)
