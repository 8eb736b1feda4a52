/// The first objects by score, best first; of equal ones those with the lower keys.
struct BestObjects {
    private struct Entry {
        let score: Double
        let key: ObjectKey
    }

    private let limit: Int
    /// A heap whose first entry is the last of the order.
    private var entries: [Entry] = []

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { entries.count == limit }

    /// The score that an object must have at least to be among the best; below all scores while there is room.
    var least: Double { isFull ? entries.first?.score ?? .infinity : -.infinity }

    var keys: [ObjectKey] { entries.sorted(by: Self.precedes).map(\.key) }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.score != right.score ? left.score > right.score : left.key.rawValue < right.key.rawValue
    }

    mutating func add(_ more: BestObjects) {
        for entry in more.entries { add(entry.key, entry.score) }
    }

    mutating func add(_ key: ObjectKey, _ score: Double) {
        let entry = Entry(score: score, key: key)
        if isFull {
            guard let last = entries.first, Self.precedes(entry, last) else { return }
            entries[0] = entry
            sink()
            return
        }
        entries.append(entry)
        var place = entries.count - 1
        while place > 0, Self.precedes(entries[(place - 1) / 2], entries[place]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            var last = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if Self.precedes(entries[last], entries[child]) { last = child }
            }
            if last == place { return }
            entries.swapAt(place, last)
            place = last
        }
    }
}
