/// Reduces words to stems, so that a search for one form of a word finds the others (`houses`, `house`). One thread at a
/// time may use it.
public protocol Stemmer: AnyObject {
    /// Writes the stem of a word and returns its length in bytes; 0 if the word has none, or if the stem does not fit.
    ///
    /// - Parameters:
    ///   - word: lower-case letters in UTF-8.
    ///   - stem: where to write.
    func stem(_ word: UnsafeRawBufferPointer, to stem: UnsafeMutableRawBufferPointer) -> Int
}
