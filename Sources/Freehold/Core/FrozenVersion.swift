import CShims
import FreeholdEngine
import Synchronization

/// The version that a frozen realm shows, held once, and read by each thread through a reader of its own.
///
/// 1. The version is held as long as the frozen realm exists, and so as long as anything frozen from it.
/// 2. A reader is used on its thread only; it is freed with the thread, or with the realm.
final class FrozenVersion: Sendable {
    /// A number that no other frozen version of the process has or had.
    let number: UInt64
    // Safe: used only to make readers, under the lock below.
    nonisolated(unsafe) private let snapshot: Snapshot
    private let readers = FrozenReaders()
    /// The queue or actor to which thawed things belong, if the realm had one.
    let origin: Confinement

    private static let last = Atomic<UInt64>(0)

    init(_ snapshot: Snapshot, from origin: Confinement) {
        self.snapshot = snapshot
        self.origin = origin
        number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    deinit { readers.end() }

    var version: Version { snapshot.version }

    /// The calling thread's reader.
    ///
    /// Safe: the reader that a thread found last under this number is valid while this exists; a thread that ends
    /// forgets all.
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
        ThreadEnd.prepare()
        let reader = try readers.reader(of: Confinement.here) { () throws(FreeholdError) in FrozenReader(try snapshot.reader(), core) }
        // Safe: see `reader`.
        recent.pointee = freehold_shim_recent_t(number: number, found: reader.toOpaque())
        return reader.takeUnretainedValue()
    }

    /// The unknown classes that were requested: those of the file that the program does not have, in the order of
    /// requests.
    private let strangers = Mutex<[Stranger]>([])

    struct Stranger: Sendable {
        let name: String
        let type: ObjectBase.Type
    }

    /// The index of an unknown class among them, the same on every thread.
    func number(ofStranger name: String, as type: ObjectBase.Type) -> Int {
        strangers.withLock { strangers in
            if let place = strangers.firstIndex(where: { $0.name.isSame(as: name) && $0.type == type }) { return place }
            strangers.append(Stranger(name: name, type: type))
            return strangers.count - 1
        }
    }

    func stranger(_ number: Int) -> Stranger { strangers.withLock { $0[number] } }

    /// The number of threads that have a reader.
    // Allowed: tests check that readers end with their threads.
    var readerCount: Int { readers.count }
}

/// The readers of a frozen version, one a thread.
///
/// It does not keep the version, nor the file open, except by the readers: see `ThreadEnd.watch`.
private final class FrozenReaders: ThreadBound, Sendable {
    private let all = Mutex<[UInt: Entry]>([:])

    /// Safe: held by the table; read on its thread only.
    private struct Entry: @unchecked Sendable {
        let reader: Unmanaged<FrozenReader>
    }

    init() { ThreadEnd.watch(self) }

    deinit { ThreadEnd.forget(self) }

    /// The reader of a thread, made if it has none. Safe: the table retains it.
    func reader(of thread: UInt, _ make: () throws(FreeholdError) -> FrozenReader) throws(FreeholdError) -> Unmanaged<FrozenReader> {
        let found = all.withLock { readers -> Result<Entry, FreeholdError> in
            if let known = readers[thread] { return .success(known) }
            do throws(FreeholdError) {
                let made = Entry(reader: .passRetained(try make()))
                readers[thread] = made
                return .success(made)
            } catch { return .failure(error) }
        }
        return try found.get().reader
    }

    /// Releases the reader of a thread that ends.
    func endThread(_ thread: UInt) {
        // Safe: it was retained when it was made.
        all.withLock { $0.removeValue(forKey: thread) }?.reader.release()
    }

    /// Releases all readers: the version is over.
    func end() {
        let left = all.withLock { all in
            defer { all = [:] }
            return Array(all.values)
        }
        // Safe: each was retained when it was made.
        for entry in left { entry.reader.release() }
    }

    var count: Int { all.withLock { $0.count } }
}

/// A frozen realm for one thread.
final class FrozenReader {
    let snapshot: Snapshot
    // Safe: the realm owns the version that owns the reader, and outlives it.
    private unowned(unsafe) let core: RealmCore
    private var classes: [LiveClass?]

    init(_ snapshot: Snapshot, _ core: RealmCore) {
        self.snapshot = snapshot
        self.core = core
        classes = Array(repeating: nil, count: core.schema.classes.count)
    }

    /// The class with a number; those of the program come first.
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
        return ModelClass(try snapshot.table(stranger.name).schema, as: stranger.type, known: core.model(known: stranger.name))
    }
}
