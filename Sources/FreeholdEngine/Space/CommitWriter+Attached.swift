/// Takes over values whose chunks were written before the commit: the commit takes their pages like those it writes
/// itself.
extension CommitWriter {
    /// Notes the pages of those attached values that can be reached from the top block. The others stay reserved.
    func takeAttached(_ pending: PendingBlocks) {
        attachedSources.removeAll()
        attachedRuns = 0
        for value in pending.attached where lengths[Int(value.root)] != 0 {
            attachedSources.append(value.source)
            attachedRuns += value.runs.count
            for run in value.runs { map.recordTaken(page: run.page, granules: run.granules) }
        }
    }

    /// Releases the sources that wrote the values, which keep the database open; returns those whose values were taken
    /// over.
    func releaseAttached() -> [AnyObject] {
        defer { attachedSources = [] }
        return attachedSources
    }
}
