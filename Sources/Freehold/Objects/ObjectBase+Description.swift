import Foundation

/// Objects as text.
extension ObjectBase: CustomStringConvertible {
    /// The object and what it leads to, five objects deep.
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
            "\t\(property.name) = \(Self.indented(Self.described(anyValue(property.name), depth: depth)));\n"
        }
        return "\(model.name) {\n\(lines.joined())}"
    }

    private static func described(_ value: Any?, depth: Int) -> String {
        switch value {
        case nil: "(null)"
        case let object as ObjectBase: object.described(depth: depth - 1)
        case let data as Data: "<\(data.prefix(24).map { String(format: "%02x", $0) }.joined())\(data.count > 24 ? "…" : "")> — \(data.count) total bytes"
        case let collection as any DescribedCollection: collection.described(depth: depth)
        case let value?: "\(value)"
        }
    }

    /// A value of an object as text, within lines.
    static func line(_ value: Any?) -> String { indented(described(value, depth: 4)) }

    private static func indented(_ text: String) -> String { text.replacingOccurrences(of: "\n", with: "\n\t") }

    /// Elements as lines within brackets.
    static func described(_ name: String, _ elements: [(label: String, value: Any)], depth: Int) -> String {
        if elements.isEmpty { return "\(name) (\n\n)" }
        let shown = elements.prefix(100).map { "\t[\($0.label)] \(indented(described($0.value, depth: depth)))" }
        let rest = elements.count > 100 ? "\n\t... \(elements.count - 100) objects skipped." : ""
        return "\(name) (\n\(shown.joined(separator: ",\n"))\(rest)\n)"
    }
}

/// A collection as text, within an object's.
protocol DescribedCollection {
    func described(depth: Int) -> String
}
