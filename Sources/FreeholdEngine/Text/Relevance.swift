/// The score of a text for a search: BM25F.
///
/// The frequencies of a term in the properties of an object are added, each divided by its property's relative length and
/// multiplied by its weight, and their sum then counts less the higher it is. So the second place of a term is worth less
/// than its first wherever the two are; a sum of the scores of properties would put an object with one word of a search in
/// both title and body before one with two words in its body. With one property this is BM25.
///
/// ```swift
/// let frequency = scoring.frequency(3, length: 120, averageLength: 100, weight: 1)
///     + scoring.frequency(1, length: 4, averageLength: 6, weight: 2)
/// score += scoring.score(frequency, rarity: Relevance.rarity(documentCount: 1_000_000, containing: 250))
/// ```
struct Relevance: Equatable, Sendable {
    /// k₁: how fast a term's frequency stops to matter; 0 counts no frequencies.
    var saturation = 1.2
    /// b: how much a long text lowers the score, from 0 to 1.
    var lengthInfluence = 0.75

    /// The weight of a term by how few objects have it: `ln(1 + (N - n + ½) / (n + ½))`, which is never negative.
    ///
    /// - Parameters:
    ///   - documentCount: N, the number of objects.
    ///   - containing: n, how many of them have the term; of several properties the maximum. More than N counts as N.
    static func rarity(documentCount: Int, containing: Int) -> Double {
        let containing = Double(min(containing, documentCount))
        return ExactLogarithm.natural(1 + (Double(documentCount) - containing + 0.5) / (containing + 0.5))
    }

    /// The share of one property in a term's frequency.
    ///
    /// - Parameters:
    ///   - occurrences: how often the property's text has the term, as scores count it.
    ///   - length: the number of the text's terms.
    ///   - averageLength: the average of these over all objects.
    ///   - weight: of the property; 1 is usual.
    func frequency(_ occurrences: Double, length: Int, averageLength: Double, weight: Double) -> Double {
        if occurrences == 0 { return 0 }
        let relative = averageLength > 0 ? Double(length) / averageLength : 1
        return weight * occurrences / (1 - lengthInfluence + lengthInfluence * relative)
    }

    /// The part of a term in the score: 0 for a frequency of 0, about the rarity for one place in a text of average length.
    ///
    /// Rounding keeps the order: a higher frequency never gives a lower part, and none gives more than `limit`. So a part of
    /// the maximum frequency bounds all of a list, and whole objects can be skipped without loss.
    func score(_ frequency: Double, rarity: Double) -> Double {
        frequency > 0 ? limit(rarity: rarity) / (1 + saturation / frequency) : 0
    }

    /// What the part of a term in any score does not exceed.
    func limit(rarity: Double) -> Double { rarity * (saturation + 1) }
}
