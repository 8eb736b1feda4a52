// One property of many objects as one array.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; arrays have as many elements as the
// caller states. The fields of a cluster are read as `RowImage` describes them, for no more objects than the walk found
// to follow within the cluster.
import CFreehold
import FreeholdEngine

/// The destination of a column's values: integers or reals, the other of which is nil.
struct ColumnPlaces {
    let integers: UnsafeMutablePointer<Int64>?
    let reals: UnsafeMutablePointer<Double>?
    let nulls: UnsafeMutablePointer<UInt8>?

    /// Throws unless the property is numeric.
    func require(_ column: Column, of read: ReadClass, _ property: freehold_property_t, _ capacity: Int) throws(FreeholdError) {
        guard capacity >= 0 else { throw FreeholdError(.invalidArgument, "the capacity is too large") }
        let isNumber = switch column.type {
        case .int, .bool: true
        case .link, .date: reals == nil
        case .float, .double: integers == nil
        default: false
        }
        guard isNumber, !column.isCollection else {
            throw FreeholdError(.typeMismatch, "property '\(read.schema.properties[Int(property)].name)' is \(column.isCollection ? "a collection" : "of type \(column.type.name)"); "
                + "it cannot be read as an array of \(integers == nil ? "reals" : "integers")")
        }
    }

    /// Stores one object's value.
    @inline(__always)
    func set(_ place: Int, _ row: Row, _ column: Column) throws {
        if column.isNullable, try row.isNull(column) {
            integers?[place] = 0
            reals?[place] = .nan
            nulls?[place] = 1
            return
        }
        nulls?[place] = 0
        switch column.type {
        case .float, .double: reals?[place] = try row.double(column)
        case .date: integers?[place] = try nanoseconds(try row.value(column))
        default:
            let number = try row.int(column)
            integers?[place] = number
            reals?[place] = Double(number)
        }
    }

    private func nanoseconds(_ value: Value) throws(FreeholdError) -> Int64 {
        guard case .date(let date) = value else { return 0 }
        let (whole, tooLong) = date.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, tooMuch) = whole.addingReportingOverflow(Int64(date.nanoseconds))
        if !tooLong, !tooMuch { return sum }
        throw FreeholdError(.valueTooLarge, "a date of \(date.seconds) seconds since 1970 does not fit 64-bit nanoseconds")
    }

    /// Stores the values of consecutive objects of a cluster.
    @inline(__always)
    func set(_ place: Int, _ count: Int, _ image: RowImage, from position: Int, _ column: Column) {
        nulls.map { ($0 + place).update(repeating: 0, count: count) }
        switch column.type {
        case .double, .float: for index in 0..<count { reals?[place + index] = image.real(position + index) }
        default:
            for index in 0..<count {
                let number = image.integer(position + index)
                integers?[place + index] = number
                reals?[place + index] = Double(number)
            }
        }
    }
}

@c @implementation
public func freehold_column_integers(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ next: UnsafeMutablePointer<freehold_key_t>?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ values: UnsafeMutablePointer<Int64>?, _ nulls: UnsafeMutablePointer<UInt8>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    read(reader, object_class, property, next, capacity, keys, ColumnPlaces(integers: values, reals: nil, nulls: nulls), filled)
}

@c @implementation
public func freehold_column_reals(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ next: UnsafeMutablePointer<freehold_key_t>?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ values: UnsafeMutablePointer<Double>?, _ nulls: UnsafeMutablePointer<UInt8>?, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    read(reader, object_class, property, next, capacity, keys, ColumnPlaces(integers: nil, reals: values, nulls: nulls), filled)
}

