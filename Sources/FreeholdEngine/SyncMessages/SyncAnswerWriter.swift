/// Writes the message of an answer a part at a time, as its rows are found.
///
///     let writer = SyncAnswerWriter(head) { part in send(part) }
///     for row in rows { try writer.add(row) }
///     try writer.finish(replicas: replicas, gone: gone, rejections: rejections)
///
/// The parts together are what `SyncMessage.answer(_:).bytes` would be with the same rows.
package final class SyncAnswerWriter {
    private let encoder = SyncEncoder()
    private let write: ([UInt8]) throws(FreeholdError) -> Void
    private var rowCount: UInt64 = 0

    /// The bytes of a part, about.
    private static let partSize = 256 << 10

    /// - Parameter head: the answer; its rows and what stands behind them are not read.
    package init(_ head: SyncAnswer, write: @escaping ([UInt8]) throws(FreeholdError) -> Void) {
        self.write = write
        encoder.begin(SyncMessage.answerKind)
        head.encodeHead(to: encoder)
    }

    package func add(_ row: SyncRow) throws(FreeholdError) {
        row.encode(to: encoder)
        rowCount += 1
        if encoder.buffer.count >= Self.partSize { try flush() }
    }

    package func finish(replicas: [ReplicaIdentity], gone: [SyncAnswer.Gone], rejections: [SyncRejection]) throws(FreeholdError) {
        SyncAnswer.encodeEnd(to: encoder, replicas: replicas, rowCount: rowCount, gone: gone, rejections: rejections)
        try flush()
    }

    private func flush() throws(FreeholdError) {
        try write(encoder.buffer.array)
        encoder.buffer.removeAll()
    }
}
