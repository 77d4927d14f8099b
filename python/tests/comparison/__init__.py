"""The comparison with NumPy, function by function: see ``test_against_numpy.py``."""
