import Foundation
import FreeholdEngine

/// The Swift types for properties of a file's schema.
extension ModelProperty {
    /// The type of the property's values, or of its collection's elements.
    static func swiftType(of schema: PropertySchema, _ objects: ObjectBase.Type) -> any _Persistable.Type {
        if schema.type == .link { return optional(objects) }
        let plain = plainType(schema.type)
        return schema.isNullable ? optional(plain) : plain
    }

    private static func plainType(_ type: FreeholdEngine.PropertyType) -> any (_Storable & _Persistable).Type {
        switch type {
        case .int: Int.self
        case .bool: Bool.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: Foundation.UUID.self
        case .objectId: ObjectId.self
        case .decimal: FreeholdEngine.Decimal128.self
        case .mixed, .link: Optional<Int>.self
        }
    }

    private static func optional<Value: _Storable>(_ type: Value.Type) -> any _Persistable.Type { Optional<Value>.self }
}
