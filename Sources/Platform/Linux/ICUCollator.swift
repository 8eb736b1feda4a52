import CShims

/// A collator of ICU, which is loaded on first use.
///
/// Safe throughout: the collator lives as long as its object; buffers belong to the calls they are passed to.
final class ICUCollator: Collator, @unchecked Sendable {
    // Safe: never changed, and ICU's collators may be used by several threads at a time.
    private let collator: UnsafeMutableRawPointer

    init(_ tag: String) throws(CollatorError) {
        var collator: UnsafeMutableRawPointer?
        // The rest of a string after a zero would be ignored.
        let result = tag.utf8.contains(0) ? Int32(FREEHOLD_SHIM_NO_TAG) : freehold_shim_collator_new(tag, &collator)
        guard result == 0, let collator else { throw Self.error(result) }
        self.collator = collator
    }

    deinit { freehold_shim_collator_free(collator) }

    private static func error(_ result: Int32) -> CollatorError {
        switch Int(result) {
        case Int(FREEHOLD_SHIM_NO_COLLATION): .noLibrary
        case Int(FREEHOLD_SHIM_NO_TAG): .noTag
        case Int(FREEHOLD_SHIM_NO_LANGUAGE): .noLanguage
        case Int(FREEHOLD_SHIM_NO_ORDER): .noOrder
        default: .noOption
        }
    }

    var version: UInt64 { freehold_shim_collator_version(collator) }

    func writeSortKey(of text: UnsafeRawBufferPointer, to key: UnsafeMutableRawBufferPointer) -> Int? {
        let length = freehold_shim_sort_key(
            collator, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count,
            key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
        // Without the zero that ends it.
        return length > 0 ? length - 1 : nil
    }
}

extension LinuxSystem {
    public func makeCollator(_ tag: String) throws(CollatorError) -> any Collator { try ICUCollator(tag) }
}
