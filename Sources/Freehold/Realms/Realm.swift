public import Dispatch
public import Foundation
import FreeholdEngine

/// A file of objects, as the thread that opened it sees it.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Dog(value: ["name": "Fido", "age": 1])) }
/// for dog in realm.objects(Dog.self) { print(dog.name) }
/// ```
/// Many threads and processes may have the file open; each opens a realm of its own. One writes at a time, nobody waits to read.
/// Opening again on the same thread gives the same realm, and costs little.
public struct Realm {
    let core: RealmCore

    public typealias Error = RealmError
    public typealias UpdatePolicy = Freehold.UpdatePolicy

    init(_ core: RealmCore) { self.core = core }

    /// Opens the default file; with a queue, for that queue instead of this thread.
    public init(queue: DispatchQueue? = nil) throws { try self.init(configuration: .defaultConfiguration, queue: queue) }

    /// Opens a file with the default configuration but for the path.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Opens a file, making it if need be.
    ///
    /// - Throws: `Realm.Error`: `.fileAccess` and its like, `.invalidDatabase` for a wrong key or a damaged file, `.schemaMismatch`.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        core = try RealmCore.open(configuration, queue.map { .on($0) } ?? .current)
    }

    /// What the realm was opened with.
    public var configuration: Configuration { core.settings as? Configuration ?? Configuration() }
}

@available(*, unavailable, message: "a Realm belongs to its thread, queue or actor; open it again elsewhere")
extension Realm: Sendable {}

extension Realm: Equatable {
    /// Whether both are the same realm of the same thread, queue or actor.
    public static func == (left: Realm, right: Realm) -> Bool { left.core === right.core }
}

extension Realm {
    // MARK: Writing

    /// Whether a write transaction is open in this realm.
    public var isInWriteTransaction: Bool { core.transaction != nil }

    /// Runs `block` in a write transaction, and commits what it did unless it throws or ended the transaction itself.
    ///
    /// - Parameter tokens: who is not told of what it did; all else that they have not been told of they have been when the block begins.
    @discardableResult
    public func write<Result>(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result) throws -> Result {
        guard silent(tokens) != nil, try begin() else {
            // The mistake was reported, and changes nothing.
            if let nothing = () as? Result { return nothing }
            if let optional = Result.self as? any ExpressibleByNilLiteral.Type, let none = optional.init(nilLiteral: ()) as? Result { return none }
            throw Misuse(message: "No write transaction could begin", hint: "The block did not run.")
        }
        let result: Result
        do { result = try block() } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        if isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Runs `block` in a write transaction, as above, where nobody asks for what it gives: what the one expression of a closure gives is left.
    public func write(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Void) throws {
        // By a result of its own, so that this is not the function itself; optional, as there is none where no transaction could begin.
        _ = try write(withoutNotifying: tokens) { () throws -> Bool? in
            try block()
            return true
        }
    }

    /// Begins a write transaction, waiting for any other to end, and shows the newest version.
    ///
    /// The transaction keeps the realm until it is committed or cancelled: opening the realm again finds it. One that is forgotten is rolled
    /// back at the next turn of the realm's queue, actor or run loop, or when its thread ends.
    public func beginWrite() {
        let before = core.writeNumber
        do { _ = try begin() } catch { Misuse.report("\(error)") }
        if core.writeNumber != before { core.holdWriting() }
    }

    /// Begins a write transaction; false if that is a mistake, which has been reported.
    private func begin() throws -> Bool {
        guard core.enter() else { return false }
        if isInWriteTransaction {
            Misuse.report("The Realm is already in a write transaction", hint: "Transactions do not nest; commit or cancel the one under way first.")
            return false
        }
        guard requireWritable() else { return false }
        if let limit = configuration.maximumNumberOfActiveVersions, try !core.holdsAtMost(limit) { return false }
        try core.beginWrite()
        return isInWriteTransaction
    }

    /// Whether the realm can be written at all; tells if not.
    func requireWritable() -> Bool {
        if isFrozen { Misuse.report("Can't perform transactions on a frozen Realm", hint: "Call thaw on it first.") }
        if core.shared.terms.isReadOnly { Misuse.report("Can't perform transactions on read-only Realms.") }
        return !isFrozen && !core.shared.terms.isReadOnly
    }

    /// Ends the write transaction; what it did survives a power cut once this returns.
    ///
    /// - Parameter tokens: who is not told of what it did. A block that was not called yet is called with what there is then.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        guard core.enter() else { return }
        guard isInWriteTransaction else { return Misuse.report("Can't commit a non-existing write transaction") }
        guard requireEnding(), let silent = silent(tokens) else { return }
        try core.commitWrite(.full, silent: silent)
    }

    /// Whether the write transaction may end now; tells if not.
    func requireEnding() -> Bool {
        if core.observers?.isBeforeWriting != true { return true }
        Misuse.report("The write transaction is just beginning, and cannot be ended by who is told of changes before it.")
        return false
    }

