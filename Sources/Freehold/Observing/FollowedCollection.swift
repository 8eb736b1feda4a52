import FreeholdEngine

/// A list, set or map of an object.
///
/// What both versions hold in common is not read. An element that links to an object counts as modified when what is observed of the object
/// is; then the links of the collection are looked through once.
final class FollowedCollection: Followed {
    private let place: CollectionPlace
    private let paths: [PropertyPath]?
    /// The elements' class in the file, if they are objects of one.
    private let elementClass: String?
    private var elements: ObservedObjects?
    private var table = 0
    private var count = 0

    init(_ place: CollectionPlace, elements elementClass: String?, _ paths: [PropertyPath]?) {
        (self.place, self.elementClass, self.paths) = (place, elementClass, paths)
    }

    var interest: Observer.Interest {
        Observer.Interest(tables: elements?.tables ?? [], objects: [ObservedPlace(table: table, key: place.key)])
    }

    func begin(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot)
        guard let view = try view(at: snapshot) else { return false }
        count = view.count
        return true
    }

    /// - Parameter anew: whether classes may have changed.
    private func look(at snapshot: Snapshot, anew: Bool = false) throws {
        table = try snapshot.tableNumber(of: place.className)
        elements = try elementClass.flatMap { try place.core.observers?.objects(of: $0, paths, at: snapshot, anew: anew) }
    }

    /// The collection as a version has it; nil if the object is gone, or nothing is at the collection's place in it.
    private func view(at snapshot: Snapshot) throws -> AnyCollectionView? {
        let objects = try snapshot.table(place.className)
        guard let row = try objects.row(place.key) else { return nil }
        do throws(FreeholdError) {
            return try AnyCollectionView(row, try objects.column(place.described.storedName), place.kinds[0]).following(place.path, place.kinds)
        } catch {
            // The way to a collection within others may lead nowhere any more.
            if error.code == .invalidArgument || error.code == .typeMismatch { return nil }
            throw error
        }
    }

    func advance(_ step: VersionStep) throws -> FollowedChanges {
        if try step.changedTables() == nil { try look(at: step.newer, anew: true) }
        let change = try step.change(of: place.key, in: place.className)
        let old = try view(at: step.older)
        guard change?.kind != .replaced, let new = try view(at: step.newer) else { return try gone(old) }
        var changes = FollowedChanges()
        if let old { changes = try differences(change, old, new) } else { changes.positions.insertions = Array(0..<new.count) }
        if let old, let elements { try noteModified(try elements.touched(by: step), old, &changes) }
        count = new.count
        return changes
    }

    private func gone(_ old: AnyCollectionView?) throws -> FollowedChanges {
        var changes = FollowedChanges(isGone: true)
        changes.positions.deletions = Array(0..<count)
        if case .map(let map) = old { changes.deletedKeys = try map.keys() }
        count = 0
        return changes
    }

    private func differences(_ change: FreeholdEngine.ObjectChange?, _ old: AnyCollectionView, _ new: AnyCollectionView) throws -> FollowedChanges {
        var found = FollowedChanges()
        if change == nil { return found }
        switch (old, new) {
        case (.list(let old), .list(let new)):
            let changes = try new.changes(since: old)
            found.positions = PositionChanges(deletions: changes.deletions.flatMap { $0 }, insertions: changes.insertions.flatMap { $0 },
                                              modifications: changes.modifications.flatMap(\.old))
        case (.set(let old), .set(let new)):
            let changes = try new.changes(since: old)
            found.positions = PositionChanges(deletions: changes.deletions.flatMap { $0 }, insertions: changes.insertions.flatMap { $0 })
        case (.map(let old), .map(let new)):
            let changes = try new.changes(since: old)
            (found.deletedKeys, found.insertedKeys, found.modifiedKeys) = (changes.deletions, changes.insertions, changes.modifications)
        default:
            found.positions = PositionChanges(deletions: Array(0..<old.count), insertions: Array(0..<new.count))
        }
        return found
    }

    /// Adds elements that stayed, and link to objects that look different.
    private func noteModified(_ touched: Set<ObjectKey>, _ old: AnyCollectionView, _ changes: inout FollowedChanges) throws {
        if touched.isEmpty { return }
        if case .map(let map) = old { return try noteModified(touched, of: map, &changes) }
        let positions = try Self.positions(of: touched, in: old), gone = Set(changes.positions.deletions)
        changes.positions.modifications = Set(changes.positions.modifications).union(positions).subtracting(gone).sorted()
    }

    private static func positions(of touched: Set<ObjectKey>, in old: AnyCollectionView) throws -> [Int] {
        var positions: [Int] = [], position = 0
        switch old {
        case .list(let list):
            if touched.count <= list.count / 512 {
                // A few are looked for in the leaves that may have them.
                let present = try touched.contains { key in try list.count(of: key) > 0 }
                if !present { return [] }
            }
            try list.forEachInt { key in
                if touched.contains(ObjectKey(key)) { positions.append(position) }
                position += 1
            }
        case .set(let set):
            var cursor = set.cursor()
            while let value = try cursor.next() {
                if case .link(let key) = value, touched.contains(key) { positions.append(position) }
                position += 1
            }
        case .map: break
        }
        return positions
    }

    private func noteModified(_ touched: Set<ObjectKey>, of map: MapView, _ changes: inout FollowedChanges) throws {
        var cursor = map.cursor(), position = 0
        let told = Set(changes.deletedKeys).union(changes.modifiedKeys)
        var found: [String] = []
        while let value = try cursor.next() {
            if case .link(let key) = value, touched.contains(key) {
                let name = try map.key(at: position)
                if !told.contains(name) { found.append(name) }
            }
            position += 1
        }
        if found.isEmpty { return }
        changes.modifiedKeys = (changes.modifiedKeys + found).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
