/// A growing buffer of numbers below 2^32 (pages, blocks) that keeps its memory when emptied. Its owner deallocates it.
///
/// Safe throughout: `count` never exceeds `capacity`, which is what `numbers` was allocated for.
struct NumberList {
    private(set) var count = 0
    private var capacity = 0
    private var numbers: UnsafeMutablePointer<UInt32>?

    @inline(__always) subscript(index: Int) -> Int {
        get {
            assert(index >= 0 && index < count, "a number of the list")
            return Int(numbers.unsafelyUnwrapped[index])
        }
        nonmutating set {
            assert(index >= 0 && index < count, "a number of the list")
            numbers.unsafelyUnwrapped[index] = UInt32(truncatingIfNeeded: newValue)
        }
    }

    var hasMemory: Bool { capacity > 0 }

    @inline(__always) mutating func append(_ number: Int) {
        assert(number >= 0 && number <= Int(UInt32.max), "numbers have 32 bits")
        if count == capacity { grow() }
        numbers.unsafelyUnwrapped[count] = UInt32(truncatingIfNeeded: number)
        count &+= 1 // Cannot wrap: bounded by capacity.
    }

    mutating func removeAll() { count = 0 }
    mutating func removeLast() { count -= 1 }
    /// Keeps the first `count` numbers.
    mutating func shrink(to count: Int) { self.count = min(count, self.count) }

    mutating func deallocate() {
        numbers?.deallocate()
        self = NumberList()
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: max(32, capacity * 2))
        if let numbers {
            larger.update(from: numbers, count: count)
            numbers.deallocate()
        }
        numbers = larger
        capacity = max(32, capacity * 2)
    }
}
