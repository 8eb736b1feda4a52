// One property of many objects as one array.
//
// Safe throughout: an out parameter is NULL or the caller's to be written; arrays have as many elements as the caller says. Fields of a cluster
// are read as `RowImage` describes them, for as many objects as the walk says follow within the cluster.
import CFreehold
import FreeholdEngine

/// Where the values of a column go: integers or reals, of which the other is nil.
struct ColumnPlaces {
    let integers: UnsafeMutablePointer<Int64>?
    let reals: UnsafeMutablePointer<Double>?
    let nulls: UnsafeMutablePointer<UInt8>?

    /// Refuses a property that is no number.
    func require(_ column: Column, of read: ReadClass, _ property: freehold_property_t, _ capacity: Int) throws(FreeholdError) {
        guard capacity >= 0 else { throw FreeholdError(.invalidArgument, "a capacity this large is impossible") }
        let isNumber = switch column.type {
        case .int, .bool: true
        case .link, .date: reals == nil
        case .float, .double: integers == nil
        default: false
        }
        guard isNumber, !column.isCollection else {
            throw FreeholdError(.typeMismatch, "property '\(read.schema.properties[Int(property)].name)' is \(column.isCollection ? "a collection" : "of type \(column.type.name)"); "
                + "that makes no array of \(integers == nil ? "reals" : "integers")")
        }
    }

    /// One object's value.
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
        throw FreeholdError(.valueTooLarge, "a date of \(date.seconds) seconds since 1970 is no number of nanoseconds in 64 bits")
    }

    /// The values of objects that stand one behind the other in a cluster.
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
        guard let next else { throw FreeholdError(.invalidArgument, "there is no key to begin with; NULL was given") }
        guard keys != nil || places.integers != nil || places.reals != nil || places.nulls != nil else {
            throw FreeholdError(.invalidArgument, "there is no place for anything; NULL was given")
        }
        let (count, last) = try read.table.fill(places, column, keys, from: ObjectKey(next.pointee), capacity)
        if let last { next.pointee = last == .max ? .max : last + 1 }
        filled?.pointee = count
    }
}

extension Table {
    /// Fills the places with objects from a key on; how many there were, and the last one's key.
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

// MARK: making objects

@c @implementation
public func freehold_objects_create(
    _ transaction: OpaquePointer?, _ object_class: freehold_class_t, _ object_count: Int, _ column_count: Int,
    _ columns: UnsafePointer<freehold_column_t>?, _ first: UnsafeMutablePointer<freehold_key_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction), read = try held.reader.readClass(object_class)
        var values: [ColumnValues] = []
        if column_count > 0 {
            guard var next = UnsafeRawPointer(columns) else {
                throw FreeholdError(.invalidArgument, "\(column_count) columns are announced; NULL was given")
            }
            for _ in 0..<column_count {
                let given = try Sized.read(next.assumingMemoryBound(to: freehold_column_t.self), or: freehold_column_t())
                values.append(try given.values(object_count, read))
                next += given.size
            }
        }
        guard column_count > 0 || object_count == 0 else {
            throw FreeholdError(.invalidArgument, "\(object_count) objects without a column are told by nothing")
        }
        let key = try held.transaction.insert(into: read.table, columns: values)
        if let key { first?.pointee = key.rawValue }
    }
}

extension freehold_column_t {
    /// A caller's values of one property.
    fileprivate func values(_ count: Int, _ read: ReadClass) throws(FreeholdError) -> ColumnValues {
        let column = try read.column(property)
        return ColumnValues(column, try content(count, column, read), nulls: try nullBits(count))
    }

    private func content(_ count: Int, _ column: Column, _ read: ReadClass) throws(FreeholdError) -> ColumnValues.Content {
        switch Int(type) {
        case FREEHOLD_TYPE_INT where column.type == .date:
            return .dates(try array(Int64.self, count).map { Timestamp(nanoseconds: $0) })
        case FREEHOLD_TYPE_INT: return .ints(Array(try array(Int64.self, count)))
        case FREEHOLD_TYPE_DOUBLE: return .doubles(Array(try array(Double.self, count)))
        case FREEHOLD_TYPE_FLOAT: return .floats(Array(try array(Float.self, count)))
        case FREEHOLD_TYPE_BOOL: return .bools(try array(UInt8.self, count).map { $0 != 0 })
        case FREEHOLD_TYPE_DATA where column.type == .string:
            throw FreeholdError(.typeMismatch, "property '\(read.schema.properties[Int(property)].name)' is of type string; an array of data may be no text")
        case FREEHOLD_TYPE_STRING, FREEHOLD_TYPE_DATA: return try texts(try array(freehold_text_t.self, count))
        case FREEHOLD_TYPE_MIXED:
            var all: [Value] = []
            let target = try read.target(property)
            for value in try array(freehold_value_t.self, count) { all.append(try value.engineValue(target: target, read.reader)) }
            return .values(all)
        default: throw FreeholdError(.invalidArgument, "\(type) is no type of a column's array")
        }
    }

    private func array<Element>(_: Element.Type, _ count: Int) throws(FreeholdError) -> UnsafeBufferPointer<Element> {
        try Given.array(values?.assumingMemoryBound(to: Element.self), count, "values")
    }

    private func texts(_ texts: UnsafeBufferPointer<freehold_text_t>) throws(FreeholdError) -> ColumnValues.Content {
        var bytes: [UInt8] = [], ends: [Int] = []
        bytes.reserveCapacity(texts.count * 16)
        ends.reserveCapacity(texts.count)
        // All texts one behind the other are UTF-8, and each begins with a character: so is each of them.
        var mayBeDivided = false
        for (row, text) in texts.enumerated() {
            if nulls?[row] ?? 0 == 0 {
                let given = try text.bytes("text")
                if let first = given.first, first & 0xC0 == 0x80 { mayBeDivided = true }
                bytes.append(contentsOf: given)
            }
            ends.append(bytes.count)
        }
        if type == freehold_type_t(FREEHOLD_TYPE_STRING), mayBeDivided || String(validating: bytes, as: UTF8.self) == nil {
            for (row, text) in texts.enumerated() where nulls?[row] ?? 0 == 0 {
                guard String(validating: try text.bytes("text"), as: UTF8.self) != nil else {
                    throw FreeholdError(.invalidArgument, "the text of object \(row) is not UTF-8")
                }
            }
        }
        return .texts(bytes: bytes, ends: ends)
    }

    private func nullBits(_ count: Int) throws(FreeholdError) -> [UInt64]? {
        guard let nulls, count > 0 else { return nil }
        var bits = [UInt64](repeating: 0, count: (count + 63) / 64)
        for row in 0..<count where nulls[row] != 0 { bits[row >> 6] |= 1 << UInt64(row & 63) }
        return bits
    }
}

extension Timestamp {
    /// So many nanoseconds since 1970.
    fileprivate init(nanoseconds: Int64) {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(seconds: rest < 0 ? whole - 1 : whole, nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest))
    }
}
