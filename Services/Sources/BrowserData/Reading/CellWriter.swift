import FreeholdEngine
import FreeholdImport

/// Writes values as the page shows them: the table of cells in `Services/API.md`.
///
/// A cell costs no more than what it shows: long texts and data are read at their start, collections at their first
/// elements. Used with the version it was made for.
public final class CellWriter {
    /// Characters of a text that a cell shows.
    public static let textLimit = 200
    /// Bytes that hold as many characters, mostly; one that needs more is cut earlier.
    private static let byteLimit = 800
    private static let dataLimit = 16
    private static let itemLimit = 3

    private let source: any ObjectSource
    /// Bytes that may still be read for digests of what cells do not show.
    private var digestBudget: Int
    /// What labels need of a class, by its name.
    private var targets: TextMap<Target> = [:]

    private struct Target {
        let table: Table
        let label: LabelColumns
        let isEmbedded: Bool
    }

    public init(_ source: any ObjectSource, digestBudget: Int = 8 << 20) { (self.source, self.digestBudget) = (source, digestBudget) }

    /// A class's columns in the order of its properties.
    public struct Columns {
        public let table: Table
        public let schema: ClassSchema
        public let columns: [Column]

        public init(_ table: Table) { (self.table, schema, columns) = (table, table.schema, table.columns) }
    }

    /// The cells of an object, an array.
    public func cells(_ row: Row, _ class: Columns, to output: inout JSONOutput) throws {
        try output.array { output in
            for (column, property) in zip(`class`.columns, `class`.schema.properties) {
                try output.element { try cell(row, column, property, `class`.table, to: &$0) }
            }
        }
    }

    /// The cell of one property.
    public func cell(_ row: Row, _ column: Column, _ property: PropertySchema, _ table: Table, to output: inout JSONOutput) throws {
        if !property.collections.isEmpty { return try collection(row.key, column, property, table, to: &output) }
        if try row.isNull(column) { return output.raw("null") }
        switch property.type {
        case .string: try longText(row, column, to: &output)
        case .data: try data(row, column, to: &output)
        case .mixed: try mixed(row, column, property, table, to: &output)
        default: try value(row.value(column), property.linkTarget, to: &output)
        }
    }

    /// A value that has been read.
    ///
    /// - Parameter target: the class of links.
    public func value(_ value: Value, _ target: String?, to output: inout JSONOutput) throws {
        switch value {
        case .null: output.raw("null")
        case .bool(let flag): output.raw(flag ? "true" : "false")
        case .string(let text): self.text(text, to: &output)
        case .data(let bytes):
            let digest = bytes.count > Self.dataLimit ? digest(bytes.count) { $0.add(bytes) } : nil
            data(bytes.count, bytes.prefix(Self.dataLimit), digest, to: &output)
        case .link(let key): try link(key, target ?? "", to: &output)
        case .object(let object): try link(object.key, source.table(of: object).schema.name, to: &output)
        case .list(let values): try items("list", values.count, values.prefix(Self.itemLimit), .of(target), digest(value), to: &output)
        case .set(let values): try items("set", values.count, values.prefix(Self.itemLimit), .of(target), digest(value), to: &output)
        case .map(let entries): 
            try map(entries.count, Array(entries.sortedByKey.prefix(Self.itemLimit)), .of(target), digest(value), to: &output)
        default: output.text(ValueText.format(value))
        }
    }

    // MARK: texts and data

    private func longText(_ row: Row, _ column: Column, to output: inout JSONOutput) throws {
        let count = try row.byteCount(column)
        if count <= Self.byteLimit { return text(try row.string(column), to: &output) }
        let start = String(decoding: Self.whole(try row.read(column, 0..<Self.byteLimit)), as: UTF8.self)
        cut(start, count, try digest(count) { try $0.add(row, column, count) }, to: &output)
    }

    private func text(_ text: String, to output: inout JSONOutput) {
        if text.utf8.count <= Self.textLimit || text.unicodeScalars.count <= Self.textLimit { return output.text(text) }
        cut(text, text.utf8.count, digest(text.utf8.count) { $0.add(.string(text)) }, to: &output)
    }

    private func cut(_ text: String, _ count: Int, _ digest: String?, to output: inout JSONOutput) {
        output.object { output in
            output.field("text", String(text.unicodeScalars.prefix(Self.textLimit)))
            output.field("bytes", count)
            if let digest { output.field("digest", digest) }
        }
    }

