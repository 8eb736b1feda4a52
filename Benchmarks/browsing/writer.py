"""Commits one changed event at a time, a thousand times a second, for some seconds."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import freehold  # noqa: E402

from browsing.data import event_class  # noqa: E402

path, seconds = sys.argv[1], float(sys.argv[2])
Event = event_class(freehold)
with freehold.open(path, [Event]) as database:
    print("ready", flush=True)
    start, count = time.monotonic(), 0
    while (elapsed := time.monotonic() - start) < seconds:
        if count >= elapsed * 1000:
            time.sleep(0.0005)
            continue
        with database.write(durable=False) as transaction:
            transaction.get(Event, 1 + count % 5000).value = float(count)
        count += 1
    print(count, flush=True)
