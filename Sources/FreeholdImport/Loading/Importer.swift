import FreeholdEngine

/// Imports records into a database: infers the classes or uses existing ones, resolves links, and stops at or skips bad
/// records.
///
/// 1. If bad records stop the import, it is one transaction, which is rolled back: nothing is written.
/// 2. If bad records are skipped, every `batchSize` records are one transaction. It begins after the records have been
///    read, so that a slow input keeps no other process waiting.
/// 3. An error outside of records (the disk, the database, text that cannot be parsed further) always stops the import;
///    with skipping, committed batches remain.
/// 4. Within a caller's transaction the import begins and ends no transaction.
public final class Importer {
    private static let sampleBytes = 16 << 20
    private static let recordsAtOnce = 512

    private let reader: any RecordReader
    private let target: Target
    private let options: ImportOptions
    private let isAllText: Bool
    private var summary = ImportSummary()
    private var hasEnded = false
    /// The error that ended the text early, if everything before it is to be kept.
    private var endingFault: ImportError?

    /// The transaction that receives the records.
    private enum Target {
        /// Transactions of the import itself.
        case database(Database)
        /// The caller's transaction, which the caller ends.
        case transaction(WriteTransaction)
    }

    /// Called with the progress after every few hundred records.
    public var onProgress: (ImportSummary) -> Void = { _ in }
    /// Called in the first transaction, when the classes have the properties of the first records and no record is written
    /// yet. An error stops the import: then nothing is written.
    public var onPrepared: (WriteTransaction) throws -> Void = { _ in }
    /// Called with every bad record that is skipped.
    public var onBadRecord: (ImportError) -> Void = { _ in }

    /// Creates an import of the records from `reader`, in `format`, into `database`.
    public convenience init(_ reader: any RecordReader, format: RecordFormat, into database: Database, options: ImportOptions) {
        self.init(reader, format, .database(database), options)
    }

    /// Creates an import within a caller's transaction, which the import neither commits nor, after an error, rolls
    /// back: create a savepoint first.
    public convenience init(_ reader: any RecordReader, format: RecordFormat, within transaction: WriteTransaction, options: ImportOptions) {
        self.init(reader, format, .transaction(transaction), options)
    }

    private init(_ reader: any RecordReader, _ format: RecordFormat, _ target: Target, _ options: ImportOptions) {
        self.reader = reader
        self.target = target
        self.options = options
        isAllText = format != .json && format != .jsonl
    }

    private func begin() throws(FreeholdError) -> WriteTransaction {
        switch target {
        case .database(let database): try database.beginWrite()
        case .transaction(let transaction): transaction
        }
    }

    private func commit(_ transaction: WriteTransaction) throws(FreeholdError) {
        if case .database = target { try transaction.commit() }
    }

    private func rollback(_ transaction: WriteTransaction) {
        if case .database = target { transaction.rollback() }
    }

    /// Reads and writes all records.
    /// - Throws: the first bad record's `ImportError` if it stops the import; any other error.
    public func run() throws -> ImportSummary {
        var inference = SchemaInference(
            className: options.className, isAllText: isAllText, links: options.links, declared: options.declaredTypes)
        var batch = try gather(atMost: options.sampleSize)
        if batch.isEmpty {
            if let endingFault { throw endingFault }
            return summary
        }
        for record in batch { inference.note(record.object) }
        let schemas = inference.schemas(primaryKey: options.primaryKey, nestedKeys: options.nestedKeys, isComplete: hasEnded)
        try checkNames(schemas, inference)
        let transaction = try begin()
        let loader = try prepare(schemas, inference, transaction)
        try load(&batch, loader, transaction)
        if let endingFault { throw endingFault }
        return summary
    }

