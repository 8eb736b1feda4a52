import FreeholdEngine

/// Imports a whole database of another kind: its classes, then its objects in batches, then links that had to wait.
///
/// ```swift
/// let importer = StoreImporter(store, name: "old.realm", into: database)
/// importer.onProgress = { print($0.written, "of", $0.total); return true }
/// let summary = try importer.run()
/// ```
/// Nobody sees anything of it before it is complete. Stopped or killed at any moment, it continues where it stood when it is
/// run again, by any process; once it is done, it is done for ever.
public final class StoreImporter {
    private static let bytesInTransaction = 16 << 20
    private static let waitMilliseconds = 200
    /// Objects after which a transaction ends, about. More take more memory; fewer write more, as each transaction writes most of an
    /// index over values in no order anew, and map more of the file.
    public var objectsInTransaction = 80_000
    /// Whether it waits while another one imports; for tests of what happens if not.
    var takesTurns = true

    private let store: any SourceStore
    private let name: String
    private let database: Database
    private var total = 0
    /// The state in the file, as far as this importer knows. Its own may be further by steps that wrote nothing: the process
    /// that continues takes them again.
    private var stored: ImportState?

    /// Called every few thousand objects, and now and then while another process imports. False stops the import, which
    /// continues there when it is run again.
    public var onProgress: (StoreImportProgress) -> Bool = { _ in true }

    /// - Parameter name: tells imports into one database apart; each is done once.
    public init(_ store: any SourceStore, name: String, into database: Database) {
        self.store = store
        self.name = name
        self.database = database
    }

    /// Whether the import called `name` is complete in a version of a database.
    public static func isDone(_ name: String, in snapshot: Snapshot) throws(FreeholdError) -> Bool {
        try ImportState.read(name, from: snapshot)?.phase == .done
    }

    /// The imports into a database that were begun and are not complete: their names, and the objects written.
    public static func unfinished(in snapshot: Snapshot) throws(FreeholdError) -> [(name: String, written: Int)] {
        try ImportState.all(in: snapshot).filter { $0.state.phase != .done }.map { ($0.name, $0.state.written) }
    }

    /// Another process has gone on with the import.
    private struct Overtaken: Error {}

    /// Imports, or continues to import; waits while another process does it.
    /// - Throws: `SourceError` for the source, of kind `.cancelled` if `onProgress` said so; `FreeholdError` for the database.
    public func run() throws -> StoreImportSummary {
        let plan = try StorePlan(store.classes, name: name), turn = try ImportTurn(database.path)
        while true {
            let snapshot = try database.snapshot()
            let state = try ImportState.read(name, from: snapshot), version = snapshot.version
            // Held, it would keep the pages that the import replaces.
            snapshot.end()
            if let state, state.phase == .done { return summary(state, isNew: false) }
            // What is not there yet, as in a database without its log, is imported when it comes.
            if store.classes.isEmpty { return summary(ImportState(store), isNew: true) }
            if !takesTurns || turn.take() {
                do { return summary(try advance(state, plan), isNew: true) } catch is Overtaken {
                    continue
                } catch let error as SourceError {
                    throw error.kind == .damaged && error.readable.isEmpty ? error.with(readable: store.readableClasses()) : error
                }
            }
            total = expectedTotal(state, plan)
            try tell(state?.written ?? 0, isWaiting: true)
            _ = try database.waitForChange(after: version, timeoutMilliseconds: Self.waitMilliseconds)
        }
    }

    /// Removes what an import that is not done has written. For programs that do not want to continue it.
    public func discard() throws {
        while true {
            let snapshot = try database.snapshot(), state = try ImportState.read(name, from: snapshot)
            snapshot.end()
            guard let state, state.phase != .done else { return }
            do { return try discard(state) } catch is Overtaken { continue }
        }
    }

    /// Does what is left of the import.
    private func advance(_ found: ImportState?, _ plan: StorePlan) throws -> ImportState {
        var known = found
        if let state = known, state.phase == .discarding || state.identity != store.identity.bytes
            || state.counts.count != plan.classes.count {
            try discard(state)
            known = nil
        }
        var state = try known ?? begin(plan)
        stored = state
        total = expectedTotal(state, plan)
        let maps = KeyMaps(plan)
        try restore(maps, state, plan)
        if state.phase == .objects { try readObjects(&state, maps, plan) }
        try readLinks(&state, maps, plan)
        do throws(SourceError) { try store.checkUnchanged() } catch {
            try discard(stored ?? state)
            throw error
        }
        try commit(state, .full) { transaction, state in
            try HiddenClasses(plan: plan).show(within: transaction)
            if transaction.schemaVersion == nil, let version = store.schemaVersion { try transaction.setSchemaVersion(version) }
            state.phase = .done
        }
        state.phase = .done
        return state
    }

