/// Access to values of maps and mixed values by a path of names: `"phones.home"`.
extension Map: _PathValue {
    /// The value at a path, whose first name is a key of the map. `"@count"` is the number of keys; `"@allKeys"` and
    /// `"@allValues"` are the keys and the values.
    public func value(forKeyPath path: String) -> Any? {
        let (first, rest) = ObjectBase.split(path)
        let value: Any? = switch first {
        case "@count": count
        case "@allKeys": keys
        case "@allValues": values
        default: self[Key(_text: first)]
        }
        return rest.map { following($0, from: value) } ?? value.flatMap { ValueContext.isNothing($0) ? nil : ValueContext.bare($0) }
    }

    /// Sets the value at a path, whose first name is a key of the map. Nil removes a key.
    public func setValue(_ value: Any?, forKeyPath path: String) {
        let (first, rest) = ObjectBase.split(path)
        guard let rest else { return setValue(value, forKey: Key(_text: first)) }
        set(value, following: rest, from: self[Key(_text: first)])
    }
}

extension AnyRealmValue: _PathValue {
    /// The value at a path in the object, list or dictionary that this value is.
    public func value(forKeyPath path: String) -> Any? {
        switch self {
        case .object(let object): object.value(forKeyPath: path)
        case .list(let list): list.value(forKeyPath: path)
        case .dictionary(let map): map.value(forKeyPath: path)
        case .none: nil
        default: following(path, from: AnyRealmValue.bare(self))
        }
    }

    /// Sets the value at a path in the object, list or dictionary that this value is.
    public func setValue(_ value: Any?, forKeyPath path: String) {
        switch self {
        case .object(let object): object.setValue(value, forKeyPath: path)
        case .list(let list): list.setValue(value, forKeyPath: path)
        case .dictionary(let map): map.setValue(value, forKeyPath: path)
        case .none: break
        default: set(value, following: path, from: AnyRealmValue.bare(self))
        }
    }
}

/// Describes mixed values by their content.
extension AnyRealmValue: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        switch self {
        case .object(let object): object.described(depth: depth)
        case .list(let list): list.described(depth: depth)
        case .dictionary(let map): map.described(depth: depth)
        default: ObjectBase.described(AnyRealmValue.bare(self), depth: depth)
        }
    }

    public var description: String { described(depth: 5) }

    /// The content of a mixed value, without its type; nil for `.none`.
    static func bare(_ value: AnyRealmValue) -> Any? {
        switch value {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .dictionary(let value): value
        case .list(let value): value
        }
    }
}
