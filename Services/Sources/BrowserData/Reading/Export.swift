import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// The objects or groups of a query as a file.
public struct Export: Sendable {
    private let file: OpenFile
    private let className: String
    private let query: String
    private let format: RecordFormat

    public init(_ file: OpenFile, _ className: String, _ query: String, _ format: String) throws {
        guard let known = RecordFormat(rawValue: format), known != .control else {
            throw BrowserError(.malformedInput, "'format' must be csv, tsv, json or jsonl, not '\(format)'")
        }
        (self.file, self.className, self.query, self.format) = (file, className, query, known)
    }

    public var fileName: String { "\(className).\(format.rawValue)" }

    public var contentType: String {
        switch format {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .tsv: "text/tab-separated-values; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    /// Throws what is wrong with the query, before anything is written.
    public func check() throws {
        let snapshot = try file.database.snapshot()
        defer { snapshot.end() }
        _ = try snapshot.table(className).prepare(ObjectQuery(query))
    }

    /// Writes everything, of one version.
    public func write(_ body: @escaping ([UInt8]) throws -> Void) throws {
        let snapshot = try file.database.snapshot()
        defer { snapshot.end() }
        let table = try snapshot.table(className), asked = try ObjectQuery(query)
        let prepared = asked == ObjectQuery() ? nil : try table.prepare(asked)
        let sink = ChunkedSink(chunkBytes: 128 << 10, write: body)
        try QueryExport(table, prepared, in: snapshot, format).write(to: sink)
        try sink.flush()
    }
}
