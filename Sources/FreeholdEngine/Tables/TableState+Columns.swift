/// Properties as callers hold them, who may have looked them up in another version of the class.
///
/// A class has a stamp, made of its number and its properties' numbers and types in their order. A `Column` has the stamp of the
/// class it was looked up in: while it is this one's, its index is right; else the property is found by its number.
extension TableState {
    /// The column's place in this class; throws if the class has no such property any more, or never had.
    @inline(__always)
    func index(of column: Column) throws(FreeholdError) -> Int {
        column.stamp == stamp ? column.index : try stored.index(of: column)
    }
}

extension StoredClass {
    /// The place of a property that was looked up in another version of the class.
    @inline(never)
    func index(of column: Column) throws(FreeholdError) -> Int {
        guard column.table == number else { throw foreign(column) }
        if let place = properties.firstIndex(where: { $0.number == column.number && $0.type == column.type }) { return place }
        throw FreeholdError(.unknownProperty, "a \(column.type.name) property of class '\(name)' was dropped or got another type after "
            + "it was looked up; ask the table of '\(name)' for the property by name again")
    }

    /// What a place among the properties depends on, in 64 bits.
    ///
    /// Safe: wraps by design, a multiplicative hash.
    static func stamp(_ number: UInt32, _ properties: [StoredProperty]) -> UInt64 {
        var stamp = UInt64(number) &+ 0x9E37_79B9_7F4A_7C15
        for property in properties {
            let word = UInt64(property.number) << 8 | UInt64(property.type.rawValue)
            let product = (stamp ^ word).multipliedFullWidth(by: 0xFF51_AFD7_ED55_8CCD)
            stamp = (product.high ^ product.low) &+ 0x9E37_79B9_7F4A_7C15
        }
        return stamp
    }
}