private func read(
    _ reader: OpaquePointer?, _ object_class: freehold_class_t, _ property: freehold_property_t,
    _ next: UnsafeMutablePointer<freehold_key_t>?, _ capacity: Int, _ keys: UnsafeMutablePointer<freehold_key_t>?,
    _ places: ColumnPlaces, _ filled: UnsafeMutablePointer<Int>?
) -> freehold_error_code_t {
    done {
        let read = try Handles.reader(reader).readClass(object_class)
        let column = try read.column(property)
        try places.require(column, of: read, property, capacity)
        guard let next else { throw FreeholdError(.invalidArgument, "the key pointer is NULL") }
        guard keys != nil || places.integers != nil || places.reals != nil || places.nulls != nil else {
            throw FreeholdError(.invalidArgument, "all output pointers are NULL")
        }
        let (count, last) = try read.table.fill(places, column, keys, from: ObjectKey(next.pointee), capacity)
        if let last { next.pointee = last == .max ? .max : last + 1 }
        filled?.pointee = count
    }
}

extension Table {
    /// Stores the values of objects from a key on; returns their number, and the last object's key.
    fileprivate func fill(_ places: ColumnPlaces, _ column: Column, _ keys: UnsafeMutablePointer<freehold_key_t>?, from key: ObjectKey,
                          _ capacity: Int) throws -> (count: Int, last: Int64?) {
        var cursor = try rows(from: key), count = 0, last: Int64?
        while count < capacity, let row = try cursor.next() {
            let more = min(cursor.neighbours, capacity - count - 1)
            if more > 0, let image = try row.image(column) {
                places.set(count, more + 1, image, from: row.position, column)
                if let keys { for index in 0...more { keys[count + index] = row.key.rawValue + Int64(index) } }
                cursor.skip(more)
                count += more + 1
                last = row.key.rawValue + Int64(more)
                continue
            }
            try places.set(count, row, column)
            keys?[count] = row.key.rawValue
            count += 1
            last = row.key.rawValue
        }
        return (count, last)
    }
}

// MARK: creating objects

@c @implementation
public func freehold_objects_create(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ object_count: Int, _ column_count: Int,
    _ columns: UnsafePointer<freehold_column_t>?, _ first: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        var given: [GivenColumn] = []
        if column_count > 0 {
            guard var next = UnsafeRawPointer(columns) else {
                throw FreeholdError(.invalidArgument, "column_count is \(column_count), but the columns pointer is NULL")
            }
            for _ in 0..<column_count {
                let column = try Sized.read(next.assumingMemoryBound(to: freehold_column_t.self), or: freehold_column_t())
                given.append(try GivenColumn(column, object_count, read))
                next += column.size
            }
        }
        guard column_count > 0 || object_count == 0 else {
            throw FreeholdError(.invalidArgument, "object_count is \(object_count), but no column was given")
        }
        let key = try held.transaction.insert(into: read.table, count: object_count) { rows throws(FreeholdError) in
            var values: [ColumnValues] = []
            for column in given { values.append(try column.values(rows)) }
            return values
        }
        if let key { first?.pointee = key.rawValue }
    }
}

/// A caller's values of one property, converted for a few objects at a time, so that the converted values stay in the
/// processor's cache.
private struct GivenColumn {
    private let given: freehold_column_t
    private let column: Column
    private let read: ReadClass

    init(_ given: freehold_column_t, _ count: Int, _ read: ReadClass) throws(FreeholdError) {
        self.given = given
        self.read = read
        column = try read.column(given.property)
        _ = try Given.array(given.values?.assumingMemoryBound(to: UInt8.self), count, "values")
    }

    func values(_ rows: Range<Int>) throws(FreeholdError) -> ColumnValues {
        ColumnValues(column, try content(rows), nulls: nullBits(rows))
    }

