import FreeholdEngine

/// What the processes of the crash tests do with a database: writers append entries under their own numbers, and every
/// version must add up.
///
/// 1. A writer's entries are 1, 2, 3 … without a hole, each once; its `last` is the highest.
/// 2. Balances are moved, never made: their sum is 0.
/// 3. An account's `entries` is the number of entries that link to it.
public enum Ledger {
    public static let accounts: Int64 = 8

    /// How to open the database at `path`: under a key if its name says that it is encrypted.
    public static func options(for path: String) -> OpenOptions {
        var options = OpenOptions()
        guard path.contains("encrypted") else { return options }
        do { options.encryptionKey = try EncryptionKey((0..<64).map { UInt8($0) &* 3 }) } catch { fatalError("\(error)") }
        options.decryptedBytesLimit = 256 << 10
        return options
    }

    static let schema = [
        ClassSchema("Account", primaryKey: "id", [
            PropertySchema("id", .int), PropertySchema("balance", .int), PropertySchema("entries", .int),
        ]),
        ClassSchema("Writer", primaryKey: "id", [PropertySchema("id", .int), PropertySchema("last", .int)]),
        ClassSchema("Entry", [
            PropertySchema("writer", .int, isIndexed: true), PropertySchema("sequence", .int),
            PropertySchema("version", .int), PropertySchema("note", .string),
            PropertySchema("account", linkTo: "Account"),
        ]),
    ]

    /// Makes the classes and accounts, unless somebody has.
    public static func prepare(_ database: Database) throws {
        if try database.snapshot().classes.count >= schema.count { return }
        try database.write { transaction in
            if transaction.classes.count >= schema.count { return }
            for type in schema { try transaction.createClass(type) }
            for account in 1...accounts { try transaction.insert(into: "Account", key: .int(account), []) }
        }
    }

    /// Appends a writer's next entry.
    public static func append(
        to database: Database, writer: Int64, sequence: Int64, _ durability: Durability, noteLength: Int = 20,
        witness: Witness? = nil
    ) throws -> Version {
        let transaction = try database.beginWrite(timeoutMilliseconds: 60_000)
        witness?.enter(UInt64(writer))
        do {
            try advance(writer, to: sequence, in: transaction)
            let accounts = try transaction.table("Account")
            let account = ObjectKey(sequence % Self.accounts + 1)
            let other = ObjectKey((sequence + writer) % Self.accounts + 1)
            try add(1, "entries", of: account, in: accounts, transaction)
            try add(-sequence, "balance", of: account, in: accounts, transaction)
            try add(sequence, "balance", of: other, in: accounts, transaction)
            try transaction.insert(into: "Entry", [
                ("writer", .int(writer)), ("sequence", .int(sequence)),
                ("version", .int(Int64(transaction.version.rawValue))),
                ("note", .string(String(repeating: "n", count: noteLength))), ("account", .link(account)),
            ])
        } catch {
            transaction.rollback()
            throw error
        }
        return try transaction.commit(durability)
    }

    /// Writes much, deletes it again, and goes on with little, so that the file can give its end back.
    public static func swell(_ database: Database) throws {
        try database.write(durability: .processCrash) { transaction in
            try transaction.createClass(ClassSchema("Ballast", primaryKey: "id", [
                PropertySchema("id", .int), PropertySchema("text", .string),
            ]))
            let text = String(repeating: "b", count: 300)
            for id in 0..<Int64(4000) { try transaction.insert(into: "Ballast", key: .int(id), [("text", .string("\(id) \(text)"))]) }
        }
        try database.write(durability: .processCrash) { transaction in
            let ballast = try transaction.table("Ballast")
            for id in 0..<Int64(4000) { try transaction.delete(ObjectKey(id), from: ballast) }
        }
        for round in 0..<Int64(100) {
            try database.write(durability: round % 10 == 0 ? .full : .processCrash) { transaction in
                try transaction.insert(into: "Ballast", key: .int(round), [])
            }
        }
        try database.write(durability: .processCrash) { transaction in
            let ballast = try transaction.table("Ballast")
            for round in 0..<Int64(100) { try transaction.delete(ObjectKey(round), from: ballast) }
        }
    }

    private static func advance(_ writer: Int64, to sequence: Int64, in transaction: WriteTransaction) throws {
        let writers = try transaction.table("Writer")
        let key = ObjectKey(writer)
        if try writers.contains(key) {
            let last = try writers.value(key, writers.column("last"))
            guard last == .int(sequence - 1) else { throw Complaint("writer \(writer): \(last) before \(sequence)") }
            try transaction.set(key, in: writers, writers.column("last"), to: .int(sequence))
        } else {
            guard sequence == 1 else { throw Complaint("writer \(writer): nothing before \(sequence)") }
            try transaction.insert(into: "Writer", key: .int(writer), [("last", .int(sequence))])
        }
    }

    private static func add(
        _ amount: Int64, _ property: String, of key: ObjectKey, in table: Table, _ transaction: WriteTransaction
    ) throws {
        let column = try table.column(property)
        guard case .int(let value) = try table.value(key, column) else { throw Complaint("\(property) is not a number") }
        try transaction.set(key, in: table, column, to: .int(value + amount))
    }
}

/// What does not add up.
public struct Complaint: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
