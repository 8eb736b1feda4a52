import Platform

/// The stemming of an analyzer's words by one of Snowball's algorithms, such as `english` or `german`.
///
/// Words that an index has as stems are found by words of searches with the same stem. Beginnings (`pre*`) and fuzzy words
/// are compared with stems as they are.
struct TextStemming: Sendable {
    /// To be recorded with an index: another algorithm makes other terms.
    let algorithm: String
    private let system: any System

    // Allowed: full-text indexes with a language make it.
    /// - Throws: an error of the system if it has no library of stemmers, or that no such algorithm.
    init(_ algorithm: String, _ system: any System) throws(SystemError) {
        self.algorithm = algorithm
        self.system = system
        _ = try system.makeStemmer(algorithm)
    }

    /// A stemmer for one thread.
    func makeStemmer() -> any Stemmer {
        guard let stemmer = try? system.makeStemmer(algorithm) else { preconditionFailure("no memory for a stemmer of \(algorithm)") }
        return stemmer
    }
}
