import Platform

/// The stemmers of a simulated process: a few rules, the same on every machine that runs tests.
public enum SimulatedStemmers: Sendable {
    case usual
    /// Those of another version of the library: they make other stems of some words.
    case other
    /// The library is not installed.
    case missing
}

/// Takes off the last ending that it knows, if three letters are left.
final class SimulatedStemmer: Stemmer {
    private let endings: [[UInt8]]

    init(_ algorithm: String, _ stemmers: SimulatedStemmers) throws(SystemError) {
        let known = ["english": ["ing", "es", "ed", "s", "y"], "german": ["ern", "en", "er", "e", "n"]]
        guard let endings = known[algorithm] else {
            throw SystemError(code: ErrorNumber.notSupported, call: "sb_stemmer_new", path: algorithm)
        }
        self.endings = ((stemmers == .other ? ["ly", "isch"] : []) + endings).map { Array($0.utf8) }
    }

    func stem(_ word: UnsafeRawBufferPointer, to stem: UnsafeMutableRawBufferPointer) -> Int {
        let ending = endings.first { word.count >= $0.count + 3 && word.suffix($0.count).elementsEqual($0) }
        // A letter is put in the place of another one, as algorithms do.
        let rest = Array(word.dropLast(ending?.count ?? 0)) + (ending == [UInt8(ascii: "y")] ? [UInt8(ascii: "i")] : [])
        guard rest.count <= stem.count else { return 0 }
        stem.copyBytes(from: rest)
        return rest.count
    }
}
