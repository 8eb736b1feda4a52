@testable import FreeholdMerge

/// What happens in histories, and which rules devices follow; those of the server are its `MergeShortcuts`.
struct HistoryRules: Sendable {
    var steps = 150
    var rounds = 14
    // Weights of events.
    var kills = 1.0
    var copies = 1.0
    var clocks = 1.0
    var rights = 1.0
    var prunes = 1.5
    var offline = 1.0
    var absences = 0.0
    var restores = 1.0
    /// Objects that programs change.
    var keys = [Key.a, .b, .u1, .u2, .a, .b, .u1, .u2, .k1]
    /// How many transactions change two objects together.
    var pairs = 0.25
    var creates = 1.0
    var deletes = 0.1
    /// How many unique values there are.
    var names = 3
    var lost = 0.15
    var repeated = 0.2
    var disorder = 0.4
    /// What clocks are set to.
    var skews = [0, 45, -300, 400, 2000]
    var retention = 250
    var agents = 1
    /// Whether real files go through the same.
    var shadows = false
    /// Whether the server reads its rows from columns, as those of a database are.
    var codesRows = false
    /// Makes the server's store, in place of one in memory: no backup of it is restored.
    var makeStore: (@Sendable (SyncSchema) throws -> any SyncStore)?
    /// Whether elements of lists and values of maps are embedded objects in them.
    var embeds = false
    /// Of changes of a list, the part that inserts; of the others, the part that removes, and that with the part that changes an element.
    var insertions = 0.55, removals = 0.35, replacements = 0.6
    /// Rules of devices that are left out.
    var device: DeviceShortcuts = []
    /// Rules of the server that are left out.
    var server: MergeShortcuts = []

    static func with(_ change: (inout Self) -> Void) -> Self {
        var made = Self()
        change(&made)
        return made
    }
}

/// The objects of a history. Those of `u` are of a class whose updates win; `k1` is seen by who sees an object that links to it.
enum Key: Int, CaseIterable {
    case p1, p2, a, b, u1, u2, k1

    static let count = 7

    /// The number of its class.
    var type: Int32 {
        switch self {
        case .p1, .p2, .a, .b: 0
        case .u1, .u2: 1
        case .k1: 2
        }
    }

    var updateWins: Bool { type == 1 }
}

/// Rules of devices, each left out by a test that sees its histories catch it.
struct DeviceShortcuts: OptionSet, Sendable {
    let rawValue: UInt32

    // Capture
    static let someProgramsDoNotCapture = Self(rawValue: 1 << 0)
    static let movesAreDeletionAndInsertion = Self(rawValue: 1 << 1)
    static let linksToAbsentObjectsAreForgotten = Self(rawValue: 1 << 2)
    static let namesHiddenPositions = Self(rawValue: 1 << 3)
    // Epochs
    static let neverSeals = Self(rawValue: 1 << 4)
    static let sealIsNotDurable = Self(rawValue: 1 << 5)
    static let readsBatchLater = Self(rawValue: 1 << 6)
    static let ackClears = Self(rawValue: 1 << 7)
    // Answers
    static let ignoresAskedCursor = Self(rawValue: 1 << 8)
    static let setsCursorApart = Self(rawValue: 1 << 9)
    static let sendsCursorThatIsNotDurable = Self(rawValue: 1 << 10)
    static let doesNotJudgeAgain = Self(rawValue: 1 << 11)
    static let keepsWhatHasLeft = Self(rawValue: 1 << 12)
    static let doesNotResolve = Self(rawValue: 1 << 13)
    static let ignoresUnique = Self(rawValue: 1 << 14)
    // Clocks
    static let ignoresStamps = Self(rawValue: 1 << 15)
    static let ignoresOffset = Self(rawValue: 1 << 16)
    static let keepsClockAhead = Self(rawValue: 1 << 17)
    // Copies
    static let ignoresInode = Self(rawValue: 1 << 18)
    static let ignoresSidecar = Self(rawValue: 1 << 19)
    static let renamesPending = Self(rawValue: 1 << 20)
    static let takesIdentityLate = Self(rawValue: 1 << 21)
    static let keepsIdentityAfterPowerCut = Self(rawValue: 1 << 22)
    static let ignoresSessions = Self(rawValue: 1 << 24)
    /// The judge does not take a device to know the time once it has had an answer.
    static let clocksAreNotJudged = Self(rawValue: 1 << 23)
}
