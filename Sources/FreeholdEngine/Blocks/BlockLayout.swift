/// The layout common to all blocks.
///
/// ```
/// offset  bytes
///      0      1  kind
///      1      1  variant (the kind's own)
///      2      2  reference count
///      4      4  count (the kind's own: rows, entries, children)
///      8      4  body length
///     12      4  table number
///     16      8  first key (the kind's own)
///     24   32·n  references to children
///      …         body, then zeros up to the granule
/// ```
/// References have the same position in all kinds, so walking, verifying, freeing and moving blocks need no
/// knowledge of their contents.
enum BlockLayout {
    static let kind = 0
    static let variant = 1
    static let referenceCount = 2
    static let count = 4
    static let bodyLength = 8
    static let table = 12
    static let firstKey = 16
    static let references = 24

    static let granule = 64
    static let page = 4096
    static let granulesPerPage = 64
    /// The longest block: 64 KiB.
    static let maximumGranules = 1024

    /// Maximum length of a block in the file, in granules: an encrypted file has a prefix before it.
    static func maximumGranules(isEncrypted: Bool) -> Int { isEncrypted ? maximumGranules + 1 : maximumGranules }
    static func maximumBytes(isEncrypted: Bool) -> Int { maximumGranules(isEncrypted: isEncrypted) * granule }

    /// Maximum bytes of body in a block with `count` references.
    static func maximumBody(references count: Int) -> Int {
        maximumGranules * granule - references - count * BlockReference.byteCount
    }

    /// Granules that a block with `count` references and `body` body bytes takes, including its prefix.
    static func granules(references count: Int, body: Int, prefix: Int = 0) -> Int {
        (prefix + references + count * BlockReference.byteCount + body + granule - 1) / granule
    }
}
