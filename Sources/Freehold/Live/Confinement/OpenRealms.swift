import CShims
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

    /// Safe to share: used under the lock only, where a realm is not freed yet.
    private struct Entry: @unchecked Sendable {
        let core: Unmanaged<RealmCore>
    }

    private let open = PerProcess<[Key: Entry]>(inherits: false) { [:] }

    /// The open realm of a file for a place; nil if there is none.
    func core(_ shared: SharedDatabase, _ confinement: Confinement) -> RealmCore? {
        let key = Key(file: ObjectIdentifier(shared), identity: confinement.identity)
        let found = open.withLock { open -> Entry? in
            guard let entry = open[key], swift_tryRetain(entry.core.toOpaque()) != nil else { return nil }
            return entry
        }
        return found?.core.takeRetainedValue()
    }

    /// Safe, as what follows: the realm removes itself before it is freed.
    func add(_ core: RealmCore) {
        let entry = Entry(core: .passUnretained(core)), key = key(of: core)
        open.withLock { $0[key] = entry }
    }

    /// Ends the realms of a thread that ends.
    func endThread(_ thread: UInt) {
        let ended = open.withLock { open in
            open.compactMap { $0.key.identity == .thread(thread) && swift_tryRetain($0.value.core.toOpaque()) != nil ? $0.value : nil }
        }
        for entry in ended {
            let core = entry.core.takeRetainedValue()
            remove(core)
            core.endThread()
        }
    }

    /// Safe: only the address is compared.
    func remove(_ core: RealmCore) {
        let gone = Unmanaged.passUnretained(core).toOpaque(), key = key(of: core)
        open.withLock { open in
            if open[key]?.core.toOpaque() == gone { open[key] = nil }
        }
    }

    private func key(of core: RealmCore) -> Key { Key(file: ObjectIdentifier(core.shared), identity: core.confinement.identity) }
}
