/// Checks what is pending of one synced class: that entries name objects, properties, epochs and stamps that there are.
///
/// Whether they are all the changes that there were is not in the file: the state of the server is not there.
struct SyncChecker {
    let state: TableState
    let body: SyncBody
    let isCaptured: Bool
    let access: BlockAccess
    var report: CheckReport

    private var stored: StoredClass { state.stored }
    private var place: String { "class \(stored.name), sync" }
    /// Primary keys of deleted objects, by object key, as long as the entries that say so are not found.
    private var deleted: Set<Int64> = []

    init(state: TableState, body: SyncBody, isCaptured: Bool, access: BlockAccess, report: CheckReport) {
        self.state = state
        self.body = body
        self.isCaptured = isCaptured
        self.access = access
        self.report = report
    }

    mutating func run() {
        let trees = PendingTrees(state.root)
        for entry in state.root.auxiliaries where entry.kind == .sync {
            let isKnown = trees.all.contains { $0.column == entry.column }
            if !isKnown || !isCaptured || entry.reference.isNull {
                complain(isCaptured ? "it has a tree \(entry.column) that is none of sync"
                    : "it is not synced, and has a tree \(entry.column) of sync")
            }
        }
        guard isCaptured else { return }
        for (_, tree) in trees.all {
            let faults = OrderedIndex(root: tree, access: access).verify()
            for fault in faults { complain(fault) }
            if !faults.isEmpty { return }
        }
        do throws(FreeholdError) {
            try checkDeletions(trees)
            try checkChanges(trees)
            try checkSums(trees)
            var identities = IdentityChecker(state: state, body: body, access: access)
            try identities.run(trees)
            identities.complaints.forEach { complain($0) }
            try checkAbsent(trees.absent)
        } catch {
            report.report(.damagedBlock, place, error.message)
        }
    }

    private mutating func complain(_ message: String) { report.report(.brokenSync, place, message) }

    private mutating func checkDeletions(_ trees: PendingTrees) throws(FreeholdError) {
        let isByKey = stored.isKeyedByInteger || stored.isEmbedded
        var last: [UInt8]?
        try trees.forEachDeletion(in: access) { key, object throws(FreeholdError) in
            if isByKey { complain("object \(object) is deleted under a primary key that the class does not have") }
            if last == key { complain("two deleted objects have one primary key; one of them is \(object)") }
            if !deleted.insert(object).inserted { complain("the deleted object \(object) has two primary keys") }
            last = key
        }
    }

    private mutating func checkChanges(_ trees: PendingTrees) throws(FreeholdError) {
        let needsKey = !stored.isKeyedByInteger
        var last: PendingEntry?, count = 0
        try trees.forEachChange(in: access) { entry throws(FreeholdError) in
            count += 1
            if let last, last.key == entry.key, last.what == entry.what { complain("object \(entry.key) has two entries of one change") }
            check(entry.origin, of: entry.key)
            let slot = Int(entry.origin.slot)
            let latest = slot > 0 && slot <= body.slots.count ? body.slots[slot - 1].last : body.clock.latestPending
            if entry.stamp > latest {
                complain("a change of object \(entry.key) has the stamp \(entry.stamp), which is after the clock (\(latest))")
            }
            switch entry.what {
            case .created(let through):
                if case .created(let before)? = last?.what, before >= entry.key { complain("object \(entry.key) is created twice") }
                try checkCreated(entry.key, through)
            case .deleted:
                if stored.isEmbedded { complain("object \(entry.key) is embedded, and deleted by itself") }
                if needsKey, deleted.remove(entry.key) == nil { complain("object \(entry.key) is deleted, and its primary key is lost") }
            case .property(let number): try check(entry.key, number, collection: nil)
            case .member(let number, _): try check(entry.key, number, collection: .set)
            case .mapKey(let number, _): try check(entry.key, number, collection: .map)
            case .element(let number, _): try check(entry.key, number, collection: .list)
            }
            last = entry
        }
        for object in deleted.sorted().prefix(100) { complain("object \(object) has the primary key of a deleted one, and is not deleted") }
        report.indexEntries += count
    }

    /// Objects of a run exist: as many as there are keys, so a wrong run ends at the first one that does not.
    private mutating func checkCreated(_ first: Int64, _ last: Int64) throws(FreeholdError) {
        if stored.isEmbedded { complain("object \(first) is embedded, and created by itself") }
        var key = first
        while true {
            guard try state.find(key) != nil else { return complain("object \(key) is created, and does not exist") }
            if key == last { return }
            key += 1
        }
    }

    private mutating func check(_ key: Int64, _ number: UInt32, collection: CollectionKind?) throws(FreeholdError) {
        guard let column = stored.column(numbered: number), !stored.properties[column].isClass else {
            return complain("a change of object \(key) is of property number \(number), which does not exist")
        }
        let property = stored.properties[column], kind = property.collections.first
        if collection == nil ? kind != nil || stored.isCounter(column) : kind != collection {
            complain("a change of '\(property.name)' of object \(key) is of another kind than the property")
        }
        guard let found = try state.find(key) else { return complain("object \(key) is changed, and does not exist") }
        if try !state.has(found, column) { complain("object \(key) is changed in '\(property.name)', which its class does not have") }
    }

    private mutating func checkSums(_ trees: PendingTrees) throws(FreeholdError) {
        var last: PendingSum?
        try trees.forEachSum(in: access) { sum throws(FreeholdError) in
            if let last, last.key == sum.key, last.property == sum.property, last.origin == sum.origin {
                complain("a counter of object \(sum.key) has two sums of one epoch")
            }
            check(sum.origin, of: sum.key)
            if sum.increments == 0 { complain("a counter of object \(sum.key) has a sum of no increments") }
            let column = stored.column(numbered: sum.property)
            if !(column.map { stored.isCounter($0) } ?? false) {
                complain("object \(sum.key) has a sum of property number \(sum.property), which is no counter")
            }
            if try state.find(sum.key) == nil { complain("object \(sum.key) has a counter, and does not exist") }
            last = sum
        }
    }

    /// Each link stands there twice, by the object that has it and by its target, and its property shows null.
    private mutating func checkAbsent(_ root: BlockReference) throws(FreeholdError) {
        var byObject = 0, byTarget = 0
        try AbsentLinkTree.forEach(root, in: access) { link, isByTarget throws(FreeholdError) in
            if isByTarget { byTarget += 1 } else { byObject += 1 }
            guard let link, let column = stored.column(numbered: link.property), stored.properties[column].isSingleLink else {
                return complain("a link to an absent object is damaged, or of a property that cannot link")
            }
            guard let place = try state.find(link.object) else {
                return complain("object \(link.object) links to an absent object, and does not exist itself")
            }
            if try state.value(place, column) != .null {
                complain("'\(stored.properties[column].name)' of object \(link.object) links to an absent object, and is not null")
            }
        }
        if byObject != byTarget { complain("\(byObject) objects link to absent ones, which are \(byTarget)") }
    }

    private mutating func check(_ origin: PendingOrigin, of key: Int64) {
        let last = origin.slot == 0 ? body.epoch : Int(origin.slot) <= body.slots.count ? body.slots[Int(origin.slot) - 1].epoch : 0
        if origin.epoch == 0 || origin.epoch > last {
            complain("a change of object \(key) is of epoch \(origin.epoch) of replica \(origin.slot), whose last one is \(last)")
        }
    }
}
