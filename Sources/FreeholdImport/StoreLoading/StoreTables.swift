import FreeholdEngine

/// The classes of an import within one transaction.
final class StoreTables {
    let transaction: WriteTransaction
    private let plan: StorePlan
    private var tables: [Table?]
    private var columns: [[Column]?]

    init(_ transaction: WriteTransaction, _ plan: StorePlan) {
        self.transaction = transaction
        self.plan = plan
        tables = plan.classes.map { _ in nil }
        columns = plan.classes.map { _ in nil }
    }

    /// The table of a class, for its own objects.
    func table(_ place: Int) throws(FreeholdError) -> Table {
        if let table = tables[place] { return table }
        let table = try transaction.table(plan.classes[place].name, withSubclasses: false)
        tables[place] = table
        return table
    }

    /// The columns of a class's properties, in the order of the source.
    func columns(_ place: Int) throws(FreeholdError) -> [Column] {
        if let known = columns[place] { return known }
        let table = try table(place)
        var found: [Column] = []
        for property in plan.classes[place].properties { found.append(try table.column(property.name)) }
        columns[place] = found
        return found
    }
}
