import BrowserData
import FreeholdEngine
import FreeholdImport

/// Cells as the grid has them, without labels.
enum TestCells {
    static let reading = CellReading(
        property: { _, _, row, column, property in cell(try row.value(column), property, property.collections.first) },
        element: { _, value, property in cell(value, property, property.collections.first) })

    static func cell(_ value: Value, _ property: PropertySchema, _ kind: CollectionKind?) -> JSON {
        var inner = property
        if kind != nil { inner.collections.removeFirst() }
        func elements(_ values: [Value]) -> JSON { .array(values.prefix(3).map { cell($0, inner, inner.collections.first) }) }
        switch value {
        case .list(let values): return ["list": .integer(values.count), "items": elements(values)]
        case .set(let values): return ["set": .integer(values.count), "items": elements(values)]
        case .map(let entries):
            let items = entries.sortedByKey.prefix(3).map { JSON.array([.string($0.key), cell($0.value, inner, inner.collections.first)]) }
            return ["map": .integer(entries.count), "items": .array(items)]
        case .null: return .null
        default: break
        }
        if property.type == .mixed { return ["mixed": .string(value.type!.name), "value": single(value, property)] }
        return single(value, property)
    }

    private static func single(_ value: Value, _ property: PropertySchema) -> JSON {
        switch value {
        case .bool(let flag): .bool(flag)
        case .string(let text) where text.utf8.count > 200: ["text": .string(String(text.prefix(200))), "bytes": .integer(text.utf8.count)]
        case .data(let bytes): ["data": .integer(bytes.count), "start": .string(bytes.prefix(16).map { String($0, radix: 16) }.joined())]
        case .link(let key): ["link": ["class": .string(property.linkTarget ?? ""), "key": .string(key.description), "label": "L"]]
        case .object(let object): ["link": ["class": .integer(object.classNumber), "key": .string(object.key.description), "label": "L"]]
        default: .string(ValueText.format(value))
        }
    }
}
