import Glibc
import Synchronization

/// One page that the parent and its helper processes share: a start signal, a stop signal and counters.
///
/// A file in the benchmark's folder, mapped by all; each word has a cache line of its own.
// Safe throughout: the offsets lie within the one mapped page, 64 bytes apart, and all access is atomic.
struct SharedPage {
    private static let length = 4096
    private let base: UnsafeMutableRawPointer

    /// Makes the page for the parent.
    init(making path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, ftruncate(descriptor, Self.length) == 0 else { throw BenchmarkError("cannot make \(path)") }
        try self.init(mapping: descriptor)
    }

    /// Joins the page that the parent made.
    init(joining path: String) throws {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("cannot open \(path)") }
        try self.init(mapping: descriptor)
    }

    private init(mapping descriptor: Int32) throws {
        defer { close(descriptor) }
        let address = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw BenchmarkError("cannot map the shared page") }
        base = address
    }

    func unmap() { munmap(base, Self.length) }

    var ready: Word { Word(base, line: 0) }
    var go: Word { Word(base, line: 1) }
    var stop: Word { Word(base, line: 2) }
    var writes: Word { Word(base, line: 3) }
    /// The count that the notified process has read, and when.
    var seen: Word { Word(base, line: 4) }
    var seenAt: Word { Word(base, line: 5) }

    func reads(_ index: Int) -> Word { Word(base, line: 8 + index) }
    /// The processor time that a child has used so far, in microseconds.
    func processorTime(_ index: Int) -> Word { Word(base, line: 32 + index) }

    /// A child's first act: it is ready, and waits until all are.
    func waitForGo() {
        ready.add(1)
        while go.value == 0 { usleep(200) }
    }

    var isStopped: Bool { stop.value != 0 }

    struct Word {
        private let place: UnsafeMutablePointer<Atomic<Int>>

        fileprivate init(_ base: UnsafeMutableRawPointer, line: Int) {
            place = (base + line * 64).assumingMemoryBound(to: Atomic<Int>.self)
        }

        var value: Int { place.pointee.load(ordering: .sequentiallyConsistent) }

        func set(_ value: Int) { place.pointee.store(value, ordering: .sequentiallyConsistent) }

        func add(_ value: Int) { place.pointee.wrappingAdd(value, ordering: .sequentiallyConsistent) }
    }
}
