import CShims

/// A textual relation with its needle, applied to many strings.
///
/// Safe throughout: compares within the buffers given.
struct TextMatcher {
    let relation: QueryComparison.Relation
    let options: TextOptions
    /// The bytes that strings are compared with, folded if the options require it.
    private(set) var needle: [UInt8]
    private let pattern: LikePattern?
    /// Whether leaves can decide by bytes alone, except for strings beyond ASCII where case is ignored.
    let isByBytes: Bool

    init(_ relation: QueryComparison.Relation, _ needle: [UInt8], _ options: TextOptions) {
        self.relation = relation
        self.options = options
        self.needle = needle.withUnsafeBytes { FoldedText.bytes($0, options) }
        pattern = relation == .like ? LikePattern(self.needle) : nil
        let isPlain = options.isEmpty || options == .caseInsensitive && self.needle.allSatisfy { $0 < 0x80 }
        let isPart = [.beginsWith, .contains, .endsWith].contains(relation) && !needle.isEmpty
        isByBytes = isPlain && (isPart || relation == .equal || relation == .isIn)
    }

    /// A copy with bytes of its own.
    func copy() -> TextMatcher {
        var copy = self
        copy.needle = needle.map { $0 }
        return copy
    }

    /// Whether a string or data matches. Nothing begins with, ends with or contains the empty string.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if options.isEmpty { return matchesFolded(text) }
        return FoldedText.bytes(text, options).withUnsafeBytes(matchesFolded)
    }

    private func matchesFolded(_ text: UnsafeRawBufferPointer) -> Bool {
        switch relation {
        case .beginsWith: !needle.isEmpty && text.count >= needle.count && isNeedle(text, at: 0)
        case .endsWith: !needle.isEmpty && text.count >= needle.count && isNeedle(text, at: text.count - needle.count)
        case .contains: !needle.isEmpty && contains(text)
        case .like: pattern?.matches(text) ?? false
        case .notEqual: !(text.count == needle.count && isNeedle(text, at: 0))
        default: text.count == needle.count && isNeedle(text, at: 0)
        }
    }

    private func isNeedle(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard !needle.isEmpty, let start = text.baseAddress else { return needle.isEmpty }
        return needle.withUnsafeBytes { freehold_shim_compare(start + offset, $0.baseAddress!, needle.count) == 0 }
    }

    private func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= needle.count else { return false }
        let first = needle[0]
        for offset in 0...(text.count - needle.count) where text[offset] == first && isNeedle(text, at: offset) { return true }
        return false
    }
}
