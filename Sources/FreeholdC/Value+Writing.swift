// Conversion of C values to the engine's.
//
// Safe throughout: only the member of the union that `type` names is read; every byte of the union is initialised, and
// a boolean is read as a byte, whatever a caller stored there.
import CFreehold
import FreeholdEngine

extension freehold_value_t {
    /// Converts the value for a property whose links lead to class `target`.
    func engineValue(target: freehold_class_t, _ reader: Reader?, depth: Int = 0) throws(FreeholdError) -> Value {
        switch Int(type) {
        case FREEHOLD_TYPE_NULL: return .null
        case FREEHOLD_TYPE_BOOL: return .bool(boolean)
        case FREEHOLD_TYPE_INT: return .int(self.as.integer)
        case FREEHOLD_TYPE_FLOAT: return .float(self.as.single)
        case FREEHOLD_TYPE_DOUBLE: return .double(self.as.real)
        case FREEHOLD_TYPE_STRING: return .string(try self.as.string.string("string"))
        case FREEHOLD_TYPE_DATA: return .data(Array(try self.as.string.bytes("data")))
        case FREEHOLD_TYPE_DATE: return .date(try date())
        case FREEHOLD_TYPE_UUID: return .uuid(UniqueIdentifier(high: word(0), low: word(8)))
        case FREEHOLD_TYPE_OBJECT_ID: return .objectId(ObjectIdentifier12(high: word(0), low: word(8)))
        case FREEHOLD_TYPE_LINK: return try link(target, reader)
        case FREEHOLD_TYPE_DECIMAL: return .decimal(Decimal128(self.as.decimal))
        case FREEHOLD_TYPE_LIST: return .list(try elements(target, reader, depth + 1))
        case FREEHOLD_TYPE_SET: return .set(try elements(target, reader, depth + 1))
        case FREEHOLD_TYPE_MAP: return .map(try entries(target, reader, depth + 1))
        default: throw FreeholdError(.invalidArgument, "\(type) is not a value type")
        }
    }

    /// Converts the value where classes have no numbers.
    func classlessValue() throws(FreeholdError) -> Value { try engineValue(target: ReadClass.none, nil) }

    var boolean: Bool { withUnsafeBytes(of: self.as) { $0.load(as: UInt8.self) != 0 } }

    private func word<Word: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Word {
        withUnsafeBytes(of: self.as) { Word(bigEndian: $0.load(fromByteOffset: offset, as: Word.self)) }
    }

    private func date() throws(FreeholdError) -> Timestamp {
        let date = self.as.date
        guard (0..<1_000_000_000).contains(date.nanoseconds) else {
            throw FreeholdError(.invalidArgument, "a date has \(date.nanoseconds) nanoseconds; the range is 0 to 999999999")
        }
        return Timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds)
    }

    /// Converts a link; for a mixed property, which has no target, the link names its class.
    private func link(_ target: freehold_class_t, _ reader: Reader?) throws(FreeholdError) -> Value {
        let link = self.as.link
        if target == ReadClass.none, link.object_class != ReadClass.none {
            guard let reader else { throw FreeholdError(.invalidArgument, "a link cannot name its class here; set object_class to FREEHOLD_NONE") }
            return .object(try reader.reference(to: link))
        }
        guard link.object_class == target || link.object_class == ReadClass.none else {
            // Objects of a subclass are among those of its superclass.
            let meant = freehold_link_t(key: link.key, object_class: target)
            guard let given = try? reader?.reference(to: link), given == (try? reader?.reference(to: meant)) else {
                throw FreeholdError(.typeMismatch, "the property links to class number \(target), not \(link.object_class)")
            }
            return .link(ObjectKey(link.key))
        }
        return .link(ObjectKey(link.key))
    }

    private func elements(_ target: freehold_class_t, _ reader: Reader?, _ depth: Int) throws(FreeholdError) -> [Value] {
        let given = try Given.array(self.as.list.values, self.as.list.count, "elements", depth: depth)
        var values: [Value] = []
        for element in given { values.append(try element.engineValue(target: target, reader, depth: depth)) }
        return values
    }

    private func entries(_ target: freehold_class_t, _ reader: Reader?, _ depth: Int) throws(FreeholdError) -> TextMap<Value> {
        let given = try Given.array(self.as.map.entries, self.as.map.count, "entries", depth: depth)
        var entries: TextMap<Value> = [:]
        for entry in given {
            entries[try entry.key.string("key")] = try entry.value.engineValue(target: target, reader, depth: depth)
        }
        return entries
    }
}

/// Checks of arrays and numbers that a caller passes.
enum Given {
    /// The maximum nesting of collections.
    private static let deepest = 64

    /// A caller's array, with as many elements as the caller says.
    static func array<Element>(_ elements: UnsafePointer<Element>?, _ count: Int, _ what: String,
                               depth: Int = 0) throws(FreeholdError) -> UnsafeBufferPointer<Element> {
        guard count >= 0, elements != nil || count == 0 else {
            throw FreeholdError(.invalidArgument, "the array of \(what) is NULL, or its count \(UInt(bitPattern: count)) is too large")
        }
        guard depth <= deepest else { throw FreeholdError(.invalidArgument, "collections are nested more than \(deepest) levels deep") }
        return UnsafeBufferPointer(start: elements, count: count)
    }

    /// A single structure that must not be NULL.
    static func required<Element>(_ element: UnsafePointer<Element>?, _ what: String) throws(FreeholdError) -> Element {
        guard let element else { throw FreeholdError(.invalidArgument, "a \(what) is needed; NULL was given") }
        return element.pointee
    }

    /// A count of elements, or a position.
    static func count(_ number: UInt64, _ what: String) throws(FreeholdError) -> Int {
        guard number < 1 << 48 else { throw FreeholdError(.invalidArgument, "a \(what) of \(number) is out of range") }
        return Int(number)
    }
}

extension ReadClass {
    /// Converts a caller's value for one of the class's properties.
    func engineValue(_ value: UnsafePointer<freehold_value_t>?, for property: freehold_property_t) throws(FreeholdError) -> Value {
        guard let value else { throw FreeholdError(.invalidArgument, "a value is needed; NULL was given") }
        return try value.pointee.engineValue(target: try target(property), reader)
    }
}

extension RowWriter {
    /// Sets a property of an object being created, by the fastest way for its type.
    mutating func set(_ column: Column, given value: Value) throws(FreeholdError) {
        switch (value, column.type) {
        case (.int(let number), .int): try set(column, int: number)
        case (.double(let number), .double): try set(column, double: number)
        case (.bool(let flag), .bool): try set(column, bool: flag)
        case (.string(let text), .string): try set(column, string: text)
        default: try set(column, value)
        }
    }
}
