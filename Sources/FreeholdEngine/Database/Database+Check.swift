extension Database {
    /// Checks the newest version completely; others may write meanwhile. The time is proportional to the file's size.
    ///
    /// - Parameter progress: called from time to time with the progress of the check, part by part, one after another.
    public func check(progress: (CheckProgress) -> Void = { _ in }) throws(FreeholdError) -> CheckReport {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        // Blocks are read anew: a block found intact when this process first touched it may have been damaged since.
        let core = snapshot.core
        guard let fresh = BlockWindow(
            beside: core.access, length: snapshot.root.length, limit: core.shadow?.windowLimit ?? 0, trusting: false)
        else {
            throw FreeholdError(.outOfMemory, "too little address space for a check; raise the process's limit (ulimit -v)", path: core.path)
        }
        return withExtendedLifetime(fresh) {
            withoutActuallyEscaping(progress) { progress in
                var checker = DatabaseChecker(root: snapshot.root, access: fresh.access, path: path, progress: progress)
                if let lost = core.session.lostVersion { checker.reportLost(lost) }
                return checker.run()
            }
        }
    }
}
