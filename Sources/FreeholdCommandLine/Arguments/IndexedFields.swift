import ArgumentParser
import FreeholdEngine

/// The properties of indexes that a command line declares: `title,body` or `author.name`.
struct IndexedFields {
    private let fullText: [FullTextIndex]
    private let places: [[String]]

    /// - Throws: `ValidationError` for an empty name, and for places that are not two properties.
    init(fullText: [String], places: [String] = []) throws(ValidationError) {
        var texts: [FullTextIndex] = [], pairs: [[String]] = []
        for list in fullText { texts.append(FullTextIndex(try Self.names(list, "--full-text").map { FullTextField($0) })) }
        for list in places {
            let names = try Self.names(list, "--places")
            if names.count == 2 { pairs.append(names) } else { pairs.append(try Self.parts(of: names)) }
        }
        (self.fullText, self.places) = (texts, pairs)
    }

    private static func names(_ list: String, _ option: String) throws(ValidationError) -> [String] {
        let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if names.contains("") { throw ValidationError("\(option) takes names of properties with commas between them, not '\(list)'") }
        return names
    }

    /// The two properties of the object that a link leads to.
    private static func parts(of names: [String]) throws(ValidationError) -> [String] {
        guard names.count == 1 else {
            throw ValidationError("--places takes a latitude and a longitude, or one link to an object with type and coordinates, "
                + "not \(names.count) properties")
        }
        return ["\(names[0]).type", "\(names[0]).coordinates"]
    }

    var isEmpty: Bool { fullText.isEmpty && places.isEmpty }

    /// `full-text index of title, body and index of places of latitude, longitude`.
    var text: String {
        let texts = fullText.map { "full-text index of \($0.paths)" }
        let pairs = places.map { "index of places of \($0.joined(separator: ", "))" }
        return (texts + pairs).joined(separator: " and ")
    }

    /// Declares the indexes that the class lacks. One that is there stays as it is, with its weights.
    func declare(in transaction: WriteTransaction, for name: String) throws(FreeholdError) {
        let known = transaction.classes.first { $0.name.isSame(as: name) }?.fullTextIndexes ?? []
        for index in fullText where !known.contains(where: { $0.hasSameFields(as: index) }) {
            try transaction.fullText.add(index, to: name)
        }
        for pair in places { try transaction.places.add(latitude: pair[0], longitude: pair[1], to: name) }
    }

    /// Throws what `declare` would throw, and changes nothing.
    func check(in transaction: WriteTransaction, for name: String) throws(FreeholdError) {
        if isEmpty { return }
        let before = try transaction.savepoint()
        try declare(in: transaction, for: name)
        try transaction.rollback(to: before)
    }

    func drop(in transaction: WriteTransaction, from name: String) throws(FreeholdError) {
        for index in fullText { try transaction.fullText.drop(index, from: name) }
        for pair in places { try transaction.places.drop(latitude: pair[0], longitude: pair[1], from: name) }
    }
}
