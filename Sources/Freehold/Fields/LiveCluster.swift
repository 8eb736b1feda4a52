import CShims
import FreeholdEngine
import Synchronization

/// The fields of one cluster of a class at one version, filled on demand and shared by all objects of the cluster.
///
/// Safe throughout: memory is as long as `init` asks for; slots are those of the class it is made for.
final class LiveCluster {
    let fields: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Any row of the cluster.
    private(set) var row: Row?
    /// The number of the cluster's class in the realm.
    let number: Int
    private let all: LiveClusters
    /// The index in `all`.
    fileprivate var place = 0
    /// The entry through which the fork handler finds it.
    private var forkPlace: UnsafeMutableRawPointer?

    init(slots: Int, of number: Int, in all: LiveClusters) {
        self.number = number
        self.all = all
        byteCount = _FieldsHead.byteCount + slots * _Field.byteCount
        fields = .allocate(byteCount: byteCount, alignment: 16)
        clear()
        forkPlace = freehold_shim_clear_in_child(&head.pointee.thread)
        all.add(self)
    }

    deinit {
        all.remove(self)
        freehold_shim_keep_in_child(forkPlace, &head.pointee.thread)
        fields.deallocate()
    }

    /// Ends all reading of the fields.
    func retire() { head.pointee.thread = 0 }

    var isCurrent: Bool { head.pointee.thread != 0 }

    /// Whether the calling thread may read and fill the fields.
    var isOfThisThread: Bool { head.pointee.thread == Confinement.here }

    /// Switches to another cluster, with no field known yet.
    func begin(_ row: Row, thread: UInt) {
        clear()
        self.row = row
        head.pointee.thread = thread
    }

    func pass(to thread: UInt) { head.pointee.thread = thread }

    private var head: UnsafeMutablePointer<_FieldsHead> { fields.assumingMemoryBound(to: _FieldsHead.self) }

    private func clear() {
        row = nil
        fields.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    /// Records how to read a property from now on.
    func note(_ image: RowImage, at slot: Int) {
        let field = (fields + _FieldsHead.byteCount + slot * _Field.byteCount).assumingMemoryBound(to: _Field.self)
        field.initialize(to: _Field(words: image.words, base: image.base, mask: image.mask, shift: image.shift))
    }
}

/// All clusters that objects of one realm read from, so that all can be retired.
///
/// Objects, and the clusters with them, may be freed on any thread: hence the lock.
final class LiveClusters: Sendable {
    // Safe: a cluster removes itself before it is freed; what is called on it while the lock is held only clears its
    // head.
    private let all = Mutex<[Reference]>([])

    private struct Reference: @unchecked Sendable {
        let cluster: Unmanaged<LiveCluster>
    }

    fileprivate func add(_ cluster: LiveCluster) {
        let reference = Reference(cluster: .passUnretained(cluster))
        all.withLock { all in
            // Within the lock: once it is in the list, a thread that removes another one may move it.
            reference.cluster._withUnsafeGuaranteedRef { $0.place = all.count }
            all.append(reference)
        }
    }

    fileprivate func remove(_ cluster: LiveCluster) {
        let place = Reference(cluster: .passUnretained(cluster))
        all.withLock { all in
            let place = place.cluster._withUnsafeGuaranteedRef { $0.place }
            guard let last = all.popLast(), place < all.count else { return }
            all[place] = last
            last.cluster._withUnsafeGuaranteedRef { $0.place = place }
        }
    }

    /// Ends the fast path, for one class or for all.
    func retire(_ number: Int? = nil) {
        all.withLock { all in
            for reference in all {
                reference.cluster._withUnsafeGuaranteedRef { if number == nil || $0.number == number { $0.retire() } }
            }
        }
    }

    /// Lets another thread read the fields.
    func pass(to thread: UInt) {
        all.withLock { all in
            for reference in all { reference.cluster._withUnsafeGuaranteedRef { if $0.isCurrent { $0.pass(to: thread) } } }
        }
    }
}
