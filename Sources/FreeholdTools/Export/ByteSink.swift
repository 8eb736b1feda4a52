/// Where exported bytes go.
public protocol ByteSink: AnyObject {
    /// Appends the bytes that `body` appends to the buffer.
    func append(_ body: (inout [UInt8]) throws -> Void) throws
}

/// A sink that passes the bytes on in pieces.
public final class ChunkedSink: ByteSink {
    private let chunkBytes: Int
    private let write: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - chunkBytes: the length at which a piece is passed on; pieces are longer by up to one object.
    ///   - write: receives the pieces in order. What it throws ends the export.
    public init(chunkBytes: Int = 64 << 10, write: @escaping ([UInt8]) throws -> Void) {
        self.chunkBytes = chunkBytes
        self.write = write
    }

    public func append(_ body: (inout [UInt8]) throws -> Void) throws {
        try body(&buffer)
        if buffer.count >= chunkBytes { try flush() }
    }

    /// Passes the last piece on, if there is one.
    public func flush() throws {
        guard !buffer.isEmpty else { return }
        let chunk = buffer
        buffer.removeAll(keepingCapacity: true)
        try write(chunk)
    }
}
