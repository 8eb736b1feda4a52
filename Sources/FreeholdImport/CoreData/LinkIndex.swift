import FreeholdEngine

/// The objects that each owner's relationship leads to, sorted by owner: 16 bytes a link, and 24 while it is being built.
final class LinkIndex {
    private struct Link {
        let owner: Int64
        let order: Int64
        let target: Int64
    }

    private var owners: [Int64] = []
    private var targets: [Int64] = []
    /// Where the last search ended: owners are asked for in ascending order.
    private var next = 0

    /// Reads the rows of a relationship.
    init(_ rows: LinkRows, of file: SQLiteFile) throws(SourceError) {
        var links: [Link] = []
        var cursor = try file.reader(of: file.tables[rows.table], after: nil)
        while try cursor.next() {
            guard let owner = try Self.key(rows.owner, &cursor), let target = try Self.key(rows.target, &cursor) else { continue }
            var order = target
            if let column = rows.order { order = try Self.position(cursor.field(column)) }
            if links.count >= SourceLimits.elements {
                throw SourceError(.unsupported, "a relationship of more than \(SourceLimits.elements) links")
            }
            links.append(Link(owner: owner, order: order, target: target))
            if rows.isSymmetric { links.append(Link(owner: target, order: rows.order == nil ? owner : order, target: owner)) }
        }
        links.sort { ($0.owner, $0.order, $0.target) < ($1.owner, $1.order, $1.target) }
        owners.reserveCapacity(links.count)
        targets.reserveCapacity(links.count)
        for (place, link) in links.enumerated() {
            if place > 0, links[place - 1].owner == link.owner, links[place - 1].target == link.target { continue }
            owners.append(link.owner)
            targets.append(link.target)
        }
    }

    /// The objects that an owner's relationship leads to, in order.
    func targets(of owner: Int64) -> ArraySlice<Int64> {
        if next > 0, next > owners.count || owners[next - 1] >= owner { next = 0 }
        var low = next
        var high = min(next + 8, owners.count)
        if high > low, high < owners.count, owners[high - 1] < owner { high = owners.count }
        while low < high {
            let middle = (low + high) / 2
            if owners[middle] < owner { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < owners.count, owners[end] == owner { end += 1 }
        next = end
        return targets[low..<end]
    }

    private static func key(_ place: LinkRows.Place, _ rows: inout SQLiteRowReader) throws(SourceError) -> Int64? {
        guard case .column(let column) = place else { return rows.key }
        guard case .int(let key) = try rows.field(column) else { return nil }
        return key
    }

    private static func position(_ field: SQLiteField) -> Int64 {
        switch field {
        case .int(let number): number
        case .real(let number): Int64(exactly: number.rounded()) ?? 0
        default: 0
        }
    }
}
