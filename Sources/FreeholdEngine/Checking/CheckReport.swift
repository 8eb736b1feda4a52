/// What a check of a whole database found.
///
/// ```swift
/// let report = try database.check()
/// for problem in report.problems { print(problem) }
/// ```
public struct CheckReport: Sendable {
    /// The version checked.
    public let version: Version
    public internal(set) var classes = 0
    public internal(set) var objects = 0
    public internal(set) var blocks = 0
    /// Entries of ordered trees that were compared with their objects.
    public internal(set) var indexEntries = 0
    /// Links whose target was looked up.
    public internal(set) var links = 0
    /// Lists, sets and maps that have elements, those within others included…
    public internal(set) var collections = 0
    /// …and their elements.
    public internal(set) var elements = 0
    /// Bytes of blocks in use.
    public internal(set) var liveBytes: UInt64 = 0
    /// Everything that is wrong, at most `problemLimit` of it.
    public internal(set) var problems: [CheckProblem] = []
    /// Whether there was more.
    public internal(set) var isCutOff = false

    public static let problemLimit = 1000

    /// Whether nothing is wrong.
    public var isClean: Bool { problems.isEmpty }

    init(version: Version) { self.version = version }

    mutating func report(_ kind: CheckProblem.Kind, _ place: String, _ message: String) {
        if problems.count >= Self.problemLimit {
            isCutOff = true
        } else {
            problems.append(CheckProblem(kind: kind, place: place, message: message))
        }
    }
}

/// One thing that is wrong in a file.
public struct CheckProblem: Sendable, Equatable, CustomStringConvertible {
    /// What sort of rule is broken; the raw value is what the command line prints.
    public enum Kind: String, Sendable {
        /// A version that was durable is gone; the file opened at an older one.
        case lostVersion
        /// A block's bytes are not what was written.
        case damagedBlock
        /// Space that nothing uses and nothing may reuse.
        case lostSpace
        /// Space used twice, or given away while in use.
        case sharedSpace
        /// Counts, keys or leaves of a class's tree do not fit together.
        case brokenTable
        /// An ordered tree and the objects disagree.
        case brokenIndex
        /// A link to an object that does not exist.
        case danglingLink
    }

    public let kind: Kind
    /// Where: a page, or a class and property.
    public let place: String
    public let message: String

    public var description: String { "\(kind.rawValue) at \(place): \(message)" }
}
