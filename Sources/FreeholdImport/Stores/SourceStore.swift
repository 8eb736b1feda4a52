import FreeholdEngine

/// A database of another kind, opened for reading: what an import needs to know of it.
///
/// ```swift
/// let store = try RealmFileStore(path: "old.realm", key: nil)
/// for place in store.classes.indices {
///     let objects = try store.objects(of: place, after: nil)
///     while let batch = try objects.next() { print(store.classes[place].schema.name, batch.keys.count) }
/// }
/// try store.checkUnchanged()
/// ```
///
/// Used by one thread at a time.
public protocol SourceStore: AnyObject {
    /// What the file is, for messages: `Realm file, format 24, encrypted`.
    var format: String { get }

    /// Its classes, as they are to be in the database.
    var classes: [SourceClass] { get }

    /// What is changed or left out, in the order of the classes.
    var remarks: [SourceRemark] { get }

    /// The number of links that no object has, as in rows of a join table whose owner does not exist: an import counts them as
    /// links without a target.
    var ownerlessLinks: Int { get }

    /// The version of the program's schema that the file was written under; nil if it has none.
    var schemaVersion: UInt64? { get }

    /// The file as it was when it was opened: an interrupted import continues only if this is the same.
    var identity: SourceIdentity { get }

    /// The objects of a class, by its place in `classes`, in ascending order of their keys.
    /// - Parameter key: the last key that is not wanted any more; nil for all objects.
    func objects(of place: Int, after key: Int64?) throws(SourceError) -> any SourceCursor

    /// Compares the file with what it was when it was opened.
    /// - Throws: `.changed` if another program has written to it meanwhile.
    func checkUnchanged() throws(SourceError)
}

extension SourceStore {
    public var ownerlessLinks: Int { 0 }
    public var schemaVersion: UInt64? { nil }
}

/// Reads objects of one class one batch after another.
public protocol SourceCursor: AnyObject {
    /// The next objects, about a thousand, fewer if they are large; nil at the end.
    /// - Throws: what is wrong with the file. The cursor has ended then.
    func next() throws(SourceError) -> SourceBatch?
}

/// A class of a source.
public struct SourceClass: Sendable {
    /// The class as it is to be created; link targets and superclasses are classes of the same source. Its properties are all that its
    /// objects have: those of the classes it extends first, in their order. A class that extends another has no primary key of its own.
    public var schema: ClassSchema
    /// The number of its objects, without those of subclasses; for progress.
    public var count: Int
    /// The name in the source, if it is another one: `ZPERSON`.
    public var sourceName: String

    public init(_ schema: ClassSchema, count: Int, sourceName: String? = nil) {
        self.schema = schema
        self.count = count
        self.sourceName = sourceName ?? schema.name
    }
}

/// What an import changes or leaves out.
public struct SourceRemark: Sendable, Equatable {
    /// What becomes of it.
    public enum Kind: Sendable {
        /// It has another name in the database.
        case renamed
        /// It has another type or form; nothing is lost.
        case converted
        /// It is not imported.
        case lost
    }

    public let kind: Kind
    /// What it is about: a class, or `Class.property`; empty for the whole file.
    public let place: String
    /// A sentence without a full stop.
    public let text: String

    public init(_ kind: Kind, _ place: String, _ text: String) {
        self.kind = kind
        self.place = place
        self.text = text
    }
}

extension SourceRemark: CustomStringConvertible {
    /// `lost: Person.photo: a picture is left out`
    public var description: String {
        let name = switch kind {
        case .renamed: "renamed"
        case .converted: "converted"
        case .lost: "lost"
        }
        return place.isEmpty ? "\(name): \(text)" : "\(name): \(place): \(text)"
    }
}

/// Tells two states of a source apart.
public struct SourceIdentity: Sendable, Equatable {
    /// The format with its version, and what identifies the state of the file's content.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The limits that keep the memory for hostile files bounded.
public enum SourceLimits {
    /// Objects in a batch, at most.
    public static let batchObjects = 1024
    /// Bytes of values after which a batch ends early.
    public static let batchBytes = 4 << 20
    /// A value of more bytes is a `SourceValue.long`.
    public static let shortBytes = 1 << 20
    /// Levels of nested collections and embedded objects, at most.
    public static let depth = 100
    /// Elements of one collection, nested ones included, at most.
    public static let elements = 1 << 28
}
