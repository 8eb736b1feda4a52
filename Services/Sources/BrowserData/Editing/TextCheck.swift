/// Checks piece by piece whether bytes are UTF-8.
struct TextCheck {
    /// Whether what came so far can be the beginning of a text.
    private(set) var isValid = true
    /// The bytes of the character that is not complete yet.
    private var rest: [UInt8] = []

    /// Whether the bytes so far are a whole text.
    var isComplete: Bool { isValid && rest.isEmpty }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        if !isValid { return }
        var start = 0
        while !rest.isEmpty, start < bytes.count {
            rest.append(bytes[start])
            start += 1
            if isText(rest) { rest = [] } else if rest.count == 4 || !Self.isContinuation(rest[rest.count - 1]) { return isValid = false }
        }
        // A character of up to four bytes may go on in the next piece.
        var end = bytes.count
        while end > start, bytes.count - end < 3, Self.isContinuation(bytes[end - 1]) { end -= 1 }
        if end > start, bytes[end - 1] >= 0xC0, bytes.count - end + 1 < Self.length(bytes[end - 1]) { end -= 1 } else { end = bytes.count }
        guard isText(bytes[start..<end]) else { return isValid = false }
        if end < bytes.count { rest = Array(bytes[end...]) }
    }

    private func isText(_ bytes: some Collection<UInt8>) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func length(_ first: UInt8) -> Int { first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2 }
}
