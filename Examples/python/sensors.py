"""Measurements in a database that other programs may write and read meanwhile: python3 sensors.py DATABASE"""

import datetime
import sys

import freehold


@freehold.model
class Sensor:
    name: str = freehold.field(primary_key=True)
    place: str = freehold.field(indexed=True, default="")


@freehold.model
class Sample:
    sensor: Sensor | None
    at: datetime.datetime
    celsius: float


def record(database: freehold.Database) -> None:
    """Two sensors and a day of samples each, in one transaction: all of it is seen by others, or nothing."""
    midnight = datetime.datetime(2024, 3, 1, tzinfo=datetime.timezone.utc)
    with database.write() as transaction:
        for number, place in enumerate(("kitchen", "cellar")):
            sensor = transaction.add(Sensor(f"sensor-{number}", place))
            transaction.insert_columns(Sample, {
                "sensor": [sensor] * 24,
                "at": [midnight + datetime.timedelta(hours=hour) for hour in range(24)],
                "celsius": [10.0 + 8 * (1 - number) + hour / 4 for hour in range(24)],
            })


def report(database: freehold.Database) -> None:
    """What one version has to tell, whatever others write meanwhile."""
    with database.read() as snapshot:
        samples = snapshot.objects(Sample)
        for row in samples.group("sensor.place", samples="@count", mean="celsius.@avg"):
            print(f"{row['sensor.place']}: {row['samples']} samples, {row['mean']:.2f} degrees on average")
        warm = samples.where("celsius > %@", 20).sorted("at")
        print(f"above 20 degrees first at {warm[0].at:%H:%M}, in the {warm[0].sensor.place}" if warm else "never above 20 degrees")
        print(f"the coldest of all: {min(samples.column('celsius'))}")


if __name__ == "__main__":
    with freehold.open(sys.argv[1], [Sensor, Sample]) as database:
        record(database)
        report(database)
