/// The numbers of one table of `FoldingTable`, which says how they are written.
///
/// Safe throughout: the tables are part of the program, and a test reads them to their ends.
struct FoldingNumbers {
    private var place: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    init(_ table: StaticString) {
        place = table.utf8Start
        end = place + table.utf8CodeUnitCount
    }

    var isAtEnd: Bool { place == end }

    mutating func next() -> Int {
        var value = 0, shift = 0
        while true {
            let digit = Int(place.pointee) - 0x30
            place += 1
            value |= (digit & 31) << shift
            if digit < 32 { return value }
            shift += 5
        }
    }

    mutating func nextSigned() -> Int {
        let number = next()
        return number & 1 == 0 ? number / 2 : -(number + 1) / 2
    }
}

/// Runs of neighbouring scalars of one value, found by binary search.
struct ScalarRuns: Sendable {
    private var firsts: [UInt32] = []
    private var ends: [UInt32] = []
    private var values: [UInt8] = []

    init(_ table: StaticString, hasValues: Bool) {
        var numbers = FoldingNumbers(table), end: UInt32 = 0
        while !numbers.isAtEnd {
            let first = end + UInt32(numbers.next())
            end = first + UInt32(numbers.next())
            firsts.append(first)
            ends.append(end)
            values.append(hasValues ? UInt8(numbers.next()) : 0)
        }
    }

    /// The value of the scalar's run, or nil if it is in none.
    func value(of scalar: UInt32) -> UInt8? {
        let place = firsts.lastPlace(upTo: scalar)
        return place >= 0 && scalar < ends[place] ? values[place] : nil
    }
}

/// Scalars that fold to one other scalar, in runs with a constant step and a constant difference.
struct CaseRuns: Sendable {
    private struct Run {
        var last: UInt32
        var step: UInt32
        var difference: Int32
    }

    private var firsts: [UInt32] = []
    private var runs: [Run] = []

    init(_ table: StaticString) {
        var numbers = FoldingNumbers(table), end: UInt32 = 0
        while !numbers.isAtEnd {
            let first = end + UInt32(numbers.next()), count = UInt32(numbers.next()), step = UInt32(numbers.next())
            let last = first + (count - 1) * step
            firsts.append(first)
            runs.append(Run(last: last, step: step, difference: Int32(numbers.nextSigned())))
            end = last + 1
        }
    }

    /// What a scalar folds to, or nil if that is itself or several.
    func folded(_ scalar: UInt32) -> UInt32? {
        let place = firsts.lastPlace(upTo: scalar)
        guard place >= 0, scalar <= runs[place].last, (scalar - firsts[place]) % runs[place].step == 0 else { return nil }
        return UInt32(Int32(scalar) + runs[place].difference)
    }
}

/// A value for each of some scalars, which are added in ascending order.
struct ScalarMap<Value: Sendable>: Sendable {
    private var scalars: [UInt32] = []
    private var values: [Value] = []

    mutating func append(_ scalar: UInt32, _ value: Value) {
        assert(scalars.last ?? 0 < scalar, "scalars out of order")
        scalars.append(scalar)
        values.append(value)
    }

    subscript(scalar: UInt32) -> Value? {
        let place = scalars.lastPlace(upTo: scalar)
        return place >= 0 && scalars[place] == scalar ? values[place] : nil
    }
}

extension [UInt32] {
    /// The place of the last number of this ascending array that is not above one; -1 if all are.
    fileprivate func lastPlace(upTo number: UInt32) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
