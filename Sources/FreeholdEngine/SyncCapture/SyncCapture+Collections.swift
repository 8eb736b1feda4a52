/// What has changed in sets and maps: members and keys by themselves.
///
/// Safe throughout: bytes are copied before the call that takes them returns.
extension SyncCapture {
    mutating func noteCollection(_ difference: ColumnDifference, _ shape: CollectionShape,
                                 _ own: ClassCapture) throws(FreeholdError) {
        let before = try own.oldColumn(difference.property).map { column throws(FreeholdError) in
            try own.old.cell(difference.before, column)
        }
        let old = try CollectionReader(before ?? .empty, shape, pending.access)
        let new = try CollectionReader(try own.new.cell(difference.after, difference.column), shape, pending.access)
        switch shape.kind {
        case .list: try noteList(difference, old, new, own)
        case .set: try noteMembers(difference, old, new, own)
        case .map: try noteKeys(difference, old, new, own)
        }
    }

    private mutating func noteMembers(_ difference: ColumnDifference, _ old: CollectionReader, _ new: CollectionReader,
                                      _ own: ClassCapture) throws(FreeholdError) {
        let before = try ElementSource(old), after = try ElementSource(new)
        for hunk in try CollectionComparison(old: before, new: after).hunks() {
            for position in hunk.old {
                let element = try before.element(at: position)
                if try !isLost(element, difference.property) { try noteMember(difference, element, own) }
            }
            for position in hunk.new { try noteMember(difference, after.element(at: position), own) }
        }
    }

    private mutating func noteMember(_ difference: ColumnDifference, _ element: ListElement, _ own: ClassCapture) throws(FreeholdError) {
        let key = ByteBuffer(capacity: 64)
        switch element {
        case .value(let value): key.setIndexKey(value, of: difference.property.type)
        case .large(let length, let reference):
            guard length <= UInt64(PendingKey.maximumElement) else { throw tooLong("a member of set", difference, own) }
            let bytes = try LargeValue.read(reference, in: pending.access)
            bytes.withUnsafeBytes { difference.property.type == .mixed ? key.append($0) : key.appendIndexText($0) }
        case .cell: return
        }
        guard key.count <= PendingKey.maximumElement else { throw tooLong("a member of set", difference, own) }
        try own.change.change(difference.key, difference.property.number, .member, key.bytes, now())
    }

    private mutating func noteKeys(_ difference: ColumnDifference, _ old: CollectionReader, _ new: CollectionReader,
                                   _ own: ClassCapture) throws(FreeholdError) {
        let keys = try CollectionComparison(old: ElementSource(keysOf: old), new: ElementSource(keysOf: new)).hunks()
        let before = try ElementSource(old), after = try ElementSource(new)
        for hunk in keys {
            for position in hunk.old where try !isLost(before.element(at: position), difference.property) {
                try noteKey(difference, try old.key(at: position), own)
            }
            for position in hunk.new { try noteKey(difference, try new.key(at: position), own) }
        }
        for (position, place) in try CollectionComparison(old: before, new: after).changedValues(keys) {
            if try after.element(at: place) == .value(.null), try isLost(before.element(at: position), difference.property) { continue }
            try noteKey(difference, try new.key(at: place), own)
        }
    }

    private mutating func noteKey(_ difference: ColumnDifference, _ key: String, _ own: ClassCapture) throws(FreeholdError) {
        var key = key
        guard key.utf8.count <= PendingKey.maximumElement else { throw tooLong("a key of map", difference, own) }
        let stamp = now()
        let bytes = ByteBuffer(capacity: 64)
        key.withUTF8 { bytes.append(UnsafeRawBufferPointer($0)) }
        try own.change.change(difference.key, difference.property.number, .mapKey, bytes.bytes, stamp)
    }

    private func tooLong(_ what: String, _ difference: ColumnDifference, _ own: ClassCapture) -> FreeholdError {
        FreeholdError(.valueTooLarge, "\(what) '\(difference.property.name)' of object \(difference.key) of the synced class "
            + "'\(own.new.stored.name)' has more than \(PendingKey.maximumElement) bytes")
    }
}
