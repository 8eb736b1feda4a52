import FreeholdEngine

/// Reading properties by the slow path.
extension ObjectBase {
    /// The value of the property that begins at byte `offset`.
    final func slowValue<Value: _Storable & _Persistable>(_ offset: Int) -> Value {
        guard let core = coreReference else { return isRecording ? PathRecorder.read(self, offset) { Value._zero } : ownValue(offset) }
        return core._withUnsafeGuaranteedRef { core in
            core.value(of: self, offset) { column, row, core in try Value._load(row, column, core) } ?? Value._zero
        }
    }

    private func ownValue<Value: _Storable>(_ offset: Int) -> Value {
        if let value = _own(offset, Value.self) { return value }
        let zero = Value._zero
        _setOwn(zero, offset)
        return zero
    }
}

extension RealmCore {
    /// The present row of a managed object; reports misuse if the object was deleted.
    func row(of object: ObjectBase) throws(FreeholdError) -> Row? {
        if let row = try object.live(in: self).row(of: object) { return row }
        Misuse.report("Object has been deleted or invalidated.")
        return nil
    }

    /// The result of `body` for a property of an object; nil if it cannot be read, which has been reported.
    @inline(__always)
    func value<Value>(of object: ObjectBase, _ offset: Int, _ body: (Column, Row, RealmCore) throws -> Value) -> Value? {
        guard enter() else { return nil }
        do {
            return try withClass(object.classNumber) { live in
                guard let row = try live.row(of: object) else {
                    Misuse.report("Object has been deleted or invalidated.")
                    return nil
                }
                let place = live.model.place(at: offset)
                guard let column = live.column(place) else { return nil }
                // A reader of a single property should not pay for more.
                if !isFrozen, object._fields == nil, !object.wasRead { object.wasRead = true } else {
                    try note(column, at: place, of: object, row, live)
                }
                return try body(column, row, self)
            }
        } catch {
            report(error)
            return nil
        }
    }

    /// Lets an object's property be read by the fast path from now on.
    private func note(_ column: Column, at place: Int, of object: ObjectBase, _ row: Row, _ live: LiveClass) throws {
        // Other threads may read an object of a frozen realm, so it stays as it was created.
        let cluster = isFrozen ? object.cluster.flatMap { $0.isOfThisThread ? $0 : nil } : live.bind(object, to: row)
        if let cluster, let image = try row.image(column) { cluster.note(image, at: live.model.properties[place].slot) }
    }
}
