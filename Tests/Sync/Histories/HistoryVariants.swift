@testable import FreeholdMerge

/// Histories of one kind: of the rules, or of a shortcut that leaves one of them out.
struct HistoryVariant: Sendable, CustomStringConvertible {
    let name: String
    let rules: HistoryRules
    /// Histories that are known to catch what is left out, or in which files once differed from devices, or that the rules once failed.
    let seeds: [UInt64]

    init(_ name: String, seeds: [UInt64] = [], _ change: (inout HistoryRules) -> Void) {
        self.name = name
        self.seeds = seeds
        rules = HistoryRules.with(change)
    }

    var description: String { name }

    static let all: [HistoryVariant] = HistoryVariant.rules + HistoryVariant.shortcuts + HistoryVariant.rareShortcuts
}

extension HistoryRules {
    fileprivate mutating func shadowed() { (copies, kills, shadows) = (0, 0, true) }
    fileprivate mutating func embedded() {
        shadowed()
        (embeds, insertions, removals, replacements) = (true, 0.4, 0.15, 0.75)
    }
    fileprivate mutating func quiet() { (kills, copies, clocks, restores) = (0, 0, 0, 0) }
    fileprivate mutating func plain() { (copies, restores) = (0, 0) }
    fileprivate mutating func copied() { (copies, restores, clocks) = (5, 0, 0) }
    fileprivate mutating func wrongClocks() { (clocks, offline, copies, restores) = (6, 3, 0, 0) }
    fileprivate mutating func cuts() { (kills, copies, restores) = (4, 0, 0) }
    fileprivate mutating func streams() { (rights, copies, restores) = (6, 0, 0) }

    fileprivate mutating func away() {
        (retention, prunes, offline, absences, creates, copies, restores) = (20, 2, 4, 4, 0.3, 0, 0)
    }

    fileprivate mutating func untold() {
        wrongClocks()
        keys = [.a, .b]
        device = [.ignoresOffset, .clocksAreNotJudged]
    }

    fileprivate mutating func slow() {
        (clocks, keys, steps, skews, offline, copies, restores) = (2, [.a], 250, [0, 2000], 8, 0, 0)
    }

    fileprivate mutating func copiedAhead() {
        (copies, clocks, restores, skews, keys, steps, lost) = (8, 4, 0, [0, 400, 2000], [.a, .b], 250, 0.3)
    }

    fileprivate mutating func oneList() {
        quiet()
        (keys, steps, deletes) = ([.a], 250, 0.02)
    }

    fileprivate mutating func few() {
        (keys, steps, lost, repeated, copies, kills) = ([.a, .u1], 250, 0.35, 0.35, 0, 0)
    }

    fileprivate mutating func parts() { (keys, rights, copies, restores) = ([.k1, .a, .u1], 6, 0, 0) }

    fileprivate mutating func oneUniqueValue() {
        (keys, names, deletes, lost, steps, copies, restores) = ([.u1, .u2, .u1, .u2, .a], 1, 0.25, 0.3, 250, 0, 0)
    }
}

extension HistoryVariant {
    /// The rules must hold in all of these.
    static let rules: [Self] = [
        Self("the rules") { _ in },
        Self("the rules, no failures") { $0.quiet(); $0.lost = 0 },
        Self("the rules, much is lost and repeated") { $0.plain(); ($0.lost, $0.repeated) = (0.35, 0.35) },
        Self("the rules, wrong clocks") { $0.wrongClocks() },
        Self("the rules, wrong clocks, offset ignored") { $0.untold(); $0.skews = [45, 2000] },
        Self("the rules, clocks put right") { $0.slow() },
        Self("the rules, copied files and power cuts", seeds: [1329, 4170]) { ($0.copies, $0.kills, $0.restores) = (5, 3, 0) },
        Self("the rules, many copied files, wrong clocks", seeds: [2846]) { ($0.copies, $0.clocks, $0.restores) = (8, 6, 0) },
        Self("the rules, restored servers") { $0.restores = 5 },
        Self("the rules, restored servers, two objects", seeds: [5152]) { $0.few() },
        Self("the rules, short retention, long offline") { $0.away() },
        Self("the rules, much is shared and withdrawn") { $0.streams() },
        Self("the rules, two agents without a lease") { $0.agents = 2 },
        Self("the rules, one unique value") { $0.oneUniqueValue() },
        // Elements whose neighbours are deleted, and get others.
        Self("the rules, one list", seeds: [104, 431, 2045, 2689, 4416, 5479, 6594, 11880, 14255]) { $0.oneList() },
    ]

