import ArgumentParser
import FreeholdEngine

/// The class of a verb.
struct ClassArgument: ParsableArguments {
    @Argument(help: "The class.")
    var className: String

    /// The class in a snapshot.
    func table(in snapshot: Snapshot) throws -> Table {
        try check(snapshot.classes)
        return try snapshot.table(className)
    }

    /// The class in a write transaction.
    func table(in transaction: WriteTransaction) throws -> Table {
        try check(transaction.classes)
        return try transaction.table(className)
    }

    private func check(_ classes: [ClassSchema]) throws(Failure) {
        let names = classes.map(\.name)
        if names.has(className) { return }
        throw Failure(Suggestion.unknown("class", className, among: names, in: "the database"))
    }
}
