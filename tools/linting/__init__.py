"""The lint's rules, one concern a module; `tools/lint` runs them.

Only Python's standard library, no Swift: it runs in a second and says the same on every machine.
"""
