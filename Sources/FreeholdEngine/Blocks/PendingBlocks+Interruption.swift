/// Changes that take several steps.
///
/// A step that meets a damaged block leaves those before it done and those after it not. Such a transaction is not
/// committed, whatever its program does after the error; it can be rolled back, as a whole or to a savepoint that was
/// set before.
extension PendingBlocks {
    /// Runs a change that takes several steps. If it throws, it counts as interrupted.
    @inline(__always)
    func change<Result>(_ steps: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        do throws(FreeholdError) { return try steps() } catch {
            interruption = interruption ?? error
            throw error
        }
    }

    /// Runs a change that takes several steps. If it throws, it counts as interrupted, unless the error is one of a
    /// caller's request, which is found before the first step.
    @inline(__always)
    func request<Result>(_ steps: () throws(FreeholdError) -> Result) throws(FreeholdError) -> Result {
        do throws(FreeholdError) { return try steps() } catch {
            if error.code.band == .file || error.code.band == .damaged { interruption = interruption ?? error }
            throw error
        }
    }

    /// Throws if a change was interrupted.
    func requireWhole() throws(FreeholdError) {
        guard let interruption else { return }
        let reason = "an earlier change of this write transaction was stopped half way (\(interruption.message))"
        throw FreeholdError(interruption.code, "\(reason); roll the transaction back, or roll back to a savepoint set before that change",
            path: access.path)
    }
}
