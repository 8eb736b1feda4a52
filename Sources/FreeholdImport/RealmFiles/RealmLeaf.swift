import FreeholdEngine

/// One element of a leaf.
enum RealmItem {
    case value(Value)
    /// An object of the table that the column links to; a negative key is none.
    case link(Int64)
    case typedLink(table: Int64, key: Int64)
    case long(SourceBytes)
    /// A collection in a mixed value: the reference to it, 0 if it is empty.
    case list(Int64)
    case dictionary(Int64)
}

/// The leaf of a column: its values for the objects of one cluster, or some elements of a list.
///
/// A null where the column allows none reads as zero or empty, as it does in Realm.
struct RealmLeaf {
    /// How the values lie.
    enum Form {
        /// One element first that stands for null if there may be nulls.
        case ints(RealmNode)
        case bools(RealmNode)
        case floats(RealmNode)
        case doubles(RealmNode)
        case texts(RealmTexts)
        case dates(seconds: RealmNode, nanoseconds: RealmNode)
        case decimals(RealmNode)
        /// Groups of eight: a byte of null bits, then the values.
        case fixed(RealmNode, bytes: Int)
        /// Keys, one more than the key in clusters.
        case links(RealmNode, bias: Int64)
        case typedLinks(RealmNode)
        case mixed(RealmMixed)
    }

    let form: Form
    let kind: RealmColumn.Kind
    let isNullable: Bool
    let count: Int

    /// - Parameter isElement: whether it is a leaf of a collection's elements.
    // Long because it has a case for each type.
    init(_ pages: RealmPages, at reference: Int64, kind: RealmColumn.Kind, isNullable: Bool, enumeration: RealmTexts? = nil,
         isElement: Bool) throws(SourceError) {
        self.kind = kind
        self.isNullable = isNullable
        switch kind {
        case .int:
            let node = try pages.integers(reference)
            if isNullable, node.count == 0 { throw .damaged("an array of optional numbers has no null", node.reference) }
            (form, count) = (.ints(node), isNullable ? node.count - 1 : node.count)
        case .bool:
            let node = try pages.integers(reference)
            (form, count) = (.bools(node), node.count)
        case .float:
            let node = try pages.fixed(reference, widths: [4])
            (form, count) = (.floats(node), node.count)
        case .double:
            let node = try pages.fixed(reference, widths: [8])
            (form, count) = (.doubles(node), node.count)
        case .string, .data:
            let texts = try RealmTexts(pages, at: reference, isText: kind == .string, enumeration: enumeration)
            (form, count) = (.texts(texts), texts.count)
        case .date:
            let node = try pages.references(reference)
            let seconds = try pages.integers(node.required(0)), nanoseconds = try pages.integers(node.required(1))
            guard seconds.count == nanoseconds.count + 1 else { throw .damaged("a leaf of dates has unequal halves", node.reference) }
            (form, count) = (.dates(seconds: seconds, nanoseconds: nanoseconds), nanoseconds.count)
        case .decimal:
            let node = try pages.fixed(reference, widths: [4, 8, 16])
            (form, count) = (.decimals(node), node.count)
        case .objectId, .uuid:
            let node = try pages.node(reference), bytes = kind == .uuid ? 16 : 12
            guard node.elements.count == node.count else { throw .damaged("a leaf of identifiers has another form", node.reference) }
            let groups = (node.count + 8 * bytes) / (8 * bytes + 1)
            (form, count) = (.fixed(node, bytes: bytes), (node.count - groups) / bytes)
        case .link:
            let node = try pages.integers(reference)
            (form, count) = (.links(node, bias: isElement ? 0 : 1), node.count)
        case .typedLink:
            let node = try pages.integers(reference)
            (form, count) = (.typedLinks(node), node.count / 2)
        case .mixed:
            let mixed = try RealmMixed(pages, at: reference)
            (form, count) = (.mixed(mixed), mixed.count)
        }
    }

    /// The element at a place less than `count`.
    func item(_ place: Int) throws(SourceError) -> RealmItem {
        switch form {
        case .ints(let node):
            if !isNullable { return .value(.int(node.integer(place))) }
            let number = node.integer(place + 1)
            return .value(number == node.integer(0) ? .null : .int(number))
        case .bools(let node):
            let flag = node.integer(place)
            return .value(flag == 3 && isNullable ? .null : .bool(flag == 1))
        case .floats(let node):
            let bits = node.width == 0 ? 0 : node.elements.load(place * 4, as: UInt32.self)
            return .value(bits == Self.nullFloat && isNullable ? .null : .float(Float(bitPattern: bits)))
        case .doubles(let node):
            let bits = node.width == 0 ? 0 : node.elements.load(place * 8, as: UInt64.self)
            return .value(bits == Self.nullDouble && isNullable ? .null : .double(Double(bitPattern: bits)))
        case .texts(let texts): return try text(texts, place)
        case .dates(let seconds, let nanoseconds):
            if isNullDate(seconds, place) { return .value(isNullable ? .null : .date(Timestamp(seconds: 0))) }
            return .value(.date(try date(seconds, nanoseconds, place)))
        case .decimals(let node):
            guard let number = decimal(node, place) else { return .value(isNullable ? .null : .decimal(.zero)) }
            return .value(.decimal(number))
        case .fixed(let node, let bytes): return .value(fixed(node, bytes, place))
        case .links(let node, let bias): return .link(node.integer(place).subtractingReportingOverflow(bias).partialValue)
        case .typedLinks(let node): return typedLink(node, place)
        case .mixed(let mixed): return try mixed.item(place)
        }
    }

