/// Taking over values whose chunks were written before the commit: their pages are taken by it like those it writes itself.
extension CommitWriter {
    /// Notes the pages of those attached values that can be reached from the top block. The others stay reserved.
    func takeAttached(_ pending: PendingBlocks) {
        attachedSources.removeAll()
        attachedRuns = 0
        for value in pending.attached where final[Int(value.root)].location != 0 {
            attachedSources.append(value.source)
            attachedRuns += value.runs.count
            for run in value.runs { map.recordTaken(page: run.page, granules: run.granules) }
        }
    }

    /// Lets go of those who wrote the values, which keep the database open; returns whose values were taken over.
    func releaseAttached() -> [AnyObject] {
        defer { attachedSources = [] }
        return attachedSources
    }
}
