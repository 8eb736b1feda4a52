import FreeholdEngine

/// What one cursor knows of a Realm file while it reads objects, and the limits on its work.
///
/// 1. No node, value or embedded object of a Realm file is shared. So reading all objects of a class takes no more steps
///    than `work` allows: a few for each bit of the file. A damaged file in which many things refer to one of them needs
///    more, and is refused.
/// 2. An embedded object has one owner, so no more of them are read than there are.
/// 3. A leaf of a collection has at most a thousand elements, and no object has the same leaf twice. So what an object
///    takes in memory is bounded by the file's length, although an array of zeros takes eight bytes however long it is.
final class RealmReader {
    /// Realm's limit is a thousand, and can be changed where Realm is built.
    private static let leafElements = 4096

    let pages: RealmPages
    let tables: [RealmTable]
    /// The places among the classes by the key of the table.
    let places: [Int64: Int]
    let format: Int
    /// Levels of collections and embedded objects that are being read.
    var depth = 0
    /// Bytes of the values read since the batch began.
    var bytes = 0
    /// Elements of collections, and bytes, read for the present object.
    private var elements = 0, objectBytes = 0
    /// The nodes of collections that were read for the present object.
    private var visited: Set<Int64> = []
    /// The embedded objects that were read last, by the place of their class.
    var clusters: [Int: RealmOpenCluster] = [:]
    /// The distinct strings of enumerated columns, by the reference to them.
    private var enumerations: [Int64: RealmTexts] = [:]
    private var work: Int
    private var embeddedLeft: Int

    init(_ pages: RealmPages, _ tables: [RealmTable], _ places: [Int64: Int], format: Int) {
        self.pages = pages
        self.tables = tables
        self.places = places
        self.format = format
        work = pages.count * 64 + (64 << 10)
        embeddedLeft = tables.reduce(0) { $1.isEmbedded ? $0 + $1.count : $0 }
    }

    /// Counts steps of reading.
    func spend(_ steps: Int, at offset: Int) throws(SourceError) {
        work -= steps
        if work < 0 { throw .damaged("there are more values than the file has room for; something in it is referred to twice", offset) }
    }

    /// Counts an embedded object that is about to be read.
    func spendEmbedded(at offset: Int) throws(SourceError) {
        embeddedLeft -= 1
        if embeddedLeft < 0 { throw .damaged("an embedded object has two owners, or owns itself", offset) }
    }

    /// Begins to count for another object.
    func beginObject() {
        (elements, objectBytes, depth) = (0, 0, 0)
        if !visited.isEmpty { visited.removeAll(keepingCapacity: true) }
    }

    /// Notes a node of a collection of the present object.
    /// - Throws: `.damaged` if it was noted before.
    func visit(_ reference: Int64) throws(SourceError) {
        try spend(8, at: Int(clamping: reference))
        guard visited.insert(reference).inserted else { throw .damaged("two collections have the same elements", Int(clamping: reference)) }
    }

    /// Counts the elements of a leaf of a collection.
    /// - Throws: `.damaged` if no leaf has as many.
    func spend(elements count: Int, at reference: Int64) throws(SourceError) {
        guard count <= Self.leafElements else { throw .damaged("a leaf of a collection has \(count) elements", Int(clamping: reference)) }
        try spend(count, at: Int(clamping: reference))
    }

    /// Counts what an element of an object takes in memory.
    func hold(_ item: RealmItem, at offset: Int) throws(SourceError) {
        elements += 1
        let size = switch item {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let bytes)): bytes.count
        default: 0
        }
        bytes += size + 48
        objectBytes += size
        if elements > SourceLimits.elements || objectBytes > pages.count + SourceLimits.shortBytes {
            throw .damaged("an object has more values than the file has room for", offset)
        }
    }

    /// Goes one level deeper.
    /// - Throws: `.damaged` if that is deeper than values are nested.
    func descend(at offset: Int) throws(SourceError) {
        depth += 1
        if depth > SourceLimits.depth {
            throw .damaged("values are nested more than \(SourceLimits.depth) levels deep, or contain themselves", offset)
        }
    }

    /// The leaf of a column in a cluster.
    func leaf(_ column: RealmColumn, _ cluster: RealmCluster) throws(SourceError) -> RealmLeaf {
        let leaf = try RealmLeaf(pages, at: cluster.leaves.required(column.leaf), kind: column.kind, isNullable: column.isNullable,
                                 enumeration: enumeration(column), isElement: false)
        guard leaf.count == cluster.keys.count else {
            throw .damaged("'\(column.name)' has \(leaf.count) values for \(cluster.keys.count) objects", cluster.leaves.reference)
        }
        return leaf
    }

    /// The distinct strings of a column, which are kept: there may be many; nil if it is not enumerated.
    private func enumeration(_ column: RealmColumn) throws(SourceError) -> RealmTexts? {
        if column.enumeration == 0 || column.kind != .string { return nil }
        if let known = enumerations[column.enumeration] { return known }
        let texts = try RealmTexts(pages, at: column.enumeration, isText: true)
        enumerations[column.enumeration] = texts
        return texts
    }

    /// The references to the collections of a column in a cluster.
    func collections(_ column: RealmColumn, _ cluster: RealmCluster) throws(SourceError) -> RealmNode {
        let node = try pages.integers(cluster.leaves.required(column.leaf))
        guard node.count == cluster.keys.count else {
            throw .damaged("'\(column.name)' has \(node.count) collections for \(cluster.keys.count) objects", cluster.leaves.reference)
        }
        return node
    }
}

/// A cluster whose leaves are opened as they are needed.
struct RealmOpenCluster {
    /// The leaf of a column, or the references to its collections.
    enum Leaf {
        case values(RealmLeaf)
        case collections(RealmNode)
    }

    let cluster: RealmCluster
    var leaves: [Leaf?]
}
