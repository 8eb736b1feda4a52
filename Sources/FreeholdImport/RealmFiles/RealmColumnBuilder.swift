import FreeholdEngine

/// Gathers the values of one property for the objects of a batch.
struct RealmColumnBuilder {
    /// The values so far.
    private enum Values {
        case ints([Int64])
        case bools([Bool])
        case floats([Float])
        case doubles([Double])
        case dates([Timestamp])
        case texts(RealmTexts.Many)
        case values([Value])
        case links([Int64])
        case any([SourceValue])
    }

    let column: RealmColumn
    private var values: Values
    private var nulls: [UInt64] = []
    private var hasNulls = false
    private(set) var count = 0

    /// Whether values are gathered leaf by leaf, not object by object.
    let isPlain: Bool

    init(_ column: RealmColumn) {
        self.column = column
        isPlain = column.shape == .single && column.kind != .mixed && column.kind != .typedLink && column.target?.isEmbedded != true
        guard isPlain else {
            values = .any([])
            return
        }
        values = switch column.kind {
        case .int: .ints([])
        case .bool: .bools([])
        case .float: .floats([])
        case .double: .doubles([])
        case .date: .dates([])
        case .string, .data: .texts(RealmTexts.Many())
        case .link: .links([])
        default: .values([])
        }
    }

    /// The column of the batch.
    var result: SourceColumn {
        let content: SourceColumn.Content = switch values {
        case .ints(let values): .plain(.ints(values))
        case .bools(let values): .plain(.bools(values))
        case .floats(let values): .plain(.floats(values))
        case .doubles(let values): .plain(.doubles(values))
        case .dates(let values): .plain(.dates(values))
        case .texts(let many): .plain(.texts(bytes: many.bytes, ends: many.ends))
        case .values(let values): .plain(.values(values))
        case .links(let values): .links(values)
        case .any(let values): .any(values)
        }
        guard hasNulls else { return SourceColumn(content) }
        return SourceColumn(content, nulls: nulls + repeatElement(0, count: (count + 63) / 64 - nulls.count))
    }

    /// Appends one value that is not plain.
    mutating func append(_ value: SourceValue) {
        guard case .any(var all) = values else { preconditionFailure("a plain column gathers leaves") }
        values = .any([])
        all.append(value)
        values = .any(all)
        count += 1
    }

    private mutating func setNull(_ row: Int) {
        hasNulls = true
        while nulls.count <= row >> 6 { nulls.append(0) }
        nulls[row >> 6] |= 1 << UInt64(row & 63)
    }

    /// Appends the values of a leaf for a range of objects.
    mutating func append(_ leaf: RealmLeaf, _ rows: Range<Int>) throws(SourceError) {
        let taken = values
        // So that the arrays are changed in place.
        values = .any([])
        switch (leaf.form, taken) {
        case (.ints(let node), .ints(var numbers)):
            append(node, rows, to: &numbers)
            values = .ints(numbers)
        case (.bools(let node), .bools(var flags)):
            append(node, rows, to: &flags)
            values = .bools(flags)
        case (.floats(let node), .floats(var numbers)):
            append(node, rows, to: &numbers)
            values = .floats(numbers)
        case (.doubles(let node), .doubles(var numbers)):
            append(node, rows, to: &numbers)
            values = .doubles(numbers)
        case (.dates(let seconds, let nanoseconds), .dates(var dates)):
            try append(seconds, nanoseconds, rows, to: &dates)
            values = .dates(dates)
        case (.texts(let texts), .texts(var many)): try append(leaf, texts, rows, to: &many)
        case (.links(let node, let bias), .links(var keys)):
            append(node, rows, bias: bias, to: &keys)
            values = .links(keys)
        case (_, .values(var all)):
            for row in rows {
                guard case .value(let value) = try leaf.item(row) else { continue }
                if case .null = value { setNull(count + row - rows.lowerBound) }
                all.append(value)
            }
            values = .values(all)
        default:
            values = taken
            try appendItems(leaf, rows)
        }
        count += rows.count
    }
}

extension RealmColumnBuilder {
    private mutating func append(_ node: RealmNode, _ rows: Range<Int>, to numbers: inout [Int64]) {
        guard column.isNullable else { return node.append(rows, to: &numbers) }
        let start = numbers.count, null = node.integer(0)
        node.append(rows.lowerBound + 1..<rows.upperBound + 1, to: &numbers)
        for place in start..<numbers.count where numbers[place] == null {
            setNull(count + place - start)
            numbers[place] = 0
        }
    }

