import Foundation
import FreeholdEngine

/// The Swift types for properties of a file's schema.
extension ModelProperty {
    /// The type of the property's single value; nil for collections.
    var valueType: (any _Storable.Type)? { (type as? any DeclaredValue.Type)?.valueType ?? type as? any _Storable.Type }

    /// A property of a class of a file.
    fileprivate convenience init(_ schema: PropertySchema, of owner: ClassSchema, objects: ObjectBase.Type) {
        var attributes = PropertyAttributes()
        attributes.isPrimaryKey = schema.name.isSame(as: owner.primaryKey)
        attributes.isIndexed = schema.isIndexed
        attributes.isUnique = schema.isUnique
        attributes.deleteRule = schema.deleteRule
        var kind = _PropertyKind(PropertyType(schema.type), objectType: schema.type == .link ? objects : nil)
        kind.isOptional = schema.isNullable
        kind.collections = schema.collections
        self.init(schema.name, type: Self.swiftType(of: schema, objects), kind: kind, targetName: schema.linkTarget, attributes: attributes)
    }

    /// The type of the property's values, or of its collection's elements.
    private static func swiftType(of schema: PropertySchema, _ objects: ObjectBase.Type) -> any _Persistable.Type {
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

extension ModelClass {
    /// Creates the model of a class of a file, whose objects are instances of `type`.
    ///
    /// - Parameter known: the program's class with that name, whose property names are accepted too.
    convenience init(_ schema: ClassSchema, as type: ObjectBase.Type, known: ModelClass? = nil) {
        self.init(schema, as: type, properties: schema.properties.map { ModelProperty($0, of: schema, objects: type) }, known: known)
    }
}
