import CShims

/// Selects rows of a whole leaf by the bytes of their text.
///
/// Each function sets the bits of the rows that match and clears all others, in `Bitmap.words(count)` words. Null rows
/// never match. Neither do external rows, whose value is in blocks of its own: `selectExternal` returns them, to be
/// tested one by one. Not for leaves of codes, whose dictionary is searched once for each of its strings
/// (`PackedIntegers.select(members:)`).
///
/// Every text begins and ends with the empty text, and contains it.
///
/// Safe throughout: the kernels get the table and blob of a validated leaf and its count, and the bytes looked for while they are
/// held; in front of the blob stands the leaf's head.
extension TextLeaf {
    /// One end of a range of texts.
    struct Bound {
        var bytes: UnsafeRawBufferPointer
        var isExcluded = false
    }

    /// The treatment of ASCII letters.
    enum Letters {
        /// Bytes are compared exactly.
        case exact
        /// A…Z are compared as a…z; the caller passes the search bytes in lower case. Texts with non-ASCII characters
        /// may match by other rules: `selectBeyondASCII` returns them, to be tested one by one.
        case folded
    }

    private typealias Kernel = (UnsafePointer<freehold_kernel_texts_t>, UnsafePointer<UInt8>, Int, Bool, UnsafeMutablePointer<UInt64>) -> Void

    /// Selects rows equal to these bytes.
    func select(equalTo bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_equal, bytes, letters, matches)
    }

    /// Selects rows that begin with these bytes.
    func select(prefix bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_prefix, bytes, letters, matches)
    }

    /// Selects rows that end with these bytes.
    func select(suffix bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_suffix, bytes, letters, matches)
    }

    /// Selects rows that contain these bytes.
    func select(containing bytes: UnsafeRawBufferPointer, _ letters: Letters = .exact, into matches: UnsafeMutablePointer<UInt64>) {
        run(freehold_kernel_texts_containing, bytes, letters, matches)
    }

    /// Selects rows between two bounds in byte order; nil for no bound.
    func select(from low: Bound?, to high: Bound?, into matches: UnsafeMutablePointer<UInt64>) {
        var (texts, low, high) = (self.texts, Self.bound(low), Self.bound(high))
        freehold_kernel_texts_between(&texts, &low, &high, matches)
        dropOthers(matches)
    }

    /// Selects rows whose value is in blocks of its own; returns whether there are any.
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

    /// Selects rows with non-ASCII characters; returns whether there are any. External rows are not among them.
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

    /// A substitute for a missing address, which is never read.
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

    /// Clears the bits of rows that are null or external.
    private func dropOthers(_ matches: UnsafeMutablePointer<UInt64>) {
        if hasNulls { for word in 0..<Bitmap.words(count) { matches[word] &= ~nulls.little(word << 3, as: UInt64.self) } }
        if hasExternal { for word in 0..<Bitmap.words(count) { matches[word] &= ~externals.little(word << 3, as: UInt64.self) } }
    }
}
