extension TableWriter {
    /// Adds an object with all columns at their defaults; returns its position in the buffer.
    ///
    /// - Parameters:
    ///   - key: the object key asked for (an integer primary key), or nil for the next free one.
    ///   - member: the object's class, where that extends the table's.
    func insert(key wanted: Int64?, of member: FamilyMember? = nil) throws(FreeholdError) -> Int {
        try open()
        if buffer.count >= Self.bufferRows, filling.isNone { try seal() }
        let key = wanted ?? state.root.nextKey
        filling.nextKeyBefore = state.root.nextKey
        if key >= state.root.nextKey, key != .max {
            // Above every key ever used: no look-up needed. The maximum key has none above it and is looked up.
            state.root.nextKey = key + 1
        } else if try state.find(key) != nil {
            throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object with key \(key)")
        } else {
            if key == .max { state.root.nextKey = .max }
            if key < filling.firstNewKey || key == .max { buffer.incarnations[key] = pending.version }
        }
        touched.note(key)
        let place = buffer.append(key: key, member?.template ?? shape.template)
        assert(checkInvariants(), "the invariants hold")
        return place
    }

    /// Sets a column of a newly inserted row; the value is checked against the property.
    func fill(_ place: Int, _ column: Int, with value: Value) throws(FreeholdError) {
        let property = stored.properties[column]
        if property.isObjectKey { return }
        if let shape = property.shape { return try collections.fill(place, column, shape, with: value) }
        let fitting = try property.accepting(value, class: stored.name)
        try refuseOverlong(fitting.byteCount, column, place: place)
        if property.isUnique { try claims.claim(fitting, column: column, place: place, in: self) }
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
        claims.forget()
        if key == .max || state.root.nextKey == key + 1 { state.root.nextKey = filling.nextKeyBefore }
        assert(checkInvariants(), "the invariants hold")
    }
}
