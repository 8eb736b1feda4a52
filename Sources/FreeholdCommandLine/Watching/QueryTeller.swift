import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// Prints the changes of a query's result, object by object: positions in the old result for deletions, in the new
/// result for insertions, in both for modifications.
final class QueryTeller {
    private let json: Bool
    private let answer: LiveQuery
    /// The result before the step, to which deletions refer.
    private var keys: [ObjectKey]

    init(json: Bool, _ answer: LiveQuery) {
        self.json = json
        self.answer = answer
        keys = answer.keys
    }

    func tell(_ delivery: WatchDelivery, _ left: inout Int) throws {
        for changes in try delivery.positions() {
            left -= 1
            try write(changes, delivery)
        }
        keys = answer.keys
    }

    private func write(_ changes: PositionChanges, _ delivery: WatchDelivery) throws {
        let now = try ObjectTeller(delivery.after.table(answer.className), in: delivery.after)
        let before = try delivery.before.map { try ObjectTeller($0.table(answer.className), in: $0) }
        let deletions = try changes.deletions.map { (position: $0, object: try before?.told(keys[$0]) ?? .gone(keys[$0])) }
        let insertions = try changes.insertions.map { (position: $0, object: try now.told(answer[$0])) }
        let modifications = try zip(changes.modifications, changes.modificationsAfter).map { (from: $0, position: $1, object: try now.told(answer[$1])) }
        if json {
            return try Output.standard.write(JSONObject([
                "version": .int(Int64(delivery.after.version.rawValue)), "time": .text(WatchTime.now), "count": .int(Int64(answer.count)),
                "isWhole": .bool(delivery.before != nil),
                "deletions": .array(deletions.map { JSONObject(["index": .int(Int64($0.position)), "key": $0.object.key]).value }),
                "insertions": .array(insertions.map { JSONObject(["index": .int(Int64($0.position)), "key": $0.object.key, "object": $0.object.json]).value }),
                "modifications": .array(modifications.map {
                    JSONObject(["index": .int(Int64($0.from)), "newIndex": .int(Int64($0.position)), "key": $0.object.key, "object": $0.object.json]).value
                }),
            ]).line)
        }
        try Output.standard.write("version \(delivery.after.version)  \(WatchTime.now)  \(Figures.grouped(answer.count)) objects"
            + (delivery.before == nil ? "; the previous result is no longer known\n" : "\n"))
        for deletion in deletions { try Output.standard.write("  - \(deletion.position)  \(deletion.object.text)\n") }
        for insertion in insertions { try Output.standard.write("  + \(insertion.position)  \(insertion.object.text)\n") }
        for change in modifications {
            let place = change.from == change.position ? "\(change.position)" : "\(change.from) → \(change.position)"
            try Output.standard.write("  ~ \(place)  \(change.object.text)\n")
        }
    }
}

extension WatchDelivery {
    /// The changes by position; throws the error of any watched query.
    fileprivate func positions() throws -> [PositionChanges] {
        try changes.compactMap { change in
            switch change.what {
            case .failed(let error): throw error
            case .positions(let changes): changes
            case .elements, .properties: nil
            }
        }
    }
}

/// Prints the changes of a query's groups.
final class GroupTeller {
    private let json: Bool
    private let answer: LiveGroups
    private var groups: [QueryGroup]

    init(json: Bool, _ answer: LiveGroups) {
        self.json = json
        self.answer = answer
        groups = answer.groups
    }

    func tell(_ delivery: WatchDelivery, _ left: inout Int) throws {
        for changes in try delivery.positions() {
            left -= 1
            try write(changes, delivery)
        }
        groups = answer.groups
    }

    private func write(_ changes: PositionChanges, _ delivery: WatchDelivery) throws {
        let modifications = Array(zip(changes.modifications, changes.modificationsAfter))
        if json {
            func told(_ position: Int, _ group: QueryGroup, _ more: Bool = true) -> ImportedValue {
                JSONObject(["index": .int(Int64(position)), "values": .array(group.values.map(\.told)), "figures": .array(more ? group.figures.map(\.told) : [])]).value
            }
            return try Output.standard.write(JSONObject([
                "version": .int(Int64(delivery.after.version.rawValue)), "time": .text(WatchTime.now), "count": .int(Int64(answer.groups.count)),
                "deletions": .array(changes.deletions.map { told($0, groups[$0], false) }),
                "insertions": .array(changes.insertions.map { told($0, answer.groups[$0]) }),
                "modifications": .array(modifications.map { told($0.1, answer.groups[$0.1]) }),
            ]).line)
        }
        func text(_ group: QueryGroup) -> String { (group.values + group.figures).map { DisplayText.visible(ValueText.format($0)) }.joined(separator: "  ") }
        try Output.standard.write("version \(delivery.after.version)  \(WatchTime.now)  \(Figures.grouped(answer.groups.count)) groups\n")
        for position in changes.deletions { try Output.standard.write("  - \(position)  \(text(groups[position]))\n") }
        for position in changes.insertions { try Output.standard.write("  + \(position)  \(text(answer.groups[position]))\n") }
        for (_, position) in modifications { try Output.standard.write("  ~ \(position)  \(text(answer.groups[position]))\n") }
    }
}
