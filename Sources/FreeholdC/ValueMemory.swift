// Memory for values that are returned to C and do not lie in the database itself.
//
// Safe throughout: every piece is allocated here, initialised before its address is returned, and freed with this
// object or by `clear`, which its owner calls when borrowed values end by the rule at the top of freehold.h.
import CFreehold

/// Keeps copies of bytes, and the elements of collections.
final class ValueMemory {
    private var pieces: [UnsafeMutableRawPointer] = []

    deinit { clear() }

    /// Frees all copies.
    func clear() {
        if pieces.isEmpty { return }
        for piece in pieces { piece.deallocate() }
        pieces.removeAll(keepingCapacity: pieces.count < 1024)
    }

    /// A copy of bytes; an empty one has an address, too.
    func text(_ bytes: UnsafeRawBufferPointer) -> freehold_text_t {
        guard bytes.count > 0 else { return freehold_text_t(bytes: emptyText, length: 0) }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        pieces.append(copy.baseAddress!)
        return freehold_text_t(bytes: UnsafeRawPointer(copy.baseAddress!).assumingMemoryBound(to: CChar.self), length: bytes.count)
    }

    /// A copy of a string.
    func text(_ string: String) -> freehold_text_t {
        var string = string
        return string.withUTF8 { text(UnsafeRawBufferPointer($0)) }
    }

    /// A copy of positions.
    func positions(_ positions: some Collection<Int>) -> freehold_positions_t {
        freehold_positions_t(positions: array(positions.map { UInt64($0) }), count: positions.count)
    }

    /// Copies of strings.
    func texts(_ texts: [String]) -> freehold_texts_t { freehold_texts_t(texts: array(texts.map { text($0) }), count: texts.count) }

    /// A copy of elements that are C structures; nil if there are none.
    func array<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
        if elements.isEmpty { return nil }
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        copy.initialize(from: elements, count: elements.count)
        pieces.append(UnsafeMutableRawPointer(copy))
        return UnsafePointer(copy)
    }
}

/// The empty string.
/// Safe: created once, never freed or changed.
nonisolated(unsafe) let emptyText = KeptText.forEver("")
