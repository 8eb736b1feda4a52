import Foundation
import FreeholdEngine

extension RealmCore {
    /// The realm of a file for a thread, queue or actor; opened if it is not open there.
    static func open(_ configuration: Realm.Configuration, _ confinement: Confinement) throws -> RealmCore {
        confinement.prepare()
        if !confinement.holds {
            Misuse.report(confinement.openingComplaint, hint: "Open the realm on the thread, queue or actor that uses it.")
        }
        let terms = try configuration.terms()
        if SharedDatabase.isOpen(terms), let core = OpenRealms.shared.core(try SharedDatabase.open(terms), confinement) { return core }
        return try OpenedFile(configuration, for: confinement).core(for: confinement)
    }
}

extension Confinement {
    fileprivate var openingComplaint: String {
        if case .queue = self { return "Realm opened from incorrect dispatch queue." }
        return complaint
    }
}

/// An open file whose schema matches the program's classes: creating a realm for it takes no time.
struct OpenedFile: Sendable {
    private let shared: SharedDatabase
    private let schema: ModelSchema
    private let configuration: Realm.Configuration

    /// Opens the file; creates, copies, compacts and migrates it if needed.
    ///
    /// - Parameters:
    ///   - confinement: where the realm is going to be used; if it is open there already, the schema is not compared
    ///     again.
    ///   - report: what to do about each step; nil leaves the building of indexes to the background.
    init(_ configuration: Realm.Configuration, for confinement: Confinement, report: OpeningReport? = nil) throws {
        self = try Self.opened(configuration, confinement, report)
    }

    /// Maximum attempts to compare and delete a file that another process changes or has open.
    private static let mostJudgements = 10

    private static func opened(
        _ configuration: Realm.Configuration, _ confinement: Confinement, _ report: OpeningReport?
    ) throws -> OpenedFile {
        for judgement in 1...mostJudgements {
            let judged: StoredVersion
            do { return try OpenedFile(of: configuration, confinement, report) } catch let need as SchemaUpdate.NeedsDeletion { judged = need.judged }
            let terms = try configuration.terms()
            do throws(FreeholdError) {
                // Another process that runs the same program may have deleted the file and created it anew meanwhile.
                _ = try Database.deleteFiles(at: terms.path, inMemory: terms.isInMemory, unlessChangedSince: judged)
            } catch {
                guard error.code == .inUse, judgement < mostJudgements else { throw RealmError(error) }
                // Allowed: there is no event to wait for when another process closes a file.
                Thread.sleep(forTimeInterval: 0.001 * Double(judgement))
            }
        }
        throw RealmError(.fileAccess, "The file must be deleted, but other processes keep changing it.", fileURL: configuration.fileURL,
                         suggestion: "Let one process open it first.")
    }

    private init(of configuration: Realm.Configuration, _ confinement: Confinement, _ report: OpeningReport?) throws {
        let terms = try configuration.terms()
        report?.began(.preparing)
        if !SharedDatabase.isOpen(terms) { try configuration.prepare(terms) }
        report?.began(.opening)
        shared = try SharedDatabase.open(terms)
        schema = try configuration.modelSchema()
        self.configuration = configuration
        if OpenRealms.shared.core(shared, confinement) != nil { return }
        if let importing = configuration.importing, !configuration.readOnly {
            report?.began(.importing)
            do throws(FreeholdError) { try importing.run(on: shared.database) } catch { throw RealmError(error) }
        }
        report?.began(.migrating)
        let update = SchemaUpdate(planning: configuration.planning(schema, terms), shared: shared, block: configuration.migrationBlock, settings: configuration)
        guard !configuration.readOnly else {
            try update.requireFitting()
            return
        }
        try update.run()
        try configuration.configureSync(of: shared.database)
        buildIndexes(report)
    }

    /// Waits for what the server has, if the file is synced.
    func download(_ behavior: Realm.OpenBehavior) throws { try configuration.download(shared.database, behavior) }

    /// Builds the indexes that are not complete, here or in the background. An error, such as a damaged block, leaves an
    /// index as it is: then queries search object by object.
    private func buildIndexes(_ report: OpeningReport?) {
        guard schema.declaresDerived, (try? shared.database.hasUnbuiltIndexes()) == true else { return }
        guard let report else { return shared.indexes.start(on: shared.database) }
        report.began(.indexing)
        _ = try? shared.database.buildIndexes { report.built($0.fraction) }
    }

    /// The realm of the file for a thread, queue or actor.
    func core(for confinement: Confinement) -> RealmCore {
        OpenRealms.shared.core(shared, confinement) ?? RealmCore(shared, schema, confinement, settings: configuration)
    }
}

/// What opening reports to a caller that waits for all of it.
struct OpeningReport {
    /// Called before each step.
    let began: (OpeningStep) -> Void
    /// Called with the fraction of the indexes that is built; false stops building.
    let built: (Double) -> Bool

    /// Nothing is reported; all steps are waited for.
    static var silent: OpeningReport { OpeningReport(began: { _ in }, built: { _ in true }) }
}

/// The steps of opening a file.
public enum OpeningStep: Int, Sendable, Comparable {
    /// Opening has not begun.
    case waiting
    /// The seed file is copied and the file compacted, if the configuration asks for it.
    case preparing
    /// The file is opened. After a crash this may include a scan of the file.
    case opening
    /// Objects of another database are imported, or another process is waited for that imports them.
    case importing
    /// The file's classes are compared with the program's, and migrated if needed.
    case migrating
    /// Full-text indexes and indexes of places that the classes declare are built. A cancelled opening leaves the rest to the next one.
    case indexing
    /// What the server of a synced file has is waited for.
    case downloading
    /// The file is open.
    case finished

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Realm.Configuration {
    /// The schema of the file's classes, as the program declares them.
    func modelSchema() throws -> ModelSchema {
        LinkShape.makeKnown()
        return try ModelSchema.of(objectTypes ?? ModelDiscovery.classes())
    }
}
