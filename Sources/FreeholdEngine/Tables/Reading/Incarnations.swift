/// The rows of a cluster that are objects created under a key that may have been another object's, and the version that
/// created each.
///
/// ```
/// groups u32 · 0 u32, for each group: version u64 · 32 bytes, a bit for each row
/// ```
/// An object has an incarnation if its key was below the class's next key when it was created: such a key may have been
/// used before. The incarnation is the version that created the object. If two versions both have an object under a
/// key, they are different objects if the incarnation in the newer version is above the older version. So an
/// incarnation with no held version below it is no longer needed, and is dropped when its cluster is rewritten.
/// Ascending keys, and those the class assigns itself, never have one.
///
/// Safe throughout: `complaint` has compared the length with the groups on first touch.
struct Incarnations {
    static let headBytes = 8
    static let groupBytes = 40

    private(set) var groups: [(version: UInt64, rows: RowMask)] = []

    var isEmpty: Bool { groups.isEmpty }
    var byteCount: Int { isEmpty ? 0 : Self.headBytes + groups.count * Self.groupBytes }

    mutating func note(_ row: Int, _ version: UInt64) {
        if let place = groups.firstIndex(where: { $0.version == version }) { return groups[place].rows.insert(row) }
        var rows = RowMask()
        rows.insert(row)
        groups.append((version, rows))
    }

    func store(_ start: UnsafeMutableRawPointer) {
        if isEmpty { return }
        start.storeBytes(of: UInt32(groups.count), as: UInt32.self)
        for (place, group) in groups.enumerated() {
            let entry = start + Self.headBytes + place * Self.groupBytes
            entry.storeBytes(of: group.version, as: UInt64.self)
            group.rows.store(entry + 8)
        }
    }

    /// The incarnation of a row, from the bytes; 0 if it has none.
    static func version(of row: Int, at start: UnsafeRawPointer) -> UInt64 {
        for place in 0..<Int(start.load(as: UInt32.self)) {
            let entry = start + headBytes + place * groupBytes
            if RowMask(entry + 8).contains(row) { return entry.load(as: UInt64.self) }
        }
        return 0
    }

    /// Whether the groups fit in that many bytes.
    static func fit(_ start: UnsafeRawPointer, bytes: Int) -> Bool {
        guard bytes >= headBytes else { return false }
        let groups = Int(start.load(as: UInt32.self))
        return (1...ClusterView.maximumRows).contains(groups) && bytes >= headBytes + groups * groupBytes
    }
}
