import FreeholdEngine

/// Setting properties.
extension ObjectBase {
    /// Sets the property that begins at byte `offset`.
    final func slowSet<Value: _Storable>(_ value: Value, _ offset: Int) {
        guard let core else { return _setOwn(value, offset) }
        core.set(self, offset, value)
    }
}

extension RealmCore {
    /// Sets a property of an object.
    func set(_ object: ObjectBase, _ offset: Int, _ value: some _Storable) {
        guard enter() else { return }
        guard transaction != nil else {
            if isFrozen { return Misuse.report("Attempting to modify a frozen object - call thaw on the Object instance first.") }
            return Misuse.report("Cannot modify managed objects outside of a write transaction.", hint: "Put the change within realm.write { }.")
        }
        attempt(()) {
            guard try row(of: object) != nil else { return }
            let live = object.live(in: self), place = live.model.place(at: offset)
            if place == live.model.primaryKey { return Misuse.report("Primary key can't be changed after an object is inserted.") }
            try set(ObjectKey(object._key), live, place, value, StoringContext(self))
        }
    }
}
