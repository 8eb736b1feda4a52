import Glibc
import Synchronization

/// The bytes of a simulated file: a reach of memory that never moves, of which the first `length` bytes are the file.
///
/// Thousands of crash images are made and thrown away in a test, and fresh pages are what costs most in that; so small
/// regions are used again.
///
/// 1. All bytes from `length` on are zero, unless stored through a mapping (`isMappedWritable`).
/// 2. `touched` is at least the greatest length it ever had.
///
/// Safe throughout: offsets are checked against the capacity by every call, and the memory lives as long as the object.
final class Region {
    let capacity: Int
    let memory: UnsafeMutableRawPointer
    private(set) var length = 0
    private var touched: Int
    /// Whether somebody may store to it unnoticed, also beyond its length.
    var isMappedWritable = false

    init(capacity: Int) {
        self.capacity = max(capacity, 4096)
        if let spare = Spares.take(self.capacity) {
            memory = spare.memory
            touched = spare.touched
            memset(memory, 0, touched)
        } else {
            memory = Self.map(self.capacity)
            touched = 0
        }
    }

    private init(copying other: Region) {
        capacity = other.capacity
        length = other.length
        if let spare = Spares.take(capacity) {
            memory = spare.memory
            touched = max(spare.touched, length)
            if spare.touched > length { memset(memory + length, 0, spare.touched - length) }
        } else {
            memory = Self.map(capacity)
            touched = length
        }
        memory.copyMemory(from: other.memory, byteCount: length)
    }

    deinit {
        if isMappedWritable || touched > Spares.greatest || !Spares.put(capacity, .init(memory: memory, touched: touched)) {
            munmap(memory, capacity)
        }
    }

    func copy() -> Region { Region(copying: self) }

    var bytes: UnsafeMutableRawBufferPointer { .init(start: memory, count: length) }

    /// Copies bytes in, and makes the file longer where they end beyond it.
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard let start = source.baseAddress, !source.isEmpty else { return }
        precondition(offset >= 0 && offset + source.count <= capacity, "a write outside the region")
        (memory + offset).copyMemory(from: start, byteCount: source.count)
        length = max(length, offset + source.count)
        touched = max(touched, length)
    }

    func setLength(_ newLength: Int) {
        precondition(newLength >= 0 && newLength <= capacity, "a length outside the region")
        if newLength < length { memset(memory + newLength, 0, length - newLength) }
        length = newLength
        touched = max(touched, length)
    }

    /// Sets what the file has of the range to zero.
    func clear(_ offset: Int, _ count: Int) {
        let end = min(offset + count, length)
        if offset < end { memset(memory + offset, 0, end - offset) }
    }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer {
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let address, address != MAP_FAILED else { fatalError("no address space for a simulated file") }
        return address
    }

    /// Memory of regions that are gone.
    private enum Spares {
        /// Safe to send: a spare belongs to whoever holds it.
        struct Spare: @unchecked Sendable {
            let memory: UnsafeMutableRawPointer
            let touched: Int
        }

        /// Larger ones cost more to clear than to map anew.
        static let greatest = 8 << 20
        private static let spares = Mutex<[Int: [Spare]]>([:])

        static func take(_ capacity: Int) -> Spare? { spares.withLock { $0[capacity]?.popLast() } }

        static func put(_ capacity: Int, _ spare: Spare) -> Bool {
            spares.withLock {
                if ($0[capacity]?.count ?? 0) >= 32 { return false }
                $0[capacity, default: []].append(spare)
                return true
            }
        }
    }
}
