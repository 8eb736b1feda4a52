/// A string or data of a Realm file that is too long to be read at once.
///
/// Safe: a source, its cursors and what they return are used by one thread at a time.
final class RealmLongValue: SourceBytesReader, @unchecked Sendable {
    private static let partBytes = 64 << 10
    private let pages: RealmPages
    private let ranges: [Range<Int>]

    init(_ pages: RealmPages, _ place: RealmTexts.Place) {
        self.pages = pages
        ranges = switch place {
        case .file(let range): [range]
        case .parts(let ranges): ranges
        case .null, .memory: []
        }
    }

    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        for range in ranges {
            var start = range.lowerBound
            while start < range.upperBound {
                let count = min(Self.partBytes, range.upperBound - start)
                try pages.span(at: start, count: count).withBytes(body)
                start += count
            }
        }
    }

    /// Whether all of it is UTF-8.
    func isText() throws(SourceError) -> Bool {
        var check = UnicodeCheck()
        do { try forEachPart { check.add($0) } } catch let error as SourceError { throw error } catch { return false }
        return check.isComplete
    }
}

/// Checks bytes in parts for being UTF-8.
struct UnicodeCheck {
    private var isValid = true
    /// The bytes of a character that continues in the next part.
    private var rest: [UInt8] = []

    /// Whether everything so far is UTF-8, up to its end.
    var isComplete: Bool { isValid && rest.isEmpty }

    mutating func add(_ part: UnsafeRawBufferPointer) {
        guard isValid else { return }
        if rest.isEmpty, part.isASCII { return }
        let bytes = rest + part
        var end = bytes.count
        // At most three bytes may be the beginning of a character.
        while end > 0, bytes.count - end < 3, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        if end > 0, bytes[end - 1] >= 0xC0, bytes.count - (end - 1) < Self.length(bytes[end - 1]) { end -= 1 } else { end = bytes.count }
        rest = Array(bytes[end...])
        isValid = String(validating: bytes[..<end], as: UTF8.self) != nil
    }

    private static func length(_ first: UInt8) -> Int { first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2 }
}
