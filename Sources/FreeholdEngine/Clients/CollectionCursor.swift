/// One collection of an object as a client holds it: where it is, and the walk to it in any version.
///
/// ```
/// object ─ property ─► collection ─ step ─► collection ─ step ─► this collection
/// ```
/// ```swift
/// let tags = try CollectionCursor(of: key, in: notes, tagsColumn)
/// switch try tags?.find(in: notes, tagsColumn) {
/// case .found(let view)?: print(view.count)
/// case .removed?, .objectDeleted?, nil: print("there is none")
/// }
/// ```
/// 1. It keeps the location and no contents, so it is valid in every version, and while other things change. The table
///    and the column passed to a call determine the version; they are those of the object's class and property.
/// 2. The location is the path, never the contents: a list that was replaced by another list is found again.
/// 3. The collection is *removed* in a version in which a step leads to no collection, or the path to one of another
///    kind: an element was removed, or a mixed value replaced. Declared collections of a property are never removed.
/// 4. A client that caches a view does so for as long as its row is valid.
public struct CollectionCursor: Sendable {
    /// The key of the object.
    public let key: ObjectKey
    /// The positions and keys that lead from the property's collection to this one.
    public let path: [CollectionStep]
    /// The kind of this collection.
    public let kind: CollectionKind

    /// What is at the location in one version.
    public enum Finding {
        /// The collection. The view is valid as long as the object's row.
        case found(CollectionView)
        /// There is no collection of the cursor's kind.
        case removed
        /// There is no object.
        case objectDeleted
    }

    /// A cursor for a known location.
    ///
    /// - Parameter kind: the kind of the collection at the end of the path.
    public init(of key: ObjectKey, _ kind: CollectionKind, at path: [CollectionStep] = []) {
        (self.key, self.kind, self.path) = (key, kind, path)
    }

    /// Opens the collection in a property of an object; nil if there is no such object.
    ///
    /// - Throws: `.typeMismatch` if the property is neither a collection nor a mixed value that is one.
    public init?(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) {
        guard let row = try table.row(key) else { return nil }
        self.init(of: key, try row.collection(column).shape.kind)
    }

    /// A cursor for the collection that is an element of this one, of a known kind.
    public func below(_ step: CollectionStep, _ kind: CollectionKind) -> CollectionCursor {
        CollectionCursor(of: key, kind, at: path + [step])
    }

    /// Opens the collection that is an element of this one.
    ///
    /// - Parameter creating: whether the caller may change the collection: then it may be one that does not exist yet, at
    ///   a key that the map does not have, if the property declares collections there. The first change creates it.
    /// - Throws: `.invalidArgument` if there is no such element, or it is not a collection; errors of `view`.
    public func inner(_ step: CollectionStep, in table: Table, _ column: Column, creating: Bool = false) throws(FreeholdError)
        -> CollectionCursor {
        let reader = try view(in: table, column).reader
        if creating, let kind = try reader.kindToCreate(at: step) { return below(step, kind) }
        return below(step, try reader.inner(at: try reader.position(of: step)).shape.kind)
    }

    /// Whether the collection is at its location in the table's version, so that the cursor can be used there.
    ///
    /// - Parameter creating: whether one that the first change creates counts, as in `inner`.
    public func canOpen(in table: Table, _ column: Column, creating: Bool = false) throws(FreeholdError) -> Bool {
        if case .found = try find(in: table, column) { return true }
        guard creating, let step = path.last,
              let outer = try table.row(key)?.anyCollection(column)?.found(at: path.dropLast()) else { return false }
        return try outer.kindToCreate(at: step) == kind
    }

    /// Walks to the collection.
    public func find(in table: Table, _ column: Column) throws(FreeholdError) -> Finding {
        guard let row = try table.row(key) else { return .objectDeleted }
        guard let found = try row.anyCollection(column)?.found(at: path), found.shape.kind == kind else { return .removed }
        return .found(CollectionView(found))
    }

    /// The collection; throws `.objectDeleted` if it was removed or its object deleted.
    public func view(in table: Table, _ column: Column) throws(FreeholdError) -> CollectionView {
        switch try find(in: table, column) {
        case .found(let view): return view
        case .removed: throw removed(table, column)
        case .objectDeleted: throw objectDeleted(table)
        }
    }

    /// A writer for the collection. The first change creates a collection that the property declares at a key which its
    /// map does not have.
    ///
    /// - Throws: `.typeMismatch` if the property does not have such a collection. `explained` tells whether an error of
    ///   the writer has the same cause.
    public func writer(in transaction: WriteTransaction, _ table: Table, _ column: Column) throws(FreeholdError) -> CollectionWriter {
        let outermost: CollectionKind = switch path.first {
        case .position?: .list
        case .key?: .map
        case nil: kind
        }
        return try transaction.collection(of: key, in: table, column, outermost, at: path)
    }

    /// The cause of a failed read or change: `.objectDeleted` if the collection was removed or its object deleted, else
    /// the error itself.
    public func explained(_ error: FreeholdError, in table: Table, _ column: Column) -> FreeholdError {
        guard [.typeMismatch, .invalidArgument, .noSuchObject].contains(error.code) else { return error }
        do throws(FreeholdError) {
            if try !canOpen(in: table, column, creating: true) { _ = try view(in: table, column) }
        } catch {
            if error.code == .objectDeleted { return error }
        }
        return error
    }

    /// The address of the collection, for live results.
    public func address(of property: String, in className: String) -> CollectionAddress {
        CollectionAddress(property, of: key, in: className, path: path)
    }

    private func objectDeleted(_ table: Table) -> FreeholdError {
        FreeholdError(.objectDeleted, "object \(key) of class '\(table.schema.name)' was deleted, and its collections with it")
    }

    private func removed(_ table: Table, _ column: Column) -> FreeholdError {
        let property = (try? table.state.index(of: column)).map { table.state.stored.properties[$0].name } ?? ""
        return FreeholdError(.objectDeleted, "the \(kind.name) in property '\(property)' of object \(key) of class '\(table.schema.name)' "
            + "no longer exists: the value that held it was removed or replaced")
    }
}

extension CollectionReader {
    /// The kind of the declared collection that the first change would create at a step; nil if there is something
    /// already, or there cannot be a collection.
    fileprivate func kindToCreate(at step: CollectionStep) throws(FreeholdError) -> CollectionKind? {
        guard case .key(let key) = step, shape.kind == .map, let inner = shape.inner, try !search(key: key).isFound else { return nil }
        return inner.kind
    }
}
