import FreeholdEngine

/// Collects the values of one property for a batch.
struct ColumnBuilder {
    private enum Kind {
        case ints, doubles, floats, bools, dates, texts, values, any, links
    }

    private let property: ReadProperty
    private let single: SingleValues
    private let links: LinkIndex?
    private var kind: Kind
    private var ints: [Int64] = []
    private var doubles: [Double] = []
    private var floats: [Float] = []
    private var bools: [Bool] = []
    private var dates: [Timestamp] = []
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var values: [Value] = []
    private var any: [SourceValue] = []
    /// Empty as long as no value is null.
    private var nulls: [UInt64] = []
    private var count = 0

    init(_ property: ReadProperty, _ external: ExternalData, _ links: LinkIndex?) {
        (self.property, self.links) = (property, links)
        single = SingleValues(isExternal: property.isExternal, external: external)
        kind = Self.kind(of: property)
    }

    private static func kind(of property: ReadProperty) -> Kind {
        switch property.source {
        case .link: .links
        case .links: .any
        case .attribute where property.isExternal: .any
        case .attribute(_, let reading):
            switch reading {
            case .int: .ints
            case .bool: .bools
            case .double: .doubles
            case .float: .floats
            case .date: .dates
            case .string, .data: .texts
            case .decimal, .uuid: .values
            case .archive, .any: .any
            }
        }
    }

    /// Adds the value of a row.
    /// - Returns: about how many bytes it takes, beyond those of a number.
    @inline(__always)
    mutating func append(_ rows: inout SQLiteRowReader) throws(SourceError) -> Int {
        defer { count += 1 }
        switch property.source {
        case .link(let column, _):
            guard case .int(let key) = try rows.field(column) else { return appendNull() }
            ints.append(key)
            return 0
        case .links(_, let target, let isOrdered): return append(links: target, of: rows.key, isOrdered: isOrdered)
        case .attribute(let column, let reading):
            if kind == .any {
                let value = try single.value(rows.cell(column), reading)
                any.append(value)
                return value.approximateBytes
            }
            return try append(&rows, column, reading)
        }
    }

    /// What has been collected; begins anew.
    mutating func take() -> SourceColumn {
        let isNullable = !nulls.isEmpty
        if isNullable { nulls += repeatElement(0, count: max(0, (count + 63) / 64 - nulls.count)) }
        let column = SourceColumn(content, nulls: isNullable ? nulls : nil)
        self = ColumnBuilder(property, single.external, links)
        return column
    }

    private var content: SourceColumn.Content {
        switch kind {
        case .ints: .plain(.ints(ints))
        case .doubles: .plain(.doubles(doubles))
        case .floats: .plain(.floats(floats))
        case .bools: .plain(.bools(bools))
        case .dates: .plain(.dates(dates))
        case .texts: .plain(.texts(bytes: bytes, ends: ends))
        case .values: .plain(.values(values))
        case .any: .any(any)
        case .links: .links(ints)
        }
    }

    private mutating func append(links target: Int, of owner: Int64, isOrdered: Bool) -> Int {
        let elements = (links?.targets(of: owner) ?? []).map { SourceValue.object(place: target, key: $0) }
        any.append(isOrdered ? .list(elements) : .set(elements))
        return elements.count * MemoryLayout<SourceValue>.stride
    }

    @inline(__always)
    private mutating func append(
        _ rows: inout SQLiteRowReader, _ column: Int, _ reading: AttributeReading
    ) throws(SourceError) -> Int {
        switch try rows.field(column) {
        case .null: return appendNull()
        case .int(let number): return append(number, reading)
        case .real(let number): return append(number, reading)
        case .text(let part) where reading == .string && rows.encoding == .utf8, .blob(let part) where reading == .data:
            bytes.append(contentsOf: part)
            ends.append(bytes.count)
            return part.count
        default: return append(try rows.cell(column), reading)
        }
    }

    private mutating func append(_ cell: SQLiteCell, _ reading: AttributeReading) -> Int {
        switch cell {
        case .int(let number): return append(number, reading)
        case .real(let number): return append(number, reading)
        case .text(let part) where reading == .decimal:
            return append(Decimal128(String(decoding: part, as: UTF8.self)).map { .decimal($0) })
        case .text(let part) where reading == .string, .blob(let part) where reading == .data:
            bytes += part
            ends.append(bytes.count)
            return part.count
        case .blob(let part) where reading == .uuid: return append(PlainValue.uuid(part[...]).map { .uuid($0) })
        case .long(let value) where kind == .texts && value.isText == (reading == .string): return append(long: value)
        case .null, .text, .blob, .long: return appendNull()
        }
    }

    @inline(__always)
    private mutating func append(_ number: Int64, _ reading: AttributeReading) -> Int {
        switch reading {
        case .int: ints.append(number)
        case .bool: bools.append(number != 0)
        case .decimal: values.append(.decimal(Decimal128(number)))
        default: return append(Double(number), reading)
        }
        return 0
    }

    @inline(__always)
    private mutating func append(_ number: Double, _ reading: AttributeReading) -> Int {
        switch reading {
        case .double: doubles.append(number)
        case .float: floats.append(Float(number))
        case .decimal: return append(Decimal128(number.description).map { .decimal($0) })
        case .date:
            guard let date = PlainValue.date(number) else { return appendNull() }
            dates.append(date)
        default: return appendNull()
        }
        return 0
    }

    private mutating func append(_ value: Value?) -> Int {
        guard let value else { return appendNull() }
        values.append(value)
        return 0
    }

    /// Adds a long value, for which all values of the batch become single ones.
    private mutating func append(long value: SourceBytes) -> Int {
        var start = 0
        for (row, end) in ends.enumerated() {
            let part = bytes[start..<end]
            let isNull = row >> 6 < nulls.count && nulls[row >> 6] >> UInt64(row & 63) & 1 == 1
            any.append(.value(isNull ? .null : value.isText ? .string(String(decoding: part, as: UTF8.self)) : .data(Array(part))))
            start = end
        }
        kind = .any
        any.append(.long(value))
        return SourceLimits.shortBytes
    }

    /// Marks the value as null, and puts something in its place.
    private mutating func appendNull() -> Int {
        while nulls.count <= count >> 6 { nulls.append(0) }
        nulls[count >> 6] |= 1 << UInt64(count & 63)
        switch kind {
        case .ints, .links: ints.append(0)
        case .doubles: doubles.append(0)
        case .floats: floats.append(0)
        case .bools: bools.append(false)
        case .dates: dates.append(Timestamp(seconds: 0))
        case .texts: ends.append(bytes.count)
        case .values: values.append(.null)
        case .any: any.append(.value(.null))
        }
        return 0
    }
}
