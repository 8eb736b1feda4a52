import FreeholdEngine
import TestKit

extension RealmModel {
    /// The types that a format has.
    static func types(of format: Int) -> [Int64] {
        var types: [Int64] = [0, 1, 2, 4, 8, 9, 10, 12]
        if format >= 20 { types += [11, 15] }
        if format >= 21 { types += [6, 16, 17] }
        return types
    }

    /// Random classes with random objects: each type single and in each collection of the format, with and without nulls.
    ///
    /// - Parameter isSmall: whether classes have few properties and values are short.
    init(format: Int, objects: Int, isSmall: Bool = false, _ random: inout SeededRandom) {
        self.format = format
        self.isSmall = isSmall
        tables = [Table(name: "First"), Table(name: "Second"), Table(name: "Empty")]
        if format >= 20 { tables += [Table(name: "Inner", flags: 1), Table(name: "Innermost", flags: 1)] }
        if format >= 22 { tables.append(Table(name: "Sent", flags: 2)) }
        isSynchronised = random.oneIn(4)
        for table in tables.indices { addColumns(table, &random) }
        // Embedded objects are added with their owners.
        for table in tables.indices where tables[table].name != "Empty" && !tables[table].isEmbedded {
            for key in Self.keys(objects, &random) {
                tables[table].rows.append((key, []))
                let row = tables[table].rows.count - 1
                for column in tables[table].columns {
                    let cell = randomCell(column, depth: 0, &random)
                    tables[table].rows[row].cells.append(cell)
                }
            }
        }
    }

    private static func keys(_ count: Int, _ random: inout SeededRandom) -> [Int64] {
        if random.oneIn(2) { return (0..<Int64(count)).map { $0 } }
        let shift = Int64([1, 7, 40, 52].randomElement(using: &random)!)
        var key: Int64 = 0
        return (0..<count).map { _ in
            key += 1 + Int64(random.below(1 << Int(shift)))
            return key
        }
    }

    private mutating func addColumns(_ table: Int, _ random: inout SeededRandom) {
        let isEmbedded = tables[table].isEmbedded
        var columns: [Column] = []
        for type in Self.types(of: format) {
            var shapes: [Int64] = [0, 32]
            if format >= 21 { shapes += [64, 128] }
            for shape in shapes where !isEmbedded || random.oneIn(5) {
                for attribute in [Int64(0), 16] {
                    // Links and mixed values allow null or do not, as their shape has it.
                    if [6, 12, 16].contains(type), (shape == 0 || type == 6) != (attribute == 16) { continue }
                    if type == 12, shape == 64 { continue }
                    if type == 16, shape != 0 { continue }
                    var column = Column(name: "p\(type)_\(shape)_\(attribute)", type: type, attributes: shape | attribute)
                    column.isEnumerated = type == 2 && shape == 0 && random.oneIn(3)
                    if type == 12 { column.target = random.below(2) }
                    columns.append(column)
                }
            }
        }
        if format >= 21 { columns.append(Column(name: "linked", type: 12, attributes: 64 | 16, target: 0)) }
        // An embedded class owns one that comes after it.
        if format >= 20, tables[table].name != "Innermost" {
            let inner = tables[table].name == "Inner" ? 4 : 3
            columns.append(Column(name: "inner", type: 12, attributes: 16, target: inner))
            columns.append(Column(name: "inners", type: 12, attributes: 32, target: inner))
            if format >= 21 { columns.append(Column(name: "byName", type: 12, attributes: 64 | 16, target: inner)) }
        }
        columns.shuffle(using: &random)
        if isSmall { columns.removeLast(columns.count * 2 / 3) }
        tables[table].columns = columns
        if !isEmbedded, random.oneIn(2) { tables[table].primaryKey = columns.firstIndex { [0, 2].contains($0.type) && $0.attributes == 0 } }
    }

    private mutating func randomCell(_ column: Column, depth: Int, _ random: inout SeededRandom) -> Cell {
        guard column.isCollection, depth == 0 else { return randomElement(column, depth: depth, &random) }
        var element = column
        element.attributes &= 16
        let ownsObjects = column.target.map { tables[$0].isEmbedded } ?? false
        var count = ownsObjects ? random.below(3) : random.oneIn(20) ? random.below(isSmall ? 12 : 300) : random.below(6)
        if random.oneIn(4) { count = 0 }
        if column.isDictionary {
            return .dictionary((0..<count).map { place in
                (key: "k\(place)" + (random.oneIn(9) ? "ü" : ""), value: randomElement(element, depth: 0, &random))
            })
        }
        // A set holds no collections.
        return .list((0..<count).map { _ in randomElement(element, depth: column.isSet ? 4 : 0, &random) })
    }

