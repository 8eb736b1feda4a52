import Foundation

/// Objects as strings.
extension ObjectBase: CustomStringConvertible {
    /// The object and the objects that it links to, five objects deep.
    ///
    /// ```
    /// Dog {
    ///     name = Fido;
    ///     age = 1;
    /// }
    /// ```
    public var description: String { described(depth: 5) }

    final func described(depth: Int) -> String {
        if isInvalidated { return "[invalid object]" }
        if depth == 0 { return "<Maximum depth exceeded>" }
        guard let model = modelClass else { return className }
        let lines = model.properties.filter(\.isStored).map { property in
            let value = anyValue(property.name), shown = value.flatMap { PlainCollection($0, property.kind, property.targetName) } ?? value
            return "\t\(property.name) = \(Self.indented(Self.described(shown, depth: depth)));\n"
        }
        return "\(model.name) {\n\(lines.joined())}"
    }

    /// A value as a string: optionals unwrapped, enumerations and wrappers as their stored values, a bool as 1 or 0.
    static func described(_ value: Any?, depth: Int) -> String {
        switch value.map({ ValueContext.bare($0) }) {
        case nil: return "(null)"
        case let object as ObjectBase: return object.described(depth: depth - 1)
        case let collection as any DescribedCollection: return collection.described(depth: depth - 1)
        case let flag as Bool: return flag ? "1" : "0"
        case let data as Data:
            return "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined())\(data.count > 24 ? "…" : "")> — \(data.count) total bytes"
        case let value?:
            if ValueContext.isNothing(value) { return "(null)" }
            if let kept = kept(value) { return described(kept, depth: depth) }
            return "\(value)"
        }
    }

    /// The stored value of an enumeration or a wrapper; nil for other values.
    private static func kept(_ value: Any) -> Any? {
        func persisted<Kept: RealmCollectionValue>(_ value: Kept) -> Any? { Kept.PersistedType.self == Kept.self ? nil : value.persisted }
        return (value as? any RealmCollectionValue).flatMap { persisted($0) }
    }

    /// A property's value as a string, indented for use within lines.
    static func line(_ value: Any?) -> String { indented(described(value, depth: 5)) }

    static func indented(_ text: String) -> String { text.replacingOccurrences(of: "\n", with: "\n\t") }
}

/// A collection that can be described within an object's description.
protocol DescribedCollection {
    func described(depth: Int) -> String
}

/// Formats elements as lines within brackets, each with its position or its key.
///
/// ```
/// List<Dog> <0x7f3a1c004a20> (
///     [0] Dog {
///         name = Fido;
///     },
///     [1] …
/// )
/// ```
struct DescribedElements {
    /// The collection and the type of its elements: `List<int>`.
    let name: String
    /// The instance that identifies the collection; nil if there is none.
    let instance: AnyObject?

    /// The element type in words: the class of objects, `int`, `string`, `List<int>`.
    ///
    /// - Parameter className: the class of objects, if the program does not declare it.
    static func type<Element: RealmCollectionValue>(of type: Element.Type, className: String? = nil) -> String {
        self.type(of: Element._kind, className: className)
    }

    static func type(of kind: _PropertyKind, className: String? = nil) -> String {
        let value = kind.objectType.map { $0.isDynamic ? className ?? "object" : $0.className() } ?? "\(kind.type)"
        return kind.collections.reversed().reduce(value) { inner, collection in
            switch collection {
            case .list: "List<\(inner)>"
            case .set: "MutableSet<\(inner)>"
            case .map: "Map<string, \(inner)>"
            }
        }
    }

    /// The name of a Swift type without its optionals: `String` for `String?`.
    static func name(of type: Any.Type) -> String {
        var shown = "", isOptional: [Bool] = []
        for character in "\(type)" {
            switch character {
            case "<":
                let word = shown.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                isOptional.append(String(word.reversed()) == "Optional")
                if isOptional.last == true { shown = String(shown.dropLast(word.count)) } else { shown.append(character) }
            case ">" where shown.last != "-" && isOptional.popLast() == true: break
            default: shown.append(character)
            }
        }
        return shown
    }

    /// The elements, each after its label.
    func described(labelled elements: [(label: String, value: Any?)], depth: Int) -> String {
        if depth <= 0 { return "<Maximum depth exceeded>" }
        let shown = elements.prefix(100).map { label, value in "\(label) \(ObjectBase.indented(ObjectBase.described(value, depth: depth)))" }
        let rest = elements.count > 100 ? "\n\t... \(elements.count - 100) objects skipped." : ""
        let address = instance.map { " <0x\(String(UInt(bitPattern: ObjectIdentifier($0)), radix: 16))>" } ?? ""
        return "\(name)\(address) (\n\(shown.joined(separator: ",\n"))\(rest)\n)"
    }

    /// The elements, each after its position.
    func described(_ elements: some Sequence, depth: Int) -> String {
        described(labelled: elements.enumerated().map { ("\t[\($0)]", $1 as Any) }, depth: depth)
    }
}

/// A nested collection of an untyped object, as arrays and dictionaries, formatted like that of a typed object.
private struct PlainCollection: DescribedCollection {
    private let value: Any
    private var kind: _PropertyKind
    /// The class of the objects in the collection; nil for values.
    private let className: String?

    init?(_ value: Any, _ kind: _PropertyKind, _ className: String?) {
        guard value is [Any] || value is [String: Any] else { return nil }
        (self.value, self.kind, self.className) = (value, kind, className)
        // A mixed value may be a collection.
        if kind.collections.isEmpty { self.kind.collections = [value is [Any] ? .list : .map] }
    }

    func described(depth: Int) -> String {
        var inner = kind
        inner.collections = Array(kind.collections.dropFirst())
        let shown = DescribedElements(name: DescribedElements.type(of: kind, className: className), instance: nil)
        func element(_ value: Any) -> Any { PlainCollection(value, inner, className) ?? value }
        if let entries = value as? [String: Any] {
            let sorted = entries.sorted { $0.key.precedes($1.key) }
            return shown.described(labelled: sorted.map { ("[\($0.key)]:", element($0.value)) }, depth: depth)
        }
        return shown.described((value as? [Any] ?? []).map(element), depth: depth)
    }
}
