/// Values of any type of fixed width on their way into the builder of their type.
extension LeafMaker {
    /// Appends a value by its words.
    func append(_ words: ValueWords, of type: PropertyType) {
        switch type.leaf {
        case .integers: integers.append(Int64(bitPattern: words.high))
        case .floats: floats.append(Float(bitPattern: UInt32(truncatingIfNeeded: words.high)))
        case .doubles: doubles.append(Double(bitPattern: words.high))
        case .dates: dates.append(seconds: Int64(bitPattern: words.high), nanoseconds: Int32(truncatingIfNeeded: words.low))
        case .fixed where type.width == 12: narrows.append(FixedRow12(words))
        case .fixed: wides.append(FixedRow16(words))
        case .texts: preconditionFailure("strings, data and mixed values have no words")
        }
    }

    /// Overwrites one row by a value's words.
    func set(_ words: ValueWords, of type: PropertyType, at row: Int) {
        switch type.leaf {
        case .integers: integers.set(Int64(bitPattern: words.high), at: row)
        case .floats: floats.set(Float(bitPattern: UInt32(truncatingIfNeeded: words.high)), at: row)
        case .doubles: doubles.set(Double(bitPattern: words.high), at: row)
        case .dates: dates.set(seconds: Int64(bitPattern: words.high), nanoseconds: Int32(truncatingIfNeeded: words.low), at: row)
        case .fixed where type.width == 12: narrows.set(FixedRow12(words), at: row)
        case .fixed: wides.set(FixedRow16(words), at: row)
        case .texts: preconditionFailure("strings, data and mixed values have no words")
        }
    }

    /// Appends rows of a leaf of the type.
    func append(_ leaf: UnsafeRawPointer, of type: PropertyType, rows: Range<Int>) {
        switch type.leaf {
        case .integers: integers.append(PackedIntegers(leaf), rows: rows)
        case .floats: floats.append(RealLeaf(leaf), rows: rows)
        case .doubles: doubles.append(RealLeaf(leaf), rows: rows)
        case .dates: dates.append(DateLeaf(leaf), rows: rows)
        case .fixed where type.width == 12: narrows.append(FixedLeaf(leaf), rows: rows)
        case .fixed: wides.append(FixedLeaf(leaf), rows: rows)
        case .texts: (type == .string ? texts : bytes).append(TextLeaf(leaf), rows: rows)
        }
    }
}

extension FixedRow12 {
    @inline(__always) init(_ words: ValueWords) { self.init(high: words.high, low: UInt32(truncatingIfNeeded: words.low)) }
}

extension FixedRow16 {
    @inline(__always) init(_ words: ValueWords) { self.init(high: words.high, low: words.low) }
}
