/// Checks the identities of one synced class: each element of a list and each embedded object has one, entries name elements that there
/// are, and no number is beyond those that were given.
struct IdentityChecker {
    private let state: TableState
    private let body: SyncBody
    private let access: BlockAccess
    private(set) var complaints: [String] = []
    /// The number of the file's own replica; nil if it has given no identity in this class.
    private var own: Int?
    private var lastReplica = 0

    private static let maximumComplaints = 100

    init(state: TableState, body: SyncBody, access: BlockAccess) {
        self.state = state
        self.body = body
        self.access = access
    }

    private var stored: StoredClass { state.stored }

    private mutating func complain(_ message: String) {
        if complaints.count < Self.maximumComplaints { complaints.append(message) }
    }

    mutating func run(_ trees: PendingTrees) throws(FreeholdError) {
        let reader = IdentityReader(trees: trees, access: access)
        try checkReplicas(reader)
        try checkLists(reader)
        try checkEmbedded(reader)
        try checkEntries(trees, reader)
        try checkNeighbours(trees)
    }

    private mutating func checkReplicas(_ reader: IdentityReader) throws(FreeholdError) {
        let replicas = try reader.replicas()
        own = replicas.first { $0.value == body.replica }?.key
        lastReplica = replicas.count
        let isWhole = replicas.keys.allSatisfy { $0 > 0 && $0 <= replicas.count } && Set(replicas.values).count == replicas.count
        if !isWhole { complain("the numbers of its replicas have gaps, or name one twice") }
        for (number, replica) in replicas where try reader.number(of: replica) != number {
            complain("replica \(number) is not found by its identity")
        }
        if try OrderedIndex(root: reader.trees.replicas, access: access).count() != 2 * replicas.count {
            complain("its table of replicas has more entries than replicas")
        }
    }

    private mutating func check(_ last: SyncIdentity, _ what: @autoclosure () -> String) {
        if last.replica > lastReplica { complain("\(what()) has an identity of replica \(last.replica), which is not in the table") }
        if last.replica == own, last.count > body.identities {
            complain("\(what()) has the identity \(last.count), and \(body.identities) were given")
        }
    }

    // MARK: Lists

    private mutating func checkLists(_ reader: IdentityReader) throws(FreeholdError) {
        var found = 0
        try reader.forEachList { object, number, list throws(FreeholdError) in
            found += 1
            var list = list
            let runs = try list.runs(0..<list.count)
            try checkCount(of: object, number, list.count)
            if !Self.areDistinct(runs.map(\.identities)) { complain("two elements of a list of object \(object) have one identity") }
            if !Self.areDistinct(runs.map(\.positions)) { complain("two elements of a list of object \(object) have one position") }
            for run in runs {
                check(run.last, "an element of object \(object)")
                check(run.lastPosition, "the position of an element of object \(object)")
            }
        }
        let lists = try listCount()
        if lists != found { complain("\(lists) lists have elements, and \(found) have identities") }
    }

    private mutating func checkCount(of object: Int64, _ number: UInt32, _ count: Int) throws(FreeholdError) {
        guard let column = stored.column(numbered: number), stored.properties[column].collections.first == .list,
              let shape = stored.properties[column].shape else {
            return complain("object \(object) has identities of property number \(number), which is no list")
        }
        guard let place = try state.find(object) else { return complain("object \(object) has identities of elements, and does not exist") }
        let elements = try CollectionReader(state.cell(place, column), shape, access).count
        if elements != count {
            complain("'\(stored.properties[column].name)' of object \(object) has \(elements) elements and \(count) identities")
        }
    }

    /// How many lists have elements.
    private func listCount() throws(FreeholdError) -> Int {
        let columns = stored.properties.indices.filter { stored.properties[$0].collections.first == .list }
        if columns.isEmpty { return 0 }
        var count = 0
        func add(_ place: RowPlace) throws(FreeholdError) {
            for column in columns where try state.has(place, column) {
                if try state.cell(place, column) != .empty { count += 1 }
            }
        }
        try state.forEachTailRow { row throws(FreeholdError) in try add(.tail(row)) }
        var cursor = try ClusterCursor(state.root.clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count { try add(.cluster(cluster, row)) }
        }
        return count
    }

    private static func areDistinct(_ ranges: [ClosedRange<UInt64>]) -> Bool {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    }

    // MARK: Embedded objects

