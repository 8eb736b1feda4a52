/// How often a term occurs in a field of a document, in eight steps. The lowest class is the highest frequency, so that in
/// the order of keys the most frequent documents of a term come first.
struct OccurrenceClass: Hashable, Sendable {
    /// 0…7.
    let number: UInt8

    static let count = 8
    /// The minimum number of occurrences, by class.
    private static let minimums = [41, 18, 10, 6, 4, 3, 2, 1]
    private static let counted = [56, 24, 12, 7, 4.5, 3, 2, 1]

    init(number: UInt8) {
        precondition(number < Self.count, "a class of occurrences is 0…7")
        self.number = number
    }

    /// The class of a number of occurrences, at least 1.
    @inline(__always) init(occurrences: Int) {
        precondition(occurrences > 0, "a term that does not occur has no class")
        switch occurrences {
        case 1...3: number = UInt8(8 - occurrences)
        case 4...5: number = 4
        case 6...9: number = 3
        case 10...17: number = 2
        case 18...40: number = 1
        default: number = 0
        }
    }

    /// The number of occurrences that scores count for the class.
    // Allowed: scores are computed by the floor of queries.
    var counted: Double { Self.counted[Int(number)] }

    /// The minimum number of occurrences of the class.
    var minimum: Int { Self.minimums[Int(number)] }
}
