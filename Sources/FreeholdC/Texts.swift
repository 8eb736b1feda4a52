// Strings between C and Swift.
//
// Safe throughout: a caller's string is read within the given length (or up to its zero byte, if the caller said so),
// during the call; strings returned are allocated here and freed with their owner.
import CFreehold
import FreeholdEngine

extension freehold_text_t {
    /// The maximum length in bytes: a row refers to its strings by 32-bit offsets.
    private static let longest = 1 << 30

    /// The number of bytes that a caller passed.
    @inline(__always)
    func byteCount(_ what: String) throws(FreeholdError) -> Int {
        if bytes != nil, (0...Self.longest).contains(length) { return length }
        return try bytes(what).count
    }

    /// The bytes that a caller passed.
    func bytes(_ what: String) throws(FreeholdError) -> UnsafeRawBufferPointer {
        guard let bytes else {
            guard length == 0 else { throw FreeholdError(.invalidArgument, "the \(what) is NULL but has a length") }
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        if length == Int(bitPattern: UInt.max) {
            var end = 0
            while bytes[end] != 0 { end += 1 }
            return UnsafeRawBufferPointer(start: bytes, count: end)
        }
        guard (0...Self.longest).contains(length) else {
            throw FreeholdError(.valueTooLarge, "the \(what) has \(UInt(bitPattern: length)) bytes; the most is \(Self.longest)")
        }
        return UnsafeRawBufferPointer(start: bytes, count: length)
    }

    /// The string that a caller passed, copied.
    func string(_ what: String) throws(FreeholdError) -> String {
        let bytes = try bytes(what)
        // Most strings are ASCII, and need no validation as UTF-8.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FreeholdError(.invalidArgument, "the \(what) is not UTF-8")
        }
        return text
    }
}

/// A required string: a name or a path.
func text(_ bytes: UnsafePointer<CChar>?, _ length: Int, _ what: String) throws(FreeholdError) -> String {
    guard bytes != nil else { throw FreeholdError(.invalidArgument, "a \(what) is needed; NULL was given") }
    return try freehold_text_t(bytes: bytes, length: length).string(what)
}

/// A terminated string that C may read while this object lives.
final class KeptText {
    let text: freehold_text_t

    init(_ string: String) {
        text = Self.copy(string)
    }

    deinit { UnsafeMutablePointer(mutating: text.bytes)?.deallocate() }

    /// A terminated string that is never freed.
    static func forEver(_ string: String) -> UnsafePointer<CChar> { copy(string).bytes }

    private static func copy(_ string: String) -> freehold_text_t {
        let count = string.utf8.count
        let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
        for (index, byte) in string.utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        bytes[count] = 0
        return freehold_text_t(bytes: bytes, length: count)
    }
}
