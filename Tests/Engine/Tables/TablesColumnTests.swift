import Testing
@testable import FreeholdEngine

@Suite("Columns of rows")
struct TablesColumnTests {
    private static func properties(_ range: Range<Int>) -> [PropertySchema] {
        range.map { PropertySchema("p\($0)", PropertyType.allCases[$0 % 9], isNullable: $0 % 2 == 0) }
    }

    private func value(_ column: Int, _ row: Int) -> Value {
        if column % 2 == 0 && (row + column / 2) % 3 == 0 { return .null }
        let number = row * 1000 + column
        return switch PropertyType.allCases[column % 9] {
        case .bool: .bool(number % 2 == 0)
        case .int: .int(Int64(number))
        case .float: .float(Float(number))
        case .double: .double(Double(number))
        case .string: .string("text \(number)")
        case .data: .data([UInt8(number % 251)])
        case .date: .date(Timestamp(seconds: Int64(number), nanoseconds: 7))
        case .uuid: .uuid(UniqueIdentifier(high: UInt64(number), low: 1))
        case .objectId, .link, .decimal, .mixed: .objectId(ObjectIdentifier12(high: UInt64(number), low: 2))
        }
    }

    /// Null bits come in words of 64 columns; 3 rows stay in the tail, 300 are sealed.
    @Test("nulls and values stay in their columns", arguments: [1, 63, 64, 65, 128, 129], [3, 300])
    func nullBits(columns: Int, rows: Int) throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass(Self.properties(0..<columns)))
        for row in 0..<rows {
            let place = try writer.insert(key: Int64(row))
            for column in 0..<columns { try writer.fill(place, column, with: value(column, row)) }
        }
        let state = try scratch.finished(writer)
        for row in stride(from: 0, to: rows, by: rows > 3 ? 37 : 1) {
            let place = try #require(try state.find(Int64(row)))
            for column in 0..<columns {
                #expect(try state.value(place, column) == value(column, row), "row \(row), column \(column)")
                #expect(try state.isNull(place, column) == (value(column, row) == .null))
            }
        }
        #expect(try scratch.problems(state).isEmpty)
    }

    @Test("numbers are only read from columns of numbers", arguments: [1, 300])
    func otherTypes(rows: Int) throws {
        let types: [PropertyType] = [.bool, .int, .float, .double, .string, .data, .date, .uuid, .objectId]
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass(types.enumerated().map { PropertySchema("p\($0)", $1, isNullable: true) }))
        for row in 300 - rows..<300 {
            let place = try writer.insert(key: Int64(row))
            for column in types.indices { try writer.fill(place, column, with: value(column, row)) }
        }
        let state = try scratch.finished(writer)
        let place = try #require(try state.find(299))
        for (column, type) in types.enumerated() {
            let integer = Result { try state.integer(place, column) }, real = Result { try state.real(place, column) }
            switch type {
            case .bool, .int, .date: #expect(throws: Never.self) { try integer.get() }
            default: #expect { try integer.get() } throws: { ($0 as? FreeholdError)?.code == .typeMismatch }
            }
            switch type {
            case .float, .double: #expect(throws: Never.self) { try real.get() }
            default: #expect { try real.get() } throws: { ($0 as? FreeholdError)?.code == .typeMismatch }
            }
        }
        #expect(try state.integer(place, 6) == 299_006)
    }

    @Test("a block that is no leaf in the place of one is damage, whatever its bytes say")
    func foreignLeaf() throws {
        let scratch = Scratch()
        let writer = try scratch.writer(storedClass([PropertySchema("n", .int), PropertySchema("r", .double)]))
        for row in 0..<300 {
            let place = try writer.insert(key: Int64(row))
            try writer.fill(place, 0, with: .int(Int64(row) * 7))
            try writer.fill(place, 1, with: .double(Double(row) / 7))
        }
        let state = try scratch.finished(writer)
        var root = state.root.clusters
        let cluster = try ClusterTree.edit(for: 0, root: &root, in: scratch.pending)
        let foreign = [UInt8](repeating: 0xFF, count: 100).withUnsafeBytes { LargeValue.write($0, table: 0, in: scratch.pending) }
        for column in 0..<2 { cluster.setReference(column, foreign) }
        let place = try #require(try state.find(0))
        #expect { try state.integer(place, 0) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
        #expect { try state.real(place, 1) } throws: { ($0 as? FreeholdError)?.code == .corrupt }
    }

    @Test("rows written before a property was added have its default", arguments: [(63, 64), (64, 65), (64, 130), (65, 66)], [3, 300])
    func addedLater(columns: (before: Int, after: Int), rows: Int) throws {
        let old = try storedClass(Self.properties(0..<columns.before))
        let new = try storedClass(Self.properties(0..<columns.after))
        let scratch = Scratch()
        let writer = try scratch.writer(old)
        for row in 0..<rows {
            let place = try writer.insert(key: Int64(row))
            for column in 0..<columns.before { try writer.fill(place, column, with: value(column, row)) }
        }
        let before = try scratch.finished(writer)
        // The same blocks under the class as it is now: rows of a tail end where their own column count says.
        let reread = try TableState(new, root: before.root, buffer: nil, in: before.access)
        try check(reread, rows, columns, changed: nil)

        let changing = try scratch.writer(old, before.root)
        try changing.reshaping.adopt(new)
        let last = columns.after - 1
        try changing.set(1, last, to: value(last, 8))
        let after = try scratch.finished(changing)
        try check(after, rows, columns, changed: (1, last, value(last, 8)))
        #expect(try scratch.problems(after).isEmpty)
    }

    private func check(_ state: TableState, _ rows: Int, _ columns: (before: Int, after: Int),
                       changed: (row: Int, column: Int, value: Value)?) throws {
        for row in 0..<min(rows, 5) {
            let place = try #require(try state.find(Int64(row)))
            for column in 0..<columns.after {
                var wanted = column < columns.before ? value(column, row) : state.stored.properties[column].defaultValue
                if let changed, changed.row == row, changed.column == column { wanted = changed.value }
                #expect(try state.value(place, column) == wanted, "row \(row), column \(column)")
            }
        }
    }

    @Test("a class takes as many properties as its blocks can refer to, and refuses more")
    func limit() throws {
        let most = (0..<StoredClass.maximumProperties).map { PropertySchema("p\($0)", .string, isNullable: true, isIndexed: true) }
        let stored = try storedClass(most)
        let scratch = Scratch()
        let writer = try scratch.writer(stored)
        for row in 0..<300 {
            let place = try writer.insert(key: Int64(row) * 1_000_000_000_000)
            for column in most.indices where (row + column) % 5 != 0 { try writer.fill(place, column, with: .string("x\(row % 2)")) }
        }
        let state = try scratch.finished(writer)
        #expect(state.root.auxiliaries.count == 2 * most.count)
        #expect(try scratch.problems(state).isEmpty)
        #expect { try storedClass(most + [PropertySchema("more", .int)]) } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
        let schema = try StoredSchema.empty.adding(ClassSchema("Thing", most))
        #expect { try schema.adding(PropertySchema("more", .int), to: "Thing") } throws: { ($0 as? FreeholdError)?.code == .invalidArgument }
    }
}
