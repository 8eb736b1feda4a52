import CZlib
import FreeholdEngine

/// Compresses parts of a message as gzip (RFC 1952).
///
/// ```swift
/// let writer = try GzipWriter()
/// for part in parts { send(writer.add(part)) }
/// send(writer.finish())
/// ```
/// What `add` gives can be read as soon as it has come, so nobody waits for what was made long ago. For one thread at a time.
public final class GzipWriter {
    /// zlib keeps the address.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 1, the fastest, to 9.
    /// - Throws: `.outOfMemory`.
    public init(level: Int32 = 1) throws(FreeholdError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard freehold_deflate_begin(stream, level) == Z_OK else {
            stream.deallocate()
            throw FreeholdError(.outOfMemory, "no memory to compress")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The next bytes of the compressed message.
    public func add(_ part: [UInt8]) -> [UInt8] { part.isEmpty ? [] : write(part, Z_SYNC_FLUSH) }

    /// The last bytes. Nothing can be added behind them.
    public func finish() -> [UInt8] { write([], Z_FINISH) }

    /// A whole message.
    ///
    /// - Throws: `.outOfMemory`.
    public static func compress(_ bytes: [UInt8], level: Int32 = 1) throws(FreeholdError) -> [UInt8] {
        try GzipWriter(level: level).write(bytes, Z_FINISH)
    }

    private func write(_ part: [UInt8], _ flush: Int32) -> [UInt8] {
        var made: [UInt8] = []
        // zlib counts in 32 bits.
        var rest = part[...]
        repeat {
            let some = rest.prefix(1 << 30)
            rest = rest.dropFirst(some.count)
            some.withUnsafeBufferPointer { bytes in
                // Safe: zlib reads them within this call, and does not write to them.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                stream.pointee.avail_in = UInt32(bytes.count)
                repeat { take(rest.isEmpty ? flush : Z_NO_FLUSH, &made) } while stream.pointee.avail_out == 0
            }
        } while !rest.isEmpty
        return made
    }

    /// Lets zlib work until a piece of room is full, or all is done.
    private func take(_ flush: Int32, _ made: inout [UInt8]) {
        let room = max(1 << 10, min(64 << 10, Int(stream.pointee.avail_in) / 2))
        let piece = [UInt8](unsafeUninitializedCapacity: room) { bytes, count in
            // Safe: as many bytes as there is room for.
            stream.pointee.next_out = bytes.baseAddress
            stream.pointee.avail_out = UInt32(room)
            // Z_BUF_ERROR: it had nothing left to do.
            let code = deflate(stream, flush)
            precondition(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR, "zlib's state is damaged: \(code)")
            count = room - Int(stream.pointee.avail_out)
        }
        made.append(contentsOf: piece)
    }
}
