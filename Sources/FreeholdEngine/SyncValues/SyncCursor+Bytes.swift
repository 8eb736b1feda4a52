/// `next`, the number of transactions in progress, then the first of these and the differences, all as varints.
extension SyncCursor {
    /// The cursor as bytes, for a file or a message.
    public var bytes: [UInt8] {
        let buffer = ByteBuffer()
        append(to: buffer)
        return buffer.array
    }

    /// The cursor that `bytes` holds, without a byte left over.
    ///
    /// - Throws: `.corrupt`, with the offset of what no writer produces.
    public init(bytes: [UInt8]) throws(FreeholdError) {
        var offset = 0
        // Safe: the decoder keeps no pointer, and reads within the bytes.
        let cursor = bytes.withUnsafeBytes { Self(decoding: $0, at: &offset) }
        guard let cursor, offset == bytes.count else {
            let place = "at byte \(offset) of \(bytes.count)"
            throw FreeholdError(.corrupt, "the sync cursor is damaged \(place); let the server reset the file")
        }
        self = cursor
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(varint: next)
        buffer.append(varint: UInt64(running.count))
        var before: UInt64 = 0
        for transaction in running {
            buffer.append(varint: transaction - before)
            before = transaction
        }
    }

    /// Decodes a cursor and moves `offset` past it; nil if there is none, with `offset` at what is wrong.
    init?(decoding bytes: UnsafeRawBufferPointer, at offset: inout Int) {
        guard let next = Varint.decode(bytes, &offset), next > 0 else { return nil }
        // Each of them takes a byte at least.
        guard let count = Varint.decode(bytes, &offset), count <= UInt64(bytes.count - offset) else { return nil }
        var running: [UInt64] = [], last: UInt64 = 0
        running.reserveCapacity(Int(count))
        for _ in 0..<count {
            let start = offset
            guard let step = Varint.decode(bytes, &offset) else { return nil }
            let (sum, isOver) = last.addingReportingOverflow(step)
            guard step > 0, !isOver, sum < next else {
                offset = start
                return nil
            }
            running.append(sum)
            last = sum
        }
        self.init(next: next, running: running)
    }
}
