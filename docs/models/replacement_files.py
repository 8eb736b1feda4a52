"""The files of `replacement_model.py`: a folder, data files with locks on their bytes, and lock files."""

SESSION, CLOSING, MAKING = "session", "closing", "making"
DATA, BACKUP = "x", "b"


class Names(dict):
    """A folder in the page cache, and every state of it since it was synced last."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.states = [dict(self)]

    def changed(self):
        self.states.append(dict(self))

    def __setitem__(self, name, found):
        super().__setitem__(name, found)
        self.changed()

    def __delitem__(self, name):
        super().__delitem__(name)
        self.changed()

    def pop(self, name, *default):
        found = super().pop(name, *default)
        self.changed()
        return found

    def rename(self, name, path):
        super().__setitem__(path, super().pop(name))
        self.changed()

    def sync(self):
        self.states = [dict(self)]


class Inode:
    """A data file: its commits, how many of them are durable, and the locks on its bytes."""

    def __init__(self):
        self.commits = []
        self.durable = 0
        self.mark = None                # "in use": the session that is or was the last one
        self.locks = {}                 # byte -> {process: "read" or "write"}

    def try_lock(self, process, byte, kind):
        holders = self.locks.setdefault(byte, {})
        others = [held for holder, held in holders.items() if holder is not process]
        if "write" in others or (kind == "write" and others):
            return False
        holders[process] = kind
        return True

    def unlock(self, process, byte):
        self.locks.get(byte, {}).pop(process, None)

    def release_all(self, process):
        for holders in self.locks.values():
            holders.pop(process, None)


class LockFile:
    """A session of one data file, and who lives in it."""

    def __init__(self, data):
        self.data = data
        self.members = set()
