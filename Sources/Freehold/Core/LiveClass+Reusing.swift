import FreeholdEngine

extension LiveClass {
    /// The object for a row: the given instance is reused if there is no other reference to it and its class is the
    /// row's; otherwise a new one is created and stored in `given`.
    ///
    /// - Parameter isNear: whether the last object was in the same cluster, so that preparing the fast path pays.
    func object(_ row: Row, reusing given: inout ObjectBase?, isNear: Bool) throws(FreeholdError) -> ObjectBase {
        let own = isVarious ? try own(row) : self
        guard own.model.keepsNothing, ObjectBase.isHeldOnce(by: &given), let object = given, object.core === core, object.classNumber == Int16(own.number) else {
            let made = try self.object(row)
            given = made
            return made
        }
        object._key = row.key.rawValue
        object.seen = core.seen
        object.generation = core.generation
        object.added = 0
        own.noteHandedOut()
        own.note(row)
        if isNear {
            own.bind(object, to: row)
        } else {
            (object._row, object._fields, object.cluster, object.wasRead) = (0, nil, nil, false)
        }
        return object
    }
}

extension ObjectBase {
    /// Whether a variable is the only reference to its object, weak references included.
    ///
    /// Safe: the variable holds it, so it exists; reading it as an object would add a reference.
    static func isHeldOnce(by variable: inout ObjectBase?) -> Bool {
        withUnsafePointer(to: &variable) { pointer in
            guard let address = UnsafeRawPointer(pointer).load(as: UnsafeRawPointer?.self) else { return false }
            return address.load(fromByteOffset: 8, as: UInt.self) == 3
        }
    }
}