    /// Where it begins in the file, for messages.
    var reference: Int {
        switch form {
        case .ints(let node), .bools(let node), .floats(let node), .doubles(let node): node.reference
        case .decimals(let node), .typedLinks(let node): node.reference
        case .fixed(let node, _), .links(let node, _), .dates(_, let node): node.reference
        case .texts(let texts): texts.reference
        case .mixed(let mixed): mixed.what.reference
        }
    }

    static let nullFloat: UInt32 = 0x7FC0_00AA
    static let nullDouble: UInt64 = 0x7FF8_0000_0000_00AA

    private func text(_ texts: RealmTexts, _ place: Int) throws(SourceError) -> RealmItem {
        let found = try texts.place(place)
        if case .null = found { return .value(isNullable ? .null : kind == .string ? .string("") : .data([])) }
        return try texts.pages.item(found, isText: kind == .string)
    }

    /// Whether the date at a place is null.
    func isNullDate(_ seconds: RealmNode, _ place: Int) -> Bool { seconds.integer(place + 1) == seconds.integer(0) }

    /// Realm counts nanoseconds backwards before 1970.
    func date(_ seconds: RealmNode, _ nanoseconds: RealmNode, _ place: Int) throws(SourceError) -> Timestamp {
        try Timestamp.realm(seconds.integer(place + 1), nanoseconds.integer(place), at: nanoseconds.reference)
    }

    private func decimal(_ node: RealmNode, _ place: Int) -> Decimal128? {
        switch node.width {
        case 0: node.isContext ? .zero : nil
        case 4: RealmDecimals.decimal(node.elements.load(place * 4, as: UInt32.self))
        case 8: RealmDecimals.decimal(node.elements.load(place * 8, as: UInt64.self))
        default:
            RealmDecimals.decimal(
                low: node.elements.load(place * 16, as: UInt64.self), high: node.elements.load(place * 16 + 8, as: UInt64.self))
        }
    }

    private func fixed(_ node: RealmNode, _ bytes: Int, _ place: Int) -> Value {
        let group = place / 8 * (8 * bytes + 1), start = group + 1 + place % 8 * bytes
        if isNullable, node.elements.load(group, as: UInt8.self) >> UInt8(place % 8) & 1 == 1 { return .null }
        let high = node.elements.load(start, as: UInt64.self).byteSwapped
        if bytes == 16 { return .uuid(UniqueIdentifier(high: high, low: node.elements.load(start + 8, as: UInt64.self).byteSwapped)) }
        return .objectId(ObjectIdentifier12(high: high, low: node.elements.load(start + 8, as: UInt32.self).byteSwapped))
    }

    private func typedLink(_ node: RealmNode, _ place: Int) -> RealmItem {
        let table = node.integer(place * 2), key = node.integer(place * 2 + 1).subtractingReportingOverflow(1).partialValue
        // A table that is out of range is none of the file's.
        return table == 0 ? .value(.null) : .typedLink(table: table.subtractingReportingOverflow(1).partialValue & 0x7FFF_FFFF, key: key)
    }
}

extension RealmPages {
    /// The node at a reference, whose elements have one of these widths in bytes, or none.
    func fixed(_ reference: Int64, widths: [Int]) throws(SourceError) -> RealmNode {
        let node = try node(reference)
        guard node.width == 0 || node.form == .bytes && widths.contains(node.width) else {
            throw .damaged("an array has elements of \(node.width) bytes instead of \(widths)", node.reference)
        }
        return node
    }

    /// A string or data that is not null.
    func item(_ place: RealmTexts.Place, isText: Bool) throws(SourceError) -> RealmItem {
        if place.count > SourceLimits.shortBytes {
            let long = RealmLongValue(self, place)
            if isText, try !long.isText() { throw .damaged("a string is not UTF-8", place.offset) }
            return .long(SourceBytes(isText: isText, count: place.count, reader: long))
        }
        let bytes = try bytes(place) ?? []
        if !isText { return .value(.data(bytes)) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged("a string is not UTF-8", place.offset) }
        return .value(.string(text))
    }
}

extension Timestamp {
    /// The point in time of a Realm file: both parts have the same sign there.
    static func realm(_ seconds: Int64, _ nanoseconds: Int64, at offset: Int) throws(SourceError) -> Timestamp {
        guard nanoseconds.magnitude < 1_000_000_000 else { throw .damaged("a date has \(nanoseconds) nanoseconds", offset) }
        if nanoseconds >= 0 { return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)) }
        guard seconds > .min else { throw .damaged("a date is before all others", offset) }
        return Timestamp(seconds: seconds - 1, nanoseconds: Int32(nanoseconds + 1_000_000_000))
    }
}
