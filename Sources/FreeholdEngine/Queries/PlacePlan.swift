/// The objects whose place is within a shape, by an index of places.
///
/// ```
/// shape ─► GeoCover: ranges of cells ─► entries ─► the cell alone decides ───────┬─► keys
///                                              └─► at the edge: the object's place ┤
/// tail ─► its objects that match, tested one by one ──────────────────────────────┘
/// ```
/// 1. Exactly the objects within are found, in the order of keys.
/// 2. The place of a sealed object is read only if its cell, of a few millimetres, has places of both kinds.
final class PlacePlan {
    private let table: Table
    private let within: BoundWithin
    private let tree: OrderedIndex
    private let ranges: [ClosedRange<UInt64>]
    /// The maximum number of objects.
    let estimate: Int

    /// Nil if no index of the table has these places, complete and as this program makes it. A transaction has not filed what it
    /// has changed, so it searches object by object.
    init?(_ within: BoundWithin, _ table: Table) throws(FreeholdError) {
        guard table.writer == nil, !within.place.isToMany,
              let tree = try PlaceIndexes.tree(for: within.place, of: table) else { return nil }
        self.table = table
        self.within = within
        self.tree = tree
        ranges = GeoCover(within.shape).ranges
        estimate = min(try PlaceEntries.count(tree, ranges), table.state.root.sealedCount) + table.state.tailCount
    }

    /// The keys of the objects, ascending.
    func keys() throws(FreeholdError) -> [ObjectKey] {
        let test = FiledPlaceTest(within.shape)
        var found: [ObjectKey] = [], doubtful: [ObjectKey] = []
        for range in ranges {
            var entries = try PlaceEntries(tree, range), last: (number: UInt64, isWithin: Bool?)?
            while let entry = try entries.next() {
                let isWithin = last?.number == entry.number ? last?.isWithin : test.contains(entry.number)
                last = (entry.number, isWithin)
                switch isWithin {
                case true?: found.append(entry.object)
                case false?: continue
                case nil: doubtful.append(entry.object)
                }
            }
        }
        found += try matching(doubtful)
        if table.scope != nil {
            var kept: [ObjectKey] = []
            for key in found where try table.contains(key) { kept.append(key) }
            found = kept
        }
        if table.state.hasRowsInTail {
            var waiting: [ObjectKey] = []
            try table.state.forEachTailRow { waiting.append(ObjectKey($0.key)) }
            found += try matching(waiting)
        }
        return found.united()
    }

    /// Those of some objects whose place is within.
    private func matching(_ keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        let context = QueryContext()
        var found: [ObjectKey] = []
        for key in keys {
            guard let row = try table.row(key) else { continue }
            context.look(at: row)
            if try within.holds(context) { found.append(key) }
        }
        return found
    }
}

/// The indexes of places of a class.
enum PlaceIndexes {
    /// The tree of the index that has a place, if it is complete and as this program makes it.
    static func tree(for place: BoundPlace, of table: Table) throws(FreeholdError) -> OrderedIndex? {
        let stored = table.state.stored
        for index in stored.derived where index.kind == PlacesKind.number && has(index, place, stored) {
            if let owner = index.owner, !table.schemaOf.lineage(of: Int(table.number)).contains(Int(owner)) { continue }
            guard let kind = DerivedKinds.kind(of: index, in: table.state.access) else { continue }
            let reference = table.state.root.auxiliary(.derived, index.column)
            // Without sealed objects there is no root yet.
            if reference.isNull, table.state.root.sealedCount == 0 { return OrderedIndex(root: .null, access: table.state.access) }
            guard !reference.isNull else { continue }
            do throws(FreeholdError) {
                let root = try DerivedRoot(reference, of: index, in: table.state.access)
                guard root.state == .complete, root.versions == kind.versions else { continue }
                return try PlacesKind.tree(root.contents, table.state.access)
            } catch { throw DerivedKinds.explained(error, stored, "read") }
        }
        return nil
    }

    private static func has(_ index: StoredDerived, _ place: BoundPlace, _ stored: StoredClass) -> Bool {
        guard index.fields.count == 2 else { return false }
        switch place.source {
        case .degrees(let latitude, let longitude):
            return latitude.leads(to: index.fields[0], of: stored) && longitude.leads(to: index.fields[1], of: stored)
        case .objects(let path, let table, let type, let coordinates):
            guard path.origin == 0, path.steps.count == 1 else { return false }
            let link: UInt32?
            switch path.steps[0] {
            case .own: link = nil
            case .value(let column): link = stored.properties[column.index].number
            default: return false
            }
            let other = table.state.stored
            return zip(index.fields, [type, coordinates]).allSatisfy { field, column in
                field.link == link && field.table == other.number && other.properties[column.index].number == field.property
            }
        }
    }
}

extension BoundPath {
    /// Whether the path leads to a field of a derived index of its class.
    fileprivate func leads(to field: DerivedField, of stored: StoredClass) -> Bool {
        guard origin == 0 else { return false }
        switch (steps.first, steps.count) {
        case (.value(let column), 1): return field.link == nil && stored.properties[column.index].number == field.property
        case (.link(let link, let target), 2):
            guard case .value(let column) = steps[1] else { return false }
            return field.link == stored.properties[link.index].number && field.table == target.state.stored.number
                && target.state.stored.properties[column.index].number == field.property
        default: return false
        }
    }
}

/// The keys of a range of cells in the tree.
struct CellBounds {
    let low = ByteBuffer(capacity: 8)
    /// The key behind the range; nil if there is none.
    let high: ByteBuffer?

    init(_ range: ClosedRange<UInt64>) {
        low.setCellKey(range.lowerBound)
        guard range.upperBound < .max else {
            high = nil
            return
        }
        let high = ByteBuffer(capacity: 8)
        high.setCellKey(range.upperBound + 1)
        self.high = high
    }
}

/// The entries of an index of places within a range of cells, in the order of their numbers.
struct PlaceEntries {
    private var cursor: IndexCursor

    init(_ tree: OrderedIndex, _ range: ClosedRange<UInt64>) throws(FreeholdError) {
        let bounds = CellBounds(range)
        cursor = try tree.cursor(from: bounds.low.bytes, to: bounds.high?.bytes)
    }

    /// The number of entries in ranges of cells.
    static func count(_ tree: OrderedIndex, _ ranges: [ClosedRange<UInt64>]) throws(FreeholdError) -> Int {
        var sum = 0
        for range in ranges {
            let bounds = CellBounds(range)
            sum += try tree.count(from: bounds.low.bytes, to: bounds.high?.bytes)
        }
        return sum
    }

    mutating func next() throws(FreeholdError) -> (number: UInt64, object: ObjectKey)? {
        guard try cursor.next() else { return nil }
        var number: UInt64 = 0
        // Safe: a key of the tree has 8 bytes; a longer one is not copied, and damage.
        let count = withUnsafeMutableBytes(of: &number) { cursor.copyKey(to: $0.baseAddress!, limit: 8) }
        guard count == 8 else {
            throw FreeholdError(.corrupt, "an index of places has a key of another length than 8 bytes", path: cursor.index.access.path)
        }
        return (UInt64(bigEndian: number), cursor.objectKey)
    }
}
