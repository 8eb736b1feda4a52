/// Cells that together have every place of a shape.
///
/// The largest cells that the edge of the shape goes through are divided again and again, until there are as many as are
/// wanted or none is left to divide.
struct GeoCover {
    /// The numbers of the cells, ascending and apart.
    private(set) var ranges: [ClosedRange<UInt64>]

    static let cells = 32

    init(_ shape: GeoShape, cells limit: Int = cells) {
        let test = ShapeCells(shape)
        var waiting: [GeoCell] = [.world], place = 0, taken: [GeoCell] = []
        waiting.reserveCapacity(128)
        // Cells of one level are divided together, the largest first.
        while place < waiting.count, waiting[place].level < 32, taken.count + waiting.count - place + 3 <= limit {
            for part in waiting[place].parts {
                switch test.relation(to: part) {
                case .apart: continue
                case .across: waiting.append(part)
                case .within: taken.append(part)
                }
            }
            place += 1
        }
        var ranges: [ClosedRange<UInt64>] = []
        for range in (taken + waiting[place...] + test.poles).map(\.numbers).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        self.ranges = ranges
    }
}
