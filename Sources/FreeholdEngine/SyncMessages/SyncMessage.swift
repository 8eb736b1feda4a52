/// A message between a file's agent and a server, as bytes.
///
///     kind (1 byte) · version (1 byte) · fields in the order of the declarations; numbers are varints, lists begin with their length
///
/// The changes of a batch and the rows of an answer come first. What the others need to be read, and all the rest, is behind them, and its
/// length at the end, so that changes and rows are written as they are found.
///
/// Bytes that no writer produces give an error that says what is wrong and at which byte.
public enum SyncMessage: Hashable, Sendable {
    case push(SyncPush)
    case ack(SyncAck)
    case pull(SyncPull)
    case answer(SyncAnswer)

    /// The version of the codec. A decoder refuses a later one.
    public static let version: UInt8 = 1

    static let pushKind: UInt8 = 1
    static let answerKind: UInt8 = 4

    /// The message as bytes.
    public var bytes: [UInt8] {
        let encoder = SyncEncoder()
        switch self {
        case .push(let push):
            encoder.begin(Self.pushKind)
            push.encode(to: encoder)
        case .ack(let ack):
            encoder.begin(2)
            ack.encode(to: encoder)
        case .pull(let pull):
            encoder.begin(3)
            pull.encode(to: encoder)
        case .answer(let answer):
            encoder.begin(Self.answerKind)
            answer.encode(to: encoder)
        }
        return encoder.buffer.array
    }

    /// The message that `bytes` holds, without a byte left over.
    ///
    /// - Throws: `.malformedInput` with what is wrong and where; `.unsupportedFormat` if a later version wrote it.
    public init(bytes: [UInt8]) throws(FreeholdError) { try self.init(bytes: bytes, inMemory: .max) }

    /// The message, with rows of an answer that take more than `inMemory` bytes left in it: they are decoded when they are walked, and what
    /// is wrong with them is found then.
    package init(bytes: [UInt8], inMemory: Int) throws(FreeholdError) {
        // Safe: the decoder reads within the bytes, and no pointer outlives the call.
        let result = bytes.withUnsafeBytes { input in
            Result { () throws(FreeholdError) in try Self(decoding: input, of: bytes, inMemory) }
        }
        self = try result.get()
    }

    private init(decoding input: UnsafeRawBufferPointer, of message: [UInt8], _ inMemory: Int) throws(FreeholdError) {
        var decoder = SyncDecoder(bytes: input, at: 0..<input.count)
        let kind = try decoder.byte("the kind of the message")
        let version = try decoder.byte("the version")
        // What is no message does not ask for another program.
        guard (1...4).contains(kind) else { throw decoder.damaged("the kind of the message", at: 0) }
        guard version > 0 else { throw decoder.damaged("the version", at: 1) }
        guard version == Self.version else {
            let message = "the sync message has version \(version), and this program reads \(Self.version); update the program"
            throw FreeholdError(.unsupportedFormat, message)
        }
        switch kind {
        case Self.pushKind: self = .push(try SyncPush(from: &decoder))
        case 2: self = .ack(try SyncAck(from: &decoder))
        case 3: self = .pull(try SyncPull(from: &decoder))
        default: self = .answer(try SyncAnswer(from: &decoder, of: message, inMemory: inMemory))
        }
        guard decoder.isAtEnd else { throw decoder.damaged("the end of the message", at: decoder.offset) }
    }
}
