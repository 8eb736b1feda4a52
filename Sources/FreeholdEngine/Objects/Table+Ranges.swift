/// Ranges of indexes over one property and over several.
extension Table {
    /// The keys of the objects whose value lies in `range`, ordered by value, then by key; `descending` from the end.
    ///
    /// The first of an ascending and of a descending look-up with `limit: 1` are the objects with the minimum and the
    /// maximum value. Throws `.invalidArgument` if the property is not indexed, `.typeMismatch` if a bound is of
    /// another type.
    public func keys(_ column: Column, in range: ValueRange, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let property = state.stored.properties[column.index]
        if property.isObjectKey { return try keys(ofObjectKeysIn: range, property, descending: descending, limit: limit) }
        return try span(column, range).keys(descending: descending, limit: limit)
    }

    /// The number of objects whose value lies in `range`, without reading them; errors as of `keys`.
    public func count(_ column: Column, in range: ValueRange) throws(FreeholdError) -> Int {
        let column = try own(column)
        if column.isObjectKey || mustSift(column) { return try keys(column, in: range).count }
        return try span(column, range).count()
    }

    /// The keys of the objects that have these values of an index over several properties, ordered by the rest of the index's
    /// properties, then by key; `descending` from the end.
    ///
    /// - Parameters:
    ///   - properties: the properties of the index, in its order.
    ///   - values: the values of the first properties, or of all of them.
    ///   - range: of the property after those.
    public func keys(index properties: [String], equals values: [Value], then range: ValueRange = .all, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        try span(storedIndex(properties), equals: values, then: range).keys(descending: descending, limit: limit)
    }

    /// The number of objects that have these values in an index over several properties, in all or the first of them.
    public func count(index properties: [String], equals values: [Value]) throws(FreeholdError) -> Int {
        try span(storedIndex(properties), equals: values, then: .all).count()
    }

    /// The object with these values of a primary key of several properties, or nil.
    public func key(primaryKey values: [Value]) throws(FreeholdError) -> ObjectKey? {
        if values.count == 1, state.stored.primaryKey != nil { return try key(primaryKey: values[0]) }
        guard let index = state.stored.keyIndex, values.count == index.columns.count else {
            throw FreeholdError(.invalidArgument, "the primary key of class '\(state.stored.name)' has "
                + "\(state.stored.primaryKeys.count) properties; \(values.count) values were given")
        }
        let key = ByteBuffer(capacity: 64)
        try appendKey(of: values, index, to: key)
        if let writer { return try meant(writer.claims.find(key, in: index, of: writer).map { ObjectKey($0) }) }
        return try keys(index: index.columns.map { state.stored.properties[$0].name }, equals: values, limit: 1).first
    }

    private func keys(ofObjectKeysIn range: ValueRange, _ property: StoredProperty, descending: Bool,
                      limit: Int) throws(FreeholdError) -> [ObjectKey] {
        guard range.prefix == nil else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' is an int; only strings have prefixes")
        }
        var low = Int64.min, high = Int64.max
        if let (number, isExcluded) = try bound(range.from, property) {
            if isExcluded, number == .max { return [] }
            low = isExcluded ? number + 1 : number
        }
        if let (number, isExcluded) = try bound(range.to, property) {
            if isExcluded, number == .min { return [] }
            high = isExcluded ? number - 1 : number
        }
        return low <= high ? try objectKeys(in: low...high, descending: descending, limit: limit) : []
    }

    private func bound(_ bound: ValueRange.Bound?, _ property: StoredProperty) throws(FreeholdError) -> (number: Int64, isExcluded: Bool)? {
        let value: Value, isExcluded: Bool
        switch bound {
        case nil: return nil
        case .including(let given): (value, isExcluded) = (given, false)
        case .excluding(let given): (value, isExcluded) = (given, true)
        }
        guard case .int(let number) = try property.accepting(value, class: state.stored.name) else { return nil }
        return (number, isExcluded)
    }

    // MARK: parts

    private func storedIndex(_ names: [String]) throws(FreeholdError) -> StoredIndex {
        var columns: [Int] = []
        for name in names { columns.append(try state.stored.place(of: name, in: number)) }
        // Of the indexes with these columns the one that has all objects of the class.
        for index in state.stored.indexes where index.columns == columns && hasAll(index) { return index }
        throw FreeholdError(.invalidArgument, "class '\(schema.name)' has no index over \(names.joined(separator: ", "))")
    }

    func appendKey(of values: [Value], _ index: StoredIndex, to key: ByteBuffer) throws(FreeholdError) {
        guard values.count <= index.columns.count else {
            throw FreeholdError(.invalidArgument, "the index has \(index.columns.count) properties; \(values.count) values were given")
        }
        for (column, value) in zip(index.columns, values) {
            let property = state.stored.properties[column]
            key.appendKey(value == .null ? .null : try property.accepting(value, class: state.stored.name), of: property.type)
        }
    }
}
