extension Value {
    /// Whether it stands before another value where both are sorted, ascending: null first, what is no number before the numbers, texts and
    /// data by their bytes, values of different types by type.
    public func isSorted(before other: Value) -> Bool { SortValue.order(.value(self), .value(other)) < 0 }

    /// The first of those that are equal, as `DISTINCT` tells them apart.
    public static func distinct(_ values: [Value]) -> [Value] {
        var seen: Set<DistinctValue> = []
        return values.filter { seen.insert(DistinctValue($0)).inserted }
    }
}
