import FreeholdEngine
import FreeholdImport

/// Writes the objects or groups of a query as CSV, TSV, JSON or JSON lines, as `freehold export` and `freehold query` do.
///
/// ```swift
/// let sink = ChunkedSink { try response.write($0) }
/// let query = try table.prepare(ObjectQuery("price < 10"))
/// try QueryExport(table, query, in: snapshot, .csv).write(to: sink)
/// try sink.flush()
/// ```
public struct QueryExport {
    private let query: PreparedQuery?
    private let reader: ObjectReader
    private let family: FamilyReader?
    private let format: RecordFormat

    /// Prepares an export.
    ///
    /// - Parameters:
    ///   - query: a query of the table; nil for all objects, which are then not collected first.
    ///   - properties: the properties to write, in this order; nil for all. Without them, each object of a class with subclasses
    ///     is written with its own class, as `$class`, and that class's properties.
    /// - Throws: `FreeholdError.Code.unknownProperty` if the class lacks one of the properties, `.invalidArgument` for the format
    ///   `control`, which can only be imported.
    public init(
        _ table: Table, _ query: PreparedQuery? = nil, in snapshot: Snapshot, _ format: RecordFormat, properties: [String]? = nil
    ) throws {
        guard format != .control else {
            throw FreeholdError(.invalidArgument, "the control format can only be imported; export json, jsonl, csv or tsv")
        }
        self.query = query
        self.format = format
        reader = try ObjectReader(table, in: snapshot, properties: properties)
        family = properties == nil ? try FamilyReader(table, in: snapshot) : nil
    }

    /// Runs the query and writes its answer.
    ///
    /// - Parameters:
    ///   - delimiter: the field separator of CSV and TSV; nil for the format's default.
    ///   - progress: receives the number of objects written and their total, every 1,024 objects and at the end. What it throws
    ///     ends the export.
    public func write(
        to sink: some ByteSink, delimiter: UInt8? = nil, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws {
        if let query, let names = query.query.groupNames { return try writeGroups(query, names, to: sink, delimiter) }
        var writer = family.map { ObjectWriter(format, $0, to: sink) } ?? ObjectWriter(format, reader, to: sink)
        writer.delimiter = delimiter ?? writer.delimiter
        let keys = try query?.keys(), total = keys?.count ?? reader.table.count
        var done = 0
        try writer.begin()
        func write(_ row: Row) throws {
            if let family {
                let (name, own) = try family.reader(of: row)
                try writer.write(try own.values(row), of: name)
            } else {
                try writer.write(try reader.values(row))
            }
            done += 1
            if done % 1024 == 0 || done == total { try progress(done, total) }
        }
        if let keys {
            try reader.table.forEach(keys) { row in
                if let row { try write(row) }
                return true
            }
        } else {
            try reader.table.forEach { row in
                try write(row)
                return true
            }
        }
        try writer.end()
    }

    private func writeGroups(_ query: PreparedQuery, _ names: [String], to sink: some ByteSink, _ delimiter: UInt8?) throws {
        var writer = ObjectWriter(format, names: names, to: sink)
        writer.delimiter = delimiter ?? writer.delimiter
        try writer.begin()
        for group in try query.groups() { try writer.write(group.values + group.figures) }
        try writer.end()
    }
}

extension ObjectQuery {
    /// The names of the columns of its groups; nil if its answer is objects.
    public var groupNames: [String]? {
        for case .group(let paths, let figures) in steps { return paths.map(\.description) + figures.map(\.description) }
        return nil
    }
}
