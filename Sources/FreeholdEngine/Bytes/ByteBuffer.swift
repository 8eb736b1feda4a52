/// Bytes that grow at the end and are used again and again: keys, records and blocks are built in one.
///
/// 1. `bytes` is valid until the next call that changes the buffer.
/// 2. Emptying keeps the memory, so that building the next key allocates nothing.
///
/// Safe throughout: `start` always holds `capacity` bytes of which the first `count` are initialised; every append
/// makes room first.
final class ByteBuffer {
    @exclusivity(unchecked) private(set) var start: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var capacity: Int

    init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { start.deallocate() }

    /// What was appended since the last emptying.
    @inline(__always) var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// A copy, for tests and cold paths.
    var array: [UInt8] { Array(bytes) }

    @inline(__always) func removeAll() { count = 0 }

    /// Forgets what follows the first `length` bytes.
    @inline(__always) func truncate(to length: Int) {
        assert(length <= count, "a buffer is only made shorter")
        count = min(length, count)
    }

    @inline(__always) func append(_ byte: UInt8) {
        makeRoom(1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) func append(_ source: UnsafeRawBufferPointer) {
        append(source.baseAddress, count: source.count)
    }

    @inline(__always) func append(_ source: UnsafeRawPointer?, count length: Int) {
        guard let source, length > 0 else { return }
        makeRoom(length)
        (start + count).copyMemory(from: source, byteCount: length)
        count += length
    }

    @inline(__always) func append<Number: FixedWidthInteger & BitwiseCopyable>(little value: Number) {
        makeRoom(MemoryLayout<Number>.size)
        start.setLittle(count, value)
        count += MemoryLayout<Number>.size
    }

    @inline(__always) func append<Number: FixedWidthInteger & BitwiseCopyable>(big value: Number) {
        append(little: value.byteSwapped)
    }

    /// Appends zeros.
    func append(zeros length: Int) {
        guard length > 0 else { return }
        makeRoom(length)
        (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: length)
        count += length
    }

    /// Makes sure that the next `length` bytes need no allocation.
    @inline(__always) func makeRoom(_ length: Int) {
        if capacity - count < length { grow(by: length) }
    }

    @inline(never) private func grow(by length: Int) {
        let wider = max(capacity * 2, count + length)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: wider, alignment: 16)
        moved.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = moved
        capacity = wider
    }
}