    /// Who is behind tokens; nil, which has been told, if one is of another realm.
    func silent(_ tokens: [NotificationToken]) -> [Observer]? {
        var silent: [Observer] = []
        for token in tokens where token.isListening {
            guard let observer = token.observer(in: core) else {
                Misuse.report("Incorrect Realm: only notifications for the Realm being modified can be skipped.")
                return nil
            }
            silent.append(observer)
        }
        return silent
    }

    /// Ends the write transaction and undoes what it did.
    public func cancelWrite() {
        guard core.enter() else { return }
        guard isInWriteTransaction else { return Misuse.report("Can't cancel a non-existing write transaction") }
        if requireEnding() { core.cancelWrite() }
    }

    // MARK: Versions

    /// Shows the newest version; false if it did already, or within a write transaction.
    @discardableResult
    public func refresh() -> Bool { core.enter() && core.attempt(false) { try core.refresh() } }

    /// Lets go of the version shown, and makes every object, list, set, map and linking objects of this realm invalid; their observers end. A
    /// write transaction under way is cancelled. Results are invalid until the realm is read again; then they show what there is, and their
    /// observers go on.
    public func invalidate() { if core.enter() { core.invalidateAll() } }

    // MARK: Objects

    /// Takes an object, and those it links to, into the realm: this very instance is live from then on.
    public func add(_ object: Object, update: UpdatePolicy = .error) { core.adding(update) { _ = core.add(object) } }

    /// Takes several objects into the realm: of an array, a list, results of another realm's query, any sequence.
    public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error) where Objects.Element: Object {
        core.adding(update) { for object in objects { core.add(object) } }
    }

    /// Makes an object of values: see `Object.init(value:)`. What is handed over is copied, but for objects that this realm has already.
    ///
    /// ```swift
    /// realm.create(Book.self, value: ["id": 1, "title": "Waves", "price": 9.5])
    /// realm.create(Book.self, value: ["id": 1, "price": 8.0], update: .modified)   // the title stays
    /// ```
    /// Where the realm has an object with the primary key, `update` says what happens: `.error` refuses; `.modified` and `.all` set the
    /// properties that the values name, and leave the others. A value of nil, or `NSNull`, sets nil, and empties a collection. Objects
    /// within the values are made or changed by the same rule.
    /// - Returns: the object of the realm. Handed an object that this realm has, and a rule other than `.error`, that one.
    @discardableResult
    public func create<Model: Object>(_ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> Model {
        if update != .error, let object = value as? Model, object.core === core, !object.isInvalidated { return object }
        let object = type.init(), given = GivenValues(isNeeded: update != .error)
        guard core.enter(), core.requireWrite() else { return object }
        ObjectInput.fill(object, value, ValueContext(core: core, given: given))
        if !given.isRefused { core.adding(update, given: given) { core.add(object) } }
        return object
    }

    /// Deletes an object; links to it become nil.
    public func delete(_ object: ObjectBase) { core.delete([object]) }

    /// Deletes several objects: of an array, a list, results, linking objects, any sequence.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase { core.delete(Array(objects)) }

    /// Deletes the objects that a map leads to. Its keys stay, with nil.
    public func delete<Key, Model: ObjectBase>(_ map: Map<Key, Model?>) { core.delete(map.values.compactMap { $0 }) }

    /// Deletes every object of the realm's classes.
    public func deleteAll() { core.deleteAll() }

    /// The objects of a class, and of those that extend it.
    public func objects<Model: ObjectBase>(_ type: Model.Type) -> Results<Model> {
        Results(TableSource(core.present(type), in: core))
    }

    /// The object with a primary key; nil if there is none.
    @inlinable
    public func object<Model: Object, Key>(ofType type: Model.Type, forPrimaryKey key: Key) -> Model? {
        // Safe: the type is compared first; an object found is one of the class asked.
        let found = Key.self == Int.self ? _object(type, number: unsafeBitCast(key, to: Int.self)) : _object(type, key: key)
        return found.map { unsafeDowncast($0, to: Model.self) }
    }

    @usableFromInline
    func _object(_ type: ObjectBase.Type, number: Int) -> ObjectBase? {
        guard core.enter() else { return nil }
        return core.attempt(nil) {
            try core.withPresent(type) { live in
                live.model.isKeyedByNumber ? try live.object(number: Int64(number)) : try live.object(primaryKey: number)
            }
        }
    }

    @usableFromInline
    func _object(_ type: ObjectBase.Type, key: Any) -> ObjectBase? {
        guard core.enter(), let live = core.present(type) else { return nil }
        return core.attempt(nil) { try live.object(primaryKey: key) }
    }

    /// Whether no class has an object.
    public var isEmpty: Bool {
        core.enter() && core.attempt(true) { try core.schema.classes.allSatisfy { try core.present($0.type) == nil || core.engineTable($0.name).count == 0 } }
    }
}