    /// With real files.
    static let shadowed: [Self] = [
        Self("files", seeds: [152]) { $0.shadowed() },
        Self("files, no failures") { $0.quiet(); $0.lost = 0; $0.shadowed() },
        Self("files, much is lost and repeated") { ($0.lost, $0.repeated) = (0.35, 0.35); $0.shadowed() },
        Self("files, wrong clocks") { $0.wrongClocks(); $0.shadowed() },
        Self("files, clocks put right") { $0.slow(); $0.shadowed() },
        Self("files, restored servers") { $0.restores = 5; $0.shadowed() },
        Self("files, short retention, long offline") { $0.away(); $0.shadowed() },
        Self("files, much is shared and withdrawn") { $0.streams(); $0.shadowed() },
        Self("files, one unique value") { $0.oneUniqueValue(); $0.shadowed() },
        Self("files, copied and power cuts", seeds: [73]) { $0.shadowed(); ($0.copies, $0.kills, $0.restores) = (5, 3, 0) },
        Self("files, many copied, wrong clocks", seeds: [33]) { $0.shadowed(); ($0.copies, $0.clocks, $0.restores) = (8, 6, 0) },
        Self("files, power cuts") { $0.cuts(); $0.shadows = true },
        Self("files with embedded objects in lists and maps", seeds: [48]) { $0.embedded() },
        Self("files with embedded objects in lists and maps, one object") {
            ($0.lost, $0.repeated, $0.keys, $0.steps, $0.restores) = (0.35, 0.35, [.a, .u1], 250, 0)
            $0.embedded()
        },
        Self("files with embedded objects in lists and maps, wrong clocks", seeds: [30, 44, 50]) { $0.wrongClocks(); $0.embedded() },
        Self("files with embedded objects in lists and maps, restored servers") { $0.restores = 5; $0.embedded() },
        Self("files with embedded objects in lists and maps, copied and power cuts") {
            $0.embedded()
            ($0.copies, $0.kills) = (5, 3)
        },
        Self("files with embedded objects in lists and maps, long offline") { $0.away(); $0.embedded() },
        Self("files with embedded objects in lists and maps, shared and withdrawn", seeds: [17, 27]) { $0.streams(); $0.embedded() },
    ]

    /// Each leaves out a rule, and must be caught.
    static let shortcuts: [Self] = capture + epochs + answers + clocks + merging + streams + copies

    /// Caught by one history in thousands.
    static let rareShortcuts: [Self] = [
        Self("positions stand beside the left neighbour, though the right one is their own", seeds: [769]) {
            $0.oneList()
            $0.server = .ignoresOwnNeighbour
        },
        Self("epochs say nothing of the order of writes", seeds: [1213, 1365]) {
            $0.copiedAhead()
            $0.server = .ignoresLineage
        },
        Self("sessions are not noted beside the file", seeds: [4170]) {
            ($0.copies, $0.kills, $0.restores, $0.device) = (5, 3, 0, .ignoresSessions)
        },
        Self("claims count for other lives", seeds: [1954, 3235]) {
            $0.copied()
            ($0.copies, $0.keys, $0.deletes, $0.steps, $0.server) = (8, [.a, .b], 0.25, 250, .claimsAcrossLives)
        },
    ]

    private static let capture: [Self] = [
        Self("only some programs note their changes") { $0.quiet(); $0.device = .someProgramsDoNotCapture },
        Self("a move is a deletion and an insertion") { $0.quiet(); $0.device = .movesAreDeletionAndInsertion },
        Self("links to absent objects forgotten") { $0.plain(); $0.rights = 15; $0.device = .linksToAbsentObjectsAreForgotten },
        Self("positions beside elements that are gone") { $0.plain(); $0.device = .namesHiddenPositions },
    ]

    private static let epochs: [Self] = [
        Self("no seal") { $0.plain(); $0.device = .neverSeals },
        Self("seal not durable before sending") {
            $0.cuts()
            $0.device = [.sealIsNotDurable, .ignoresSidecar, .keepsIdentityAfterPowerCut]
        },
        Self("batch read from a later version") {
            $0.plain()
            ($0.keys, $0.pairs, $0.steps, $0.device) = ([.a], 0.8, 250, .readsBatchLater)
        },
        Self("epochs applied again") { $0.plain(); $0.server = .appliesAgain },
        Self("pending cleared by the ack") { $0.plain(); $0.device = .ackClears },
    ]