    /// Without the part of a character at the end.
    static func whole(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = bytes.count
        while end > 0, bytes.count - end < 4, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0 else { return bytes[...] }
        let lead = bytes[end - 1], length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        return end - 1 + length <= bytes.count ? bytes[...] : bytes[..<(end - 1)]
    }

    private func data(_ row: Row, _ column: Column, to output: inout JSONOutput) throws {
        let count = try row.byteCount(column)
        let digest = count > Self.dataLimit ? try digest(count) { try $0.add(row, column, count) } : nil
        data(count, try row.read(column, 0..<Self.dataLimit)[...], digest, to: &output)
    }

    private func data(_ count: Int, _ start: ArraySlice<UInt8>, _ digest: String?, to output: inout JSONOutput) {
        output.object { output in
            output.field("data", count)
            output.field("start", start.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            if let digest { output.field("digest", digest) }
        }
    }

    // MARK: links

    private func link(_ key: ObjectKey, _ className: String, to output: inout JSONOutput) throws {
        let target = try target(className)
        try output.object { output in
            try output.object(target.isEmbedded ? "embedded" : "link") { output in
                try reference(key, target, className, to: &output)
                if target.isEmbedded, let digest = try digest(ofEmbedded: key, target) { output.field("digest", digest) }
            }
        }
    }

    /// An object's class, key and label, as fields.
    public func reference(_ key: ObjectKey, of className: String, to output: inout JSONOutput) throws {
        try reference(key, target(className), className, to: &output)
    }

    private func reference(_ key: ObjectKey, _ target: Target, _ className: String, to output: inout JSONOutput) throws {
        let row = try target.table.row(key)
        output.field("class", try row?.className ?? className)
        output.field("key", key)
        output.field("label", try row.map { try target.label.text(of: $0) } ?? "")
    }

    private func target(_ className: String) throws -> Target {
        if let known = targets[className] { return known }
        let table = try source.table(className, withSubclasses: true)
        let made = Target(table: table, label: LabelColumns(table), isEmbedded: table.schema.isEmbedded)
        targets[className] = made
        return made
    }

    // MARK: digests

    /// The digest of what a cell does not show; nil if that would be too much to read for one answer.
    private func digest(_ count: Int, _ body: (inout ValueDigest) throws -> Void) rethrows -> String? {
        guard count <= digestBudget else { return nil }
        digestBudget -= count
        var digest = ValueDigest()
        try body(&digest)
        return digest.text
    }

    private func digest(_ value: Value) -> String? {
        value.elementCount > Self.itemLimit ? digest(value.elementCount * 32) { $0.add(value) } : nil
    }

    /// Of an embedded object: of all its values, and of those embedded in it.
    private func digest(ofEmbedded key: ObjectKey, _ target: Target, depth: Int = 8) throws -> String? {
        guard depth > 0, let row = try target.table.row(key) else { return nil }
        let own = try source.table(row.className, withSubclasses: true)
        guard let ownRow = try own.row(key) else { return nil }
        return try digest(own.columns.count * 32) { digest in
            for (column, property) in zip(own.columns, own.schema.properties) {
                let value = try ownRow.value(column)
                digest.add(value)
                guard let name = property.linkTarget, case .link(let inner) = value else { continue }
                let next = try self.target(name)
                if next.isEmbedded, let below = try self.digest(ofEmbedded: inner, next, depth: depth - 1) { digest.add(Array(below.utf8)) }
            }
        }
    }

    // MARK: collections and mixed values

    private func collection(
        _ key: ObjectKey, _ column: Column, _ property: PropertySchema, _ table: Table, to output: inout JSONOutput
    ) throws {
        guard let cursor = try CollectionCursor(of: key, in: table, column) else { return output.raw("null") }
        let isNested = property.collections.count > 1
        let elements = property.type == .mixed ? Elements.mixed : .of(property.linkTarget)
        try self.view(try cursor.view(in: table, column), elements, shows: isNested ? 0 : Self.itemLimit, to: &output)
    }

    /// What a collection holds.
    private enum Elements {
        /// Values of any type, each shown with it.
        case mixed
        /// Values of one type; the class of links.
        case of(String?)
    }

    /// An element of a collection; the property says of what.
    func element(_ value: Value, of property: PropertySchema, to output: inout JSONOutput) throws {
        try element(value, property.type == .mixed ? .mixed : .of(property.linkTarget), to: &output)
    }

    private func element(_ value: Value, _ elements: Elements, to output: inout JSONOutput) throws {
        switch elements {
        case .mixed: try mixed(value, to: &output)
        case .of(let target): try self.value(value, target, to: &output)
        }
    }

    private func view(_ view: CollectionView, _ elements: Elements, shows limit: Int, to output: inout JSONOutput) throws {
        let shown = 0..<min(view.count, limit)
        let digest = view.count > limit ? try digest(view.count * 32) { try $0.add(view) } : nil
        switch view {
        case .list: try items("list", view.count, view.values(in: shown)[...], elements, digest, to: &output)
        case .set: try items("set", view.count, view.values(in: shown)[...], elements, digest, to: &output)
        case .map(let map):
            let entries = try zip(shown, view.values(in: shown)).map { (try map.key(at: $0), $1) }
            try self.map(view.count, entries, elements, digest, to: &output)
        }
    }

    private func items(
        _ kind: StaticString, _ count: Int, _ values: ArraySlice<Value>, _ elements: Elements, _ digest: String?,
        to output: inout JSONOutput
    ) throws {
        try output.object { output in
            output.field(kind, count)
            if let digest { output.field("digest", digest) }
            try output.array("items") { output in
                for value in values { try output.element { try element(value, elements, to: &$0) } }
            }
        }
    }

    private func map(
        _ count: Int, _ entries: [(key: String, value: Value)], _ elements: Elements, _ digest: String?, to output: inout JSONOutput
    ) throws {
        try output.object { output in
            output.field("map", count)
            if let digest { output.field("digest", digest) }
            try output.array("items") { output in
                for (key, value) in entries {
                    try output.element { output in
                        try output.array { output in
                            output.element(key)
                            try output.element { try element(value, elements, to: &$0) }
                        }
                    }
                }
            }
        }
    }

    private func mixed(_ row: Row, _ column: Column, _ property: PropertySchema, _ table: Table, to output: inout JSONOutput) throws {
        // A collection is looked at without reading it whole.
        if let cursor = try? CollectionCursor(of: row.key, in: table, column) {
            return try view(try cursor.view(in: table, column), .mixed, shows: 0, to: &output)
        }
        try mixed(row.value(column), to: &output)
    }

    /// A value of a mixed property, or an element of a collection of mixed values.
    public func mixed(_ value: Value, to output: inout JSONOutput) throws {
        guard let type = value.type, type != .link else { return try self.value(value, nil, to: &output) }
        try output.object { output in
            output.field("mixed", type.name)
            try output.field("value") { try self.value(value, nil, to: &$0) }
        }
    }
}

/// What an object is called where there is room for one line: its primary key, and its first text that is not empty.
public struct LabelColumns {
    private let keys: [Column]
    private let texts: [Column]
    private static let limit = 60

