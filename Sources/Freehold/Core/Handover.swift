import FreeholdEngine

/// Finds a thing of one realm in another realm of the same file: on another thread, or at another version.
///
/// Safe to share: nothing in it belongs to a realm.
public struct _Handover: @unchecked Sendable {
    /// The path of the file.
    let path: String
    /// The low bits of the version at which the thing existed.
    let seen: UInt32
    /// The outcome of the write transaction that may have created it; nil outside of one.
    let outcome: WriteOutcome?
    /// Finds the thing in a realm; nil if it is not there.
    let find: (RealmCore) -> Any?

    private init(_ other: _Handover, _ find: @escaping (RealmCore) -> Any?) {
        path = other.path
        seen = other.seen
        outcome = other.outcome
        self.find = find
    }

    /// A handover that also transforms what it finds.
    func map(_ body: @escaping (Any) -> Any?) -> _Handover { _Handover(self) { core in find(core).flatMap(body) } }

    init(_ core: RealmCore, seen: UInt32? = nil, _ find: @escaping (RealmCore) -> Any?) {
        path = core.shared.database.path
        self.seen = seen ?? core.seen
        outcome = core.currentOutcome()
        self.find = find
    }

    /// The thing in another realm; nil if it is not there, or not yet committed.
    func found(in core: RealmCore) -> Any? {
        if let outcome, outcome !== core.outcome, !outcome.isCommitted { return nil }
        return find(core)
    }
}

extension RealmCore {
    fileprivate func currentOutcome() -> WriteOutcome? {
        guard transaction != nil else { return nil }
        if let outcome { return outcome }
        let made = WriteOutcome()
        outcome = made
        return made
    }

    /// This realm's class for a class of another realm of the file; nil if the realm does not have it.
    func live(like model: ModelClass) -> LiveClass? {
        model.isDynamic ? attempt(nil) { try dynamicClass(named: model.name, as: model.type) } : live(model.type)
    }

    /// The object that had a key at a version; nil if the realm does not have it, or has another object under that key.
    func object(_ model: ModelClass, _ key: Int64, seen: UInt32) -> ObjectBase? {
        guard enter(), let live = live(like: model) else { return nil }
        return object(live, key, seen: seen)
    }

    func object(_ type: ObjectBase.Type, _ key: Int64, seen: UInt32) -> ObjectBase? {
        guard enter(), let live = live(type) else { return nil }
        return object(live, key, seen: seen)
    }

    private func object(_ live: LiveClass, _ key: Int64, seen: UInt32) -> ObjectBase? {
        attempt(nil) {
            guard let row = try live.held().table.row(ObjectKey(key)), try live.isSame(row, seen) else { return nil }
            return try live.object(row)
        }
    }

    // MARK: Frozen

    /// A frozen realm of the present version; during a write transaction, of the version before it.
    func freeze() -> RealmCore? {
        if isFrozen { return self }
        guard enter() else { return nil }
        return attempt(nil) {
            if let transaction { return shared.frozenRealm(try transaction.snapshotBefore(), of: self) }
            let held = try held()
            return try shared.knownFrozen(held.version, schema) ?? shared.frozenRealm(held.another(), of: self)
        }
    }

    /// A live realm of the file for the caller: that of the frozen realm's queue or actor if the caller is there,
    /// otherwise that of the calling thread.
    func thaw() -> RealmCore { isFrozen ? RealmOrigin(self).open() : self }
}