    private func begin(_ plan: StorePlan) throws -> ImportState {
        let first = ImportState(store), classes = HiddenClasses(plan: plan)
        let transaction = try database.beginWrite()
        do {
            guard try ImportState.read(name, within: transaction) == nil else { throw Overtaken() }
            try classes.requireRoom(within: transaction)
            try classes.create(within: transaction)
            try first.write(name, within: transaction)
            try transaction.commit(.processCrash)
        } catch {
            transaction.rollback()
            throw error
        }
        return first
    }

    /// Removes the hidden classes, and then the state.
    private func discard(_ found: ImportState) throws {
        var known = found, isLeft = true
        stored = found
        while isLeft {
            try commit(known, .processCrash) { transaction, state in
                isLeft = try HiddenRemains(prefix: StorePlan.hiddenPrefix(of: name)).removeSome(within: transaction)
                state.phase = .discarding
                if !isLeft { try ImportState.remove(name, within: transaction) }
            }
            known.phase = .discarding
        }
    }

    /// Runs one transaction, which leaves the state as `body` changes it; nothing happens if the file has another state than the
    /// one that is known.
    private func commit(
        _ known: ImportState, _ durability: Durability, _ body: (WriteTransaction, inout ImportState) throws -> Void
    ) throws {
        let transaction = try beginAtStored()
        do {
            var state = known
            try body(transaction, &state)
            if try ImportState.read(name, within: transaction) != nil { try state.write(name, within: transaction) }
            try transaction.commit(durability)
            stored = state
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func beginAtStored() throws -> WriteTransaction {
        let transaction = try database.beginWrite()
        do {
            guard try ImportState.read(name, within: transaction) == stored else { throw Overtaken() }
        } catch {
            transaction.rollback()
            throw error
        }
        return transaction
    }

    private func tell(_ written: Int, isWaiting: Bool = false) throws(SourceError) {
        if !onProgress(StoreImportProgress(written: written, total: max(total, written), isWaiting: isWaiting)) {
            throw SourceError(.cancelled, "the import was stopped; it continues where it stands when it is run again")
        }
    }

    private func summary(_ state: ImportState, isNew: Bool) -> StoreImportSummary {
        let classes = zip(store.classes, state.counts).map { StoreImportSummary.ImportedClass(name: $0.schema.name, count: $1) }
        return StoreImportSummary(format: state.format, classes: classes, missingLinks: state.missingLinks + store.ownerlessLinks,
            remarks: store.remarks + state.lostRemarks, isNew: isNew)
    }
}

/// One pass over one class.
extension StoreImporter {
    private func readObjects(_ state: inout ImportState, _ maps: KeyMaps, _ plan: StorePlan) throws {
        while state.step < plan.order.count {
            let place = plan.order[state.step]
            try pass(&state, maps, plan, place) { objects, batch, longValues, state in
                state.late.formUnion(try objects.insert(batch, longValues))
                state.counts[place] += batch.keys.count
            }
            (state.step, state.lastKey) = (state.step + 1, nil)
        }
    }

    private func readLinks(_ state: inout ImportState, _ maps: KeyMaps, _ plan: StorePlan) throws {
        if state.phase == .objects {
            (state.phase, state.step) = (.links, 0)
        }
        let order = plan.order
        total = expectedTotal(state, plan)
        while state.step < order.count {
            let place = order[state.step], late = lateProperties(of: place, state, plan)
            if !late.isEmpty {
                try pass(&state, maps, plan, place) { objects, batch, _, _ in try objects.link(batch, late) }
            }
            (state.step, state.lastKey) = (state.step + 1, nil)
        }
    }

    /// The number of objects to be written, as far as it is known: those with links of a second pass count twice.
    private func expectedTotal(_ state: ImportState?, _ plan: StorePlan) -> Int {
        plan.order.reduce(0) { sum, place in
            let isTwice = !plan.classes[place].isEmbedded && !lateProperties(of: place, state, plan).isEmpty
            return sum + store.classes[place].count * (isTwice ? 2 : 1)
        }
    }

    private func lateProperties(of place: Int, _ state: ImportState?, _ plan: StorePlan) -> Set<Int> {
        plan.late[place].union((state?.late ?? []).filter { $0.place == place }.map(\.property))
    }

    /// Reads the objects of a class that are left, and writes some thousand of them in each transaction.
    private func pass(_ state: inout ImportState, _ maps: KeyMaps, _ plan: StorePlan, _ place: Int,
                      _ write: (StoreObjects, SourceBatch, LongValues, inout ImportState) throws -> Void) throws {
        if plan.classes[place].isEmbedded { return }
        let cursor = try store.objects(of: place, after: state.lastKey)
        var waiting = try cursor.next()
        while waiting != nil {
            let isLong = waiting.map { LongValues.are(in: $0, plan.classes[place]) } ?? false
            let longValues = isLong ? try waiting.map { try LongValues($0, plan.classes[place], database) } ?? LongValues() : LongValues()
            let transaction = try beginAtStored()
            do {
                var next = state, objects = 0, bytes = 0
                let writer = objectWriter(transaction, maps, plan, place, state)
                while let batch = waiting, objects < objectsInTransaction, bytes < Self.bytesInTransaction {
                    if objects > 0, LongValues.are(in: batch, plan.classes[place]) { break }
                    try write(writer, batch, longValues, &next)
                    objects += batch.keys.count
                    bytes += batch.byteCount
                    next.lastKey = batch.keys.last
                    waiting = try cursor.next()
                }
                next.written += objects
                for (property, count) in writer.values.missing.counts {
                    next.lostLinks["\(store.classes[place].schema.name).\(property)", default: 0] += count
                }
                try next.write(name, within: transaction)
                try transaction.commit(.processCrash)
                state = next
                stored = next
            } catch {
                transaction.rollback()
                throw error
            }
            try tell(state.written)
        }
    }

    private func objectWriter(_ transaction: WriteTransaction, _ maps: KeyMaps, _ plan: StorePlan, _ place: Int,
        _ state: ImportState) -> StoreObjects {
        let tables = StoreTables(transaction, plan), step = state.step, isObjects = state.phase == .objects
        let isComplete = { !isObjects || plan.isComplete($0, at: step) }
        let values = StoreValues(tables: tables, maps: maps, plan: plan, isComplete: isComplete, missing: StoreValues.Missing())
        return StoreObjects(plan: plan, place: place, tables: tables, maps: maps, values: values)
    }

    /// Computes where the objects went that were written before, by reading the source again up to there.
    private func restore(_ maps: KeyMaps, _ state: ImportState, _ plan: StorePlan) throws {
        if state.written == 0 { return }
        var next = try firstKeys(state, plan)
        let steps = state.phase == .objects ? state.step + 1 : plan.order.count
        for (step, place) in plan.order.prefix(steps).enumerated() where !plan.classes[place].isEmbedded && state.counts[place] > 0 {
            let isLast = state.phase == .objects && step == state.step
            var left = isLast ? state.counts[place] : Int.max
            let cursor = try store.objects(of: place, after: nil)
            while left > 0, let batch = try cursor.next() {
                let count = min(left, batch.keys.count)
                restore(maps, Array(batch.keys.prefix(count)), batch, place, plan, &next)
                left -= count
            }
        }
    }

    private func restore(_ maps: KeyMaps, _ keys: [Int64], _ batch: SourceBatch, _ place: Int, _ plan: StorePlan,
                         _ next: inout [Int: Int64]) {
        if let key = plan.classes[place].objectKeyPlace {
            return maps.append(keys, StoreObjects.integerKeys(batch.columns[key]).lazy.map(\.rawValue), to: place)
        }
        let root = plan.root(of: place), first = next[root] ?? 0
        maps.append(keys, (0..<Int64(keys.count)).lazy.map { first + $0 }, to: place)
        next[root] = first + Int64(keys.count)
    }

    /// The first object key of each class without a superclass, by place; 0 for a class without objects.
    private func firstKeys(_ state: ImportState, _ plan: StorePlan) throws -> [Int: Int64] {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        // Whoever was importing may have shown the classes since: then they have other names.
        guard try ImportState.read(name, from: snapshot) == stored else { throw Overtaken() }
        var first: [Int: Int64] = [:]
        for root in Set(plan.order.filter { !plan.classes[$0].isEmbedded && state.counts[$0] > 0 }.map(plan.root)) {
            first[root] = try snapshot.table(plan.classes[root].name).keys(limit: 1).first?.rawValue ?? 0
        }
        return first
    }
}

extension SourceBatch {
    /// About how many bytes its values take.
    var byteCount: Int {
        columns.reduce(0) { sum, column in
            switch column.content {
            case .plain(.texts(let bytes, _)): sum + bytes.count
            case .any(let values): sum + values.count * 64
            default: sum + keys.count * 8
            }
        }
    }
}
