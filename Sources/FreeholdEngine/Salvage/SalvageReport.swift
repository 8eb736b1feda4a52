/// The result of a salvage: what it copied into a new file, and what it could not.
///
/// ```swift
/// let report = try Database.salvage(from: "damaged.freehold", to: "rescued.freehold")
/// for loss in report.classes where !loss.isComplete { print(loss.name, loss.lostObjects ?? 0) }
/// ```
public struct SalvageReport: Sendable {
    /// The version whose state was salvaged; nil if no root could be read.
    public internal(set) var version: Version?
    /// Notes on the whole file, in sentences: lost roots, a lost schema, an earlier version taken.
    public internal(set) var notes: [String] = []
    /// The result for each class.
    public internal(set) var classes: [SalvagedClass] = []

    /// Whether everything the file said it held is in the new one, and as new as possible.
    public var isComplete: Bool { notes.isEmpty && classes.allSatisfy(\.isComplete) }
    /// The number of objects in the new file.
    public var objects: Int { classes.reduce(0) { $0 + $1.objects } }
}

/// The result of a salvage for one class.
public struct SalvagedClass: Sendable {
    /// The class's name; made up if the schema was lost.
    public let name: String
    /// The number of objects in the new file.
    public internal(set) var objects = 0
    /// The number of missing objects; nil if the file no longer states how many there were.
    public internal(set) var lostObjects: Int? = 0
    /// The ranges of object keys in which objects are or may be missing, at most `rangeLimit`.
    public internal(set) var lostRanges: [LostRange] = []
    /// The number of objects (included in `objects`) that the file could not prove to be of the newest version: they
    /// may have been changed or deleted since.
    public internal(set) var possiblyStale = 0
    /// The number of objects, by property, whose value could not be read and is null, or the type's zero, in the new
    /// file.
    public internal(set) var lostValues: TextMap<Int> = [:]
    /// The number of objects whose primary key could not be read and was made up.
    public internal(set) var madeUpKeys = 0
    /// The number of objects left out because a newer one has their key or their unique value.
    public internal(set) var superseded = 0
    /// The number of links set to null because their target was lost.
    public internal(set) var cutLinks = 0

    public static let rangeLimit = 100

    /// A range of object keys.
    public struct LostRange: Sendable, Equatable {
        public let first: ObjectKey
        public let last: ObjectKey
        /// The number of objects missing in the range, if known.
        public let objects: Int?
    }

    init(name: String) { self.name = name }

    /// Whether every object with every value was salvaged, and is of the newest version.
    public var isComplete: Bool {
        lostObjects == 0 && possiblyStale == 0 && lostValues.isEmpty && madeUpKeys == 0 && superseded == 0 && cutLinks == 0
    }

    mutating func noteLost(_ hole: Hole, objects: Int?) {
        guard lostRanges.count < Self.rangeLimit else { return }
        lostRanges.append(LostRange(first: ObjectKey(hole.low), last: ObjectKey(hole.last), objects: objects))
    }
}
