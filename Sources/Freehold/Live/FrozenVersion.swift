import CShims
import FreeholdEngine
import Synchronization

/// What a frozen realm shows: one version, held once, read by each thread through a reader of its own.
///
/// 1. The version is held as long as the frozen realm is, and so as long as anything that was frozen.
/// 2. A reader is used on its thread only; it goes with the thread, or with the realm.
final class FrozenVersion: Sendable {
    /// Tells it from every other one of the process, also from those that are gone.
    let number: UInt64
    // Safe: only asked for readers, under the lock below.
    nonisolated(unsafe) private let snapshot: Snapshot
    private let readers = Mutex<[UInt: Entry]>([:])
    /// Where what is thawed belongs, if that is a queue or an actor.
    let origin: Confinement

    /// Safe: held by the table; looked into on its thread only.
    private struct Entry: @unchecked Sendable {
        let reader: Unmanaged<FrozenReader>
    }

    private static let last = Atomic<UInt64>(0)

    init(_ snapshot: Snapshot, from origin: Confinement) {
        self.snapshot = snapshot
        self.origin = origin
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        ThreadEnd.watch(self)
    }

    deinit {
        ThreadEnd.forget(self)
        // Safe: each was retained when it was made.
        readers.withLock { for entry in $0.values { entry.reader.release() } }
    }

    var version: Version { snapshot.version }

    /// The calling thread's reader.
    ///
    /// Safe: what a thread found last under this number is good while this is there; a thread that ends forgets all.
    @inline(__always)
    func reader(_ core: RealmCore) throws(FreeholdError) -> FrozenReader {
        let recent = freehold_shim_recent(number)!
        if recent.pointee.number == number, let found = recent.pointee.found {
            return Unmanaged<FrozenReader>.fromOpaque(found).takeUnretainedValue()
        }
        return try findReader(core, recent)
    }

    @inline(never)
    private func findReader(_ core: RealmCore, _ recent: UnsafeMutablePointer<freehold_shim_recent_t>) throws(FreeholdError) -> FrozenReader {
        let here = Confinement.here
        ThreadEnd.prepare()
        let found = readers.withLock { readers -> Result<Entry, FreeholdError> in
            if let known = readers[here] { return .success(known) }
            do throws(FreeholdError) {
                let made = Entry(reader: .passRetained(FrozenReader(try snapshot.reader(), core)))
                readers[here] = made
                return .success(made)
            } catch { return .failure(error) }
        }
        let reader = try found.get().reader
        // Safe: see `reader`.
        recent.pointee = freehold_shim_recent_t(number: number, found: reader.toOpaque())
        return reader.takeUnretainedValue()
    }

    /// Lets the reader of a thread that ends go.
    func endThread(_ thread: UInt) {
        readers.withLock { $0.removeValue(forKey: thread) }?.reader.release()
    }

    /// Classes of the file that are looked at without a class of the program, in the order in which they were asked for.
    private let strangers = Mutex<[Stranger]>([])

    struct Stranger: Sendable {
        let name: String
        let type: ObjectBase.Type
    }

    /// The place of such a class among them, the same on every thread.
    func number(ofStranger name: String, as type: ObjectBase.Type) -> Int {
        strangers.withLock { strangers in
            if let place = strangers.firstIndex(where: { $0.name.isSame(as: name) && $0.type == type }) { return place }
            strangers.append(Stranger(name: name, type: type))
            return strangers.count - 1
        }
    }

    func stranger(_ number: Int) -> Stranger { strangers.withLock { $0[number] } }

    /// How many threads have a reader.
    var readerCount: Int { readers.withLock { $0.count } }
}

/// A frozen realm as one thread reads it.
final class FrozenReader {
    let snapshot: Snapshot
    // Safe: the realm owns what owns the reader, and outlives it.
    private unowned(unsafe) let core: RealmCore
    private var classes: [LiveClass?]

    init(_ snapshot: Snapshot, _ core: RealmCore) {
        self.snapshot = snapshot
        self.core = core
        classes = Array(repeating: nil, count: core.schema.classes.count)
    }

    /// The class of a number, of those of the program first.
    func live(_ number: Int) throws(FreeholdError) -> LiveClass {
        if number < classes.count, let known = classes[number] { return known }
        while classes.count <= number { classes.append(nil) }
        let made = LiveClass(try model(number), number: number, in: core)
        classes[number] = made
        return made
    }

    private func model(_ number: Int) throws(FreeholdError) -> ModelClass {
        let declared = core.schema.classes
        guard number >= declared.count, let stranger = core.frozen?.stranger(number - declared.count) else { return declared[number] }
        return ModelClass(try snapshot.table(stranger.name).schema, as: stranger.type, known: core.known(stranger.name))
    }
}