    /// A property named in an option must exist.
    private func checkNames(_ schemas: [ClassSchema], _ inference: SchemaInference) throws(ImportError) {
        let names = schemas.filter { $0.name.isSame(as: options.className) || $0.superclass.isSame(as: options.className) }.flatMap(\.properties).map(\.name)
        let wanted = [options.primaryKey].compactMap { $0 } + options.links.keys.sorted { $0.precedes($1) } + inference.unusedDeclarations(schemas)
        let seen = hasEnded ? "no record has" : "none of the first records, from which types are inferred, has"
        for name in wanted where !names.has(name) {
            throw ImportError(.text, "\(seen) a property '\(name)'; known are \(names.joined(separator: ", "))")
        }
        for (className, name) in options.nestedKeys.sortedByKey {
            guard let schema = schemas.first(where: { $0.name.isSame(as: className) }) else {
                throw ImportError(.text, "no nested object is of class '\(className)'; known are \(schemas.map(\.name).joined(separator: ", "))")
            }
            if schema.properties.contains(where: { $0.name.isSame(as: name) }) { continue }
            let names = schema.properties.map(\.name).joined(separator: ", ")
            throw ImportError(.text, "\(seen) a property '\(name)' of class '\(className)'; known are \(names)")
        }
    }

    private func prepare(
        _ schemas: [ClassSchema], _ inference: SchemaInference, _ transaction: WriteTransaction
    ) throws -> RecordLoader {
        let stated = StatedTypes(before: transaction, options)
        var preparation = SchemaPreparation(transaction, options)
        do {
            try preparation.adopt(schemas)
            try onPrepared(transaction)
        } catch {
            rollback(transaction)
            throw error
        }
        summary.createdClasses = preparation.createdClasses
        summary.addedProperties = preparation.addedProperties
        return RecordLoader(className: options.className, isAllText: isAllText, stated: stated, nestedClassName: inference.nestedClassName)
    }

    /// Writes the batch and all later ones.
    private func load(_ batch: inout [ImportedRecord], _ loader: RecordLoader, _ first: WriteTransaction) throws {
        var transaction = first
        do {
            try loader.enter(transaction)
            while true {
                try write(batch, loader)
                if hasEnded { break }
                if options.skipsBadRecords {
                    try commit(transaction)
                    batch = try gather(atMost: options.batchSize)
                    transaction = try begin()
                    try loader.enter(transaction)
                } else {
                    // One transaction in any case, a few records at a time, which are written while they are in the
                    // processor's cache.
                    batch = try gather(atMost: min(options.batchSize, Self.recordsAtOnce))
                }
            }
            for fault in try loader.resolveForwardLinks() { try reject(fault) }
            try commit(transaction)
        } catch {
            rollback(transaction)
            throw error
        }
    }

    private func write(_ batch: [ImportedRecord], _ loader: RecordLoader) throws {
        for (index, record) in batch.enumerated() {
            if index % 256 == 0 { tellProgress(loader) }
            do throws(LoadFault) {
                try loader.load(record)
                summary.recordCount += 1
            } catch {
                switch error {
                case .record(let message): try reject(ImportError(.record, message, line: record.line))
                case .other(let error): throw error
                }
            }
        }
        tellProgress(loader)
    }

    private func tellProgress(_ loader: RecordLoader) {
        summary.nestedCount = loader.nestedCount
        summary.byteCount = reader.bytesRead
        onProgress(summary)
    }

    /// Reads records, up to the byte limit of a sample.
    private func gather(atMost count: Int) throws -> [ImportedRecord] {
        var records: [ImportedRecord] = []
        let end = reader.bytesRead + Self.sampleBytes
        while !hasEnded, records.count < count, reader.bytesRead < end {
            do throws(ImportError) {
                guard let record = try reader.next() else {
                    hasEnded = true
                    break
                }
                records.append(record)
            } catch {
                try reject(error)
            }
        }
        return records
    }

    /// Counts and reports a bad record, or stops the import.
    private func reject(_ error: ImportError) throws(ImportError) {
        guard options.skipsBadRecords else { throw error }
        if error.kind == .record {
            summary.badCount += 1
            onBadRecord(error)
        } else {
            endingFault = error
            hasEnded = true
        }
    }
}
