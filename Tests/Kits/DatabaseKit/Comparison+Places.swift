@testable import FreeholdEngine

/// What differs between a model and a class gone through by cursor, by position, and through the images of its columns.
enum Places {
    static func differences(_ stored: NaiveDatabase.Class, _ table: Table) throws -> [String] {
        let keys = stored.objects.keys.sorted(), name = stored.schema.name
        var found = try walk(keys, table).map { "\(name): \($0)" }
        let positions = try table.positions()
        if positions.count != keys.count { found.append("\(name) has \(positions.count) places instead of \(keys.count)") }
        for place in stride(from: 0, to: keys.count, by: max(1, keys.count / 16)) {
            let key = try positions.key(at: place), position = try positions.position(of: ObjectKey(keys[place]))
            if key?.rawValue != keys[place] { found.append("\(name) has \(key.map { "\($0)" } ?? "nothing") at \(place) instead of \(keys[place])") }
            if position != place { found.append("\(name) has object \(keys[place]) at \(position ?? -1) instead of \(place)") }
        }
        if try positions.key(at: keys.count) != nil { found.append("\(name) has an object behind the last") }
        return found
    }

    /// By cursor, passing over neighbours, whose keys count up.
    private static func walk(_ keys: [Int64], _ table: Table) throws -> [String] {
        var cursor = try table.rows(), seen: [Int64] = [], found: [String] = []
        let columns = table.columns
        while let row = try cursor.next() {
            if seen.count % 8 == 0 { found += try images(row, columns) }
            let neighbours = cursor.neighbours
            seen += (0...Int64(neighbours)).map { row.key.rawValue + $0 }
            cursor.skip(neighbours)
        }
        if seen != keys { found.append("a cursor goes through \(seen.prefix(20))… instead of \(keys.prefix(20))…") }
        return found
    }

    private static func images(_ row: Row, _ columns: [Column]) throws -> [String] {
        try columns.compactMap { column in
            guard let image = try row.image(column) else { return nil }
            let bit = UInt64(row.position) << image.shift
            // Safe: the image has a field for every position of the row's cluster.
            let word = image.words.loadUnaligned(fromByteOffset: Int(bit >> 6) * 8, as: UInt64.self)
            let number = image.base &+ Int64(bitPattern: word >> (bit & 63) & image.mask)
            let value = try row.value(column)
            let isRight = switch value {
            case .int(let expected): number == expected
            case .bool(let expected): number == (expected ? 1 : 0)
            case .link(let key): number == key.rawValue
            case .double(let expected): UInt64(bitPattern: number) == expected.bitPattern
            case .float(let expected): UInt32(truncatingIfNeeded: number) == expected.bitPattern
            default: false
            }
            return isRight ? nil : "the image of column \(column.index) of object \(row.key) has \(number) instead of \(value)"
        }
    }
}
