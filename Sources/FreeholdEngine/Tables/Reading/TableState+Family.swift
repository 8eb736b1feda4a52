extension TableState {
    /// The tag of an object's class in the hidden column: 0 for the table's own class, also where it has no subclass.
    @inline(__always)
    func tag(_ place: RowPlace) throws(FreeholdError) -> Int64 {
        guard let family = stored.family else { return 0 }
        return try integer(place, family.classColumn)
    }

    /// Whether an object's class has a property of the table.
    @inline(__always)
    func has(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> Bool {
        guard let owner = stored.properties[column].owner else { return true }
        return try isKind(place, of: owner)
    }

    /// Whether an object is of a class or of one of its subclasses.
    func isKind(_ place: RowPlace, of number: UInt32) throws(FreeholdError) -> Bool {
        try stored.family?.isKind(tag(place), of: number) ?? (number == stored.number)
    }

    /// Whether an index includes an object: a subclass's index includes the objects of the subclass.
    func isFiled(_ place: RowPlace, in index: StoredIndex) throws(FreeholdError) -> Bool {
        guard let owner = index.owner else { return true }
        return try isKind(place, of: owner)
    }

    /// The number of objects in the scope: the root's counts, plus those of the tail, which are few.
    func count(in scope: ClassScope) -> Int {
        guard let family = stored.family else { return count }
        var sum = scope.tags.reduce(0) { $0 + root.sealedCount(of: $1) }
        for tail in tails { for row in 0..<tail.count where scope.contains(tag(of: tail.row(row), family)) { sum += 1 } }
        if let buffer { for row in 0..<buffer.count where scope.contains(tag(of: buffer.row(row), family)) { sum += 1 } }
        return sum
    }

    /// The tag of the class of a row in the tail; 0 if it is damaged.
    func tag(of row: RowView, _ family: Family) -> Int64 {
        guard family.classColumn < row.columns, row.fits(stored.layout), !row.isNull(family.classColumn) else { return 0 }
        // Safe: the slot lies within the row, which `fits` has checked.
        return row.slot(family.classColumn, stored.layout).loadUnaligned(as: Int64.self)
    }

    /// Whether a column's tree contains an object with this value.
    func files(_ place: RowPlace, _ column: Int, _ value: Value) throws(FreeholdError) -> Bool {
        let property = stored.properties[column]
        if value == .null, property.owner != nil, try !has(place, column) { return false }
        return property.files(value)
    }

    /// The name of an object's class.
    func className(_ place: RowPlace) throws(FreeholdError) -> String {
        guard let family = stored.family else { return stored.name }
        if let member = family.member(tagged: try tag(place)) { return member.name }
        throw FreeholdError(.corrupt, "object \(place.key) is of class number \(try tag(place)), which does not extend '\(stored.name)'; "
            + "run `freehold check`")
    }
}
