public import Foundation
public import FreeholdEngine

extension String: _Storable, _Persistable, _PrimaryKey {
    public static var _kind: _PropertyKind { _PropertyKind(.string) }
    public static var _zero: String { "" }
    public func _stored(in context: StoringContext) -> Value { .string(self) }

    public static func _load(_ value: Value, _ core: RealmCore) -> String {
        guard case .string(let text) = value else { return "" }
        return text
    }

    public static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> String { try row.string(column) }

    public static func _from(_ value: Any, _ context: ValueContext) -> String? { value as? String ?? (value as? Substring).map { String($0) } }
}

extension Data: _Storable, _Persistable {
    public static var _kind: _PropertyKind { _PropertyKind(.data) }
    public static var _zero: Data { Data() }
    public func _stored(in context: StoringContext) -> Value { .data(Array(self)) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Data {
        guard case .data(let bytes) = value else { return Data() }
        return Data(bytes)
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Data? { value as? Data ?? (value as? [UInt8]).map { Data($0) } }
}

extension Date: _Storable, _Persistable, _PrimaryKey {
    public static var _kind: _PropertyKind { _PropertyKind(.date) }
    public static var _zero: Date { Date(timeIntervalSince1970: 0) }
    public func _stored(in context: StoringContext) -> Value { .date(Timestamp(self)) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Date {
        guard case .date(let time) = value else { return _zero }
        return time.date
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Date? { value as? Date }
}

extension UUID: _Storable, _Persistable, _PrimaryKey {
    public static var _kind: _PropertyKind { _PropertyKind(.UUID) }
    /// A new UUID.
    public static var _zero: UUID { UUID() }
    public func _stored(in context: StoringContext) -> Value { .uuid(UniqueIdentifier(self)) }

    public static func _load(_ value: Value, _ core: RealmCore) -> UUID {
        guard case .uuid(let bytes) = value else { return UniqueIdentifier(high: 0, low: 0).uuid }
        return bytes.uuid
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> UUID? { value as? UUID ?? (value as? String).flatMap { UUID(uuidString: $0) } }
}

extension ObjectId: _Storable, _Persistable, _PrimaryKey {
    public static var _kind: _PropertyKind { _PropertyKind(.objectId) }
    /// A newly generated id.
    public static var _zero: ObjectId { .generate() }
    public func _stored(in context: StoringContext) -> Value { .objectId(bytes) }

    public static func _load(_ value: Value, _ core: RealmCore) -> ObjectId {
        guard case .objectId(let bytes) = value else { return ObjectId() }
        return ObjectId(bytes)
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> ObjectId? {
        value as? ObjectId ?? (value as? String).flatMap { try? ObjectId(string: $0) }
    }
}

extension Decimal128: _Storable, _Persistable {
    public static var _kind: _PropertyKind { _PropertyKind(.decimal128) }
    public static var _zero: Decimal128 { 0 }
    public func _stored(in context: StoringContext) -> Value { .decimal(self) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Decimal128 {
        guard case .decimal(let number) = value else { return 0 }
        return number
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Decimal128? {
        if let value = value as? Decimal128 { return value }
        if let value = value as? String { return Decimal128(value) }
        if let value = value as? Decimal { return Decimal128("\(value)") }
        return switch UntypedNumber(value) {
        case .whole(let number): Decimal128(number)
        case .real(let number): Decimal128(number)
        case .bool, nil: nil
        }
    }
}
