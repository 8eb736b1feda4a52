import FreeholdEngine

extension LiveClass {
    /// The object in a row: the one given, made to stand for it, if nobody else holds that and it is of the row's class; else a new one,
    /// which is given instead.
    ///
    /// - Parameter isNear: whether the object stood in the same cluster, so that it is worth while to read that the short way.
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
    /// Whether a variable is all that holds the object in it, not even weakly held by another.
    ///
    /// Safe: the variable holds it, so it is there; taking it out as an object would count one holder more.
    static func isHeldOnce(by variable: inout ObjectBase?) -> Bool {
        withUnsafePointer(to: &variable) { pointer in
            guard let address = UnsafeRawPointer(pointer).load(as: UnsafeRawPointer?.self) else { return false }
            return address.load(fromByteOffset: 8, as: UInt.self) == 3
        }
    }
}
