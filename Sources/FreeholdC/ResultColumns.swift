// One property of the objects that a query found, as one array.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_results_integers(
    _ results: OpaquePointer?, _ property: freehold_property_t, _ first: UInt64, _ capacity: Int,
    _ values: UnsafeMutablePointer<Int64>?, _ nulls: UnsafeMutablePointer<UInt8>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    read(results, property, first, capacity, ColumnPlaces(integers: values, reals: nil, nulls: nulls), filled)
}

@c @implementation
public func freehold_results_reals(
    _ results: OpaquePointer?, _ property: freehold_property_t, _ first: UInt64, _ capacity: Int,
    _ values: UnsafeMutablePointer<Double>?, _ nulls: UnsafeMutablePointer<UInt8>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    read(results, property, first, capacity, ColumnPlaces(integers: nil, reals: values, nulls: nulls), filled)
}

private func read(_ results: OpaquePointer?, _ property: freehold_property_t, _ first: UInt64, _ capacity: Int,
                  _ places: ColumnPlaces, _ filled: UnsafeMutablePointer<Int>?) -> freehold_error_code_t {
    done {
        let results = try Handles.object(results, OpenResults.self), read = try results.readClass()
        let column = try read.column(property)
        try places.require(column, of: read, property, capacity)
        let wanted = WantedObjects(results: results, table: read.table, column: column, places: places)
        filled?.pointee = try wanted.fill(results.range(from: first, capacity))
    }
}

/// Stores the values of one property of objects of results.
///
/// Close ascending keys lead to several objects of one cluster: the cluster is found once, and its values are read
/// where the first object's is. Other keys are looked up many at a time, as `Table.forEach` does.
private struct WantedObjects {
    let results: OpenResults
    let table: Table
    let column: Column
    let places: ColumnPlaces

    /// The number of keys whose distances are tested together.
    private static let pieceSize = 1024

    /// Stores the values of the objects at a range of positions; returns their number.
    func fill(_ range: Range<Int>) throws -> Int {
        var start = range.lowerBound
        while start < range.upperBound {
            let piece = start..<min(start + Self.pieceSize, range.upperBound)
            let rest = areClose(piece) ? try fillClose(piece, from: range.lowerBound) : piece.lowerBound
            try fillScattered(rest..<piece.upperBound, from: range.lowerBound)
            start = piece.upperBound
        }
        return range.count
    }

    /// Whether most keys are at most 16 above their predecessors.
    private func areClose(_ piece: Range<Int>) -> Bool {
        var close = 0
        for number in piece.dropFirst() where 1...16 ~= results.keys[number] &- results.keys[number - 1] { close += 1 }
        return close > piece.count / 2
    }

    /// Stores values cluster by cluster; returns the position that it reached.
    private func fillClose(_ piece: Range<Int>, from first: Int) throws -> Int {
        let keys = results.keys, lookup = KeyLookup(table)
        return try withExtendedLifetime(table) {
            var number = piece.lowerBound
            while number < piece.upperBound {
                guard let row = try lookup.row(ObjectKey(keys[number])) else { throw results.deleted(ObjectKey(keys[number])) }
                guard let near = table.neighbours(of: row), let image = try row.image(column) else { break }
                var position: Int? = row.position
                while let found = position {
                    places.set(number - first, 1, image, from: found, column)
                    number += 1
                    position = number < piece.upperBound && near.spans(keys[number]) ? near.position(keys[number], from: found) : nil
                }
            }
            return number
        }
    }

    private func fillScattered(_ piece: Range<Int>, from first: Int) throws {
        if piece.isEmpty { return }
        var number = piece.lowerBound
        try table.forEach(results.keys(piece), reading: column) { row in
            guard let row else { throw results.deleted(ObjectKey(results.keys[number])) }
            try places.set(number - first, row, column)
            number += 1
            return true
        }
    }
}
