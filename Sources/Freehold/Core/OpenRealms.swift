import Synchronization

/// The realms that this process has open, for opening one again to find it.
///
/// A realm removes itself before it is freed. It is not held weakly: that would make counting references to it, of
/// which each object holds one, several times as slow.
final class OpenRealms: Sendable {
    static let shared = OpenRealms()

    private struct Key: Hashable {
        let file: ObjectIdentifier
        let identity: Confinement.Identity
    }

    private let open = PerProcess<[Key: RegisteredReference<RealmCore>]>(inherits: false) { [:] }

    /// The open realm of a file for a place; nil if there is none.
    func core(_ shared: SharedDatabase, _ confinement: Confinement) -> RealmCore? {
        let key = Key(file: ObjectIdentifier(shared), identity: confinement.identity)
        return open.withLock { $0[key]?.kept() }?.object
    }

    func add(_ core: RealmCore) {
        let entry = RegisteredReference(core), key = key(of: core)
        open.withLock { $0[key] = entry }
    }

    func remove(_ core: RealmCore) {
        let gone = ObjectIdentifier(core), key = key(of: core)
        open.withLock { open in
            if open[key]?.identity == gone { open[key] = nil }
        }
    }

    private func key(of core: RealmCore) -> Key { Key(file: ObjectIdentifier(core.shared), identity: core.confinement.identity) }
}