    public init(_ table: Table) {
        let schema = table.schema, columns = table.columns
        let pairs = Array(zip(schema.properties, columns))
        keys = schema.primaryKeys.compactMap { name in pairs.first { $0.0.name.isSame(as: name) }?.1 }
        let texts = pairs.filter { $0.0.type == .string && $0.0.collections.isEmpty && !schema.primaryKeys.has($0.0.name) }
        self.texts = texts.prefix(4).map(\.1)
    }

    /// The label of an object; empty if it has nothing of it.
    public func text(of row: Row) throws -> String {
        var parts: [String] = []
        for column in keys {
            let part = column.type == .string ? try start(of: row, column) : ValueText.format(try row.value(column))
            if !part.isEmpty { parts.append(part) }
        }
        for column in texts {
            let part = try start(of: row, column)
            if part.isEmpty { continue }
            parts.append(part)
            break
        }
        return parts.joined(separator: " · ")
    }

    private func start(of row: Row, _ column: Column) throws -> String {
        let bytes = CellWriter.whole(try row.read(column, 0..<4 * Self.limit))
        let text = String(decoding: bytes, as: UTF8.self)
        return text.unicodeScalars.count > Self.limit ? String(text.unicodeScalars.prefix(Self.limit)) + "…" : text
    }
}

extension CellReading {
    /// The cells that grids show.
    public static let shown = CellReading(
        property: { source, table, row, column, property in
            var output = JSONOutput()
            try CellWriter(source, digestBudget: .max).cell(row, column, property, table, to: &output)
            return try JSON(parsing: output.bytes)
        },
        element: { source, value, property in
            var output = JSONOutput()
            let cells = CellWriter(source, digestBudget: .max)
            try cells.element(value, of: property, to: &output)
            return try JSON(parsing: output.bytes)
        })
}
