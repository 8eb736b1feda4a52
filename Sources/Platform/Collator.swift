/// Orders strings as a language does, by ICU. Any number of threads may use it.
public protocol Collator: AnyObject, Sendable {
    /// What decides the bytes of sort keys: ICU's version in the four high bytes, that of the collator in the four low ones.
    var version: UInt64 { get }

    /// Writes the sort key of a string, and returns its length in bytes. Keys are compared by their bytes; a key that is
    /// the beginning of another comes first. `key` must be longer than that, or the key is not in it. Nil if memory is
    /// short.
    ///
    /// - Parameter text: a string in UTF-8.
    func writeSortKey(of text: UnsafeRawBufferPointer, to key: UnsafeMutableRawBufferPointer) -> Int?
}

/// Why there is no collator for a language tag.
public enum CollatorError: Error, Sendable {
    /// ICU is not installed.
    case noLibrary
    /// The string is not a BCP 47 language tag.
    case noTag
    /// ICU has no order for the language.
    case noLanguage
    /// The language has no such order (`co-…`).
    case noOrder
    /// An option, or the value of one, is unknown.
    case noOption
}
