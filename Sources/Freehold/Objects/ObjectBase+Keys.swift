/// Properties by name.
extension ObjectBase {
    /// The value of the property so named; nil if it is nil. Tells if there is no such property.
    public final func value(forKey key: String) -> Any? { self[key] }

    /// Sets the property so named; tells if there is none, or the value does not fit.
    public final func setValue(_ value: Any?, forKey key: String) { self[key] = value }

    /// The value that a path of names leads to, by way of links: `"owner.name"`. Nil if a link on the way is.
    public final func value(forKeyPath path: String) -> Any? {
        let (first, rest) = Self.split(path), value = self[first]
        guard let rest else { return value }
        guard let value else { return nil }
        if let object = value as? ObjectBase { return object.value(forKeyPath: rest) }
        if let collection = value as? any _PathValue { return collection.value(forKeyPath: rest) }
        Misuse.report("Property '\(first)' of class '\(Self.className())' leads to no object, so '\(path)' leads nowhere.")
        return nil
    }

    /// Sets the property that a path of names leads to, by way of links.
    public final func setValue(_ value: Any?, forKeyPath path: String) {
        let (first, rest) = Self.split(path)
        guard let rest else { return self[first] = value }
        switch self[first] {
        case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
        case let collection as any _PathValue: collection.setValue(value, forKeyPath: rest)
        case nil: break
        default: Misuse.report("Property '\(first)' of class '\(Self.className())' leads to no object, so '\(path)' leads nowhere.")
        }
    }

    static func split(_ path: String) -> (String, String?) {
        guard let dot = path.firstIndex(of: ".") else { return (path, nil) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}

/// What a path of names goes on from, beside objects: collections, maps, mixed values.
public protocol _PathValue {
    /// What a path of names leads to.
    func value(forKeyPath path: String) -> Any?
    /// Sets what a path of names leads to.
    func setValue(_ value: Any?, forKeyPath path: String)
}

extension _PathValue {
    /// What a path leads to from what its first name stands for, which is `value`.
    func following(_ rest: String, from value: Any?) -> Any? {
        switch value {
        case let object as ObjectBase: return object.value(forKeyPath: rest)
        case let further as any _PathValue: return further.value(forKeyPath: rest)
        default:
            if let value, !ValueContext.isNothing(value) { Misuse.report("'\(rest)' was asked of '\(value)', which has no properties.") }
            return nil
        }
    }

    /// Sets what a path leads to from what its first name stands for, which is `first`.
    func set(_ value: Any?, following rest: String, from first: Any?) {
        switch first {
        case let object as ObjectBase: object.setValue(value, forKeyPath: rest)
        case let further as any _PathValue: further.setValue(value, forKeyPath: rest)
        default:
            if let first, !ValueContext.isNothing(first) { Misuse.report("'\(rest)' was to be set in '\(first)', which has no properties.") }
        }
    }
}

/// A collection whose elements have properties.
public protocol _KeyedCollection: _PathValue {}
