import FreeholdEngine

/// Applies the operations of a request in a transaction, and collects what happened. The caller commits or rolls back.
///
/// After a conflict or a refused operation the others are tried as well, so that all conflicts are found; the
/// transaction must not be committed then.
final class EditRun {
    let transaction: WriteTransaction
    let cells: CellReading
    let uploads: Uploads
    let book: ClassBook
    let effects: EditEffects
    /// The version that the tab shows; nil if none is held.
    let seen: SeenVersion?
    private(set) var conflicts: [EditConflict] = []
    private(set) var refusals: [EditOutcome.Refusal] = []
    private(set) var created: [EditOutcome.Created] = []
    private(set) var omitted = 0
    /// Objects that operations added under a name.
    private var names: TextMap<FoundObject> = [:]
    /// Names whose operation failed.
    private var failedNames: Set<ExactText> = []
    /// The operation that is being applied.
    private var number = 0
    /// The version before the request, once it is asked for.
    private var versionBefore: VersionBefore?

    /// The maximum number of conflicts, and of errors, in an outcome.
    static let maximumListed = 1000

    init(_ transaction: WriteTransaction, _ cells: CellReading, _ uploads: Uploads, _ limits: UndoLimits, _ seen: Snapshot?) throws {
        self.transaction = transaction
        self.cells = cells
        self.uploads = uploads
        book = ClassBook(transaction, transaction.classes)
        effects = EditEffects(limits)
        self.seen = try seen.flatMap { [book, effects] in try SeenVersion($0, book.declared, effects) }
    }

    /// The objects as they were before the request.
    func before() throws -> VersionBefore {
        if let versionBefore { return versionBefore }
        let made = VersionBefore(try transaction.snapshotBefore())
        versionBefore = made
        return made
    }

    var isClean: Bool { conflicts.isEmpty && refusals.isEmpty }

    /// Applies all operations in their order.
    ///
    /// - Throws: what makes going on senseless: a damaged file, a full disk.
    func apply(_ operations: [EditOperation]) throws {
        var start = 0
        while start < operations.count {
            var end = start + 1
            if operations[start].isDeletion {
                // Objects that go together may be named together: one that a rule takes along is not gone before its
                // own turn.
                while end < operations.count, operations[end].isDeletion { end += 1 }
                try deleteTogether(operations[start..<end])
            } else {
                let operation = operations[start]
                let isDone = try attempt(operation.number) { try apply(operation) }
                if !isDone, case .add(_, _, let name?) = operation.kind { failedNames.insert(name) }
            }
            start = end
        }
    }

    /// Runs a part of an operation; notes why it cannot be done.
    ///
    /// - Returns: whether it was done.
    @discardableResult
    func attempt(_ number: Int, _ body: () throws -> Void) throws -> Bool {
        self.number = number
        do {
            try body()
            return true
        } catch let conflict as EditConflict {
            note(conflict)
        } catch let mistake as OperationMistake {
            refuse(mistake.message)
        } catch let error as FreeholdError where error.isRefusal {
            refuse(error.message)
        }
        return false
    }

    func note(_ conflict: EditConflict) {
        if conflicts.count < Self.maximumListed { conflicts.append(conflict) } else { omitted += 1 }
    }

    private func refuse(_ message: String) {
        let refusal = EditOutcome.Refusal(operation: number, message: message)
        if refusals.count < Self.maximumListed { refusals.append(refusal) } else { omitted += 1 }
    }

    private func apply(_ operation: EditOperation) throws {
        switch operation.kind {
        case .set(let name, let property, let value, let was): try set(name, property, value, was)
        case .add(let className, let values, let name): try add(className, values, name)
        case .delete: preconditionFailure("deletions are applied together")
        case .setAll(let className, let selection, let property, let value): try setAll(className, selection, property, value)
        case .deleteAll(let className, let selection): try deleteAll(className, selection)
        case .insert(let place, let at, let value): try insert(place, at, value)
        case .replace(let place, let at, let value, let was): try replace(place, at, value, was)
        case .remove(let place, let at, let was): try remove(place, at, was)
        case .move(let place, let at, let to, let was): try move(place, at, to, was)
        case .embed(let place, let at, let className, let values, let was): try embed(place, at, className, values, was)
        }
    }
}

/// Objects by name.
extension EditRun {
    /// The object that an operation names, with its own class.
    ///
    /// - Throws: ``EditConflict`` if it was deleted.
    func find(_ name: ObjectName) throws -> FoundObject {
        switch name.key {
        case .new(let new): return try named(new)
        case .key(let key):
            let entry = try book.entry(name.className)
            guard let row = try entry.table.row(key) else { throw gone(name.className, key) }
            return FoundObject(entry: entry.hasSubclasses ? try book.entry(row.className) : entry, key: key)
        }
    }

    /// The object that an operation of this request added under a name.
    func named(_ name: String) throws -> FoundObject {
        guard let object = names[name] else {
            throw OperationMistake(failedNames.contains(name) ? "the object '\(name)' could not be added"
                : "no operation before this one adds an object named '\(name)'")
        }
        guard try object.entry.table.contains(object.key) else { throw OperationMistake("the object '\(name)' was deleted again") }
        return object
    }

    func note(_ object: FoundObject, addedAs name: String?) throws {
        created.append(EditOutcome.Created(operation: number, className: object.entry.name, key: object.key))
        guard let name else { return }
        if names[name] != nil { throw OperationMistake("two operations add an object named '\(name)'") }
        names[name] = object
    }

    func gone(_ className: String, _ key: ObjectKey) -> EditConflict {
        EditConflict(operation: number, className: className, key: key.description, property: nil, was: nil, now: nil, isGone: true)
    }

    func conflict(_ object: FoundObject, _ property: String, was: JSON?, now: JSON?, isGone: Bool = false) -> EditConflict {
        EditConflict(operation: number, className: object.entry.name, key: object.key.description, property: property, was: was, now: now,
            isGone: isGone)
    }
}

/// An object of a transaction and its own class.
struct FoundObject {
    let entry: ClassEntry
    let key: ObjectKey

    /// The object as it is now; valid until the next change.
    func row() throws -> Row {
        guard let row = try entry.table.row(key) else {
            throw OperationMistake("object \(key) of class '\(entry.name)' was deleted by this request")
        }
        return row
    }
}

extension EditOperation {
    fileprivate var isDeletion: Bool {
        if case .delete = kind { true } else { false }
    }
}

extension FreeholdError {
    /// Whether an operation was refused for what it asks, so that others can still be tried.
    var isRefusal: Bool { code.band == .argument || code == .valueTooLarge || code == .objectDeleted }
}
