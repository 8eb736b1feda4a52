import ArgumentParser
import FreeholdEngine
import FreeholdTools

/// The class of a verb.
struct ClassArgument: ParsableArguments {
    @Argument(help: "The class.")
    var className: String

    /// The class in a snapshot.
    func table(in snapshot: Snapshot) throws -> Table {
        try Self.check(className, in: snapshot.classes)
        return try snapshot.table(className)
    }

    /// The class in a write transaction.
    func table(in transaction: WriteTransaction) throws -> Table {
        try Self.check(className, in: transaction.classes)
        return try transaction.table(className)
    }

    /// Throws if there is no class of this name.
    static func check(_ className: String, in classes: [ClassSchema]) throws(Failure) {
        let names = classes.map(\.name)
        if names.has(className) { return }
        throw Failure(Suggestion.unknown("class", className, among: names, in: "the database"))
    }
}
