/// A new row of a layout, and what is needed to write its columns, as plain memory: creating a row is one copy, and
/// filling it counts no references.
///
/// Safe throughout: both pieces of memory belong to the `RowLayout` that created them, which every user of a template
/// retains; a column is compared with `columns` before its slot is looked up.
struct RowTemplate {
    /// A row with every column at its default: zeros, and the null bits of columns that may be null.
    let start: UnsafeRawPointer
    let byteCount: Int
    private let slots: UnsafePointer<RowSlot>
    private let columns: Int

    /// - Parameter member: the subclass whose objects it is for, and its columns; nil for the table's own class.
    init(_ properties: [StoredProperty], slots offsets: [Int], byteCount: Int, member: (number: Int64, columns: Set<Int>)? = nil) {
        let row = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
        row.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        row.storeBytes(of: UInt32(byteCount), toByteOffset: RowLayout.length, as: UInt32.self)
        row.storeBytes(of: UInt16(properties.count), toByteOffset: RowLayout.columns, as: UInt16.self)
        let slots = UnsafeMutablePointer<RowSlot>.allocate(capacity: max(properties.count, 1))
        for (column, property) in properties.enumerated() {
            let offset = RowLayout.slotStart(columns: properties.count) + offsets[column]
            let isPart = member?.columns.contains(column) ?? (property.owner == nil)
            (slots + column).initialize(to: RowSlot(property, offset: offset, isPart: isPart && !property.isClass))
            if let member, property.isClass {
                (row + offset).storeBytes(of: member.number, as: Int64.self)
            } else if !isPart || (property.isNullable || property.shape != nil) && !property.isObjectKey {
                let byte = row + RowLayout.nulls + column >> 3
                byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(column & 7), as: UInt8.self)
            } else if property.type == .decimal {
                // All zero bits would be a zero with 6,176 decimal places.
                (row + offset).storeBytes(of: Decimal128.zero.high, as: UInt64.self)
            }
        }
        start = UnsafeRawPointer(row)
        self.byteCount = byteCount
        self.slots = UnsafePointer(slots)
        columns = properties.count
    }

    func deallocate() {
        start.deallocate()
        slots.deallocate()
    }

    @inline(__always) func slot(_ column: Int) -> RowSlot {
        precondition(column >= 0 && column < columns, "a column of this class")
        return slots[column]
    }
}

/// The offset of a column's value in a new row, and which values may be written there without further checks.
struct RowSlot {
    /// The offset from the row's start.
    let offset: Int32
    /// The maximum length of a text that needs no check of other objects or the column's tree; -1 if every text needs
    /// one.
    let longestText: Int32
    let type: PropertyType
    /// Whether a value of exactly this type may be stored unchecked: the column is no key, no link and no collection.
    let isPlain: Bool

    /// - Parameter isPart: whether the object's class has the property; otherwise nothing may be written without a
    ///   check.
    fileprivate init(_ property: StoredProperty, offset: Int, isPart: Bool) {
        self.offset = Int32(offset)
        type = property.storageType
        isPlain = isPart && !property.isUnique && !property.isObjectKey && property.linkTarget == nil && property.shape == nil
        longestText = !isPlain ? -1 : property.hasTree ? Int32(IndexLayout.maximumKeyBytes) - 1 : .max
    }
}
