/// Index keys encoded directly from rows of the tail.
extension ByteBuffer {
    /// Sets the key of a row's column, read directly from its slot.
    func setIndexKey(_ row: RowView, _ column: Int, _ layout: RowLayout, type: PropertyType) throws(FreeholdError) {
        switch type {
        case .string, .data:
            removeAll()
            if row.isNull(column) { return }
            guard let text = row.text(column, layout) else { throw RowView.damaged(row.key) }
            appendIndexText(text)
        default:
            setIndexKey(try row.value(column, layout, type: type), of: type)
        }
    }
}
