import FreeholdEngine

extension Value {
    /// Whether both values are the same to the last bit: 0.0 is not -0.0, decimal 1.0 not 1.00, and NaN is itself.
    func isExactly(_ other: Value) -> Bool {
        switch (self, other) {
        case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        case (.decimal(let one), .decimal(let other)): one.high == other.high && one.low == other.low
        case (.list(let some), .list(let others)), (.set(let some), .set(let others)): some.elementsEqual(others) { $0.isExactly($1) }
        case (.map(let some), .map(let others)):
            some.count == others.count && some.allSatisfy { entry in others[entry.key].map { entry.value.isExactly($0) } ?? false }
        default: self == other
        }
    }
}
