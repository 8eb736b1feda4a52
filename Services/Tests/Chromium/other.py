"""A process that commits: reads statements from its standard input, one JSON object a line, and answers each with a line.

A line is {"do": [operation, …]}; all operations of a line are one commit. The answer is {"at": milliseconds since 1970, taken when
the commit has returned}.
"""

import datetime
import json
import sys
import time

import freehold


def value(given):
    """A value from JSON: {"date": text} is a date."""
    return datetime.datetime.fromisoformat(given["date"]) if isinstance(given, dict) and "date" in given else given


def apply(transaction, operation):
    name = operation["class"]
    values = {key: value(one) for key, one in operation.get("values", {}).items()}
    if operation["kind"] == "create":
        transaction.create(name, **values)
        return
    found = transaction.objects(name).where(operation["query"])
    for item in list(found):
        if operation["kind"] == "delete":
            item.delete()
        else:
            item.update(**values)


def main():
    with freehold.open(sys.argv[1]) as database:
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            with database.write() as transaction:
                for operation in json.loads(line)["do"]:
                    apply(transaction, operation)
            print(json.dumps({"at": time.time() * 1000}), flush=True)


main()
