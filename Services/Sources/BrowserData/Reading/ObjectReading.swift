import FreeholdEngine
import FreeholdImport

/// Answers about one object: all its properties, the elements of a collection, who links to it, the pieces of a long value.
public struct ObjectReading {
    let snapshot: Snapshot
    let className: String
    let key: ObjectKey
    private let family: Table

    public init(_ key: ObjectKey, of className: String, _ snapshot: Snapshot) throws {
        (self.key, self.className, self.snapshot) = (key, className, snapshot)
        family = try snapshot.table(className)
    }

    private var gone: BrowserError { BrowserError(.notFound, "object \(key) of class '\(className)' does not exist any more") }

    /// The object in the table of its own class.
    private func find() throws -> (row: Row, table: Table) {
        guard let row = try family.row(key) else { throw gone }
        let own = try row.className
        if own.isSame(as: className) { return (row, family) }
        let table = try snapshot.table(own)
        guard let row = try table.row(key) else { throw gone }
        return (row, table)
    }

    private func column(_ property: String, _ table: Table) throws -> (Column, PropertySchema) {
        let schema = table.schema
        guard let place = schema.properties.firstIndex(where: { $0.name.isSame(as: property) }) else {
            throw FreeholdError(.unknownProperty, "class '\(schema.name)' has no property '\(property)'")
        }
        return (table.columns[place], schema.properties[place])
    }

    // MARK: the object

    public func object() throws -> [UInt8] {
        let (row, table) = try find(), cells = CellWriter(snapshot)
        return try JSONOutput.object { output in
            output.field("version", snapshot.version)
            output.field("class", table.schema.name)
            output.field("key", key)
            output.field("label", try LabelColumns(table).text(of: row))
            try output.field("cells") { try cells.cells(row, CellWriter.Columns(table), to: &$0) }
            try output.array("backlinks") { output in
                for (name, property, count) in try backlinkCounts(table) {
                    output.elementObject { output in
                        output.field("class", name)
                        output.field("property", property)
                        output.field("count", count)
                    }
                }
            }
        }
    }

    private func backlinkCounts(_ table: Table) throws -> [(class: String, property: String, count: Int)] {
        let classes = try snapshot.classes
        let line = classes.first { $0.name.isSame(as: table.schema.name) }.map { SchemaWriter.line($0, among: classes) } ?? []
        var counts: [(class: String, property: String, count: Int)] = []
        for other in classes {
            for property in other.properties where property.linkTarget.map({ line.has($0) }) ?? false {
                let linking = try snapshot.table(other.name)
                let count = try linking.backlinkCount(to: key, from: linking.column(property.name))
                if count > 0 { counts.append((other.name, property.name, count)) }
            }
        }
        return counts
    }

    // MARK: who links to it

    /// At most this many elements or objects are given at once.
    static let pageLimit = 500

    public func backlinks(from otherClass: String, _ property: String, _ from: Int, _ count: Int) throws -> [UInt8] {
        guard try family.contains(key) else { throw gone }
        let linking = try snapshot.table(otherClass), column = try linking.column(property)
        let keys = try linking.backlinks(to: key, from: column), cells = CellWriter(snapshot)
        return try JSONOutput.object { output in
            output.field("version", snapshot.version)
            output.field("count", keys.count)
            try output.array("objects") { output in
                for key in keys.dropFirst(max(0, from)).prefix(max(0, min(count, Self.pageLimit))) {
                    try output.elementObject { try cells.reference(key, of: otherClass, to: &$0) }
                }
            }
        }
    }

    // MARK: collections

    public func elements(_ property: String, _ path: [CollectionStep], _ from: Int, _ count: Int) throws -> [UInt8] {
        let (_, table) = try find(), (column, schema) = try column(property, table)
        guard var cursor = try CollectionCursor(of: key, in: table, column) else { throw gone }
        for step in path { cursor = try cursor.inner(step, in: table, column) }
        let view = try cursor.view(in: table, column), cells = CellWriter(snapshot)
        let first = max(0, min(from, view.count)), range = first..<min(first + max(0, min(count, Self.pageLimit)), view.count)
        let isInnermost = schema.type == .mixed ? path.count >= schema.collections.count : path.count == schema.collections.count - 1
        return try JSONOutput.object { output in
            output.field("version", snapshot.version)
            output.field("kind", view.kindName)
            output.field("count", view.count)
            output.field("from", range.lowerBound)
            try output.array("items") { output in
                for position in range {
                    try output.elementObject { output in
                        if case .map(let map) = view { output.field("name", try map.key(at: position)) }
                        try output.field("cell") { output in
                            if !isInnermost || schema.type == .mixed, let inner = try inner(view, position, cursor, table, column) {
                                return try cells.head(inner, to: &output)
                            }
                            let value = try view[position]
                            try cells.element(value, of: schema, to: &output)
                        }
                    }
                }
            }
        }
    }

    /// The collection at a position; nil if it is none. A large one is not read for that.
    private func inner(
        _ view: CollectionView, _ position: Int, _ cursor: CollectionCursor, _ table: Table, _ column: Column
    ) throws -> CollectionView? {
        let step: CollectionStep
        if case .map(let map) = view { step = .key(try map.key(at: position)) } else { step = .position(position) }
        guard let inner = try? cursor.inner(step, in: table, column) else { return nil }
        return try inner.view(in: table, column)
    }

    // MARK: long values

    /// A piece of a string, cut between characters. More than this is not given at once.
    private static let pieceLimit = 256 << 10

    public func text(_ property: String, from: Int, count: Int) throws -> [UInt8] {
        let (row, table) = try find(), (column, _) = try column(property, table)
        guard column.type == .string, !column.isCollection else { throw FreeholdError(.typeMismatch, "'\(property)' is no string") }
        let total = try row.byteCount(column), first = max(0, min(from, total))
        let bytes = try row.read(column, first..<min(first + max(4, min(count, Self.pieceLimit)), total))
        // A piece that begins within a character begins behind it.
        let start = bytes.firstIndex { $0 & 0xC0 != 0x80 } ?? bytes.count
        let whole = CellWriter.whole(Array(bytes[start...]))
        return JSONOutput.object { output in
            output.field("version", snapshot.version)
            output.field("from", first + start)
            output.field("bytes", total)
            output.field("text", String(decoding: whole, as: UTF8.self))
            output.field("next", first + start + whole.count)
        }
    }

    /// The length of a string or data property.
    public func byteCount(_ property: String) throws -> Int {
        let (row, table) = try find()
        return try row.byteCount(column(property, table).0)
    }

    /// A piece of the bytes of a string or data property.
    public func bytes(_ property: String, _ range: Range<Int>) throws -> [UInt8] {
        let (row, table) = try find()
        return try row.read(column(property, table).0, range)
    }
}

extension CellWriter {
    /// A collection with its number of elements alone.
    func head(_ view: CollectionView, to output: inout JSONOutput) throws {
        output.object { output in
            switch view {
            case .list: output.field("list", view.count)
            case .set: output.field("set", view.count)
            case .map: output.field("map", view.count)
            }
            output.array("items") { _ in }
        }
    }
}
