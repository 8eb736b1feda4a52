public import FreeholdEngine
import Foundation

/// Storing of mixed values in a file.
extension AnyRealmValue: RealmCollectionValue, _Persistable {
    public typealias PersistedType = AnyRealmValue
    public static var _kind: _PropertyKind { _PropertyKind(.any) }
    public static var _zero: AnyRealmValue { .none }

    public static func _load(_ value: Value, _ core: RealmCore) -> AnyRealmValue {
        switch value {
        case .null, .link, .set: .none
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(Int(number))
        case .float(let number): .float(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .data(let bytes): .data(Data(bytes))
        case .date(let time): .date(time.date)
        case .uuid(let bytes): .uuid(bytes.uuid)
        case .objectId(let bytes): .objectId(ObjectId(bytes))
        case .decimal(let number): .decimal128(number)
        case .object(let reference): core.attempt(nil) { try core.object(at: reference) as? Object }.map { .object($0) } ?? .none
        case .list: .list(List._load(value, core))
        case .map: .dictionary(Map._load(value, core))
        }
    }

    public static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> Value) throws -> AnyRealmValue {
        let value = try read()
        return live(value) { place.below(step, $0) } ?? _load(value, place.core)
    }

    /// The live list or dictionary of a value; nil for other values.
    private static func live(_ value: Value, at place: (CollectionKind) -> CollectionPlace) -> AnyRealmValue? {
        switch value {
        case .list: .list(List(place(.list)))
        case .map: .dictionary(Map(place(.map)))
        default: nil
        }
    }

    /// The live list or dictionary that is a property's value; nil for other values.
    static func live(_ value: Value, of property: ManagedProperty) -> AnyRealmValue? {
        live(value) { CollectionPlace(property, $0) }
    }

    public static func _read(_ object: ObjectBase, _ offset: Int) -> AnyRealmValue {
        guard let core = object.core else {
            return object.isRecording ? PathRecorder.read(object, offset) { .none } : object._own(offset, AnyRealmValue.self) ?? .none
        }
        return core.value(of: object, offset) { column, row, _ in
            let value = try row.value(column)
            return live(value) { CollectionPlace(object, offset, $0) } ?? _load(value, core)
        } ?? .none
    }

    public func _stored(in context: StoringContext) -> Value {
        switch self {
        case .none: .null
        case .int(let number): .int(Int64(number))
        case .bool(let flag): .bool(flag)
        case .float(let number): .float(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .data(let data): .data(Array(data))
        case .date(let date): .date(Timestamp(date))
        case .object(let object): context.core.reference(to: object, context).map { .object($0) } ?? .null
        case .objectId(let id): .objectId(id.bytes)
        case .decimal128(let number): .decimal(number)
        case .uuid(let id): .uuid(UniqueIdentifier(id))
        case .dictionary(let map): context.withinCollection().map { map._stored(in: $0) } ?? .null
        case .list(let list): context.withinCollection().map { list._stored(in: $0) } ?? .null
        }
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> AnyRealmValue? {
        if ValueContext.isNothing(value) { return AnyRealmValue.none }
        if let value = value as? AnyRealmValue { return taken(value, context) }
        if let number = UntypedNumber(value) {
            return switch number {
            case .bool(let flag): .bool(flag)
            case .whole(let number): .int(Int(number))
            case .real(let number): type(of: value) == Float.self ? .float(Float(number)) : .double(number)
            }
        }
        switch value {
        case let text as String: return .string(text)
        case let data as Data: return .data(data)
        case let date as Date: return .date(date)
        case let id as ObjectId: return .objectId(id)
        case let number as Decimal128: return .decimal128(number)
        case let id as UUID: return .uuid(id)
        case is ObjectBase: return Object._from(value, context).map { .object($0) }
        // Mixed values hold lists and dictionaries.
        case let collection as any NestedCollection where type(of: collection).collectionKind == .set: return nil
        case is any UntypedMap, is [String: Any]: return Map._from(value, context).map { .dictionary($0) }
        default: return List._from(value, context).map { .list($0) }
        }
    }

    /// Takes a mixed value over. Objects, lists and dictionaries in it follow the context's rules for copying.
    private static func taken(_ value: AnyRealmValue, _ context: ValueContext) -> AnyRealmValue? {
        switch value {
        case .object(let object): Object._from(object, context).map { .object($0) }
        case .list(let list): List._from(list, context).map { .list($0) }
        case .dictionary(let map): Map._from(map, context).map { .dictionary($0) }
        default: value
        }
    }
}

extension AnyRealmValue: NothingValue {
    var isNothing: Bool { if case .none = self { true } else { false } }
}
