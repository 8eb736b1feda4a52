import FreeholdEngine

/// Brings records into a database: infers or adopts the classes, resolves links, and keeps the promise about bad records.
///
/// 1. If bad records stop the import, everything happens in one transaction, which is then given up: nothing is written.
/// 2. If they are skipped, every `batchSize` records are a transaction, begun only once they have been read, so that a
///    slow text keeps no other process waiting.
/// 3. A fault that is no record's (the disk, the database, a text that cannot be followed) always stops the import; with
///    skipping, what was committed before stays.
/// 4. Within a caller's transaction nothing is begun or ended, whatever happens.
public final class Importer {
    private static let sampleBytes = 16 << 20
    private static let recordsAtOnce = 512

    private let reader: any RecordReader
    private let target: Target
    private let options: ImportOptions
    private let isAllText: Bool
    private var summary = ImportSummary()
    private var hasEnded = false
    /// What ended the text before its end, when everything before it is to be kept.
    private var endingFault: ImportError?

    /// Where the records go.
    private enum Target {
        /// In transactions of the import's own.
        case database(Database)
        /// In the caller's, who ends it.
        case transaction(WriteTransaction)
    }

    /// Told what has been done so far, after every few hundred records.
    public var onProgress: (ImportSummary) -> Void = { _ in }
    /// Told of every bad record that is skipped.
    public var onBadRecord: (ImportError) -> Void = { _ in }

    /// An import of what `reader` reads, in `format`, into `database`.
    public convenience init(_ reader: any RecordReader, format: RecordFormat, into database: Database, options: ImportOptions) {
        self.init(reader, format, .database(database), options)
    }

    /// An import of what `reader` reads, within a transaction of the caller's: it neither commits nor, after an error, undoes
    /// anything. Set a savepoint before.
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

    /// Reads and writes everything.
    /// - Throws: the first bad record's `ImportError` if it stops the import; whatever else stops it.
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

    /// A property that an option names has to be there.
    private func checkNames(_ schemas: [ClassSchema], _ inference: SchemaInference) throws(ImportError) {
        let names = schemas.filter { $0.name.isSame(as: options.className) || $0.superclass.isSame(as: options.className) }.flatMap(\.properties).map(\.name)
        let wanted = [options.primaryKey].compactMap { $0 } + options.links.keys.sorted { $0.precedes($1) } + inference.unusedDeclarations(schemas)
        let seen = hasEnded ? "no record has" : "none of the first records, from which types are inferred, has"
        for name in wanted where !names.has(name) {
            throw ImportError(.text, "\(seen) a property '\(name)'; there are \(names.joined(separator: ", "))")
        }
        for (className, name) in options.nestedKeys.sortedByKey {
            guard let schema = schemas.first(where: { $0.name.isSame(as: className) }) else {
                throw ImportError(.text, "no object within a record is of class '\(className)'; there are \(schemas.map(\.name).joined(separator: ", "))")
            }
            if schema.properties.contains(where: { $0.name.isSame(as: name) }) { continue }
            let names = schema.properties.map(\.name).joined(separator: ", ")
            throw ImportError(.text, "\(seen) a property '\(name)' of class '\(className)'; there are \(names)")
        }
    }

    private func prepare(
        _ schemas: [ClassSchema], _ inference: SchemaInference, _ transaction: WriteTransaction
    ) throws -> RecordLoader {
        let stated = StatedTypes(before: transaction, options)
        var preparation = SchemaPreparation(transaction, options)
        do {
            try preparation.adopt(schemas)
        } catch {
            rollback(transaction)
            throw error
        }
        summary.createdClasses = preparation.createdClasses
        summary.addedProperties = preparation.addedProperties
        return RecordLoader(className: options.className, isAllText: isAllText, stated: stated, nestedClassName: inference.nestedClassName)
    }

    /// Writes the batch and all that follow.
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
                    // One transaction all the same: few enough that they are written while they are in the processor's cache.
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

    /// Reads records, but not more bytes than a sample may have.
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

    /// Counts and tells a bad record, or stops the import.
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
