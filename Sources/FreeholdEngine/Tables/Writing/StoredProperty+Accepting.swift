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
