import Platform

/// The stemming of an analyzer's words by one of Snowball's algorithms, such as `english` or `german`.
///
/// Words that an index has as stems are found by words of searches with the same stem.
struct TextStemming: Sendable {
    /// To be recorded with an index: another algorithm makes other terms.
    let algorithm: String
    /// Tells apart libraries that make other stems: a hash of the stems of `StemSamples`. Never 0.
    let fingerprint: UInt64
    private let system: any System

    /// - Throws: an error of the system if it has no library of stemmers, or that no such algorithm.
    init(_ algorithm: String, _ system: any System) throws(SystemError) {
        self.algorithm = algorithm
        self.system = system
        fingerprint = StemSamples.fingerprint(try system.makeStemmer(algorithm), algorithm)
    }

    /// Why there is no stemming, and what to do.
    static func explanation(_ error: SystemError, _ language: String) -> String {
        error.code == ErrorNumber.notSupported
            ? "this machine's library libstemmer does not know the language '\(language)' of the full-text index; install version 2"
            : "the full-text index has the language '\(language)', which needs the library libstemmer; install it (Debian: libstemmer0d)"
    }

    /// A stemmer for one thread.
    func makeStemmer() -> any Stemmer {
        guard let stemmer = try? system.makeStemmer(algorithm) else { preconditionFailure("no memory for a stemmer of \(algorithm)") }
        return stemmer
    }
}
