/// How much of a class can be read from a damaged source.
public struct ReadableClass: Sendable, Equatable {
    public let name: String
    /// The number of objects that can be read, the first ones in the order of their keys.
    public let count: Int
    /// Whether these are all.
    public let isWhole: Bool

    public init(_ name: String, count: Int, isWhole: Bool) {
        self.name = name
        self.count = count
        self.isWhole = isWhole
    }
}

extension SourceError {
    private static let describedClasses = 6

    /// What can be read all the same, for a message: `all 300 objects of 'Maker', the first 7 of 'Item'`; nil if that is not known.
    public var readableDescription: String? {
        if readable.isEmpty { return nil }
        let known = readable.filter { !$0.isWhole } + readable.filter { $0.isWhole && $0.count > 0 }
        if known.allSatisfy({ $0.count == 0 }) { return "no object" }
        var parts = known.prefix(Self.describedClasses).map { part in
            switch (part.isWhole, part.count) {
            case (true, let count): "all \(count) objects of '\(part.name)'"
            case (false, 0): "no object of '\(part.name)'"
            case (false, 1): "the first object of '\(part.name)'"
            case (false, let count): "the first \(count) objects of '\(part.name)'"
            }
        }
        let others = known.dropFirst(Self.describedClasses)
        if !others.isEmpty { parts.append("\(others.reduce(0) { $0 + $1.count }) objects of \(others.count) other classes") }
        return parts.joined(separator: ", ")
    }
}

extension SourceStore {
    /// How much of each class can be read.
    func readableClasses() -> [ReadableClass] {
        classes.indices.map { place in
            var count = 0
            do {
                let cursor = try objects(of: place, after: nil)
                while let batch = try cursor.next() { count += batch.keys.count }
            } catch {
                return ReadableClass(classes[place].schema.name, count: count, isWhole: false)
            }
            return ReadableClass(classes[place].schema.name, count: count, isWhole: true)
        }
    }
}
