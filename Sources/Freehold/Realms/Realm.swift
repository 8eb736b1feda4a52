public import Dispatch
public import Foundation
import FreeholdEngine

/// A database file as one thread, queue or actor sees it.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write { realm.add(Dog(value: ["name": "Fido", "age": 1])) }
/// for dog in realm.objects(Dog.self) { print(dog.name) }
/// ```
/// Many threads and processes may have the file open; each opens its own realm. There is one writer at a time; readers
/// never wait. Opening the file again on the same thread returns the same realm, and costs little.
public struct Realm {
    let core: RealmCore

    public typealias Error = RealmError
    public typealias UpdatePolicy = Freehold.UpdatePolicy

    init(_ core: RealmCore) { self.core = core }

    /// Opens the default file for this thread, or for a queue.
    public init(queue: DispatchQueue? = nil) throws { try self.init(configuration: .defaultConfiguration, queue: queue) }

    /// Opens a file with the default configuration, except for its path.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Opens a file; creates it if needed.
    ///
    /// - Throws: `Realm.Error`: `.fileAccess` and related codes, `.invalidDatabase` for a wrong key or a damaged file,
    ///   `.schemaMismatch`.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        core = try RealmCore.open(configuration, queue.map { .on($0) } ?? .current)
    }

    /// The configuration with which the realm was opened.
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

    /// Runs `block` in a write transaction, and commits unless the block throws or ended the transaction itself.
    ///
    /// - Parameter tokens: tokens of the observers that are not notified of this transaction. They are notified of all
    ///   earlier changes before the block begins.
    @discardableResult
    public func write<Result>(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result) throws -> Result {
        guard silent(tokens) != nil, try begin() else {
            // The misuse was reported; nothing is changed.
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

    /// Runs `block` in a write transaction and returns no result, so that a closure of one expression may discard its
    /// value.
    public func write(withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Void) throws {
        // A result type of its own keeps this from calling itself. It is optional: without a transaction there is no
        // result.
        _ = try write(withoutNotifying: tokens) { () throws -> Bool? in
            try block()
            return true
        }
    }

    /// Begins a write transaction on the newest version, after waiting for any other transaction to end.
    ///
    /// The transaction keeps the realm until it is committed or cancelled: opening the realm again returns it. A
    /// transaction that is neither committed nor cancelled is rolled back on the next turn of the realm's queue, actor
    /// or run loop, or when its thread ends.
    public func beginWrite() {
        let before = core.writeNumber
        do { _ = try begin() } catch { Misuse.report("\(error)") }
        if core.writeNumber != before { core.holdWriting() }
    }

    /// Begins a write transaction; false if that is misuse, which has been reported.
    private func begin() throws -> Bool {
        guard core.enter() else { return false }
        if isInWriteTransaction {
            Misuse.report("The Realm is already in a write transaction", hint: "Transactions do not nest; commit or cancel the open one first.")
            return false
        }
        guard requireWritable() else { return false }
        if let limit = configuration.maximumNumberOfActiveVersions, try !core.holdsAtMost(limit) { return false }
        try core.beginWrite()
        return isInWriteTransaction
    }

    /// Whether the realm can be written at all; reports misuse if not.
    func requireWritable() -> Bool {
        if isFrozen { Misuse.report("Can't perform transactions on a frozen Realm", hint: "Call thaw on it first.") }
        if core.shared.terms.isReadOnly { Misuse.report("Can't perform transactions on read-only Realms.") }
        return !isFrozen && !core.shared.terms.isReadOnly
    }

    /// Commits the write transaction. Its changes survive a power cut once this returns.
    ///
    /// - Parameter tokens: tokens of the observers that are not notified of this transaction. An observer that was not
    ///   called yet is called with the state at that time.
    public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
        guard core.enter() else { return }
        guard isInWriteTransaction else { return Misuse.report("Can't commit a non-existing write transaction") }
        guard requireEnding(), let silent = silent(tokens) else { return }
        try core.commitWrite(.full, silent: silent)
    }

    /// Whether the write transaction may end now; reports misuse if not.
    func requireEnding() -> Bool {
        if core.observers?.isBeforeWriting != true { return true }
        Misuse.report("The write transaction is still beginning; an observer notified before it cannot end it.")
        return false
    }

    /// The observers of tokens; nil, after misuse was reported, if one belongs to another realm.
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

    /// Rolls the write transaction back and ends it.
    public func cancelWrite() {
        guard core.enter() else { return }
        guard isInWriteTransaction else { return Misuse.report("Can't cancel a non-existing write transaction") }
        if requireEnding() { core.cancelWrite() }
    }

    // MARK: Versions

    /// Moves the realm to the newest version; false if it shows that already, or within a write transaction.
    @discardableResult
    public func refresh() -> Bool { core.enter() && core.attempt(false) { try core.refresh() } }

    /// Releases the realm's version, and invalidates every object, list, set, map and linking objects of this realm;
    /// their observers end. A write transaction under way is cancelled. Results are invalid until the realm is read
    /// again; then they show the current objects, and their observers go on.
    public func invalidate() { if core.enter() { core.invalidateAll() } }

    // MARK: Objects

    /// Adds an object, and the objects it links to, to the realm: this instance itself becomes managed.
    public func add(_ object: Object, update: UpdatePolicy = .error) { core.add(object, StoringContext(core, update)) }

    /// Adds several objects to the realm: an array, a list, results of another realm's query, any sequence.
    public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error) where Objects.Element: Object {
        let context = StoringContext(core, update)
        for object in objects { core.add(object, context) }
    }

    /// Creates an object from values, as `Object.init(value:)` does. Values are copied, except for objects that this
    /// realm manages already.
    ///
    /// ```swift
    /// realm.create(Book.self, value: ["id": 1, "title": "Waves", "price": 9.5])
    /// realm.create(Book.self, value: ["id": 1, "price": 8.0], update: .modified)   // the title stays
    /// ```
    /// If an object with the primary key exists, `update` decides: `.error` refuses; `.modified` and `.all` set the
    /// properties that the values name, and leave the others. A value of nil, or `NSNull`, sets nil, and empties a
    /// collection. Objects within the values are created or changed by the same rule.
    /// - Returns: the managed object. If the value is an object of this realm and `update` is not `.error`, the value.
    @discardableResult
    public func create<Model: Object>(_ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> Model {
        if update != .error, let object = value as? Model, object.core === core, !object.isInvalidated { return object }
        let object = type.init(), given = GivenValues(isNeeded: update != .error)
        guard core.enter(), core.requireWrite() else { return object }
        ObjectInput.fill(object, value, ValueContext(core: core, given: given))
        if !given.isRefused { core.add(object, StoringContext(core, update, given: given)) }
        return object
    }

    /// Deletes an object; links to it become nil.
    public func delete(_ object: ObjectBase) { core.delete([object]) }

    /// Deletes several objects: an array, a list, results, linking objects, any sequence.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase { core.delete(Array(objects)) }

    /// Deletes the objects that a map links to. Its keys stay, with nil.
    public func delete<Key, Model: ObjectBase>(_ map: Map<Key, Model?>) { core.delete(map.values.compactMap { $0 }) }

    /// Deletes every object of the realm's classes.
    public func deleteAll() { core.deleteAll() }

    /// The objects of a class and its subclasses.
    public func objects<Model: ObjectBase>(_ type: Model.Type) -> Results<Model> {
        Results(TableSource(core.present(type), in: core))
    }

    /// The object with a primary key; nil if there is none.
    @inlinable
    public func object<Model: Object, Key>(ofType type: Model.Type, forPrimaryKey key: Key) -> Model? {
        // Safe: the type is compared first; an object that is found is of the requested class.
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

    /// Whether the realm's classes have no objects.
    public var isEmpty: Bool {
        core.enter() && core.attempt(true) { try core.schema.classes.allSatisfy { try core.present($0.type) == nil || core.engineTable($0.name).count == 0 } }
    }
}
