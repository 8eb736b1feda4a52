import Platform
import Synchronization

/// The stemmings of an open file, each made once: a fingerprint takes some hundred stems.
///
/// A library that is missing at first counts as missing until the file is opened anew.
final class TextStemmings: Sendable {
    private let system: any System
    private let known = Mutex<[String: Result<TextStemming, SystemError>]>([:])

    init(_ system: any System) { self.system = system }

    /// The stemming of an algorithm.
    ///
    /// - Throws: an error of the system if it has no library of stemmers, or that no such algorithm.
    func stemming(_ algorithm: String) throws(SystemError) -> TextStemming {
        let found = known.withLock { known in
            if let found = known[algorithm] { return found }
            let made = Result { () throws(SystemError) in try TextStemming(algorithm, system) }
            known[algorithm] = made
            return made
        }
        return try found.get()
    }
}
