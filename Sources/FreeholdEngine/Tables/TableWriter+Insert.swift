extension TableWriter {
    /// Adds an object with all columns at their defaults; returns its position in the buffer.
    ///
    /// - Parameters:
    ///   - key: the object key asked for (an integer primary key), or nil for the next free one.
    ///   - member: the object's class, where that extends the table's.
    func insert(key wanted: Int64?, of member: FamilyMember? = nil) throws(FreeholdError) -> Int {
        try open()
        if buffer.count >= Self.bufferRows, filling == 0 { try seal() }
        let key = wanted ?? state.root.nextKey
        nextKeyBefore = state.root.nextKey
        if key >= state.root.nextKey, key != .max {
            // Above every key ever used: no look-up needed. The maximum key has none above it and is looked up.
            state.root.nextKey = key + 1
        } else if try state.find(key) != nil {
            throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object with key \(key)")
        } else {
            if key == .max { state.root.nextKey = .max }
            if key < firstNewKey || key == .max { buffer.incarnations[key] = pending.version }
        }
        return buffer.append(key: key, member?.template ?? template)
    }

    /// Sets a column of a newly inserted row; the value is checked against the property.
    func fill(_ place: Int, _ column: Int, with value: Value) throws(FreeholdError) {
        let property = stored.properties[column]
        if property.isObjectKey { return }
        if let shape = property.shape { return try fill(place, column, shape, with: value) }
        let fitting = try property.accepting(value, class: stored.name)
        try refuseOverlong(fitting.byteCount, column, place: place)
        if property.isUnique { try claimUnique(fitting, column: column, place: place) }
        buffer.set(place, column, layout, to: fitting)
    }

    /// Makes a row of the buffer, whose columns are all unset, an object of a subclass.
    ///
    /// Safe: both rows are of one layout.
    func setClass(_ place: Int, _ member: FamilyMember) {
        let key = buffer.keys[place]
        buffer.mutableRow(place).copyMemory(from: member.template.start, byteCount: member.template.byteCount)
        buffer.mutableRow(place).storeBytes(of: key, as: Int64.self)
    }

    /// Sets a column of a row of the buffer to null, even if the property is required.
    func setNull(_ place: Int, _ column: Int) { buffer.setNull(place, column, true) }

    /// Throws if a row of the buffer has no room for a text.
    func refuseOverlong(_ count: Int, _ column: Int, place: Int) throws(FreeholdError) {
        try stored.properties[column].refuseOverlong(count, inRowOf: buffer.row(place).length, class: stored.name)
    }

    /// Removes a row whose filling failed. Its key is reused unless rows were inserted while it was filled: their keys
    /// are above it.
    func withdraw(_ place: Int) {
        let key = buffer.keys[place]
        buffer.remove(at: place)
        uniqueRows.removeAll()
        if key == .max || state.root.nextKey == key + 1 { state.root.nextKey = nextKeyBefore }
    }

    /// Throws if another object has a unique value, and otherwise records this row as its owner.
    func claimUnique(_ value: Value, column: Int, place: Int) throws(FreeholdError) {
        let owner = buffer.keys[place]
        if uniqueRows[column] == nil { try gatherUnique(column) { $0 != place } }
        try requireFree(value, column: column, owner: owner)
        // The row may have been given another value before.
        let before = try buffer.row(place).value(column, layout, type: stored.properties[column].type)
        uniqueRows[column]?.replace(before, by: value, key: owner)
    }

    /// Throws if another object has a unique value. Any number of objects may have null; in a primary key null is an
    /// ordinary value.
    func requireFree(_ value: Value, column: Int, owner: Int64) throws(FreeholdError) {
        if value == .null, stored.primaryKey != column { return }
        guard let other = try key(unique: column, value: value), other != owner else { return }
        throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object whose "
            + "'\(stored.properties[column].name)' is \(value)")
    }

    /// The object whose unique column has this value.
    func key(unique column: Int, value: Value) throws(FreeholdError) -> Int64? {
        if uniqueRows[column] == nil { try gatherUnique(column) { _ in true } }
        if let key = uniqueRows[column]?.find(value) { return key }
        for tail in state.tails {
            for index in 0..<tail.count {
                let row = try state.checked(tail.row(index))
                guard column < row.columns else { continue }
                let other = try row.value(column, layout, type: stored.properties[column].type)
                if other.isFiled(as: value) { return row.key }
            }
        }
        let tree = try index(column)
        indexes.keyBytes.setIndexKey(value, of: stored.properties[column].type)
        return try OrderedIndex(root: tree, access: pending.access).first(indexes.keyBytes.bytes)?.rawValue
    }

    private func gatherUnique(_ column: Int, where isOwner: (Int) -> Bool) throws(FreeholdError) {
        var rows = UniqueRows()
        for place in 0..<buffer.count where isOwner(place) {
            let row = buffer.row(place)
            rows.insert(try row.value(column, layout, type: stored.properties[column].type), key: row.key)
        }
        uniqueRows[column] = rows
    }
}

