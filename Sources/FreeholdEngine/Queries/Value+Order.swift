extension Value {
    /// Whether this value comes before another one in ascending order: null first, NaN before the numbers, strings and
    /// data by their bytes, values of different types by type.
    public func isSorted(before other: Value) -> Bool { SortValue.order(.value(self), .value(other)) < 0 }

    /// The first of each set of equal values, by the equality of `DISTINCT`.
    public static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<DistinctValue> = []
        return values.filter { seen.insert(DistinctValue($0)).inserted }
    }
}
