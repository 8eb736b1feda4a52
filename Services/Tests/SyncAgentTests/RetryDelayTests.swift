import SyncAgent
import Testing

/// Gives the same bits each time.
private struct Constant: RandomNumberGenerator {
    let bits: UInt64
    mutating func next() -> UInt64 { bits }
}

@Suite("Waiting after failures")
struct RetryDelayTests {
    @Test("The bound doubles from 0.2 s to a minute, and begins anew after a success")
    func doubling() {
        var delay = RetryDelay()
        // Half of the range.
        var generator = Constant(bits: 1 << 63)
        let expected = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]
        for seconds in expected { #expect(abs(delay.next(using: &generator) - seconds) < 0.001) }
        delay.reset()
        #expect(abs(delay.next(using: &generator) - 0.1) < 0.001)
    }

    @Test("Every wait is within the bound, and any part of it comes")
    func jitter() {
        var generator = SystemRandomNumberGenerator()
        var waits: [Double] = []
        for _ in 0..<1_000 {
            var delay = RetryDelay()
            waits.append(delay.next(using: &generator))
        }
        #expect(waits.allSatisfy { $0 >= 0 && $0 <= RetryDelay.first })
        #expect(waits.contains { $0 < 0.1 } && waits.contains { $0 > 0.1 })
    }

    @Test("What the server asks for is waited, but not longer than an hour")
    func asked() {
        var delay = RetryDelay()
        var generator = Constant(bits: 1 << 63)
        #expect(abs(delay.next(atLeast: 7, using: &generator) - 7.1) < 0.001)
        #expect(delay.next(atLeast: 1e300, using: &generator) == 3_600)
        #expect(delay.next(atLeast: .infinity, using: &generator) == 3_600)
        #expect(delay.next(atLeast: -5, using: &generator) <= 0.8)
        #expect(delay.next(atLeast: .nan, using: &generator) <= 1.6)
    }
}
