/// Access to properties by name.
extension ObjectBase {
    /// The value of the named property; nil if it is nil. Reports misuse if there is no such property.
    public final func value(forKey key: String) -> Any? { self[key] }

    /// Sets the named property. Reports misuse if there is no such property, or if the value does not fit.
    public final func setValue(_ value: Any?, forKey key: String) { self[key] = value }

    /// The value at a path of names, over links: `"owner.name"`. Nil if a link on the path is nil.
    public final func value(forKeyPath path: String) -> Any? {
        let (first, rest) = Self.split(path), value = self[first]
        guard let rest else { return value }
        guard let value else { return nil }
        if let object = value as? ObjectBase { return object.value(forKeyPath: rest) }
        if let collection = value as? any _PathValue { return collection.value(forKeyPath: rest) }
        Misuse.report("Property '\(first)' of class '\(Self.className())' is not a link to an object, so '\(path)' cannot be followed.")
        return nil
    }

    /// Sets the property at a path of names, over links.
    public final func setValue(_ value: Any?, forKeyPath path: String) {
        let (first, rest) = Self.split(path)
        guard let rest else { return self[first] = value }
        switch self[first] {
        case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
        case let collection as any _PathValue: collection.setValue(value, forKeyPath: rest)
        case nil: break
        default: Misuse.report("Property '\(first)' of class '\(Self.className())' is not a link to an object, so '\(path)' cannot be followed.")
        }
    }

    static func split(_ path: String) -> (String, String?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}

/// A value, other than an object, that a path of names can continue from: a collection, a map, a mixed value.
public protocol _PathValue {
    /// The value at a path of names.
    func value(forKeyPath path: String) -> Any?
    /// Sets the value at a path of names.
    func setValue(_ value: Any?, forKeyPath path: String)
}

extension _PathValue {
    /// The value at the rest of a path, from `value`, which its first name stands for.
    func following(_ rest: String, from value: Any?) -> Any? {
        switch value {
        case let object as ObjectBase: return object.value(forKeyPath: rest)
        case let further as any _PathValue: return further.value(forKeyPath: rest)
        default:
            if let value, !ValueContext.isNothing(value) { Misuse.report("'\(rest)' was read from '\(value)', which has no properties.") }
            return nil
        }
    }

    /// Sets the value at the rest of a path, from `first`, which its first name stands for.
    func set(_ value: Any?, following rest: String, from first: Any?) {
        switch first {
        case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
        case let further as any _PathValue: further.setValue(value, forKeyPath: rest)
        default:
            if let first, !ValueContext.isNothing(first) { Misuse.report("'\(rest)' cannot be set in '\(first)', which has no properties.") }
        }
    }
}

/// A collection whose elements have properties.
public protocol _KeyedCollection: _PathValue {}
