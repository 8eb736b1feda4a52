/// What a salvage brought into a new file, and what it could not.
///
/// ```swift
/// let report = try Database.salvage(from: "damaged.freehold", to: "rescued.freehold")
/// for loss in report.classes where !loss.isComplete { print(loss.name, loss.lostObjects ?? 0) }
/// ```
public struct SalvageReport: Sendable {
    /// The version whose state was salvaged; nil if no root could be read.
    public internal(set) var version: Version?
    /// What is to be known of the whole file: lost roots, a lost schema, an earlier version taken. In sentences.
    public internal(set) var notes: [String] = []
    /// What became of each class.
    public internal(set) var classes: [SalvagedClass] = []

    /// Whether everything the file said it held is in the new one, and is as new as it can be.
    public var isComplete: Bool { notes.isEmpty && classes.allSatisfy(\.isComplete) }
    /// Objects in the new file.
    public var objects: Int { classes.reduce(0) { $0 + $1.objects } }
}

/// What a salvage brought over of one class.
public struct SalvagedClass: Sendable {
    /// The class's name; made up if the schema was lost.
    public let name: String
    /// Objects in the new file.
    public internal(set) var objects = 0
    /// How many objects are missing; nil if the file no longer says how many there were.
    public internal(set) var lostObjects: Int? = 0
    /// Where objects are missing, or may be: ranges of object keys, at most `rangeLimit` of them.
    public internal(set) var lostRanges: [LostRange] = []
    /// Objects (counted in `objects`) of which the file could not prove that they are of the newest version: they may have
    /// been changed or deleted since.
    public internal(set) var possiblyStale = 0
    /// Values that could not be read and are null, or the type's zero, in the new file: how many objects lost it, by property.
    public internal(set) var lostValues: TextMap<Int> = [:]
    /// Objects whose primary key could not be read and was made up.
    public internal(set) var madeUpKeys = 0
    /// Objects left out because a newer one has their key or their unique value.
    public internal(set) var superseded = 0
    /// Links made null because their target was lost.
    public internal(set) var cutLinks = 0

    public static let rangeLimit = 100

    /// A range of object keys.
    public struct LostRange: Sendable, Equatable {
        public let first: ObjectKey
        public let last: ObjectKey
        /// Objects missing in it, if known.
        public let objects: Int?
    }

    init(name: String) { self.name = name }

    /// Whether every object with every value is there, and of the newest version.
    public var isComplete: Bool {
        lostObjects == 0 && possiblyStale == 0 && lostValues.isEmpty && madeUpKeys == 0 && superseded == 0 && cutLinks == 0
    }

    mutating func noteLost(_ hole: Hole, objects: Int?) {
        guard lostRanges.count < Self.rangeLimit else { return }
        lostRanges.append(LostRange(first: ObjectKey(hole.low), last: ObjectKey(hole.last), objects: objects))
    }
}
