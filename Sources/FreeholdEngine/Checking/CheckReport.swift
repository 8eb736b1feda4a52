/// The result of a check of a whole database.
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
    /// The number of entries of ordered trees that were compared with their objects.
    public internal(set) var indexEntries = 0
    /// The number of links whose target was looked up.
    public internal(set) var links = 0
    /// The number of lists, sets and maps that have elements, including nested ones.
    public internal(set) var collections = 0
    /// The number of elements of these collections.
    public internal(set) var elements = 0
    /// The bytes of blocks in use.
    public internal(set) var liveBytes: UInt64 = 0
    /// The problems found, at most `problemLimit`.
    public internal(set) var problems: [CheckProblem] = []
    /// Whether there were more problems.
    public internal(set) var isCutOff = false

    public static let problemLimit = 1000

    /// Whether there are no problems.
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

/// One problem in a file.
public struct CheckProblem: Sendable, Equatable, CustomStringConvertible {
    /// The kind of broken rule; the raw value is what the command line prints.
    public enum Kind: String, Sendable {
        /// A durable version is lost; the file opened at an older one.
        case lostVersion
        /// A block's bytes are not those that were written.
        case damagedBlock
        /// Space that nothing uses and nothing may reuse.
        case lostSpace
        /// Space used twice, or free while in use.
        case sharedSpace
        /// Counts, keys or leaves of a class's tree are inconsistent.
        case brokenTable
        /// An ordered tree and the objects disagree.
        case brokenIndex
        /// Changes that are pending for sync, and the objects, disagree.
        case brokenSync
        /// A link to an object that does not exist.
        case danglingLink
    }

    public let kind: Kind
    /// The place of the problem: a page, or a class and property.
    public let place: String
    public let message: String

    public var description: String { "\(kind.rawValue) at \(place): \(message)" }
}