/// The rows of the buffer, by a unique column's value.
struct UniqueRows {
    private var keys: [Value: Int64] = [:]
    func find(_ value: Value) -> Int64? { keys[Self.filed(value)] }
    mutating func insert(_ value: Value, key: Int64) { keys[Self.filed(value)] = key }
    mutating func replace(_ before: Value, by value: Value, key: Int64) {
        if keys[Self.filed(before)] == key { keys[Self.filed(before)] = nil }
        keys[Self.filed(value)] = key
    }

    /// As in the tree, NaN equals itself, and strings are compared by bytes; no value of such a column is a link, and
    /// none of a string column is data.
    private static func filed(_ value: Value) -> Value {
        switch value {
        case .double(let number) where number.isNaN: .link(ObjectKey(1))
        case .float(let number) where number.isNaN: .link(ObjectKey(0))
        case .string(let text): .data(Array(text.utf8))
        default: value
        }
    }
}

extension StoredProperty {
    /// `value`, widened where that loses nothing (int to double, float to double), or an error naming class and
    /// property.
    func accepting(_ value: Value, class name: String) throws(FreeholdError) -> Value {
        if value.type == type || type == .mixed {
            guard let value = plain(value) else { throw unfit(value, class: name) }
            if hasTree, files(value) { try refuseLong(value, class: name) }
            return value
        }
        if value == .null {
            if isNullable { return .null }
            throw FreeholdError(.notNullable, "property '\(self.name)' of class '\(name)' is required; null was given")
        }
        return try widening(value, class: name)
    }

    /// An element of a collection.
    func acceptingElement(_ value: Value, class name: String) throws(FreeholdError) -> Value {
        if value.type == type || type == .mixed {
            guard let value = plain(value) else { throw unfit(value, class: name) }
            return value
        }
        return try widening(value, class: name)
    }

    private func widening(_ value: Value, class name: String) throws(FreeholdError) -> Value {
        switch (type, value) {
        case (.double, .int(let number)) where Int64(exactly: Double(number)) == number: return .double(Double(number))
        case (.float, .int(let number)) where Int64(exactly: Float(number)) == number: return .float(Float(number))
        case (.double, .float(let number)): return .double(Double(number))
        case (.decimal, .int(let number)): return .decimal(Decimal128(number))
        case (.link, .int(let key)): return .link(ObjectKey(key))
        default: throw unfit(value, class: name)
        }
    }

    /// A value of the property's type in its stored form: links of a mixed property name their class, all others do
    /// not. Nil if it cannot be converted.
    private func plain(_ value: Value) -> Value? {
        switch value {
        case .object(let reference) where type == .link:
            return Int(linkTarget ?? 0) == reference.classNumber ? .link(reference.key) : nil
        case .link where type == .mixed: return nil
        case .list, .set, .map: return type == .mixed && !isUnique && value.isMixed(depth: MixedBytes.maximumDepth) ? value : nil
        default: return value
        }
    }

    func unfit(_ value: Value, class name: String) -> FreeholdError {
        FreeholdError(.typeMismatch, "property '\(self.name)' of class '\(name)' is a \(type.name); "
            + "a \(value.collectionKind?.name ?? value.type?.name ?? "null")\(value.type == .link ? " of no or another class" : "") was given"
            + (type == .mixed && value.collectionKind != nil ? "; a mixed value is a list or map of mixed values, to a depth of "
                + "\(MixedBytes.maximumDepth), and none in a set or unique property" : ""))
    }

    /// Throws if the value is too long for an ordered tree, whose key contains all its bytes.
    private func refuseLong(_ value: Value, class name: String) throws(FreeholdError) {
        // For a collection only the kind is in the key.
        if value.collectionKind != nil { return }
        let count = value.byteCount + (type == .mixed ? 1 : 0)
        if count >= IndexLayout.maximumKeyBytes { throw tooLong(count, class: name) }
    }

    /// Whether a text of that many bytes must be checked before it is stored.
    func mustLookAt(_ count: Int) -> Bool { isUnique || hasTree && count >= IndexLayout.maximumKeyBytes }

    /// Throws if a row of `length` bytes has no room for `count` more: all of an object's texts together must stay
    /// below 4 GiB while it is written. (A text that replaces another counts in addition to it.)
    func refuseOverlong(_ count: Int, inRowOf length: Int, class name: String) throws(FreeholdError) {
        guard count > RowLayout.maximumBytes - length else { return }
        throw FreeholdError(.valueTooLarge, "property '\(self.name)' of class '\(name)' cannot take \(count) bytes: the "
            + "strings and data of one object have at most \(RowLayout.maximumBytes) bytes together, and it has "
            + "\(length) already; spread them over several objects")
    }

    func tooLong(_ count: Int, class name: String) -> FreeholdError {
        FreeholdError(.valueTooLarge, "property '\(self.name)' of class '\(name)' is indexed, and an indexed value has at "
            + "most \(IndexLayout.maximumKeyBytes - 1) bytes; one has \(count)")
    }
}

extension Value {
    /// The length in bytes of a string or data, or of a collection in a mixed property; 0 for types of fixed width.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .list, .map: MixedBytes.count(self)
        default: 0
        }
    }
}
