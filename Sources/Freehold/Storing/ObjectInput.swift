import Foundation

/// A map with values of any type.
protocol UntypedMap {
    var untyped: [String: Any] { get }
    /// All entries, including keys that are other spellings of one string.
    var untypedEntries: [(key: String, value: Any)] { get }
}

/// Creates objects from dictionaries, arrays and other objects.
enum ObjectInput {
    /// Creates an unmanaged object from values: a dictionary by name, or an array in the order of properties. Nil if
    /// `value` is neither.
    static func object(of type: ObjectBase.Type, _ value: Any, _ context: ValueContext) -> ObjectBase? {
        guard isInput(value) else { return nil }
        let object = type.init()
        fill(object, value, context)
        return object
    }

    /// The value if it is an instance of a class. Casting a value of another kind would bridge it to Foundation first.
    static func instance(_ value: Any) -> AnyObject? {
        let bare = type(of: value) is AnyClass ? value : ValueContext.bare(value)
        return type(of: bare) is AnyClass ? bare as AnyObject : nil
    }

    private static func isInput(_ value: Any) -> Bool { value is [String: Any] || value is [Any] || value is ObjectBase || value is any UntypedMap }

    /// Sets the properties that a value names. A value that does not fit is reported as misuse, and ends the setting.
    static func fill(_ object: ObjectBase, _ value: Any, _ context: ValueContext) {
        guard let model = object.modelClass else { return }
        context.given?.begin(object)
        if let source = ObjectInput.instance(value) as? ObjectBase {
            fill(object, source, model, context)
        } else if let values = value as? [String: Any] ?? (value as? any UntypedMap)?.untyped {
            for (place, property) in model.properties.enumerated() {
                guard let value = values[property.name] else { continue }
                guard assign(value, to: place, of: object, model, context) else { return }
            }
        } else if let values = value as? [Any] {
            fill(object, values, model, context)
        } else {
            context.given?.isRefused = true
            Misuse.report("Invalid value '\(value)' to initialize object of type '\(model.name)': missing key '\(model.properties.first?.name ?? "")'.",
                          hint: "Pass a dictionary or an array.")
        }
    }

    /// Sets one property by name.
    static func set(_ value: Any, _ name: String, of object: ObjectBase) {
        guard let model = object.modelClass else { return }
        guard let place = model.place(of: name) else {
            return Misuse.report("Invalid property name '\(name)' for class '\(model.name)'.")
        }
        if !model.properties[place].isStored {
            return Misuse.report("Property '\(model.name).\(name)' cannot be set: it is computed from other objects' links.")
        }
        _ = assign(value, to: place, of: object, model, ValueContext(core: object.core))
    }

    private static func fill(_ object: ObjectBase, _ source: ObjectBase, _ model: ModelClass, _ context: ValueContext) {
        if source.isInvalidated {
            context.given?.isRefused = true
            return Misuse.report("Object has been deleted or invalidated.")
        }
        guard let other = source.modelClass else { return }
        for (place, property) in model.properties.enumerated() {
            guard property.isStored, let from = other.place(of: property.name), other.properties[from].isStored else { continue }
            guard assign(source.anyValue(property.name) ?? NSNull(), to: place, of: object, model, context) else { return }
        }
    }

    private static func fill(_ object: ObjectBase, _ values: [Any], _ model: ModelClass, _ context: ValueContext) {
        let places = model.properties.indices.filter { model.properties[$0].isStored }
        guard values.count <= places.count else {
            context.given?.isRefused = true
            return Misuse.report("Invalid array input: more values (\(values.count)) than properties (\(places.count)).")
        }
        for (place, value) in zip(places, values) where !assign(value, to: place, of: object, model, context) { return }
    }

    /// Sets a property; false if the value does not fit, which has been reported.
    private static func assign(_ value: Any, to place: Int, of object: ObjectBase, _ model: ModelClass, _ context: ValueContext) -> Bool {
        let property = model.properties[place]
        guard property.isStored else { return true }
        if model.isDynamic {
            object.setDynamic(property, to: value)
            return true
        }
        context.given?.note(place, isNothing: property.isCollection && ValueContext.isNothing(value), of: object)
        if property.type._assign(value, object, property.offset, context) { return true }
        context.given?.isRefused = true
        report(context.refused() ?? value, property, model)
        return false
    }

    /// Reports that a value does not fit a property.
    static func report(_ value: Any, _ property: ModelProperty, _ model: ModelClass) {
        let refused = ValueContext.bare(value), shown = ValueContext.isNothing(refused) ? "<null>" : "\(refused)"
        Misuse.report("Invalid value '\(shown)' of type '\(type(of: refused))' for '\(property.kind.described)' property '\(model.name).\(property.name)'.")
    }
}

extension _PropertyKind {
    /// The property's type in words.
    var described: String {
        var text = objectType.map { $0.isDynamic ? "object" : $0.className() } ?? "\(type)"
        for collection in collections.reversed() {
            text = switch collection {
            case .list: "array of \(text)"
            case .set: "set of \(text)"
            case .map: "dictionary of \(text)"
            }
        }
        return text + (isOptional && collections.isEmpty && type != .object ? "?" : "")
    }
}

/// A value that may be nil without being an optional, such as a mixed value.
protocol NothingValue {
    var isNothing: Bool { get }
}

extension ObjectBase {
    /// The value of a property by name; nil if there is no such property, or its value is nil.
    func anyValue(_ name: String) -> Any? {
        guard let model = modelClass, let place = model.place(of: name) else { return nil }
        let property = model.properties[place]
        if model.isDynamic { return dynamicValue(property) }
        func read<Value: _Persistable>(_ type: Value.Type) -> Any { Value._read(self, property.offset) }
        var value = read(property.type)
        if let declared = value as? any DeclaredValue { value = ValueContext.bare(declared.untyped) }
        if let mixed = value as? any NothingValue, mixed.isNothing { return nil }
        return ValueContext.isNothing(value) ? nil : value
    }
}
