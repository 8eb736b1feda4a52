/// The tables of one version, as upkeep reads them: each is opened once, when it is first asked for.
///
/// The version may be committed, or a transaction's result whose classes are settled: then table roots and tail blocks
/// are pending blocks.
final class DerivedTables {
    let schema: StoredSchema
    private let access: BlockAccess
    private let root: (Int) throws(FreeholdError) -> TableRoot
    // Safe: one thread uses a transaction, and nothing here re-enters it.
    @exclusivity(unchecked) private var states: [Int: TableState] = [:]
    /// The table that was asked for first: few transactions ask for more.
    @exclusivity(unchecked) private var first: (table: Int, state: TableState)?

    /// - Parameter root: finds the root of a table of the schema.
    init(_ schema: StoredSchema, in access: BlockAccess, root: @escaping (Int) throws(FreeholdError) -> TableRoot) {
        self.schema = schema
        self.access = access
        self.root = root
    }

    /// A table with its tail; without objects if the version does not have the class.
    func state(_ table: Int, as other: StoredClass) throws(FreeholdError) -> TableState {
        if let first, first.table == table { return first.state }
        if first != nil, let known = states[table] { return known }
        let stored = schema.find(number: table)
        let state = try TableState(stored ?? other, root: stored == nil ? TableRoot() : root(table), buffer: nil, in: access)
        if first == nil { first = (table, state) } else { states[table] = state }
        return state
    }
}
