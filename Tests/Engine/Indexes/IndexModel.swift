@testable import BlockKit
import CShims
@testable import FreeholdEngine

/// A posting as the model keeps it.
struct Posting: Hashable, Comparable, CustomStringConvertible {
    var key: [UInt8]
    var object: Int64

    static func < (left: Posting, right: Posting) -> Bool {
        let order = left.key.order(right.key)
        return order == 0 ? left.object < right.object : order < 0
    }

    static func == (left: Posting, right: Posting) -> Bool { left.object == right.object && left.key.order(right.key) == 0 }

    /// Of a long key only the end, where long keys of these tests differ: hashing is slow in debug builds.
    func hash(into hasher: inout Hasher) {
        hasher.combine(object)
        for byte in key.suffix(8) { hasher.combine(byte) }
    }

    var description: String { "(\(key.count) bytes \(key.prefix(12)), \(object))" }
}

extension [UInt8] {
    /// As `memcmp`, a shorter array before its continuations; fast in debug builds too.
    func order(_ other: [UInt8]) -> Int {
        let order = withUnsafeBytes { one in
            other.withUnsafeBytes { freehold_shim_compare(one.baseAddress, $0.baseAddress, Swift.min(one.count, $0.count)) }
        }
        return order == 0 ? count - other.count : Int(order)
    }
}

/// An index beside a plain sorted list of what it must hold.
final class IndexModel {
    let file = IndexFile()
    private(set) var root = BlockReference.null
    private(set) var postings: Set<Posting> = []
    /// Whether nothing changed since the last commit.
    private(set) var isCommitted = true
    private var pending: PendingBlocks
    private let operations = IndexOperations()

    init() { pending = PendingBlocks(reading: file.access) }

    var index: OrderedIndex { OrderedIndex(root: root, access: pending.access) }
    var sorted: [Posting] { postings.sorted() }

    func insert(_ posting: Posting) {
        postings.insert(posting)
        posting.key.withUnsafeBytes { operations.insert($0, ObjectKey(posting.object)) }
    }

    func remove(_ posting: Posting) {
        postings.remove(posting)
        posting.key.withUnsafeBytes { operations.remove($0, ObjectKey(posting.object)) }
    }

    func apply() throws {
        root = try OrderedIndex.apply(operations, to: root, table: 7, in: pending)
        operations.removeAll()
        isCommitted = false
    }

    /// Applies and commits: later changes copy blocks instead of editing them.
    func commit() throws {
        try apply()
        root = try file.commit(root, pending)
        pending = PendingBlocks(reading: file.access)
        isCommitted = true
    }
}

extension OrderedIndex {
    /// Everything the index holds, by its cursor.
    func all() throws -> [Posting] {
        var cursor = try cursor()
        var found: [Posting] = []
        while try cursor.next() { found.append(Posting(key: try cursor.key(), object: cursor.objectKey.rawValue)) }
        return found
    }

    /// The same from the end.
    func allBackwards() throws -> [Posting] {
        var cursor = try cursor()
        cursor.moveToEnd()
        var found: [Posting] = []
        while try cursor.previous() { found.append(Posting(key: try cursor.key(), object: cursor.objectKey.rawValue)) }
        return found
    }

    func count(_ key: [UInt8]) throws -> Int { try key.withUnsafeBytes { try count(of: $0) } }
    func first(_ key: [UInt8]) throws -> Int64? { try key.withUnsafeBytes { try first($0)?.rawValue } }
    func contains(_ posting: Posting) throws -> Bool {
        try posting.key.withUnsafeBytes { try contains($0, ObjectKey(posting.object)) }
    }
    func count(_ low: [UInt8], _ high: [UInt8]) throws -> Int {
        try low.withUnsafeBytes { low in try high.withUnsafeBytes { high in try count(from: low, to: high) } }
    }
    func cursor(prefixed prefix: [UInt8]) throws -> IndexCursor { try prefix.withUnsafeBytes { try cursor(prefix: $0) } }
}