    private mutating func randomElement(_ column: Column, depth: Int, _ random: inout SeededRandom) -> Cell {
        if column.type == 12 {
            guard let target = column.target, !random.oneIn(5) else { return .link(random.oneIn(2) ? -1 : -7) }
            return .link(tables[target].isEmbedded ? addEmbedded(target, &random) : Int64(random.below(1000)))
        }
        if column.isNullable, random.oneIn(4) { return .value(.null) }
        if column.type == 16 { return .typedLink(table: random.below(2), key: random.oneIn(6) ? -3 : Int64(random.below(70_000))) }
        if column.type == 6 { return randomMixed(depth: depth, &random) }
        return .value(randomValue(column.type, &random))
    }

    private mutating func randomMixed(depth: Int, _ random: inout SeededRandom) -> Cell {
        if format >= 24, depth < 4, random.oneIn(depth == 0 ? 4 : 3) {
            let count = random.below(4)
            if random.oneIn(2) { return .list((0..<count).map { _ in randomMixed(depth: depth + 1, &random) }) }
            return .dictionary((0..<count).map { (key: "n\($0)", value: randomMixed(depth: depth + 1, &random)) })
        }
        switch random.below(12) {
        case 0: return .value(.null)
        case 1: return .typedLink(table: random.below(2), key: random.oneIn(5) ? -2 : Int64(random.below(300)))
        default: return .value(randomValue([0, 1, 2, 4, 8, 9, 10, 11, 15, 17].randomElement(using: &random)!, &random))
        }
    }

    private mutating func addEmbedded(_ table: Int, _ random: inout SeededRandom) -> Int64 {
        let key = (tables[table].rows.last?.key ?? -1) + 1 + Int64(random.below(3))
        let row = tables[table].rows.count
        tables[table].rows.append((key, []))
        for column in tables[table].columns {
            let cell = randomCell(column, depth: 0, &random)
            tables[table].rows[row].cells.append(cell)
        }
        return key
    }

    private func randomValue(_ type: Int64, _ random: inout SeededRandom) -> Value {
        switch type {
        case 0: return .int(randomInteger(&random))
        case 1: return .bool(random.oneIn(2))
        case 2: return .string(randomText(isSmall, &random))
        case 4: return .data((0..<randomLength(isSmall, &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case 8:
            let nanoseconds = random.oneIn(3) ? 0 : Int32(random.below(1_000_000_000))
            return .date(Timestamp(seconds: randomInteger(&random) / 2, nanoseconds: nanoseconds))
        case 9: return .float([0, -0.0, 1.5, .infinity, .nan, Float(random.below(1000)) / 7].randomElement(using: &random)!)
        case 10: return .double([0, -0.0, 1.5, -.infinity, .nan, Double(random.below(1000)) / 7].randomElement(using: &random)!)
        case 11: return .decimal(randomDecimal(&random))
        case 15: return .objectId(ObjectIdentifier12(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
        default: return .uuid(UniqueIdentifier(high: random.next(), low: random.next()))
        }
    }

    private func randomInteger(_ random: inout SeededRandom) -> Int64 {
        switch random.below(6) {
        case 0: Int64(random.below(2))
        case 1: Int64(random.below(16))
        case 2: Int64(random.below(256)) - 128
        case 3: Int64(Int32(truncatingIfNeeded: random.next()))
        case 4: [Int64.min, .max, 0, -1].randomElement(using: &random)!
        default: Int64(bitPattern: random.next())
        }
    }

    private func randomLength(_ isSmall: Bool, _ random: inout SeededRandom) -> Int {
        if isSmall, !random.oneIn(20) { return random.below(9) }
        return switch random.below(30) {
        case 0: random.below(5000)
        case 1, 2: random.below(200)
        case 3...8: random.below(64)
        default: random.below(12)
        }
    }

    private func randomText(_ isSmall: Bool, _ random: inout SeededRandom) -> String {
        let letters: [Character] = random.oneIn(6) ? ["ä", "€", "𝄞", "a", "\0"] : ["a", "b", "c", " "]
        return String((0..<randomLength(isSmall, &random)).map { _ in letters.randomElement(using: &random)! })
    }

    private func randomDecimal(_ random: inout SeededRandom) -> Decimal128 {
        let sign = UInt64(random.below(2)) << 63
        switch random.below(8) {
        case 0: return .nan
        case 1: return Decimal128(high: sign | 0x78 << 56, low: 0)
        case 2: return Decimal128(high: sign | UInt64(6176) << 49, low: 0)
        case 3: return Decimal128(high: sign | UInt64(random.below(12_000)) << 49 | UInt64(random.below(1 << 40)), low: random.next())
        case 4: return Decimal128(high: sign | UInt64(5900 + random.below(500)) << 49, low: UInt64(random.below(9_999_999_999_999_999)))
        default: return Decimal128(high: sign | UInt64(6100 + random.below(150)) << 49, low: UInt64(random.below(9_999_999)))
        }
    }
}
