/// Resolves a `Column`, which may come from another version of the class, to its position in this version.
///
/// A class has a stamp, derived from its number and its properties' numbers and types in their order. A `Column` has
/// the stamp of the class it was looked up in: if it equals this class's stamp, its index is right; otherwise the
/// property is found by its number.
extension TableState {
    /// The column's position in this class; throws if the class no longer has, or never had, such a property.
    @inline(__always)
    func index(of column: Column) throws(FreeholdError) -> Int {
        column.stamp == stamp ? column.index : try stored.index(of: column)
    }
}

extension StoredClass {
    /// The position of a property that was looked up in another version of the class.
    @inline(never)
    func index(of column: Column) throws(FreeholdError) -> Int {
        guard column.table == number else { throw foreign(column) }
        if let place = properties.firstIndex(where: { $0.number == column.number && $0.type == column.type }) { return place }
        throw FreeholdError(.unknownProperty, "a \(column.type.name) property of class '\(name)' was dropped or got another type after "
            + "it was looked up; ask the table of '\(name)' for the property by name again")
    }

    /// A hash in 64 bits of all that determines the positions of properties.
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
