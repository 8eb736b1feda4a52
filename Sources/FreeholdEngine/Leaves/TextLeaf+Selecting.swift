import CShims

/// Whole-leaf questions about texts, answered by their bytes.
///
/// Each sets the bits of the rows that match and clears all others, in `Bitmap.words(count)` words. Null rows never match. Neither
/// do rows whose value stands elsewhere, in blocks of its own: `selectExternal` tells them, to be asked one by one. Not for leaves of
/// codes, whose dictionary is asked once for each of its strings (`PackedIntegers.select(members:)`).
///
/// Every text begins and ends with the empty one, and contains it.
///
/// Safe throughout: the kernels get the table and blob of a validated leaf and its count, and the bytes looked for while they are
/// held; in front of the blob stands the leaf's head.
extension TextLeaf {
    /// One end of a range of texts.
    struct Bound {
        var bytes: UnsafeRawBufferPointer
        var isExcluded = false
    }

    /// What to do about the letters of ASCII.
    enum Letters {
        /// Every byte is what it is.
        case exact
        /// A…Z count as a…z, as which the bytes looked for are given. Texts with other characters than those of ASCII may
        /// match by other rules: `selectBeyondASCII` tells them, to be asked one by one.
        case folded
    }

    private typealias Kernel = (UnsafePointer<freehold_kernel_texts_t>, UnsafePointer<UInt8>, Int, Bool, UnsafeMutablePointer<UInt64>) -> Void

    /// Rows that are these bytes.
    func select(equalTo bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_equal, bytes, letters, matches)
    }

    /// Rows that begin with these bytes.
    func select(prefix bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_prefix, bytes, letters, matches)
    }

    /// Rows that end with these bytes.
    func select(suffix bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_suffix, bytes, letters, matches)
    }

    /// Rows with these bytes somewhere.
    func select(containing bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_containing, bytes, letters, matches)
    }

    /// Rows between two bounds, nil for none, as bytes are ordered.
    func select(from low: Bound?, to high: Bound?, into matches: UnsafeMutablePointer<UInt64>) {
        var (texts, low, high) = (self.texts, Self.bound(low), Self.bound(high))
        freehold_kernel_texts_between(&texts, &low, &high, matches)
        dropOthers(matches)
    }

    /// Rows whose value stands in blocks of its own; whether there is any.
    func selectExternal(into matches: UnsafeMutablePointer<UInt64>) -> Bool {
        let words = Bitmap.words(count)
        guard hasExternal && !isCodes else {
            matches.update(repeating: 0, count: words)
            return false
        }
        var any: UInt64 = 0
        for word in 0..<words {
            matches[word] = externals.little(word << 3)
            if hasNulls { matches[word] &= ~nulls.little(word << 3, as: UInt64.self) }
            any |= matches[word]
        }
        return any != 0
    }

    /// Rows with characters other than those of ASCII; whether there is any. Those whose value stands elsewhere are not among them.
    func selectBeyondASCII(into matches: UnsafeMutablePointer<UInt64>) -> Bool {
        var texts = texts
        guard freehold_kernel_texts_beyond_ascii(&texts, matches) else { return false }
        dropOthers(matches)
        return (0..<Bitmap.words(count)).contains { matches[$0] != 0 }
    }

    // MARK: parts

    private var externals: UnsafeRawPointer { start + (Self.headerLength + head.nullBytes) }

    private var texts: freehold_kernel_texts_t {
        assert(!isCodes, "codes are asked of their dictionary")
        return freehold_kernel_texts_t(
            table: table.assumingMemoryBound(to: UInt8.self), blob: blob.assumingMemoryBound(to: UInt8.self),
            blob_length: blobLength, count: count, is_short: form == .short)
    }

    /// What has no address is replaced by one that is never read.
    private static var nothing: UnsafePointer<UInt8> { UnsafePointer(bitPattern: 64)! }

    private func run(_ kernel: Kernel, _ bytes: UnsafeRawBufferPointer, _ letters: Letters, _ matches: UnsafeMutablePointer<UInt64>) {
        var texts = texts
        let wanted = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing
        kernel(&texts, wanted, bytes.count, letters == .folded, matches)
        dropOthers(matches)
    }

    private static func bound(_ bound: Bound?) -> freehold_kernel_bound_t {
        guard let bound else { return freehold_kernel_bound_t(bytes: nil, count: 0, is_excluded: false) }
        return freehold_kernel_bound_t(bytes: bound.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing,
                                       count: bound.bytes.count, is_excluded: bound.isExcluded)
    }

    /// Clears the bits of rows that are null or whose value stands elsewhere.
    private func dropOthers(_ matches: UnsafeMutablePointer<UInt64>) {
        if hasNulls { for word in 0..<Bitmap.words(count) { matches[word] &= ~nulls.little(word << 3, as: UInt64.self) } }
        if hasExternal { for word in 0..<Bitmap.words(count) { matches[word] &= ~externals.little(word << 3, as: UInt64.self) } }
    }
}
