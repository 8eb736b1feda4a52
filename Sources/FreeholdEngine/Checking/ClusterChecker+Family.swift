/// Checks of tables that several classes share.
extension ClusterChecker {
    /// Checks that an object is of a class of the table, has what that class requires, and nothing of other classes.
    mutating func checkClass(_ place: RowPlace) throws(FreeholdError) {
        guard let family = state.stored.family else { return }
        let tag = try state.tag(place), key = place.key
        guard let member = family.member(tagged: tag) else {
            return complain("its class, number \(tag), does not extend '\(state.stored.name)'", key)
        }
        if case .cluster = place { counts[tag, default: 0] += 1 }
        for column in ownedColumns {
            let property = state.stored.properties[column], isNull = try state.isNull(place, column)
            if member.columns.contains(column) {
                if isNull, !property.isNullable, property.shape == nil { complain("'\(property.name)' is null but required", key) }
            } else if !isNull {
                complain("it is a '\(member.name)' but has a value for '\(property.name)', which that class lacks", key)
            }
        }
    }

    /// Checks the root's count of objects of each class.
    mutating func checkCounts() {
        var counted: [Int64: Int] = [:]
        for entry in state.root.classCounts { counted[Int64(entry.number), default: 0] += entry.objects }
        counts[0] = nil
        for tag in Set(counts.keys).union(counted.keys).sorted() where counts[tag] != counted[tag] {
            complain("its clusters hold \(counts[tag] ?? 0) objects of class number \(tag), its root counts \(counted[tag] ?? 0)", nil)
        }
    }
}
