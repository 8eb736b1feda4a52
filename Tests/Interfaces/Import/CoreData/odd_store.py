"""A store whose rows are not as its model says, with tables and columns of others."""

import os
import uuid

from core_data_model import Attribute, Model, Relationship
from core_data_store import Store

FIRST = uuid.UUID("11111111-1111-1111-1111-111111111111")
MISSING = uuid.UUID("22222222-2222-2222-2222-222222222222")


def odd_store(path):
    model = Model()
    thing = model.entity("Thing")
    for name, kind in [("count", "int32"), ("flag", "bool"), ("ratio", "float"), ("code", "string"), ("price", "decimal"),
                       ("created", "date"), ("identifier", "uuid"), ("archive", "transformable"), ("big", "data"), ("long", "string")]:
        thing.attributes.append(Attribute(name, kind))
    thing.attributes.append(Attribute("must", "string", optional=False))
    thing.attributes.append(Attribute("photo", "data", external=True, optional=False))
    thing.attributes.append(Attribute("thumbnail", "data", external=True))
    other = model.entity("Elsewhere")
    model.relate(thing, Relationship("elsewhere", other))
    model.relate(thing, Relationship("hidden", other, many=True))
    store = Store(model, path, history=True)
    for row in range(4):
        values = {"must": f"m{row}", "photo": b"123", "count": row, "flag": True, "ratio": 0.5, "identifier": FIRST}
        store.add(thing, {**values, "thumbnail": b"abc"})
    return store


def make_odd(db, path):
    """Changes rows behind Core Data's back."""
    folder = os.path.join(os.path.dirname(path), f".{os.path.splitext(os.path.basename(path))[0]}_SUPPORT", "_EXTERNAL_DATA")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, str(FIRST).upper()), "wb") as file:
        file.write(b"p" * 3_000_000)
    one = "UPDATE ZTHING SET {} = ? WHERE Z_PK = 2"
    for column, value in [("ZCOUNT", "two"), ("ZFLAG", 7), ("ZRATIO", 0.1), ("ZCODE", b"\x00\x01"), ("ZPRICE", "a lot"), ("ZMUST", None),
                          ("ZCREATED", "today"), ("ZIDENTIFIER", b"123"), ("ZBIG", b"b" * 2_000_000), ("ZLONG", "l" * 1_500_000)]:
        db.execute(one.format(column), (value,))
    db.execute(one.format("ZPHOTO"), (b"\x02" + str(FIRST).upper().encode() + b"\x00",))
    db.execute("UPDATE ZTHING SET ZPHOTO = ? WHERE Z_PK = 3", (b"\x02" + str(MISSING).upper().encode(),))
    db.execute("ALTER TABLE ZTHING ADD COLUMN ZPLACECITY VARCHAR")
    db.execute("ALTER TABLE ZTHING ADD COLUMN ZEMPTY VARCHAR")
    db.execute("UPDATE ZTHING SET ZPLACECITY = 'Bonn' WHERE Z_PK = 1")
    db.execute("INSERT INTO ZTHING (Z_PK, Z_ENT) VALUES (50, 99)")
    db.execute("DROP TABLE ZELSEWHERE")
    db.execute("CREATE TABLE notes (a, b)")
    db.execute("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