    private static let answers: [Self] = [
        Self("answers end at the watermark") {
            $0.plain()
            ($0.keys, $0.rights, $0.steps, $0.server) = ([.a, .b], 15, 250, .endsAtWatermark)
        },
        Self("cursor is the newest transaction") { $0.plain(); $0.server = .cursorIsNewest },
        Self("answers to other cursors applied") {
            $0.plain()
            ($0.disorder, $0.repeated, $0.steps, $0.device) = (1, 0.4, 250, .ignoresAskedCursor)
        },
        Self("cursor set in a commit of its own") { $0.cuts(); $0.device = .setsCursorApart },
        Self("answers leave out what lost at the server") { $0.plain(); $0.server = .owesNothing },
        Self("rejections forgotten once they were sent") { $0.plain(); $0.server = .forgetsSent },
        Self("pending not judged again by a new cursor") { $0.streams(); $0.device = .doesNotJudgeAgain },
    ]

    private static let clocks: [Self] = [
        Self("stamps of others not read") { $0.wrongClocks(); $0.device = .ignoresStamps },
        Self("stamps not clamped") { $0.wrongClocks(); $0.server = .keepsStampsAhead },
        Self("a replica's own order not kept") { $0.wrongClocks(); ($0.keys, $0.steps, $0.server) = ([.a, .b], 250, .keepsOwnOrderBroken) },
        Self("offset not told") { $0.slow(); $0.device = .ignoresOffset },
        Self("offset told, clock not set back") { $0.slow(); $0.device = .keepsClockAhead },
    ]

    private static let merging: [Self] = [
        Self("cursor counts for objects not seen") { $0.parts(); ($0.steps, $0.server) = (300, .ignoresViews) },
        Self("views say only since when they are so") { $0.parts(); ($0.steps, $0.server) = (300, .forgetsSights) },
        Self("changes of an earlier life applied") { $0.streams(); $0.server = .mixesLives },
        Self("removal takes additions not seen") { $0.plain(); ($0.keys, $0.steps, $0.server) = ([.a], 250, .removalsWin) },
        Self("lists by the neighbour on the left alone") { $0.quiet(); $0.server = .listsWithoutTree },
        Self("positions that were refused are named") {
            $0.parts()
            ($0.lost, $0.steps, $0.server) = (0.35, 400, .keepsUnknownPositions)
        },
        Self("merged property is last writer wins") { $0.plain(); ($0.server, $0.device) = (.overwritesMerged, .doesNotResolve) },
        Self("unique not checked at the server") { $0.plain(); ($0.server, $0.device) = (.ignoresUnique, .ignoresUnique) },
    ]

    private static let streams: [Self] = [
        Self("leavings not sent") { $0.streams(); $0.server = .keepsLeavings },
        Self("what is pending keeps an object that has left") { $0.streams(); $0.device = .keepsWhatHasLeft },
        Self("rights not checked") { $0.streams(); $0.server = .ignoresRights },
    ]

    private static let copies: [Self] = [
        Self("copies keep the replica identity") {
            $0.copied()
            $0.device = [.ignoresInode, .ignoresSidecar, .keepsIdentityAfterPowerCut]
        },
        Self("only the inode tells a copy") { $0.copied(); $0.device = .ignoresSidecar },
        Self("only the sidecar tells a copy") { $0.copied(); $0.device = .ignoresInode },
        Self("pending of a copy under its new identity") { $0.copied(); $0.device = .renamesPending },
        Self("sums of a copy not subtracted") { $0.copied(); $0.server = .ignoresClaims },
        Self("a copy found out by the agent alone") { $0.copied(); $0.device = .takesIdentityLate },
        Self("identity kept after lost commits") { ($0.copies, $0.kills, $0.restores, $0.device) = (5, 3, 0, .keepsIdentityAfterPowerCut) },
        Self("history not checked") { ($0.copies, $0.restores, $0.server) = (0, 4, .ignoresHistory) },
        Self("no reset after the retention") { $0.away(); $0.server = .neverResets },
    ]
}
