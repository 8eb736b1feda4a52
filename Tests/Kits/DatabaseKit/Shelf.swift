@testable import FreeholdEngine
import TestKit

/// What one version of a small database holds: the model of tests that look at every version as a whole, often.
public struct Shelf: Equatable, Sendable {
    struct Book: Equatable, Sendable {
        var number: Int64
        var word: String
        var next: Int64?
    }

    private var books: [Int64: Book] = [:]

    /// The first version's: nothing, not even the class.
    public init() {}

    /// So many that most of them are sealed, and changing one rewrites leaves, nodes and indexes.
    private static let firstBooks: Int64 = 270

    private static let schema = ClassSchema("Book", primaryKey: "id", [
        PropertySchema("id", .int), PropertySchema("number", .int, isIndexed: true), PropertySchema("word", .string),
        PropertySchema("next", linkTo: "Book"),
    ])

    /// A few changes, to the transaction and here alike.
    public mutating func change(_ transaction: WriteTransaction, _ random: inout SeededRandom) throws {
        if transaction.classes.isEmpty {
            try transaction.createClass(Self.schema)
            let table = try transaction.table("Book")
            for id in 0..<Self.firstBooks { try add(id, to: table, transaction, &random) }
            return
        }
        let table = try transaction.table("Book")
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let id = Int64.random(in: 0..<Self.firstBooks + 40, using: &random)
            switch (books[id], Int.random(in: 0..<6, using: &random)) {
            case (nil, _): try add(id, to: table, transaction, &random)
            case (_, 0): try remove(id, from: table, transaction)
            case (_, 1...3): try set(id, "number", .int(Int64.random(in: 0..<50, using: &random)), table, transaction)
            case (_, 4): try set(id, "word", .string(Self.word(&random)), table, transaction)
            default: try set(id, "next", target(&random).map { .link(ObjectKey($0)) } ?? .null, table, transaction)
            }
        }
    }

    /// What a table of the class holds, read row by row.
    /// - Parameter pause: called now and then, so that others may come between two rows.
    public static func read(_ table: Table, pause: () -> Void) throws -> Shelf {
        var shelf = Shelf()
        let columns = table.columns
        var rows = 0
        try table.forEach { row in
            rows += 1
            if rows % 90 == 0 { pause() }
            shelf.books[row.key.rawValue] = Book(
                number: try row.int(columns[1]), word: try row.string(columns[2]), next: try row.link(columns[3])?.rawValue)
            return true
        }
        // The index says the same as the rows do.
        let number = Int64(rows) % 50
        let counted = try table.count(columns[1], equals: .int(number))
        let expected = shelf.books.values.count { $0.number == number }
        guard counted == expected, table.count == rows else {
            throw Unexpected("\(rows) rows of \(table.count), \(counted) filed under \(number) instead of \(expected)")
        }
        return shelf
    }

    /// What a version holds.
    public static func read(_ snapshot: Snapshot, pause: () -> Void = {}) throws -> Shelf {
        try snapshot.classes.isEmpty ? Shelf() : read(snapshot.table("Book"), pause: pause)
    }

    /// What a write transaction begins with.
    public static func read(_ transaction: WriteTransaction) throws -> Shelf {
        try transaction.classes.isEmpty ? Shelf() : read(transaction.table("Book")) {}
    }

    /// How it differs, in a few words.
    public func difference(from other: Shelf) -> String {
        let keys = Set(books.keys).union(other.books.keys).sorted().filter { books[$0] != other.books[$0] }
        let examples = keys.prefix(3).map { "book \($0) is \(Self.text(books[$0])), not \(Self.text(other.books[$0]))" }
        return "\(keys.count) books differ: \(examples.joined(separator: "; "))"
    }

    private static func text(_ book: Book?) -> String {
        book.map { "(\($0.number), \($0.word.prefix(12)), \($0.next ?? -1))" } ?? "missing"
    }

    private mutating func add(
        _ id: Int64, to table: Table, _ transaction: WriteTransaction, _ random: inout SeededRandom
    ) throws {
        let book = Book(number: Int64.random(in: 0..<50, using: &random), word: Self.word(&random), next: target(&random))
        try transaction.insert(into: table, primaryKey: .int(id), values: [
            .null, .int(book.number), .string(book.word), book.next.map { .link(ObjectKey($0)) } ?? .null,
        ])
        books[id] = book
    }

    private mutating func remove(_ id: Int64, from table: Table, _ transaction: WriteTransaction) throws {
        try transaction.delete(ObjectKey(id), from: table)
        books[id] = nil
        for (other, book) in books where book.next == id { books[other]?.next = nil }
    }

    private mutating func set(
        _ id: Int64, _ property: String, _ value: Value, _ table: Table, _ transaction: WriteTransaction
    ) throws {
        try transaction.set(ObjectKey(id), in: table, table.column(property), to: value)
        switch value {
        case .int(let number): books[id]?.number = number
        case .string(let word): books[id]?.word = word
        case .link(let key): books[id]?.next = key.rawValue
        default: books[id]?.next = nil
        }
    }

    private func target(_ random: inout SeededRandom) -> Int64? {
        let id = Int64.random(in: 0..<Self.firstBooks, using: &random)
        return random.oneIn(3) && books[id] != nil ? id : nil
    }

    private static func word(_ random: inout SeededRandom) -> String {
        let length = random.oneIn(30) ? Int.random(in: 500..<20_000, using: &random) : Int.random(in: 0..<20, using: &random)
        return String(repeating: ["a", "b", "c", "d"].randomElement(using: &random)!, count: length)
    }
}
