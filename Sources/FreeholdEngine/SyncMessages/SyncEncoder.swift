/// Writes the fields of a message, one after another.
package final class SyncEncoder {
    let buffer = ByteBuffer()
    private var lastStamp: UInt64 = 0

    package init() {}

    /// What was written.
    package var bytes: [UInt8] { buffer.array }

    func begin(_ kind: UInt8) {
        buffer.append(kind)
        buffer.append(SyncMessage.version)
    }

    @inline(__always) package func write(_ number: UInt64) { buffer.append(varint: number) }
    @inline(__always) package func write(_ number: Int32) { buffer.append(varint: UInt64(UInt32(bitPattern: number))) }
    @inline(__always) package func write(_ number: UInt32) { buffer.append(varint: UInt64(number)) }
    package func write(signed number: Int64) { buffer.append(varint: Varint.zigzag(number)) }
    package func write(_ truth: Bool) { buffer.append(truth ? 1 : 0) }
    package func write(_ identity: SyncIdentity) {
        write(UInt64(identity.replica))
        write(identity.count)
    }

    package func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            write(UInt64(bytes.count))
            buffer.append(UnsafeRawBufferPointer(bytes))
        }
    }

    package func write(data: [UInt8]) {
        write(UInt64(data.count))
        // Safe: copied within the call.
        data.withUnsafeBytes { buffer.append($0) }
    }

    /// Stamps of one message are near one another: the difference from the one before.
    package func write(_ stamp: SyncStamp) {
        // Safe: the difference of any two words, modulo 2⁶⁴.
        write(signed: Int64(bitPattern: stamp.rawValue &- lastStamp))
        lastStamp = stamp.rawValue
    }

    /// What follows can be read without what is before.
    func restart() { lastStamp = 0 }

    /// Writes what a long part, which is written, needs to be read, and how long that is.
    package func writeEnd(_ body: () -> Void) {
        restart()
        let start = buffer.count
        body()
        buffer.append(big: UInt64(buffer.count - start))
    }

    package func write(_ cursor: SyncCursor) { cursor.append(to: buffer) }

    package func write(_ replica: ReplicaIdentity) {
        buffer.append(big: replica.high)
        buffer.append(big: replica.low)
    }

    package func write<Element>(_ list: [Element], each write: (Element) -> Void) {
        self.write(UInt64(list.count))
        for element in list { write(element) }
    }

    package func write<Wrapped>(optional value: Wrapped?, _ write: (Wrapped) -> Void) {
        self.write(value != nil)
        if let value { write(value) }
    }
}
