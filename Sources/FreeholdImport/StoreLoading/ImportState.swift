import FreeholdEngine

/// Where an import stands, as the file has it: an object of a hidden class, by the import's name.
struct ImportState: Equatable {
    enum Phase: Int64 {
        case objects, links, done, discarding
    }

    /// A property whose links are set in the pass for links.
    struct Late: Hashable, Comparable {
        let place: Int
        let property: Int

        static func < (one: Late, other: Late) -> Bool { (one.place, one.property) < (other.place, other.property) }
    }

    var format: String
    var identity: [UInt8]
    var phase = Phase.objects
    /// The class being read, by its position in the plan's order.
    var step = 0
    /// The last object of it that was read.
    var lastKey: Int64?
    /// Objects written, for progress.
    var written = 0
    /// The number of objects of each class, by place.
    var counts: [Int]
    /// By `Class.property`, the number of links whose targets the source does not have.
    var lostLinks: TextMap<Int> = [:]
    /// Properties whose values do not tell by their type that they hold links.
    var late: Set<Late> = []

    init(_ store: any SourceStore) {
        format = store.format
        identity = store.identity.bytes
        counts = store.classes.map { _ in 0 }
    }

    static let className = ClassSchema.hiddenPrefix + "state"

    static let schema = ClassSchema(className, primaryKey: "name", [
        PropertySchema("name", .string), PropertySchema("format", .string), PropertySchema("identity", .data),
        PropertySchema("phase", .int), PropertySchema("step", .int), PropertySchema("lastKey", .int, isNullable: true),
        PropertySchema("written", .int), PropertySchema("counts", .int, collections: [.list]),
        PropertySchema("lostLinks", .int, collections: [.map]), PropertySchema("late", .int, collections: [.list]),
    ])

    /// The number of links whose targets the source does not have.
    var missingLinks: Int { lostLinks.reduce(0) { $0 + $1.value } }

    /// What to say of them.
    var lostRemarks: [SourceRemark] {
        lostLinks.sortedByKey.map { place, count in
            let links = count == 1 ? "a link has" : "\(count) links have"
            return SourceRemark(.lost, place, "\(links) no target in the source; null is in its place")
        }
    }
}

extension ImportState {
    /// The state of the import called `name`; nil if none was begun.
    static func read(_ name: String, from snapshot: Snapshot) throws(FreeholdError) -> ImportState? {
        do throws(FreeholdError) { return try read(name, from: snapshot.table(className)) } catch {
            if error.code == .unknownClass { return nil }
            throw error
        }
    }

    /// The state of the import called `name`, as a transaction sees it.
    static func read(_ name: String, within transaction: WriteTransaction) throws(FreeholdError) -> ImportState? {
        do throws(FreeholdError) { return try read(name, from: transaction.table(className)) } catch {
            if error.code == .unknownClass { return nil }
            throw error
        }
    }

    /// The states of all imports into a database, by their names.
    static func all(in snapshot: Snapshot) throws(FreeholdError) -> [(name: String, state: ImportState)] {
        let table: Table
        do throws(FreeholdError) { table = try snapshot.table(className) } catch {
            if error.code == .unknownClass { return [] }
            throw error
        }
        let column = try table.column("name")
        var found: [(name: String, state: ImportState)] = []
        for key in try table.keys() {
            guard case .string(let name) = try table.value(key, column), let state = try read(name, from: table) else { continue }
            found.append((name, state))
        }
        return found.sorted { $0.name.precedes($1.name) }
    }

    private static func read(_ name: String, from table: Table) throws(FreeholdError) -> ImportState? {
        guard let key = try table.key(primaryKey: .string(name)) else { return nil }
        guard let state = ImportState(try table.values(key)) else {
            throw FreeholdError(.corrupt, "the state of the import '\(name)' is not one that an import writes")
        }
        return state
    }

    private init?(_ values: [Value]) {
        guard values.count == 10, case .string(let format) = values[1], case .data(let identity) = values[2],
              case .int(let number) = values[3], let phase = Phase(rawValue: number), case .int(let step) = values[4], step >= 0,
              case .int(let written) = values[6], case .list(let counts) = values[7], case .map(let lost) = values[8],
              case .list(let late) = values[9] else { return nil }
        self.format = format
        self.identity = identity
        self.phase = phase
        self.step = Int(step)
        if case .int(let key) = values[5] { lastKey = key }
        self.written = Int(written)
        self.counts = counts.map { if case .int(let count) = $0 { Int(count) } else { 0 } }
        lostLinks = lost.mapValues { if case .int(let count) = $0 { Int(count) } else { 0 } }
        for case .int(let word) in late { self.late.insert(Late(place: Int(word >> 32), property: Int(word & 0xFFFF_FFFF))) }
    }

    /// Writes the state; creates its class and object if they do not exist.
    func write(_ name: String, within transaction: WriteTransaction) throws(FreeholdError) {
        try transaction.createClass(Self.schema)
        let table = try transaction.table(Self.className)
        let values: [Value] = [
            .string(name), .string(format), .data(identity), .int(phase.rawValue), .int(Int64(step)), lastKey.map { .int($0) } ?? .null,
            .int(Int64(written)), .list(counts.map { .int(Int64($0)) }), .map(lostLinks.mapValues { .int(Int64($0)) }),
            .list(late.sorted().map { .int(Int64($0.place) << 32 | Int64($0.property)) }),
        ]
        guard let key = try table.key(primaryKey: .string(name)) else {
            try transaction.insert(into: table, values: values)
            return
        }
        for (column, value) in zip(table.columns, values).dropFirst() { try transaction.set(key, in: table, column, to: value) }
    }

    /// Removes the state: the import was never begun.
    static func remove(_ name: String, within transaction: WriteTransaction) throws(FreeholdError) {
        let table = try transaction.table(className)
        if let key = try table.key(primaryKey: .string(name)) { try transaction.delete(key, from: table) }
    }
}
