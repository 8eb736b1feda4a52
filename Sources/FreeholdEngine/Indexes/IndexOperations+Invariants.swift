extension IndexOperations {
    /// Asserts that the list fits its memory and, once sorted, ascends by key and object, each pair once. It does nothing
    /// in builds without assertions.
    func checkInvariants() {
        assert(count >= 0 && count <= capacity, "\(count) operations in room for \(capacity)")
        assert(arenaCount >= 0 && arenaCount <= arenaCapacity, "\(arenaCount) bytes of keys in room for \(arenaCapacity)")
        assert(!isSorted || isAscending(), "see `isAscending`")
    }

    private func isAscending() -> Bool {
        for index in 1..<max(1, count) {
            let before = list[index - 1], operation = list[index]
            let order = key(of: before).order(key(of: operation))
            assert(order <= 0, "operation \(index) has a key before that of the one before it (2)")
            assert(operation.repeatsKey == (order == 0), "operation \(index) says wrongly whether it repeats a key")
            assert(order != 0 || before.objectKey < operation.objectKey, "operation \(index) is on the object before, or an earlier one (2)")
        }
        return true
    }
}
