/// The values of one property for many objects, in the objects' order: the argument of
/// `WriteTransaction.insert(into:columns:)`.
///
/// ```swift
/// ColumnValues(age, .ints([31, 7]))
/// ColumnValues(city, .texts(bytes: Array("ParisRome".utf8), ends: [5, 9]), nulls: [0b10])    // the second one is null
/// ```
public struct ColumnValues: Sendable {
    /// One value for each object.
    public enum Content: Sendable {
        /// For int and link properties, and dates of whole seconds.
        case ints([Int64])
        /// For double properties.
        case doubles([Double])
        /// For float properties.
        case floats([Float])
        /// For bool properties.
        case bools([Bool])
        /// For date properties.
        case dates([Timestamp])
        /// For string properties.
        case strings([String])
        /// For string (UTF-8) and data properties: the bytes of all values concatenated, and the end offset of each
        /// value.
        case texts(bytes: [UInt8], ends: [Int])
        /// For any property.
        case values([Value])
    }

    /// The property.
    public var column: Column
    /// Its values.
    public var content: Content
    /// The null mask, one bit per object, starting at the lowest bit of the first word. 1: the property is null,
    /// whatever value is given. Nil: no value is null.
    public var nulls: [UInt64]?

    /// Creates the values of one property.
    public init(_ column: Column, _ content: Content, nulls: [UInt64]? = nil) {
        self.column = column
        self.content = content
        self.nulls = nulls
    }

    /// The number of objects that have a value here.
    public var count: Int {
        switch content {
        case .ints(let values): values.count
        case .doubles(let values): values.count
        case .floats(let values): values.count
        case .bools(let values): values.count
        case .dates(let values): values.count
        case .strings(let values): values.count
        case .texts(_, let ends): ends.count
        case .values(let values): values.count
        }
    }

    @inline(__always) func isNull(_ row: Int) -> Bool {
        guard let nulls else { return false }
        return nulls[row >> 6] >> UInt64(row & 63) & 1 != 0
    }

    /// The reason why these values do not fit that number of objects, or nil.
    func complaint(count wanted: Int) -> String? {
        if count != wanted { return "there are \(count) values of one property for \(wanted) of another" }
        if let nulls, nulls.count < Bitmap.words(wanted) { return "\(nulls.count) words of null bits are too few for \(wanted) objects" }
        guard case .texts(let bytes, let ends) = content else { return nil }
        var last = 0
        for end in ends {
            if end < last || end > bytes.count { return "the ends of strings do not ascend within their \(bytes.count) bytes" }
            last = end
        }
        return nil
    }

    /// The values as object keys, or nil if one of them is not an int.
    var objectKeys: [Int64]? {
        if nulls == nil, case .ints(let keys) = content { return keys }
        var keys: [Int64] = []
        for row in 0..<count {
            guard case .int(let key) = value(row, of: .int) else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// One value as a `Value`; not for hot paths.
    func value(_ row: Int, of type: PropertyType) -> Value {
        if isNull(row) { return .null }
        switch content {
        case .ints(let values): return type == .date ? .date(Timestamp(seconds: values[row])) : .int(values[row])
        case .doubles(let values): return .double(values[row])
        case .floats(let values): return .float(values[row])
        case .bools(let values): return .bool(values[row])
        case .dates(let values): return .date(values[row])
        case .strings(let values): return .string(values[row])
        case .values(let values): return values[row]
        case .texts(let bytes, let ends):
            let part = bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]]
            return type == .data ? .data(Array(part)) : .string(String(decoding: part, as: UTF8.self))
        }
    }
}
