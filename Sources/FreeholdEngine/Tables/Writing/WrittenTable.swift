/// What the parts of a table writer share: the table's state, and the memory that new rows and blocks go to.
struct WrittenTable {
    /// The number of the table's class.
    let number: UInt32
    let state: TableState
    /// The rows in memory; the same object as `state.buffer`.
    let buffer: RowBuffer
    let pending: PendingBlocks
    let maker: LeafMaker

    var stored: StoredClass { state.stored }
    var layout: RowLayout { state.stored.layout }

    /// Whether the strings of a column are stored as codes of a dictionary.
    func usesDictionary(_ column: Int) -> Bool {
        column < state.dictionaries.count && state.dictionaries[column] != nil
            || !state.root.auxiliary(.dictionary, column).isNull
    }
}