    private func content(_ rows: Range<Int>) throws(FreeholdError) -> ColumnValues.Content {
        switch Int(given.type) {
        case FREEHOLD_TYPE_INT where column.type == .date:
            return .dates(array(Int64.self, rows).map { Timestamp(nanoseconds: $0) })
        case FREEHOLD_TYPE_INT: return .ints(Array(array(Int64.self, rows)))
        case FREEHOLD_TYPE_DOUBLE: return .doubles(Array(array(Double.self, rows)))
        case FREEHOLD_TYPE_FLOAT: return .floats(Array(array(Float.self, rows)))
        case FREEHOLD_TYPE_BOOL: return .bools(array(UInt8.self, rows).map { $0 != 0 })
        case FREEHOLD_TYPE_DATA where column.type == .string:
            let name = read.schema.properties[Int(given.property)].name
            throw FreeholdError(.typeMismatch, "property '\(name)' is of type string; an array of data cannot fill it")
        case FREEHOLD_TYPE_STRING, FREEHOLD_TYPE_DATA: return try texts(rows)
        case FREEHOLD_TYPE_MIXED:
            var all: [Value] = []
            let target = try read.target(given.property)
            for value in array(freehold_value_t.self, rows) { all.append(try value.engineValue(target: target, read.reader)) }
            return .values(all)
        default: throw FreeholdError(.invalidArgument, "\(given.type) is not a type of a column array")
        }
    }

    private func array<Element>(_: Element.Type, _ rows: Range<Int>) -> UnsafeBufferPointer<Element> {
        let first = given.values?.assumingMemoryBound(to: Element.self)
        return UnsafeBufferPointer(start: first.map { $0 + rows.lowerBound }, count: rows.count)
    }

    private func isNull(_ row: Int) -> Bool { given.nulls.map { $0[row] != 0 } ?? false }

    private func texts(_ rows: Range<Int>) throws(FreeholdError) -> ColumnValues.Content {
        let texts = array(freehold_text_t.self, rows)
        var length = 0, ends: [Int] = []
        ends.reserveCapacity(rows.count)
        for (row, text) in zip(rows, texts) {
            if !isNull(row) { length += try text.byteCount("text") }
            ends.append(length)
        }
        // If all strings concatenated are UTF-8 and each begins at a character boundary, each string is UTF-8.
        var mayBeDivided = false
        // An empty array's storage is shared by all threads, and filling none of it would still write to it.
        let bytes = length == 0 ? [] : [UInt8](unsafeUninitializedCapacity: length) { all, count in
            for (text, end) in zip(texts, ends) where end > count {
                guard let start = text.bytes, let place = all.baseAddress else { continue }
                (UnsafeMutableRawPointer(place) + count).copyMemory(from: start, byteCount: end - count)
                if all[count] & 0xC0 == 0x80 { mayBeDivided = true }
                count = end
            }
        }
        if given.type == freehold_type_t(FREEHOLD_TYPE_STRING), mayBeDivided || !isText(bytes) {
            var start = 0
            for (row, end) in zip(rows, ends) {
                guard String(validating: bytes[start..<end], as: UTF8.self) != nil else {
                    throw FreeholdError(.invalidArgument, "the text of object \(row) is not UTF-8")
                }
                start = end
            }
        }
        return .texts(bytes: bytes, ends: ends)
    }

    private func isText(_ bytes: [UInt8]) -> Bool {
        let seen = bytes.reduce(0) { $0 | $1 }
        return seen < 0x80 || String(validating: bytes, as: UTF8.self) != nil
    }

    private func nullBits(_ rows: Range<Int>) -> [UInt64]? {
        guard let nulls = given.nulls, !rows.isEmpty else { return nil }
        var bits = [UInt64](repeating: 0, count: (rows.count + 63) / 64)
        for row in 0..<rows.count where nulls[rows.lowerBound + row] != 0 { bits[row >> 6] |= 1 << UInt64(row & 63) }
        return bits
    }
}

extension Timestamp {
    /// Creates a timestamp from nanoseconds since 1970.
    fileprivate init(nanoseconds: Int64) {
        // Safe: neither division nor subtraction overflows 64 bits, and the remainder is less than a second.
        let whole = nanoseconds / 1_000_000_000, rest = nanoseconds &- whole &* 1_000_000_000
        self.init(seconds: rest < 0 ? whole &- 1 : whole, nanoseconds: Int32(truncatingIfNeeded: rest < 0 ? rest &+ 1_000_000_000 : rest))
    }
}
