"""The rules of `sync_model.py`, and its variants: every shortcut leaves one rule out."""

import dataclasses

from simulation import Variant


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every shortcut turns one of them off."""

    steps: int = 150
    rounds: int = 14                    # at the end, until nothing is pending
    kills: float = 1                    # weights of events
    copies: float = 1
    clocks: float = 1
    rights: float = 1
    prunes: float = 1.5
    offline: float = 1
    absences: float = 0
    keys: tuple = ("a", "b", "u1", "u2", "a", "b", "u1", "u2", "k1")     # of objects that programs change
    pairs: float = 0.25                 # of transactions, that change two objects together
    creates: float = 1
    deletes: float = 0.1                # of changes of objects
    names: int = 3                      # unique values that there are
    restores: float = 1
    lost: float = 0.15                  # of messages
    repeated: float = 0.2
    disorder: float = 0.4
    skews: tuple = (0, 45, -300, 400, 2000)     # of clocks that are set anew
    retention: int = 250
    agents: int = 1                     # of a file, at once
    # Capture
    captures_all: bool = True           # the commits of every program
    moves_keep_identity: bool = True
    keeps_links: bool = True            # to objects that are not on the device
    names_shown: bool = True            # positions beside elements that show
    # Epochs
    seals: bool = True
    seal_is_durable: bool = True
    reads_at_seal: bool = True          # a batch is read from the version of its own seal
    applies_once: bool = True
    clears_by: str = "answer"           # or "ack"
    # Answers
    feed: str = "snapshot"              # or "watermark", "newest"
    checks_cursor: bool = True
    applies_at_once: bool = True        # state, pending and cursor in one commit
    cursor_is_durable: bool = True      # before it is sent
    owes: bool = True                   # what a batch has named, to its writer
    forgets_told: bool = False          # rejections, once they were sent
    judges_again: bool = True           # what depends on the cursor, when the cursor moves
    # Clocks
    keeps_clock: bool = True            # over restarts
    reads_stamps: bool = True           # of others
    clamps: bool = True
    clamps_above_seen: bool = True
    raises_stamps: bool = True          # a replica's later epochs above its earlier ones
    tells_offset: bool = True
    judges_clocks: bool = True          # for the judge: whether a device that has had an answer knows the time
    sets_clock_back: bool = True
    # Merging
    asks_views: bool = True             # a cursor says nothing of objects that the user did not see
    remembers_views: bool = True        # since when a user saw what is not seen any more
    checks_lives: bool = True
    adds_win: bool = True
    lists_by_tree: bool = True
    skips_unknown: bool = True          # positions that a batch names and the server has refused
    resolves: bool = True
    checks_unique: bool = True
    unique_after_all: bool = True       # also what comes to life again
    # Streams and rights
    sends_leavings: bool = True
    leaves_with_pending: bool = True
    checks_rights: bool = True
    # Copies, backups, retention
    compares_inode: bool = True
    marks_seals: bool = True
    keeps_origins: bool = True
    claims: bool = True
    claims_by_life: bool = True         # and by the increment that a sum begins with
    replaces_once: bool = True          # a stamp too far ahead, whatever file brings it
    reads_lineage: bool = True          # the order of one file's writes, of its epochs
    identity_at_open: bool = True       # not only when an agent begins
    identity_after_power_cut: bool = True
    checks_history: bool = True
    resets_late: bool = True


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


QUIET = dict(kills=0, copies=0, clocks=0, restores=0)
COPIED = dict(copies=5, restores=0, clocks=0)
CLOCKS = dict(clocks=6, offline=3, copies=0, restores=0)
CUTS = dict(kills=4, copies=0, restores=0)
PLAIN = dict(copies=0, restores=0)
STREAMS = dict(rights=6, copies=0, restores=0)
OFFLINE = dict(retention=20, prunes=2, offline=4, absences=4, creates=0.3, copies=0, restores=0)
UNTOLD = dict(keys=("a", "b"), tells_offset=False, judges_clocks=False, **CLOCKS)
SLOW = dict(clocks=2, keys=("a",), steps=250, skews=(0, 2000), offline=8, copies=0, restores=0)
FEW = dict(keys=("a", "u1"), steps=250, lost=0.35, repeated=0.35, copies=0, kills=0)
PARTS = dict(keys=("k1", "a", "u1"), rights=6, copies=0, restores=0)
UNIQUE = dict(keys=("u1", "u2", "u1", "u2", "a"), names=1, deletes=0.25, lost=0.3, steps=250, copies=0, restores=0)
VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, no failures", is_fixed=True, lost=0, **QUIET),
    variant("the rules, much is lost and repeated", is_fixed=True, lost=0.35, repeated=0.35, **PLAIN),
    variant("the rules, wrong clocks", is_fixed=True, **CLOCKS),
    variant("the rules, wrong clocks, never told", is_fixed=True, skews=(45, 2000), **UNTOLD),
    variant("the rules, clocks put right", is_fixed=True, **SLOW),
    variant("the rules, copied files and power cuts", is_fixed=True, copies=5, kills=3, restores=0),
    variant("the rules, many copied files, wrong clocks", is_fixed=True, copies=8, clocks=6, restores=0),
    variant("the rules, restored servers", is_fixed=True, restores=5),
    variant("the rules, restored servers, two objects", is_fixed=True, **FEW),
    variant("the rules, short retention, long offline", is_fixed=True, **OFFLINE),
    variant("the rules, much is shared and withdrawn", is_fixed=True, **STREAMS),
    variant("the rules, two agents without a lease", is_fixed=True, agents=2),
    variant("the rules, one unique value", is_fixed=True, **UNIQUE),
    # Capture
    variant("only some programs note their changes", captures_all=False, **QUIET),
    variant("a move is a deletion and an insertion", moves_keep_identity=False, **QUIET),
    variant("links to absent objects forgotten", keeps_links=False, rights=15, **PLAIN),
    variant("positions beside elements that are gone", names_shown=False, **PLAIN),
    # Epochs
    variant("no seal", seals=False, **PLAIN),
    variant("seal not durable before sending", seal_is_durable=False, marks_seals=False, identity_after_power_cut=False, **CUTS),
    variant("batch read from a later version", reads_at_seal=False, keys=("a",), pairs=0.8, steps=250, **PLAIN),
    variant("epochs applied again", applies_once=False, **PLAIN),
    variant("pending cleared by the ack", clears_by="ack", **PLAIN),
    # Answers
    variant("answers end at the watermark", feed="watermark", keys=("a", "b"), rights=15, steps=250, **PLAIN),
    variant("cursor is the newest transaction", feed="newest", **PLAIN),
    variant("answers to other cursors applied", checks_cursor=False, disorder=1, repeated=0.4, steps=250, **PLAIN),
    variant("cursor set in a commit of its own", applies_at_once=False, **CUTS),
    variant("answers leave out what lost at the server", owes=False, **PLAIN),
    variant("rejections forgotten once they were sent", forgets_told=True, **PLAIN),
    variant("pending not judged again by a new cursor", judges_again=False, **STREAMS),
    # Clocks
    variant("stamps of others not read", reads_stamps=False, **CLOCKS),
    variant("stamps not clamped", clamps=False, **CLOCKS),
    variant("a replica's own order not kept", raises_stamps=False, keys=("a", "b"), steps=250, **CLOCKS),
    variant("offset not told", tells_offset=False, **SLOW),
    variant("offset told, clock not set back", sets_clock_back=False, **SLOW),
    # Merging
    variant("cursor counts for objects not seen", asks_views=False, steps=300, **PARTS),
    variant("views say only since when they are so", remembers_views=False, steps=300, **PARTS),
    variant("changes of an earlier life applied", checks_lives=False, **STREAMS),
    variant("removal takes additions not seen", adds_win=False, keys=("a",), steps=250, **PLAIN),
    variant("lists by the neighbour on the left alone", lists_by_tree=False, **QUIET),
    variant("positions that were refused are named", skips_unknown=False, lost=0.35, steps=400, **PARTS),
    variant("merged property is last writer wins", resolves=False, **PLAIN),
    variant("unique not checked at the server", checks_unique=False, **PLAIN),
    # Streams and rights
    variant("leavings not sent", sends_leavings=False, **STREAMS),
    variant("what is pending keeps an object that has left", leaves_with_pending=False, **STREAMS),
    variant("rights not checked", checks_rights=False, **STREAMS),
    # Copies, backups, retention
    variant("copies keep the replica identity", compares_inode=False, marks_seals=False, identity_after_power_cut=False, **COPIED),
    variant("only the inode tells a copy", marks_seals=False, **COPIED),
    variant("only the sidecar tells a copy", compares_inode=False, **COPIED),
    variant("pending of a copy under its new identity", keeps_origins=False, **COPIED),
    variant("sums of a copy not subtracted", claims=False, **COPIED),
    variant("a copy found out by the agent alone", identity_at_open=False, **COPIED),
    variant("identity kept after lost commits", identity_after_power_cut=False, copies=5, kills=3, restores=0),
    variant("history not checked", checks_history=False, copies=0, restores=4),
    variant("no reset after the retention", resets_late=False, **OFFLINE),
)
