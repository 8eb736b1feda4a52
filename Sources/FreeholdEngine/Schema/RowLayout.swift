/// The offsets of each column's slot in a row of the tail.
///
/// ```
/// row:  key i64 · length u32 · columns u16 · flags u16 · null bits (8 bytes per 64 columns) · slots · text
/// slot: bool 1 · int, double, link 8 · float 4 · date 12 · uuid, decimal 16 · objectId 12 · string, data, mixed 8 (offset, length)
/// ```
/// Slots follow each other in column order, so a row written before a property was added is a valid row of the new
/// class: its own column count marks its end. Immutable, and a class so that passing it on is cheap.
///
/// Safe: `template` is written once, in `init`, and freed with the layout.
final class RowLayout: @unchecked Sendable {
    /// The offset of each column's slot from the first slot; nil where the column is the object key.
    let slots: [Int]
    let types: [PropertyType?]
    let slotBytes: Int
    /// The length in bytes of a row of this layout without its text.
    let fixedBytes: Int
    /// The template that new rows are copied from.
    let template: RowTemplate

    /// The maximum length of a row that its length field, and the offsets of its texts, can represent.
    static let maximumBytes = Int(UInt32.max)

    static let key = 0
    static let length = 8
    static let columns = 12
    static let flags = 14
    static let nulls = 16

    /// - Parameter properties: one for each column.
    init(_ properties: [StoredProperty]) {
        let types = properties.map { $0.isObjectKey ? nil : $0.storageType }
        var offset = 0
        var slots: [Int] = []
        for type in types {
            slots.append(offset)
            offset += Self.slotBytes(type)
        }
        self.slots = slots
        self.types = types
        slotBytes = offset
        fixedBytes = Self.slotStart(columns: types.count) + offset
        template = RowTemplate(properties, slots: slots, byteCount: fixedBytes)
    }

    deinit { template.deallocate() }

    /// The bytes of a slot: the value itself, or where its bytes stand in the row (offset and length).
    static func slotBytes(_ type: PropertyType?) -> Int { type.map { $0.isBytes ? 8 : $0.width } ?? 0 }

    /// The offset of the slots in a row with that many columns.
    @inline(__always) static func slotStart(columns: Int) -> Int { nulls + ((columns + 63) >> 6) << 3 }
}
