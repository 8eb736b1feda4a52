import FreeholdEngine

/// The realm of an object.
extension ObjectBase {
    /// The realm; nil for an unmanaged object.
    ///
    /// Safe: only realms own objects.
    @inline(__always)
    final var core: RealmCore? {
        get { owner.map { unsafeDowncast($0, to: RealmCore.self) } }
        set { owner = newValue }
    }

    /// The realm, without counting a reference.
    ///
    /// Safe: the object holds it, as the bytes of an instance say, and goes into one realm only.
    @inline(__always)
    final var coreReference: Unmanaged<RealmCore>? { (_address + 56).load(as: Unmanaged<RealmCore>?.self) }

    /// Whether the object was managed and is not any more: it was deleted, or its realm was invalidated.
    public final var isInvalidated: Bool {
        guard let core else { return false }
        if _row < 0 || !core.enter() { return true }
        return core.attempt(true) { try live(in: core).row(of: self) == nil }
    }

    /// Whether the realm was invalidated since the object was found.
    final var isStale: Bool { coreReference.map { $0._withUnsafeGuaranteedRef { $0.generation != generation } } ?? false }

    /// The object's class in its realm.
    final func live(in core: RealmCore) -> LiveClass { core.live(classNumber) }
}

extension ValueContext {
    init(core: RealmCore?, given: GivenValues? = nil) { self.init(realm: core, given: given) }
}
