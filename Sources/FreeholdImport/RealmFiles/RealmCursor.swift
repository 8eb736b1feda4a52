import FreeholdEngine

/// Reads the objects of one class of a Realm file.
final class RealmCursor: SourceCursor {
    private let reader: RealmReader
    private let columns: [RealmColumn]
    private let after: Int64?
    private let unchanged: () throws(SourceError) -> Void
    private var walk: RealmClusterWalk?
    /// The cluster that is being read, and the next of its objects.
    private var current: (cluster: RealmCluster, row: Int)?
    /// The objects that are left to read, if all are.
    private var countLeft: Int?

    /// - Parameter unchanged: throws if the file changed since it was opened.
    init(_ reader: RealmReader, place: Int, after key: Int64?, unchanged: @escaping () throws(SourceError) -> Void) {
        self.reader = reader
        let table = reader.tables[place]
        columns = table.columns
        after = key
        self.unchanged = unchanged
        // Embedded objects are values of their owners.
        walk = table.isEmbedded ? nil : RealmClusterWalk(reader.pages, root: table.clusters, after: key)
        countLeft = key == nil && !table.isEmbedded ? table.count : nil
    }

    func next() throws(SourceError) -> SourceBatch? {
        do throws(SourceError) {
            if let batch = try read() { return batch }
            if let countLeft, countLeft != 0 {
                throw SourceError(.damaged, "a table has \(abs(countLeft)) objects \(countLeft > 0 ? "fewer" : "more") than it says")
            }
            countLeft = nil
            return nil
        } catch {
            walk = nil
            current = nil
            countLeft = nil
            // What another program writes meanwhile looks like damage.
            if error.kind == .damaged { try unchanged() }
            throw error
        }
    }

    private func read() throws(SourceError) -> SourceBatch? {
        var keys: [Int64] = [], builders = columns.map { RealmColumnBuilder($0) }
        reader.bytes = 0
        while keys.count < SourceLimits.batchObjects, reader.bytes < SourceLimits.batchBytes, let (cluster, row) = try cluster() {
            let end = min(cluster.keys.count, row + SourceLimits.batchObjects - keys.count)
            let rows = row..<(try append(cluster, row..<end, to: &builders))
            keys.append(contentsOf: cluster.keys[rows])
            current = rows.upperBound < cluster.keys.count ? (cluster, rows.upperBound) : nil
        }
        if keys.isEmpty { return nil }
        countLeft? -= keys.count
        return SourceBatch(keys: keys, columns: builders.map(\.result))
    }

    /// The cluster with the next object, and its place; nil at the end.
    private func cluster() throws(SourceError) -> (cluster: RealmCluster, row: Int)? {
        if let current { return current }
        guard let cluster = try walk?.next() else { return nil }
        try reader.spend(columns.count * 8 + cluster.keys.count, at: cluster.leaves.reference)
        let row = after.map { after in cluster.keys.firstIndex { $0 > after } ?? cluster.keys.count } ?? 0
        current = (cluster, row)
        return current
    }

    /// Appends objects until the batch is large enough.
    /// - Returns: the end of those that were appended, which is after the first one.
    private func append(_ cluster: RealmCluster, _ rows: Range<Int>, to builders: inout [RealmColumnBuilder]) throws(SourceError) -> Int {
        var plain: [(place: Int, leaf: RealmLeaf)] = [], others: [(place: Int, leaf: RealmOpenCluster.Leaf)] = []
        for (place, column) in columns.enumerated() {
            if builders[place].isPlain {
                plain.append((place, try reader.leaf(column, cluster)))
            } else if column.shape == .single {
                others.append((place, .values(try reader.leaf(column, cluster))))
            } else {
                others.append((place, .collections(try reader.collections(column, cluster))))
            }
        }
        let bytes = try byteCount(plain, rows)
        var end = rows.upperBound
        if others.isEmpty, reader.bytes + bytes <= SourceLimits.batchBytes {
            reader.bytes += bytes
        } else {
            end = rows.lowerBound
            while end < rows.upperBound, end == rows.lowerBound || reader.bytes < SourceLimits.batchBytes {
                reader.bytes += try byteCount(plain, end..<end + 1)
                try appendObject(end, others, to: &builders)
                end += 1
            }
        }
        try reader.spend((end - rows.lowerBound) * columns.count, at: cluster.leaves.reference)
        for (place, leaf) in plain { try builders[place].append(leaf, rows.lowerBound..<end) }
        return end
    }

    /// The bytes that plain values of some objects take in memory.
    private func byteCount(_ plain: [(place: Int, leaf: RealmLeaf)], _ rows: Range<Int>) throws(SourceError) -> Int {
        var sum = plain.count * rows.count * 8
        for (_, leaf) in plain {
            if case .texts(let texts) = leaf.form { sum += try texts.byteCount(rows) }
        }
        return sum
    }

    /// Appends what of one object is not plain.
    private func appendObject(
        _ row: Int, _ leaves: [(place: Int, leaf: RealmOpenCluster.Leaf)], to builders: inout [RealmColumnBuilder]
    ) throws(SourceError) {
        reader.beginObject()
        for (place, leaf) in leaves {
            switch leaf {
            case .values(let leaf):
                let item = try leaf.item(row)
                try reader.hold(item, at: leaf.reference)
                builders[place].append(try reader.value(item, columns[place], at: leaf.reference))
            case .collections(let node):
                reader.bytes += 8
                builders[place].append(try reader.collection(node.integer(row), columns[place], at: node.reference))
            }
        }
    }
}
