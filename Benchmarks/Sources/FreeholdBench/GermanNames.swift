/// The names of the collation workload: many begin alike, many have letters that the order of bytes puts elsewhere.
struct GermanNames {
    private static let first = [
        "Änne", "Anna", "Ägidius", "Björn", "Jörg", "Jürgen", "Özlem", "Otto", "Ute", "Übelin", "émile", "Zoë",
    ]
    private static let last = [
        "Müller", "Muller", "Mueller", "Groß", "Gross", "Ångström", "Öztürk", "Ostmann", "weiß", "Weiss", "Ädler", "Adler",
    ]

    private var stream: SplitMix64

    init(seed: UInt64) { stream = SplitMix64(seed: seed) }

    mutating func next(_ id: Int) -> String {
        let first = Self.first[stream.next(below: Self.first.count)], last = Self.last[stream.next(below: Self.last.count)]
        return "\(last), \(first) \(id)"
    }
}
