import FreeholdEngine
import FreeholdImport
import Glibc

/// Imports records that a page sent: all of them in one transaction, or none.
public enum RecordImport {
    /// - Parameter descriptor: a file with the records, read from its start.
    public static func run(
        _ file: OpenFile, _ descriptor: Int32, _ count: Int, into className: String, _ format: String, primaryKey: String?,
        _ progress: JobProgress
    ) throws -> [UInt8] {
        guard let known = RecordFormat(rawValue: format) ?? RecordFormat(fileName: format) else {
            throw BrowserError(.malformedInput, "'\(format)' is no format of records: json, jsonl, csv or tsv")
        }
        if ClassSchema.isHidden(className) || className.isEmpty {
            throw BrowserError(.malformedInput, "'\(className)' is no name of a class")
        }
        lseek(descriptor, 0, SEEK_SET)
        let input = ByteInput(length: count) { buffer in
            let read = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return read < 0 ? Int(-errno) : read
        }
        var options = ImportOptions(into: className)
        options.primaryKey = primaryKey
        let importer = Importer(known.reader(input), format: known, into: file.database, options: options)
        importer.onProgress = { progress.note($0.byteCount, count, "\($0.recordCount) records") }
        let summary = try importer.run()
        return JSONOutput.object { output in
            output.field("records", summary.recordCount)
            output.field("nested", summary.nestedCount)
            output.field("createdClasses", summary.createdClasses)
            output.field("addedProperties", summary.addedProperties)
        }
    }
}
