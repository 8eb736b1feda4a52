extension Database {
    /// Checks the newest version completely; others may write meanwhile. Takes time in proportion to the file.
    public func check() throws(FreeholdError) -> CheckReport {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        // Blocks are read anew: a block found intact when this process first touched it may have been damaged since.
        let core = snapshot.core
        guard let fresh = BlockWindow(
            beside: core.access, length: snapshot.root.length, limit: core.shadow?.windowLimit ?? 0, trusting: false)
        else {
            throw FreeholdError(.outOfMemory, "no address space for a check; raise the process's limit (ulimit -v)", path: core.path)
        }
        return withExtendedLifetime(fresh) {
            var checker = DatabaseChecker(root: snapshot.root, access: fresh.access, path: path)
            return checker.run()
        }
    }
}
