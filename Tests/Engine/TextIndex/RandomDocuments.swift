import TestKit
@testable import FreeholdEngine

/// Documents of words of several scripts, some of which are frequent.
struct RandomDocuments {
    var random: SeededRandom

    private static let words = [
        "the", "of", "colour", "color", "colours", "Über", "Straße", "café", "naïve", "x", "xy", "xyz", "東京都", "東京", "京", "タワー",
        "학교에서", "학교", "ที่นี่", "Ελλάδα", "привет", "Привет", "हिन्दी", "शब्द", "שלום", "العربية", "2024", "don't", "foo_bar",
        "verylongwordverylongword",
    ]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func word() -> String {
        // Small numbers are frequent.
        let place = random.below(1 + random.below(Self.words.count))
        return random.oneIn(6) ? "w\(random.below(40))" : Self.words[place]
    }

    mutating func text() -> String {
        let length = [0, 1, 3, 12, 60][random.below(5)]
        return (0..<length).map { _ in word() }.joined(separator: random.oneIn(2) ? " " : ", ")
    }

    mutating func document() -> TextIndexModel.Document {
        [[text()], (0..<random.below(3)).map { _ in text() }]
    }

    /// Changes of up to so many documents, of which some are those that are there.
    mutating func changes(_ most: Int, of model: TextIndexModel) -> [Int64: TextIndexModel.Document?] {
        var changes: [Int64: TextIndexModel.Document?] = [:], present = model.documents.keys.sorted()
        for _ in 0...random.below(most) {
            let isNew = random.oneIn(3) || present.isEmpty
            let key = isNew ? Int64(random.below(1_500)) - 500 : present.remove(at: random.below(present.count))
            guard changes[key] == nil else { continue }
            if model.documents[key] != nil, random.oneIn(3) {
                changes[key] = .some(nil)
            } else if var document = model.documents[key], random.oneIn(2) {
                // A word more.
                document[0] = document[0] + [word()]
                changes[key] = document
            } else {
                changes[key] = document()
            }
        }
        return changes
    }
}