    private mutating func checkEmbedded(_ reader: IdentityReader) throws(FreeholdError) {
        var count = 0, last: Int64?, identities: [ClosedRange<UInt64>] = []
        try reader.forEachEmbedded { run throws(FreeholdError) in
            if let last, last >= run.keys.lowerBound { complain("the embedded object \(last) has two identities") }
            last = run.keys.upperBound
            count += run.count
            let lastIdentity = run.identity(of: run.keys.upperBound)
            identities.append(run.first.rawValue...lastIdentity.rawValue)
            check(lastIdentity, "the embedded object \(run.keys.upperBound)")
            var key = run.keys.lowerBound
            while true {
                guard try state.find(key) != nil else {
                    complain("the embedded object \(key) has an identity, and does not exist")
                    break
                }
                if key == run.keys.upperBound { break }
                key += 1
            }
        }
        if !Self.areDistinct(identities) { complain("two embedded objects have one identity") }
        let objects = stored.isEmbedded ? state.count : 0
        if objects != count { complain("\(objects) objects are embedded, and \(count) have identities") }
    }

    // MARK: Entries

    /// The entries of one list.
    private struct Entries {
        let object: Int64
        let property: UInt32
        var changes: [ElementChange] = []
    }

    private mutating func checkEntries(_ trees: PendingTrees, _ reader: IdentityReader) throws(FreeholdError) {
        var open: Entries?
        try trees.forEachChange(in: access) { entry throws(FreeholdError) in
            guard case .element(let property, let change) = entry.what else { return }
            if let known = open, known.object != entry.key || known.property != property {
                try check(known, reader)
                open = nil
            }
            if open == nil { open = Entries(object: entry.key, property: property) }
            open?.changes.append(change)
        }
        if let open { try check(open, reader) }
    }

    private mutating func check(_ entries: Entries, _ reader: IdentityReader) throws(FreeholdError) {
        let runs = try reader.runs(of: entries.object, entries.property)
        let shown = runs.map(\.identities).joined(), positions = runs.map(\.positions).joined(), what = "a list of object \(entries.object)"
        for act in [SyncChange.Act.inserted, .changed, .moved, .deleted] {
            let own = entries.changes.filter { $0.act == act }, named = own.map(\.identities)
            if !Self.areDistinct(named) { complain("an element of \(what) has two entries of one act") }
            let all = named.joined()
            if act == .deleted ? all.removing(shown) != all : !all.removing(shown).isEmpty {
                complain("an element of \(what) is \(act == .deleted ? "deleted, and there" : "changed, and not there")")
            }
            for change in own {
                check(change.last, what)
                if let places = change.positions { check(SyncIdentity(rawValue: places.upperBound), what) }
                if change.position != .none { checkNeighbours(change, positions, what) }
            }
        }
        let moved = entries.changes.filter { $0.act == .moved }.flatMap { change in
            (0..<change.count).map { (change.first.advanced(by: $0).rawValue, change.position.advanced(by: $0).rawValue) }
        }
        let known = Dictionary(moved) { first, _ in first }
        for run in runs where !known.isEmpty {
            for offset in 0..<run.count {
                let one = run.part(offset..<offset + 1)
                guard let position = known[one.first.rawValue], position != one.position.rawValue else { continue }
                complain("a moved element of \(what) stands elsewhere")
            }
        }
    }

    /// Tree 62,007 has what follows from the entries, and nothing else.
    private mutating func checkNeighbours(_ trees: PendingTrees) throws(FreeholdError) {
        let tree = OrderedIndex(root: trees.neighbours, access: access), key = ByteBuffer(capacity: PendingNeighbours.keyBytes)
        var expected = 0
        try trees.forEachChange(in: access) { entry throws(FreeholdError) in
            try PendingNeighbours.forEach(of: entry, key) { bytes, first throws(FreeholdError) in
                expected += 1
                if try !tree.contains(bytes, first) { complain("pending elements of object \(entry.key) are not found by their neighbour") }
            }
        }
        let count = try tree.count()
        if count != expected { complain("pending elements have \(expected) neighbours to be found by, and \(count) are noted") }
    }

    /// What was inserted or moved stands beside positions that show.
    private mutating func checkNeighbours(_ change: ElementChange, _ shown: [ClosedRange<UInt64>], _ what: String) {
        for neighbour in [change.left, change.right] where neighbour != .none {
            let range = [neighbour.rawValue...neighbour.rawValue]
            if !range.removing(shown).isEmpty { complain("an element of \(what) stands beside a position that does not show") }
        }
    }
}
