extension Table {
    /// Reports the objects that were created after `version` under keys that may have belonged to others before, with
    /// the version that created each. Reads no block that is older.
    ///
    /// ```swift
    /// try people.forEachRemade(since: version) { key, made in known[key] = nil }
    /// ```
    /// It misses none as long as `version` is held: entries below every held version are forgotten.
    public func forEachRemade(since version: Version, _ body: (ObjectKey, Version) -> Void) throws(FreeholdError) {
        let since = version.rawValue
        try state.needTails()
        for (place, tail) in state.tails.enumerated() where tail.hasIncarnations && state.root.tails[place].birth > since {
            for index in 0..<tail.count where tail.incarnation(index) > since { body(ObjectKey(tail.row(index).key), Version(tail.incarnation(index))) }
        }
        var walk = try TreeWalk(state.root.clusters, in: state.access)
        while let head = walk.head {
            if head.reference.birth <= since { walk.skip() } else if head.level > 0 { try walk.enter(head) } else {
                let cluster = try walk.take(head)
                guard cluster.hasIncarnations else { continue }
                for row in 0..<cluster.count where cluster.incarnation(row) > since { body(ObjectKey(cluster.key(row)), Version(cluster.incarnation(row))) }
            }
        }
    }
}
