/// One object of the benchmark's data; its texts lie in the set it belongs to.
struct Person {
    var id: Int64
    let age: Int64
    let score: Double
    let isActive: Bool
    let created: Int64
    let city: Range<Int>
    let name: Range<Int>
}

/// Persons made before the clock starts, with the bytes of all their texts in one place.
final class PersonSet {
    private(set) var persons: [Person] = []
    private var text: [UInt8] = []

    /// Persons number `first` to `first + count - 1`.
    init(from first: Int, count: Int) {
        persons.reserveCapacity(count)
        text.reserveCapacity(count * 32)
        for number in first..<first + count { append(number) }
    }

    /// Calls `body` with the bytes of one of a person's texts.
    @inline(__always)
    func withBytes<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try text.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Gives person number `index` of the set another id, for the endless insert loops.
    func renumber(_ index: Int, to id: Int64) { persons[index].id = id }

    private func append(_ number: Int) {
        var stream = SplitMix64(dataDraw: 5 * UInt64(number))
        let age = Int64(stream.next() % 100)
        let score = Double(stream.next() >> 11) * 0x1p-53 * 1000
        let isActive = stream.next() & 1 == 1
        let city = add(Names.city(Int(stream.next() % 1000)))
        let draw = stream.next()
        let name = add("\(Names.first[Int(draw % 16)]) \(Names.last[Int((draw >> 8) % 16)])-\(number)")
        persons.append(Person(
            id: Int64(number), age: age, score: score, isActive: isActive, created: 1_600_000_000 + Int64(number),
            city: city, name: name))
    }

    private func add(_ string: String) -> Range<Int> {
        let start = text.count
        text.append(contentsOf: string.utf8)
        return start..<text.count
    }
}

enum Names {
    static let first = [
        "Alice", "Albert", "Bob", "Carol", "David", "Emma", "Frank", "Grace",
        "Henry", "Irene", "Jack", "Karen", "Liam", "Mona", "Nick", "Olive",
    ]
    static let last = [
        "Smith", "Johnson", "Williams", "Brown", "Jones", "Miller", "Davis", "Wilson",
        "Anderson", "Thomson", "Jackson", "White", "Harris", "Martinson", "Young", "King",
    ]

    static func city(_ number: Int) -> String { "city-\(number)" }
}
