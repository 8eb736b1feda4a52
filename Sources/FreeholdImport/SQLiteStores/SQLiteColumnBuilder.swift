import FreeholdEngine

/// Collects the values of one property for a batch.
///
/// Strings, data and numbers are collected as the database takes them; once a value comes that needs another form, those
/// before it are converted as well.
struct SQLiteColumnBuilder {
    private let form: SQLiteForm
    private let content: SQLiteContent
    private let encoding: SQLiteEncoding
    private var count = 0
    private var nulls: [UInt64] = []
    private var hasNulls = false
    private var ints: [Int64] = []
    private var doubles: [Double] = []
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var dates: [Timestamp] = []
    private var values: [Value] = []
    /// The values, once one of them is none of the above.
    private var any: [SourceValue]?

    init(_ form: SQLiteForm, _ encoding: SQLiteEncoding) {
        self.form = form
        content = form.content
        self.encoding = encoding
        start()
    }

    /// Begins a batch.
    private mutating func start() {
        (count, hasNulls) = (0, false)
        nulls = Array(repeating: 0, count: SourceLimits.batchObjects / 64)
        ints.removeAll(keepingCapacity: true)
        doubles.removeAll(keepingCapacity: true)
        (bytes, ends, dates, values) = ([], [], [], [])
        any = form.isPlain ? nil : []
    }

    /// The values of the batch.
    mutating func finish() -> SourceColumn {
        defer { start() }
        let nulls = hasNulls ? Array(nulls.prefix((count + 63) / 64)) : nil
        if let any { return SourceColumn(.any(any), nulls: nulls) }
        switch content {
        case .ints: return SourceColumn(.plain(.ints(ints)), nulls: nulls)
        case .bools: return SourceColumn(.plain(.bools(ints.map { $0 != 0 })), nulls: nulls)
        case .links: return SourceColumn(.links(ints), nulls: nulls)
        case .doubles: return SourceColumn(.plain(.doubles(doubles)), nulls: nulls)
        case .floats: return SourceColumn(.plain(.floats(doubles.map { Float($0) })), nulls: nulls)
        case .texts: return SourceColumn(.plain(.texts(bytes: bytes, ends: ends)), nulls: nulls)
        case .dates: return SourceColumn(.plain(.dates(dates)), nulls: nulls)
        case .values: return SourceColumn(.plain(.values(values)), nulls: nulls)
        }
    }

    /// Adds the value of a row.
    @inline(__always)
    mutating func add(_ rows: inout SQLiteRowReader, _ column: Int) throws(SourceError) {
        let field = try rows.field(column)
        if any == nil {
            switch (field, content) {
            case (.int(let value), .ints), (.int(let value), .bools), (.int(let value), .links):
                ints.append(value)
                count += 1
                return
            case (.real(let value), .doubles):
                doubles.append(value)
                count += 1
                return
            case (.text(let value), .texts) where encoding == .utf8, (.blob(let value), .texts):
                bytes.append(contentsOf: value)
                ends.append(bytes.count)
                count += 1
                return
            case (.null, _): return addNull()
            default: break
            }
        }
        try addSlowly(try rows.cell(column))
    }

    @inline(never)
    private mutating func addNull() {
        nulls[count >> 6] |= 1 << UInt64(count & 63)
        hasNulls = true
        count += 1
        if any != nil { any?.append(.value(.null)) } else { fill() }
    }

    /// Adds what stands for null in the column.
    private mutating func fill() {
        switch content {
        case .ints, .bools, .links: ints.append(0)
        case .doubles, .floats: doubles.append(0)
        case .texts: ends.append(bytes.count)
        case .dates: dates.append(Timestamp(seconds: 0))
        case .values: values.append(.null)
        }
    }

    @inline(never)
    private mutating func addSlowly(_ cell: SQLiteCell) throws(SourceError) {
        if case .null = cell { return addNull() }
        if case .long(let long) = cell, content == .texts {
            spread()
            any?.append(.long(SourceBytes(isText: form.type == .string, count: long.count, reader: long.reader)))
        } else if any != nil {
            any?.append(try form.sourceValue(cell))
        } else {
            addPlain(try form.value(cell))
        }
        count += 1
    }

    private mutating func addPlain(_ value: Value) {
        switch (value, content) {
        case (.int(let value), _): ints.append(value)
        case (.bool(let value), _): ints.append(value ? 1 : 0)
        case (.double(let value), _): doubles.append(value)
        case (.float(let value), _): doubles.append(Double(value))
        case (.date(let value), _): dates.append(value)
        case (.string(let text), .texts):
            bytes.append(contentsOf: text.utf8)
            ends.append(bytes.count)
        case (.data(let data), .texts):
            bytes.append(contentsOf: data)
            ends.append(bytes.count)
        default: values.append(value)
        }
    }

    /// Turns the strings collected so far into values that may stand beside long ones.
    private mutating func spread() {
        if any != nil { return }
        var start = 0
        any = ends.enumerated().map { place, end in
            defer { start = end }
            if nulls[place >> 6] >> UInt64(place & 63) & 1 != 0 { return .value(.null) }
            let part = bytes[start..<end]
            return .value(form.type == .data ? .data(Array(part)) : .string(String(decoding: part, as: UTF8.self)))
        }
        (bytes, ends) = ([], [])
    }
}