    private mutating func append(_ node: RealmNode, _ rows: Range<Int>, to flags: inout [Bool]) {
        for row in rows {
            let flag = node.integer(row)
            if flag == 3, column.isNullable { setNull(count + row - rows.lowerBound) }
            flags.append(flag == 1)
        }
    }

    private mutating func append(_ node: RealmNode, _ rows: Range<Int>, to numbers: inout [Float]) {
        for row in rows {
            let bits = node.width == 0 ? 0 : node.elements.load(row * 4, as: UInt32.self)
            if bits == RealmLeaf.nullFloat, column.isNullable { setNull(count + row - rows.lowerBound) }
            numbers.append(Float(bitPattern: bits))
        }
    }

    private mutating func append(_ node: RealmNode, _ rows: Range<Int>, to numbers: inout [Double]) {
        for row in rows {
            let bits = node.width == 0 ? 0 : node.elements.load(row * 8, as: UInt64.self)
            if bits == RealmLeaf.nullDouble, column.isNullable { setNull(count + row - rows.lowerBound) }
            numbers.append(Double(bitPattern: bits))
        }
    }

    private mutating func append(_ node: RealmNode, _ rows: Range<Int>, bias: Int64, to keys: inout [Int64]) {
        let start = keys.count
        node.append(rows, to: &keys)
        for place in start..<keys.count {
            // Nothing, or an object that was not synchronised yet.
            if keys[place] < bias {
                setNull(count + place - start)
                keys[place] = 0
            } else {
                keys[place] -= bias
            }
        }
    }

    private mutating func append(
        _ seconds: RealmNode, _ nanoseconds: RealmNode, _ rows: Range<Int>, to dates: inout [Timestamp]
    ) throws(SourceError) {
        var both: (seconds: [Int64], nanoseconds: [Int64]) = ([], [])
        seconds.append(rows.lowerBound + 1..<rows.upperBound + 1, to: &both.seconds)
        nanoseconds.append(rows, to: &both.nanoseconds)
        let null = seconds.integer(0)
        for place in both.seconds.indices {
            let isNull = both.seconds[place] == null
            if isNull, column.isNullable { setNull(count + place) }
            dates.append(isNull ? Timestamp(seconds: 0)
                : try .realm(both.seconds[place], both.nanoseconds[place], at: nanoseconds.reference))
        }
    }

    /// Appends strings or data; if one of them is long, all become values of their own.
    private mutating func append(
        _ leaf: RealmLeaf, _ texts: RealmTexts, _ rows: Range<Int>, to many: inout RealmTexts.Many
    ) throws(SourceError) {
        let start = many.bytes.count
        if try texts.append(rows, to: &many) {
            try requireText(many, from: start, first: count, at: texts)
            if column.isNullable { for row in many.nulls { setNull(row) } }
            many.nulls.removeAll(keepingCapacity: true)
            values = .texts(many)
        } else {
            values = .any(Self.separate(many.bytes, many.ends[..<count], isText: column.kind == .string))
            try appendItems(leaf, rows)
        }
    }

    /// - Throws: `.damaged` if one of the last strings is not UTF-8.
    private func requireText(_ many: RealmTexts.Many, from start: Int, first: Int, at texts: RealmTexts) throws(SourceError) {
        guard column.kind == .string else { return }
        // Safe: the range is within the array.
        if many.bytes.withUnsafeBytes({ UnsafeRawBufferPointer(rebasing: $0[start...]).isASCII }) { return }
        var begin = start
        for end in many.ends[first...] {
            if String(validating: many.bytes[begin..<end], as: UTF8.self) == nil {
                throw .damaged("a string of '\(column.name)' is not UTF-8", texts.reference)
            }
            begin = end
        }
    }

    /// Appends values one by one; some of them are long.
    private mutating func appendItems(_ leaf: RealmLeaf, _ rows: Range<Int>) throws(SourceError) {
        guard case .any(var all) = values else { preconditionFailure("only long values are appended one by one") }
        for row in rows {
            switch try leaf.item(row) {
            case .value(.null):
                setNull(count + row - rows.lowerBound)
                all.append(.value(.null))
            case .value(let value): all.append(.value(value))
            case .long(let bytes): all.append(.long(bytes))
            default: preconditionFailure("strings and data have no links")
            }
        }
        values = .any(all)
    }

    private static func separate(_ bytes: [UInt8], _ ends: ArraySlice<Int>, isText: Bool) -> [SourceValue] {
        var start = 0, values: [SourceValue] = []
        for end in ends {
            let part = bytes[start..<end]
            values.append(.value(isText ? .string(String(decoding: part, as: UTF8.self)) : .data(Array(part))))
            start = end
        }
        return values
    }
}
