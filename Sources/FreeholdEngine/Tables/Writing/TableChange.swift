/// A kind of change of a table that has a file of its own beside the table writer: what it needs of the writer, by short
/// names. It holds no state; the writer makes one for each call.
protocol TableChange {
    var writer: TableWriter { get }
}

extension TableChange {
    var number: UInt32 { writer.table.number }
    var state: TableState { writer.table.state }
    var stored: StoredClass { writer.table.state.stored }
    var layout: RowLayout { writer.table.state.stored.layout }
    var buffer: RowBuffer { writer.table.buffer }
    var pending: PendingBlocks { writer.table.pending }
    var indexes: IndexQueue { writer.indexes }
    var leaves: ColumnLeaves { writer.leaves }
}

extension TableWriter {
    /// Changes of the schema.
    var reshaping: TableReshaping { TableReshaping(writer: self) }
    /// Changes of collections.
    var collections: CollectionChanging { CollectionChanging(writer: self) }
    /// Changes of parts of strings and data.
    var parts: PartChanging { PartChanging(writer: self) }
    /// Insertions column by column.
    var columns: ColumnInsertion { ColumnInsertion(writer: self) }
    /// Look-ups of links against their direction.
    var links: LinkSources { LinkSources(writer: self) }
}
