"""A notebook over what sensors of any language log meanwhile: python3 notebook.py DATABASE [SAMPLES]

The cells are those of an editor that knows `# %%`. Examples/c/logger.c writes such a database."""

# %% Open it, as another program has made it: there is no model, so classes go by their names.
import sys

import freehold

path, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
database = freehold.open(path, must_exist=True)
snapshot = database.read()
samples = snapshot.objects("Sample")

# %% Follow what is logged, until there is enough to look at.
with samples.watch() as following:
    while following.count(samples) < wanted:
        changes = following.wait()
        print(f"version {changes.version}: {len(changes.insertions)} more")

# %% One version for all that follows, whatever comes meanwhile.
snapshot.refresh()
for row in samples.grouped("sensor.place", samples="@count", warmest="celsius.@max"):
    print(f"{row['sensor.place']}: {row['samples']} samples, {row['warmest']} degrees at most")

# %% A column is an array: NumPy's where that is installed, else one of the standard library.
celsius = samples.column("celsius")
print(f"{len(celsius)} samples, {sum(celsius) / max(len(celsius), 1):.2f} degrees on average")

# %%
snapshot.close()
database.close()
