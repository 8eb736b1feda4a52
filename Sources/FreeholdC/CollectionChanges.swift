// The differences between two versions of a list, set or map.
//
// Safe throughout: an out parameter is NULL or writable memory of the caller; the newer collection's handle keeps the
// changes that are returned.
import CFreehold
import FreeholdEngine

@c @implementation
public func freehold_collection_changes(
    _ older: OpaquePointer?, _ newer: OpaquePointer?, _ changes: UnsafeMutablePointer<freehold_collection_changes_t>?
) -> freehold_error_code_t {
    done {
        let older = try Handles.object(older, OpenCollection.self), newer = try Handles.object(newer, OpenCollection.self)
        let before = try older.view(try older.readClass()), after = try newer.view(try newer.readClass())
        newer.changed.clear()
        try Sized.fill(changes, with: try after.changes(since: before, in: newer.changed))
    }
}

extension CollectionView {
    fileprivate func changes(since older: CollectionView, in memory: ValueMemory) throws(FreeholdError) -> freehold_collection_changes_t {
        var told = freehold_collection_changes_t()
        switch (older, self) {
        case (.list(let older), .list(let newer)):
            let changes = try newer.changes(since: older)
            told.deletions = memory.positions(changes.deletions.flatMap { $0 })
            told.insertions = memory.positions(changes.insertions.flatMap { $0 })
            told.modifications = memory.positions(changes.modifications.flatMap(\.old))
            told.modified = memory.positions(changes.modifications.flatMap(\.new))
        case (.set(let older), .set(let newer)):
            let changes = try newer.changes(since: older)
            told.deletions = memory.positions(changes.deletions.flatMap { $0 })
            told.insertions = memory.positions(changes.insertions.flatMap { $0 })
        case (.map(let older), .map(let newer)):
            let changes = try newer.changes(since: older)
            told.deleted_keys = memory.texts(changes.deletions)
            told.inserted_keys = memory.texts(changes.insertions)
            told.modified_keys = memory.texts(changes.modifications)
        default: throw FreeholdError(.invalidArgument, "the two collections are of different kinds (list, set, map)")
        }
        return told
    }
}
