import Platform

/// Scans that several threads share.
///
/// 1. The thread that asks waits for all, and does its part: so what the pieces read stays.
/// 2. Each piece reads by way of a state of its own, where it keeps dictionaries and long values, and of a reader of its own, which has the
///    window that a pass over an encrypted file may need. Blocks are shared, and nobody changes them.
/// 3. Pieces are put together in the order of the keys, so that the answer is that of one thread.
extension Table {
    /// How many threads may read the class's sealed objects at once: one in a transaction, and within a pass through a
    /// window.
    var threadCount: Int {
        writer == nil && !state.hasWindow ? owner.scanThreadLimit : 1
    }

    /// Ranges of keys that together cover all sealed objects, in order: as many as the tree's upper nodes give, at most
    /// about `count`.
    func keyRanges(_ count: Int) throws(FreeholdError) -> [ClosedRange<Int64>] {
        if state.root.clusters.isNull { return [.min ... .max] }
        var nodes = [(key: Int64.min, reference: state.root.clusters)]
        while nodes.count < count {
            var below: [(key: Int64, reference: BlockReference)] = []
            for node in nodes {
                let view = try state.access.view(node.reference)
                guard view.kind == .clusterInner else { break }
                let inner = ClusterInner(view: view)
                for child in 0..<inner.count { below.append((child == 0 ? node.key : inner.firstKey(child), inner.child(child))) }
            }
            if below.isEmpty { break }
            nodes = below
        }
        let step = max(1, nodes.count / count)
        let starts = stride(from: 0, to: nodes.count, by: step).map { nodes[$0].key }
        guard zip(starts, starts.dropFirst()).allSatisfy(<) else {
            throw FreeholdError(.corrupt, "the nodes of class '\(schema.name)' are out of order in its object tree; run `freehold check`")
        }
        return starts.indices.map { place in starts[place]...(place + 1 < starts.count ? starts[place + 1] - 1 : .max) }
    }

    /// The results of `body` for some ranges of keys, in their order. It is called on several threads, each time with a
    /// table of its own, and may use nothing else that is confined to one thread.
    ///
    /// Safe: every piece writes one place of its own, and all are done before this continues.
    func shared<Part>(_ threads: Int, _ body: (Table, ClosedRange<Int64>) throws(FreeholdError) -> Part) throws(FreeholdError) -> [Part] {
        let ranges = try keyRanges(threads * Self.piecesPerThread)
        let parts = UnsafeMutablePointer<Result<Part, FreeholdError>?>.allocate(capacity: ranges.count)
        parts.initialize(repeating: nil, count: ranges.count)
        defer {
            parts.deinitialize(count: ranges.count)
            parts.deallocate()
        }
        withoutActuallyEscaping(body) { body in
            let work = Unshared((table: self, body: body, parts: parts))
            SharedWork.run(ranges.count, threads: threads) { piece in
                let given = work.value
                given.parts[piece] = Result { () throws(FreeholdError) in try given.body(given.table.piece(threads), ranges[piece]) }
            }
        }
        var all: [Part] = []
        for piece in ranges.indices { if let part = parts[piece] { all.append(try part.get()) } }
        return all
    }

    /// The table for one of several threads.
    private func piece(_ threads: Int) throws(FreeholdError) -> Table {
        let owner = state.access.shadow == nil ? owner : try owner.scanReader(amongThreads: threads)
        return Table(state: TableState(sealed: state), schemaOf: schemaOf, owner: owner, writer: nil, scope: scope)
    }

    /// The number of pieces for each thread: enough that threads end at about the same time, though some pieces take
    /// longer.
    private static let piecesPerThread = 8
}

/// Holds a value that several threads use though its type is not `Sendable`.
///
/// Safe: as the code that creates one says.
private struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
