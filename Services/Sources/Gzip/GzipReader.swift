import CZlib
import FreeholdEngine

/// Reads a message that comes compressed as gzip (RFC 1952), part by part, in pieces of bounded size.
///
/// ```swift
/// let reader = try GzipReader()
/// for part in parts { try reader.read(part) { piece in try take(piece) } }
/// try reader.finish()
/// ```
/// For one thread at a time.
public final class GzipReader {
    /// zlib keeps the address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isWhole = false
    /// Bytes of a piece.
    public static let piece = 64 << 10

    /// - Throws: `.outOfMemory`.
    public init() throws(FreeholdError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard freehold_inflate_begin(stream) == Z_OK else {
            stream.deallocate()
            throw FreeholdError(.outOfMemory, "no memory to read what is compressed")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Reads the next part, and hands over what it has, at most `piece` bytes at once. A small part may have a thousand times as much:
    /// `body` throws when it is too much.
    ///
    /// - Throws: `.malformedInput` if it is no gzip; what `body` throws.
    public func read(_ part: UnsafeRawBufferPointer, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        if part.isEmpty { return }
        precondition(part.count <= Int(UInt32.max), "zlib counts in 32 bits")
        if isWhole { throw FreeholdError(.malformedInput, "there are bytes behind the end of the compressed body") }
        // Safe: zlib reads them within this call, and does not write to them.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: part.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(part.count)
        defer { stream.pointee.next_in = nil }
        var piece = [UInt8](repeating: 0, count: Self.piece)
        repeat {
            let (code, count) = piece.withUnsafeMutableBufferPointer { bytes in
                // Safe: as many bytes as there is room for.
                stream.pointee.next_out = bytes.baseAddress
                stream.pointee.avail_out = UInt32(bytes.count)
                return (inflate(stream, Z_NO_FLUSH), bytes.count - Int(stream.pointee.avail_out))
            }
            if count > 0 { try body(piece[..<count]) }
            switch code {
            case Z_STREAM_END:
                isWhole = true
                if stream.pointee.avail_in > 0 {
                    throw FreeholdError(.malformedInput, "there are bytes behind the end of the compressed body")
                }
                return
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: throw FreeholdError(.outOfMemory, "no memory to read what is compressed")
            default: throw FreeholdError(.malformedInput, "the compressed body is damaged, or no gzip")
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// - Throws: `.malformedInput` if the message has no end.
    public func finish() throws(FreeholdError) {
        if !isWhole { throw FreeholdError(.malformedInput, "the compressed body ends too early") }
    }

    /// A whole message of at most so many bytes.
    ///
    /// - Throws: `.malformedInput` if it is no gzip; `.valueTooLarge` if it is longer.
    public static func expand(_ bytes: [UInt8], limit: Int) throws -> [UInt8] {
        let reader = try GzipReader()
        var whole: [UInt8] = []
        try bytes.withUnsafeBytes { part in
            try reader.read(part) { piece in
                guard whole.count + piece.count <= limit else { throw FreeholdError(.valueTooLarge, "more than \(limit) bytes") }
                whole.append(contentsOf: piece)
            }
        }
        try reader.finish()
        return whole
    }
}
