import FreeholdEngine
import FreeholdMerge

/// Values that other software has written, in the form in which they are sent.
extension ColumnType {
    /// The value of a column, null of null; nil for one that the property cannot have.
    ///
    /// - Parameters:
    ///   - type: the property's.
    ///   - target: the class whose keys the column has.
    func value(of image: [UInt8]?, _ type: PropertyType?, linkTo target: Int32?, _ schema: SyncSchema) -> SyncValue? {
        guard let image else { return .null }
        if type == .link, self != .jsonb {
            guard let target, let key = key(of: image) else { return nil }
            return .link(SyncObject(type: target, key: key))
        }
        switch self {
        case .boolean: return .bool(image == [1])
        case .bigint: return .int(Int64(bitPattern: Self.word(image[...])))
        case .real: return .float(UInt32(truncatingIfNeeded: Self.word(image[...])))
        case .double: return .double(Self.word(image[...]))
        case .text: return .string(String(decoding: image, as: UTF8.self))
        case .bytea where type == .objectId:
            guard case .objectID(let high, let low)? = key(of: image) else { return nil }
            return .objectID(high, low)
        case .bytea: return .data(image)
        case .timestamptz: return Self.timestamp(Int64(bitPattern: Self.word(image[...])))
        case .numeric: return JSONReading.decimal(String(decoding: image, as: UTF8.self)).map { .decimal($0.high, $0.low) }
        case .uuid: return .uuid(Self.word(image.prefix(8)), Self.word(image.dropFirst(8)))
        case .jsonb: return JSONReading.value(image, isLink: type == .link, schema)
        }
    }

    /// The primary key that was sent; nil for bytes that none is.
    func key(of image: [UInt8]) -> SyncKey? {
        switch self {
        case .bigint where image.count == 8: .int(Int64(bitPattern: Self.word(image[...])))
        case .text: .string(String(decoding: image, as: UTF8.self))
        case .uuid where image.count == 16: .uuid(Self.word(image.prefix(8)), Self.word(image.dropFirst(8)))
        case .bytea where image.count == 12:
            .objectID(Self.word(image.prefix(8)), UInt32(truncatingIfNeeded: Self.word(image.dropFirst(8))))
        default: nil
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// From microseconds since 2000; nil for the infinities.
    private static func timestamp(_ microseconds: Int64) -> SyncValue? {
        if microseconds == .max || microseconds == .min { return nil }
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let isBefore = rest < 0
        return .timestamp(seconds + 946_684_800 - (isBefore ? 1 : 0), Int32((isBefore ? rest + 1_000_000 : rest) * 1000))
    }
}
