import FreeholdEngine
import FreeholdMerge

/// The type of a column that holds values of a property.
enum ColumnType: String {
    case boolean, bigint, real
    case double = "double precision"
    case text, bytea, timestamptz, numeric, uuid, jsonb

    /// The column for single values of a type; of a link whose target is no synced class, what says the class, too.
    init(_ type: PropertyType?, linkTo target: SyncSchema.Class?) {
        self = switch type {
        case .bool: .boolean
        case .int: .bigint
        case .float: .real
        case .double: .double
        case .string: .text
        case .data, .objectId: .bytea
        case .date: .timestamptz
        case .uuid: .uuid
        case .decimal: .numeric
        case .link: target.map { Self($0.key.type, linkTo: nil) } ?? .jsonb
        case .mixed, nil: .jsonb
        }
    }

    /// How parameters are sent: what PostgreSQL reads best as text is sent so, and cast by the statement.
    private var sent: ColumnType { self == .numeric || self == .jsonb ? .text : self }

    var sentName: String { sent.rawValue }

    /// Numbers of the sent type, and of an array of it, in `pg_type`.
    var numbers: (element: UInt32, array: UInt32) {
        switch sent {
        case .boolean: (16, 1000)
        case .bigint: (20, 1016)
        case .real: (700, 1021)
        case .double: (701, 1022)
        case .text, .numeric, .jsonb: (25, 1009)
        case .bytea: (17, 1001)
        case .timestamptz: (1184, 1185)
        case .uuid: (2950, 2951)
        }
    }

    /// An expression that is equal for values that are the same in every respect: -0 is not 0, and 1.0 is not 1.00.
    func exact(_ expression: String) -> String {
        switch self {
        case .real: "float4send(\(expression))"
        case .double: "float8send(\(expression))"
        case .numeric, .jsonb: "(\(expression))::text"
        default: expression
        }
    }

    // MARK: Values

    /// A value as it is sent; nil, which is null, for one that such a column cannot have.
    ///
    /// - Parameter target: the class whose keys the column has.
    func image(of value: SyncValue, linkTo target: Int32?, _ schema: SyncSchema) -> [UInt8]? {
        switch (self, value) {
        case (_, .null), (_, .absent): nil
        case (.jsonb, _): Array(JSONText.text(of: value, schema).utf8)
        case (_, .link(let object)): object.type == target ? image(of: object.key) : nil
        case (.boolean, .bool(let truth)): [truth ? 1 : 0]
        case (.boolean, .embedded): [1]
        case (.bigint, .int(let number)): PostgresValue.big(number)
        case (.real, .float(let bits)): PostgresValue.big(Float(bitPattern: bits).isNaN ? Float.nan.bitPattern : bits)
        case (.double, .double(let bits)): PostgresValue.big(Double(bitPattern: bits).isNaN ? Double.nan.bitPattern : bits)
        case (.text, .string(let text)): text.utf8.contains(0) ? nil : Array(text.utf8)
        case (.bytea, .data(let bytes)): bytes
        case (.bytea, .objectID(let high, let low)): PostgresValue.big(high) + PostgresValue.big(low)
        case (.timestamptz, .timestamp(let seconds, let nanoseconds)): Self.microseconds(seconds, nanoseconds).map { PostgresValue.big($0) }
        case (.numeric, .decimal(let high, let low)): Array(PlainNumber.text(Decimal128(high: high, low: low).description).utf8)
        case (.uuid, .uuid(let high, let low)): PostgresValue.big(high) + PostgresValue.big(low)
        default: nil
        }
    }

    /// A primary key as it is sent.
    func image(of key: SyncKey) -> [UInt8]? {
        switch (self, key) {
        case (.bigint, .int(let number)): PostgresValue.big(number)
        case (.text, .string(let text)): text.utf8.contains(0) ? nil : Array(text.utf8)
        case (.uuid, .uuid(let high, let low)): PostgresValue.big(high) + PostgresValue.big(low)
        case (.bytea, .objectID(let high, let low)): PostgresValue.big(high) + PostgresValue.big(low)
        default: nil
        }
    }

    /// Microseconds since 2000, as far as PostgreSQL has a calendar: from 4714 BC to 294276.
    private static func microseconds(_ seconds: Int64, _ nanoseconds: Int32) -> Int64? {
        guard (-210_866_803_200..<9_224_318_016_000).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        return (seconds - 946_684_800) * 1_000_000 + Int64(nanoseconds) / 1000
    }
}
