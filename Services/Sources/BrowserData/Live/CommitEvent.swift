import FreeholdEngine
import FreeholdImport

/// What a tab is told of the commits since it was told last.
struct CommitEvent {
    private let file: OpenFile
    private let change: Standing.Change
    private let standing: Standing
    private let own: Set<Version>

    /// Commits that are told one by one.
    private static let commitLimit = 8

    init(_ file: OpenFile, _ change: Standing.Change, _ standing: Standing, _ own: Set<Version>) {
        (self.file, self.change, self.standing, self.own) = (file, change, standing, own)
    }

    func json() throws -> [UInt8] {
        // Another file may have taken this one's place, and begin anew.
        let total = change.version > change.from ? Int(clamping: change.version.rawValue - change.from.rawValue) : 0
        let first = change.version.rawValue - UInt64(min(total, Self.commitLimit)) + 1
        let commits = total > 0 ? try file.database.commits(Version(first)...change.version) : []
        let isOwn = total > 0 && total <= own.count
            && (change.from.rawValue + 1...change.version.rawValue).allSatisfy { own.contains(Version($0)) }
        let count = try countOfViews()
        return JSONOutput.object { output in
            output.field("file", file.identifier)
            output.field("version", change.version)
            output.array("commits") { output in
                for commit in commits {
                    output.elementObject { output in
                        output.field("version", commit.version)
                        if let process = commit.processIdentifier { output.field("process", Int(process)) }
                        if let name = commit.processName { output.field("program", name) }
                        output.field("time", DateText.format(commit.time))
                    }
                }
            }
            output.field("omitted", total - commits.count)
            if let classes = change.classes {
                output.array("classes") { output in
                    for counts in classes {
                        output.elementObject { output in
                            output.field("name", counts.name)
                            output.field("count", counts.count)
                            output.field("inserted", counts.changes.inserted + counts.changes.replaced)
                            output.field("deleted", counts.changes.deleted + counts.changes.replaced)
                            output.field("changed", counts.changes.changed)
                        }
                    }
                }
            } else {
                output.field("classes") { $0.raw("null") }
            }
            output.field("schemaChanged", change.hasNewSchema)
            output.array("views") { output in
                for (view, count) in count {
                    output.elementObject { output in
                        output.field("view", view.name)
                        output.field("count", count)
                        output.field("changed", view.hasChanged || change.classes == nil)
                    }
                }
            }
            output.field("own", isOwn)
        }
    }

    /// The number of objects of each view; none of a view that cannot be answered any more.
    private func countOfViews() throws -> [(View, Int)] {
        try standing.read { snapshot in standing.views.map { ($0, (try? $0.count(snapshot)) ?? 0) } }
    }
}
