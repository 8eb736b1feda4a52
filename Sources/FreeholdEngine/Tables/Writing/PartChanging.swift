/// Changes a part of a string or data in the blocks that hold it; and sets values that are already in the file.
///
/// 1. A value with blocks of its own keeps those that the change does not touch. Any other value is short, and is
/// rewritten.
/// 2. A change that throws has changed nothing.
struct PartChanging: TableChange {
    let writer: TableWriter

    /// Rows of the buffer up to this length stay there.
    private static let longestBufferedRow = 64 << 10

    /// Changes a part of a string or data property of an object; throws `.noSuchObject` if there is none with this key.
    func change(_ key: Int64, _ column: Int, part change: PartChange) throws(FreeholdError) {
        try requireBytes(column)
        // The bytes to write may have been read from a row of the class, which is about to move.
        if buffer.hasGivenRows, case .write(let bytes, let offset) = change {
            let copy = ByteBuffer(capacity: bytes.count)
            copy.append(bytes)
            return try withExtendedLifetime(copy) { () throws(FreeholdError) in try self.change(key, column, to: .write(copy.bytes, offset: offset)) }
        }
        try self.change(key, column, to: change)
    }

    private func change(_ key: Int64, _ column: Int, to change: PartChange) throws(FreeholdError) {
        let place = try placeForParts(key)
        let count = try state.byteCount(place, column)
        let end = try checkedEnd(of: change, in: count, place, column)
        guard case .cluster(_, let row) = place, !isFiled(column), end > LeafMaker.inlineLimit,
              let old = try state.external(place, column) else {
            return try changeWhole(key, column, place, change, count: count)
        }
        try writer.request { () throws(FreeholdError) in
            var editor = try LargeValueEditor(old.value, length: count, table: number, in: pending)
            switch change {
            case .write(let bytes, let offset): try editor.write(bytes, at: offset ?? count)
            case .truncate(let end): if end < count { try editor.truncate(to: end) }
            }
            let block = try ClusterTree.edit(for: key, root: &state.root.clusters, in: pending)
            var leaf = block.view.reference(column)
            let editable = try pending.edit(&leaf)
            block.setReference(column, leaf)
            editable.setReference(TextLeaf(UnsafeRawPointer(editable.body)).external(row).reference, editor.root)
            TextLeaf.setExternalLength(UInt64(editor.length), at: row, in: editable.body)
        }
    }

    /// Sets a property to a value whose blocks `make` creates once the object is known to exist.
    func set(_ key: Int64, _ column: Int, length: Int, making make: () -> BlockReference) throws(FreeholdError) {
        try requireBytes(column)
        let property = stored.properties[column]
        if isFiled(column) { throw property.tooLong(length, class: stored.name) }
        try writer.open()
        if try writer.bufferPlace(key) != nil {
            try writer.requireNoneIsFilled()
            try writer.seal()
        }
        guard case .cluster(let cluster, let row)? = try state.find(key) else { throw writer.noSuchObject(key) }
        let value = ExternalValue(reference: make(), length: length)
        try writer.change { () throws(FreeholdError) in
            try writer.setSealed(key, row: row, column, to: .null, external: value, columns: cluster.view.referenceCount)
        }
    }

    /// Whether the property's values are in an ordered tree, alone or with those of other properties.
    private func isFiled(_ column: Int) -> Bool {
        stored.properties[column].hasTree || stored.primaryKeys.contains(column) || stored.indexes.contains { $0.columns.contains(column) }
    }

    /// Throws if the property is neither string nor data.
    func requireBytes(_ column: Int) throws(FreeholdError) {
        let property = stored.properties[column]
        if property.shape == nil, property.type == .string || property.type == .data { return }
        throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(stored.name)' is a "
            + "\(property.shape?.kind.name ?? property.type.name); only string and data properties are written in parts")
    }

    /// The object's location; a long row is sealed into a cluster first.
    private func placeForParts(_ key: Int64) throws(FreeholdError) -> RowPlace {
        try writer.open()
        if let place = try writer.bufferPlace(key) {
            let row = buffer.row(place)
            if row.length <= Self.longestBufferedRow || !writer.filling.isNone { return .tail(row) }
            try writer.seal()
        }
        guard let place = try state.find(key) else { throw writer.noSuchObject(key) }
        return place
    }

    /// Rewrites a short value, or an indexed one, as a whole.
    private func changeWhole(_ key: Int64, _ column: Int, _ place: RowPlace, _ change: PartChange, count: Int) throws(FreeholdError) {
        var bytes: [UInt8]
        switch change {
        case .truncate(let end):
            if end == count { return }
            bytes = try state.bytes(place, column, part: 0..<end)
        case .write(let new, let offset):
            if new.isEmpty, try !state.isNull(place, column) { return }
            bytes = try state.bytes(place, column, part: 0..<count)
            let offset = offset ?? count, end = min(count, offset + new.count)
            bytes.replaceSubrange(offset..<end, with: new)
        }
        try writer.set(key, column, to: stored.properties[column].type == .data ? .data(bytes) : .string(String(decoding: bytes, as: UTF8.self)))
    }

    // MARK: checks

    /// The length of the value after the change; throws if the change is not possible.
    private func checkedEnd(of change: PartChange, in count: Int, _ place: RowPlace, _ column: Int) throws(FreeholdError) -> Int {
        let property = stored.properties[column]
        let from: Int, added: Int
        switch change {
        case .truncate(let kept): (from, added) = (kept, 0)
        case .write(let bytes, let offset): (from, added) = (offset ?? count, bytes.count)
        }
        guard 0...count ~= from else {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(stored.name)' has \(count) bytes here; "
                + "it cannot be changed from byte \(from) on")
        }
        guard added <= LargeValue.maximumBytes - from else { throw property.overlong(added, behind: from, class: stored.name) }
        if property.type == .string {
            try requireBoundary(from, count, place, column)
            if case .write(let bytes, _) = change {
                try requireCharacters(bytes, property)
                try requireBoundary(from + added, count, place, column)
            }
        }
        if case .truncate = change { return from }
        return max(count, from + added)
    }

    private func requireCharacters(_ bytes: UnsafeRawBufferPointer, _ property: StoredProperty) throws(FreeholdError) {
        if String(validating: bytes, as: UTF8.self) != nil { return }
        throw FreeholdError(.invalidArgument, "property '\(property.name)' of class '\(stored.name)' is a string; what was given for "
            + "a part of it is not UTF-8")
    }

    /// Throws if the offset is inside a character.
    private func requireBoundary(_ offset: Int, _ count: Int, _ place: RowPlace, _ column: Int) throws(FreeholdError) {
        guard offset < count, let byte = try state.bytes(place, column, part: offset..<offset + 1).first, byte & 0xc0 == 0x80 else { return }
        let property = stored.properties[column]
        throw FreeholdError(.invalidArgument, "byte \(offset) of property '\(property.name)' of class '\(stored.name)' stands within "
            + "a character; a string is changed between characters only")
    }
}

/// A change of a part of a string or data.
enum PartChange {
    /// Overwrites the bytes at `offset`, and extends the value past its end; nil is the end.
    case write(UnsafeRawBufferPointer, offset: Int?)
    /// Removes all bytes but the first ones, of the given number.
    case truncate(Int)
}

extension StoredProperty {
    func overlong(_ count: Int, behind length: Int, class name: String) -> FreeholdError {
        FreeholdError(.valueTooLarge, "property '\(self.name)' of class '\(name)' cannot take \(count) bytes from byte \(length) on: a "
            + "string or data has at most \(LargeValue.maximumBytes) bytes")
    }
}
