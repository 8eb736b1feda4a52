"""The judge of `sync_model.py`: it knows each write, what the server made of it, and what each device shows.

Convergence alone is too weak a test: counters may all be wrong alike, and a write may vanish and come back.
"""

from simulation import Violation
from sync_server import LIMIT, TICKS
from sync_types import NOTHING, is_register

BAD = ("overwritten", "beaten", "void", "refused")
TOLERANCE = 70          # units of time by which an earlier write may win: clocks are wrong by up to the limit before they are clamped


class Judge:
    def __init__(self, world):
        self.world = world
        self.tokens = 0
        self.reported = set()
        self.stamps = {}            # token -> (stamp, replica)
        self.after = {}             # token -> what its writer saw there
        self.made = {}              # token -> (true time, whether the writer had been told the time, file, whether it knew it)
        self.arrived = {}           # token -> when the server took it
        self.refused = []           # tokens of refused writes that a device has forgotten, and is to report

    # Writes

    def token(self):
        self.tokens += 1
        return self.tokens

    def written(self, item, file, key, path, after=()):
        here = file.now.objects.get(key)
        shown = here.registers.get(path) if here and is_register(path) else None
        self.after[item.token] = after + ((shown[1],) if shown else ())
        self.stamps[item.token] = (item.stamp, item.replica)
        self.made[item.token] = (self.world.time, file.now.is_told, file.number, abs(file.skew + file.now.offset) < 50)
        self.world.counters["changes"] += 1
        if file.now.is_told and abs(item.stamp - self.world.time * TICKS) > 2 * LIMIT * TICKS:
            raise Violation("a device that knows the time stamps far from it")

    def stamped(self, item):
        self.stamps[item.token] = (item.stamp, item.replica)

    def increment(self, file):
        return self.token()

    def excuse(self, token):
        """The same file has replaced or removed what was written."""
        self.reported.add(token)

    def superseded(self, pending):
        self.reported.update(pending.tokens())

    def report(self, file, tokens, reason):
        self.reported.update(tokens)
        self.world.counters[f"reported: {reason}"] += len(tokens)

    # The server

    def ancestors(self, token):
        found, next_ones = set(), [token]
        while next_ones and len(found) < 60:
            next_ones = [older for one in next_ones for older in self.after.get(one, ()) if older not in found]
            found.update(next_ones)
        return found

    def check_beaten(self, item, winner):
        """A write may lose to one that its writer did not know, not to one that it replaced."""
        if self.world.has_restored:
            return
        if winner in self.ancestors(item.token):
            raise Violation("a write lost to one that its writer had seen")
        written, is_right, _, _ = self.made[item.token]
        if is_right and self.arrived.get(winner, written) + TOLERANCE < written:
            raise Violation("a wrong clock locked later writes out")

    def check_win(self, push, change, item, old, path, value):
        """A device that knows the right time cannot undo, after hours, what was written after it; and the application's function
        loses nothing."""
        self.arrived[item.token] = self.world.time
        if path == "r" and push.user not in self.world.server.state.admins:
            raise Violation("a change that rights forbid was applied")
        base = push.bases.get(change.key)
        has_deleted = change.gone and base and old and base.registers.get("z", NOTHING)[3] == old[3]     # what it had seen
        if path == "z" and old and not old[0] <= value and self.made[old[3]][2] != self.made[item.token][2] and not has_deleted:
            raise Violation("a property that the application merges was overwritten")
        if old is None or old[3] in self.ancestors(item.token) or old[3] not in self.made:
            return
        (mine, is_right, _, _), (theirs, _, _, is_right_too) = self.made[item.token], self.made[old[3]]
        if is_right and is_right_too and mine + TOLERANCE < theirs:
            raise Violation("an old write won by a wrong clock")

    def check_life(self, merge, change, row):
        """What the server takes from a batch's cursor is what the device really had."""
        if merge.selves & row.births or not merge.means_this_life(change.key, row):
            return
        base = merge.push.bases.get(change.key)
        if base is None or base.birth != row.birth:
            raise Violation("a change is applied to an object that its writer did not have")

    def check_removed(self, merge, key, element, replica):
        base = merge.push.bases.get(key)
        if replica not in merge.selves and (base is None or element not in base.members):
            raise Violation("an addition was removed by one who did not see it")

    def server_changed(self):
        self.world.server.check()

    # Devices

    def cleared(self, tokens, file):
        fates = self.world.server.state.fates
        for token in tokens:
            if token not in fates and token not in self.reported and not self.world.has_restored:
                raise Violation("pending was cleared, and the server does not have it")
        holders, refusers = self.world.holders, self.world.server.state.refusers
        self.refused += [token for token in tokens
                         if fates.get(token) == "refused" and holders.get(refusers.get(token)) == file.number]

    def applied(self, file, answer, before, is_other_history):
        self.world.counters["answers applied"] += 1
        self.check(file)
        now = file.now
        hidden = {key for key in now.objects if key not in answer.visible and not (key in now.pending and now.pending[key].new)}
        if hidden:
            raise Violation("a device shows what its user may not see, or what is deleted")
        missing = {key for key in answer.visible if key not in now.objects and not (key in now.pending and now.pending[key].gone)}
        if missing:
            raise Violation("a device lacks an object that its user sees")
        if self.world.rules.feed != "watermark":
            for key, row in answer.visible.items():
                if key in now.base and now.base[key].object().shown() != row.object().shown():
                    raise Violation("a device has another state than the answer's snapshot")
        if is_other_history:
            return
        if any(token not in self.reported for token in self.refused):
            raise Violation("a refused change is not reported")
        self.refused.clear()
        for key, old in before.items():
            here = now.objects.get(key)
            if here is None:
                continue
            row = now.base.get(key)
            for path, (_, token) in old.registers.items():
                if path[0] == "emb" and path != "emb" and path[1] != here.value("emb"):
                    continue            # it goes with its embedded object, which is judged by itself: what replaced that may be earlier
                if here.registers.get(path, (None, None))[1] != token:
                    self.check_vanished(file, token, row.registers.get(path) if row else None)

    def check_vanished(self, file, token, register):
        if token not in self.made or self.made[token][2] != file.number or token in self.reported:
            return
        if self.world.server.state.fates.get(token) in BAD:
            return
        if register and (register[1], register[2]) > self.stamps[token]:
            return
        raise Violation("an own write vanished")

    def check(self, file):
        if file.violates() is not None:
            raise Violation("pending on the server's state is not the local state")
        objects = file.now.objects
        if "p1" in objects and "p2" in objects and objects["p1"].value("pair") != objects["p2"].value("pair"):
            raise Violation("half of a transaction shows")
        bounds = {path[1]: value for path, (value, _) in objects["p1"].registers.items() if path[0] == "low"} if "p1" in objects else {}
        for number, low in bounds.items():
            if "p2" in objects and low > (objects["p2"].value(("high", number)) or 0):
                raise Violation("half of a transaction shows")
        names = [here.value("name") for here in objects.values() if here.value("name") is not None]
        if len(names) != len(set(names)):
            raise Violation("a unique value twice on a device")

    # The end

    def check_end(self):
        world = self.world
        server = world.server
        for file in world.files:
            self.check(file)
            if file.now.pending:
                raise Violation("something stays pending")
            visible = server.visible_keys()[file.user]
            if visible != file.now.objects.keys():
                raise Violation("a device has other objects than its user sees")
            for key in visible:
                if server.row(key, 0, lambda _: False).object().shown() != file.now.objects[key].shown():
                    raise Violation("a device has other values than the server")
        for row in server.state.rows.values() if not world.has_restored else ():
            self.check_runs(server, row)

    def check_runs(self, server, row):
        if not self.world.runs.are_in_order([one for one in server.order(row) if one.identity == one.node]):
            raise Violation("runs of concurrent insertions interleave")
