/// A string as a key of dictionaries and sets that tells strings apart by their bytes.
///
/// Swift's `String` is equal to every other spelling of its characters: "é" as one scalar, and as two. Files, the C ABI and other languages
/// know bytes, so names and keys are compared by those everywhere; a dictionary of plain strings would lose one of two spellings.
public struct ExactText: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func == (one: ExactText, other: ExactText) -> Bool { one.text.isSame(as: other.text) }

    // Never inlined, as comparing: it is called from everywhere, and the library for C is to stay small.
    @inline(never)
    public func hash(into hasher: inout Hasher) {
        // Safe: the bytes are those of the string, which lives until the call ends.
        let count = text.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return bytes.count
        }
        if count == nil { for byte in text.utf8 { hasher.combine(byte) } }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether both are the same bytes in UTF-8; `==` holds for two spellings of one text as well.
    @inline(never)
    public func isSame(as other: String) -> Bool {
        // Safe: both buffers are as long as they say, and live until the comparison ends.
        let isSame = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                one.count == other.count && UnsafeRawBufferPointer(one).elementsEqual(UnsafeRawBufferPointer(other))
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the other one is there, and of the same bytes.
    public func isSame(as other: String?) -> Bool { other.map { isSame(as: $0) } ?? false }

    /// Whether the bytes come before those of the other one: the order in which files keep strings.
    @inline(never)
    public func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension String? {
    /// Whether both are nil, or the same bytes.
    public func isSame(as other: String?) -> Bool { self.map { $0.isSame(as: other) } ?? (other == nil) }
}

extension Array<String> {
    /// Whether both have the same strings in the same order, told apart by their bytes.
    public func isSame(as other: [String]) -> Bool { elementsEqual(other) { $0.isSame(as: $1) } }
}

extension Sequence<String> {
    /// Whether one of the strings has these bytes.
    public func has(_ text: String) -> Bool { contains { $0.isSame(as: text) } }
}

extension Set<ExactText> {
    public init(exact texts: some Sequence<String>) { self.init(texts.lazy.map(ExactText.init)) }

    /// Whether a string of these bytes is among them.
    public func contains(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Adds a string, unless one of its bytes is among them.
    @discardableResult
    public mutating func insert(_ text: String) -> (inserted: Bool, memberAfterInsert: ExactText) { insert(ExactText(text)) }
}
