import FreeholdEngine

/// Access to properties of a collection's elements by name.
extension _KeyedCollection where Self: Sequence {
    /// The values at a path of names, one for each element, as an array, with nil for elements that have none.
    ///
    /// ```swift
    /// let names = dogs.value(forKeyPath: "owner.name") as? [String?]
    /// ```
    /// `"self"` is the element itself. A name that begins with `@` is an operator with one result for all elements:
    /// `"@count"`, `"@min.age"`, `"@max.age"`, `"@sum.age"`, `"@avg.age"`, or an array: `"@unionOfObjects.name"`,
    /// `"@distinctUnionOfObjects.name"`, `"@unionOfArrays.tags"`, `"@distinctUnionOfArrays.tags"`.
    public func value(forKeyPath path: String) -> Any? {
        if path.hasPrefix("@") { return KeyPathOperator.value(path, of: self) }
        return map { Self.value(path, of: $0).map(ValueContext.bare) ?? Any?.none as Any }
    }

    /// The values at a path that are not nil.
    fileprivate func values(forKeyPath path: String) -> [Any] { compactMap { Self.value(path, of: $0) } }

    private static func value(_ path: String, of element: Element) -> Any? {
        if path == "self" { return ValueContext.isNothing(element) ? nil : element }
        return (element as? ObjectBase)?.value(forKeyPath: path) ?? (element as? any _PathValue)?.value(forKeyPath: path)
    }

    /// Sets the value at a path of names for every element.
    public func setValue(_ value: Any?, forKeyPath path: String) {
        for element in self {
            if let object = element as? ObjectBase { object.setValue(value, forKeyPath: path) } else { (element as? any _PathValue)?.setValue(value, forKeyPath: path) }
        }
    }
}

extension _KeyedCollection {
    /// The values of the named property of all elements, as an array, with nil for those that are nil.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// Sets a property of every element.
    public func setValue(_ value: Any?, forKey key: String) { setValue(value, forKeyPath: key) }
}

/// The operators of paths that begin with `@`.
private enum KeyPathOperator {
    static func value<Elements: Sequence & _KeyedCollection>(_ path: String, of elements: Elements) -> Any? {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        if parts[0] == "@count" { return elements.reduce(0) { count, _ in count + 1 } }
        guard parts.count == 2 else {
            Misuse.report("Key path '\(path)' lacks a property after the operator: '\(path).name'.")
            return nil
        }
        let values = elements.values(forKeyPath: parts[1])
        switch parts[0] {
        case "@min": return values.min { mixed($0) < mixed($1) }
        case "@max": return values.max { mixed($0) < mixed($1) }
        case "@sum": return sum(values)
        case "@avg": return Average.of(values.map(mixed), as: Double.self)
        case "@unionOfObjects": return values
        case "@distinctUnionOfObjects": return distinct(values)
        case "@unionOfArrays": return joined(values)
        case "@distinctUnionOfArrays": return distinct(joined(values))
        default:
            Misuse.report("Unsupported KVC collection operator found in key path '\(path)'")
            return nil
        }
    }

    private static func mixed(_ value: Any) -> AnyRealmValue { AnyRealmValue._from(value, ValueContext(core: nil)) ?? .none }

    /// The sum of values; a sum of whole numbers is a whole number.
    private static func sum(_ values: [Any]) -> Any {
        let whole = values.compactMap { WholeNumber.from($0) }
        if whole.count == values.count { return Int._sum(whole.map { Int($0) }) }
        if values.contains(where: { $0 is Decimal128 }) { return Decimal128._sum(values.map(mixed).compactMap(\._decimal)) }
        return values.map(mixed).compactMap(\._real).reduce(0, +)
    }

    private static func distinct(_ values: [Any]) -> [Any] {
        var known: Set<AnyHashable> = []
        return values.filter { value in
            let exact = (value as? String).map { AnyHashable(ExactText($0)) } ?? value as? AnyHashable
            return exact.map { known.insert($0).inserted } ?? true
        }
    }

    private static func joined(_ values: [Any]) -> [Any] {
        values.flatMap { value in (value as? any Sequence).map { Array<Any>(erasing: $0) } ?? [value] }
    }
}

extension Array where Element == Any {
    fileprivate init(erasing sequence: any Sequence) {
        self = []
        for element in sequence { append(element) }
    }
}

extension List: _KeyedCollection {}
extension MutableSet: _KeyedCollection {}
extension Results: _KeyedCollection {}
extension LinkingObjects: _KeyedCollection {}

extension List: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        DescribedElements(name: "List<\(DescribedElements.type(of: Element.self, className: place?.described.targetName))>", instance: self).described(self, depth: depth)
    }

    public var description: String { described(depth: 5) }
}

extension MutableSet: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        DescribedElements(name: "MutableSet<\(DescribedElements.type(of: Element.self, className: place?.described.targetName))>", instance: self).described(self, depth: depth)
    }

    public var description: String { described(depth: 5) }
}

extension Results: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        DescribedElements(name: "Results<\(DescribedElements.type(of: Element.self, className: source.subject?.live.model.name))>", instance: source).described(self, depth: depth)
    }

    public var description: String { described(depth: 5) }
}

extension LinkingObjects: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        DescribedElements(name: "LinkingObjects<\(Element.className())>", instance: instance).described(self, depth: depth)
    }

    public var description: String { described(depth: 5) }
}

/// Each entry begins at the start of its line, as in Realm.
extension Map: DescribedCollection, CustomStringConvertible {
    func described(depth: Int) -> String {
        DescribedElements(name: "Map<string, \(DescribedElements.type(of: Value.self, className: place?.described.targetName))>", instance: self)
            .described(labelled: entries.map { ("[\($0.key._text)]:", $0.value as Any) }, depth: depth)
    }

    public var description: String { described(depth: 5) }
}
