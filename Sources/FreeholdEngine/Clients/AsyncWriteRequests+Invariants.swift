extension AsyncWriteRequests {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    func checkInvariants() -> Bool {
        assert(zip(waiting, waiting.dropFirst()).allSatisfy { $0.number < $1.number }, "(1): waiting requests are in order")
        assert(waiting.allSatisfy { $0.state == .waiting && $0.failure == nil }, "(1): what is in the queue waits")
        assert(waiting.allSatisfy { 1...last ~= $0.number }, "(1): each request has a number of its own")
        if let holder {
            let isFirst = waiting.allSatisfy { $0.number > holder.number }
            assert(holder.state == .taken || isFirst, "(1): an earlier request waits for a later one")
            assert(holder.state == .granted || holder.state == .taken, "(2): the holder of the lock is \(holder.state)")
            assert(releasing == nil, "(2): the lock is granted before the last transaction is rolled back")
            assert(!waiting.contains { $0 === holder }, "(2): the holder of the lock waits for it")
        }
        if let state = releasing?.state { assert(state != .granted && state != .taken, "(2): what is \(state) is rolled back") }
        assert(closing == nil || waiting.isEmpty && holder?.state != .granted, "(8): a closed queue has no pending request")
        assert(blocked.values.allSatisfy { $0 > 0 }, "(4): a place is blocked by nobody")
        return true
    }
}
