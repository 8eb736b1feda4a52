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
    ///   - began: called before each step.
    init(_ configuration: Realm.Configuration, for confinement: Confinement, began: (OpeningStep) -> Void = { _ in }) throws {
        self = try Self.opened(configuration, confinement, began)
    }

    /// Maximum attempts to compare and delete a file that another process changes or has open.
    private static let mostJudgements = 10

    private static func opened(
        _ configuration: Realm.Configuration, _ confinement: Confinement, _ began: (OpeningStep) -> Void
    ) throws -> OpenedFile {
        for judgement in 1...mostJudgements {
            let judged: StoredVersion
            do { return try OpenedFile(of: configuration, confinement, began) } catch let need as SchemaUpdate.NeedsDeletion { judged = need.judged }
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

    private init(of configuration: Realm.Configuration, _ confinement: Confinement, _ began: (OpeningStep) -> Void) throws {
        let terms = try configuration.terms()
        began(.preparing)
        if !SharedDatabase.isOpen(terms) { try configuration.prepare(terms) }
        began(.opening)
        shared = try SharedDatabase.open(terms)
        schema = try configuration.modelSchema()
        self.configuration = configuration
        if OpenRealms.shared.core(shared, confinement) != nil { return }
        if let importing = configuration.importing, !configuration.readOnly {
            began(.importing)
            do throws(FreeholdError) { try importing.run(on: shared.database) } catch { throw RealmError(error) }
        }
        began(.migrating)
        let update = SchemaUpdate(planning: configuration.planning(schema, terms), shared: shared, block: configuration.migrationBlock, settings: configuration)
        if configuration.readOnly { try update.requireFitting() } else { try update.run() }
    }

    /// The realm of the file for a thread, queue or actor.
    func core(for confinement: Confinement) -> RealmCore {
        OpenRealms.shared.core(shared, confinement) ?? RealmCore(shared, schema, confinement, settings: configuration)
    }
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
