import Platform
import Synchronization

/// Which chunks of a shadow have memory, and the clock that chooses among them.
///
/// Safe throughout: a state for each chunk; `states` is memory of zeros that belongs to this object; counts cannot wrap.
final class ShadowChunks: @unchecked Sendable {
    private let count: Int
    private let states: UnsafeMutablePointer<State>
    private let resident = Atomic<Int>(0)
    private let clock = Mutex(Clock())
    /// How many chunks of each large page have memory.
    private let filled: UnsafeMutablePointer<State>
    private let largeCount: Int
    static let chunksPerLargePage = SecretMemory.largePage / Shadow.chunkBytes

    /// 0 without memory, 1 used since the hand came by, 2 not used since.
    private struct State: ~Copyable {
        let word: Atomic<UInt8>
    }

    private enum Standing {
        static let absent: UInt8 = 0, used: UInt8 = 1, cool: UInt8 = 2
    }

    private struct Clock {
        /// The chunks with memory, in the order in which they got it.
        var chunks: [UInt32] = []
        var hand = 0
    }

    init(count: Int) {
        self.count = count
        guard let memory = ReservedMemory.reserve(byteCount: count) else { fatalError("no address space for a table of \(count) bytes") }
        states = memory.bindMemory(to: State.self, capacity: count)
        largeCount = count / Self.chunksPerLargePage + 1
        guard let more = ReservedMemory.reserve(byteCount: largeCount) else { fatalError("no address space for a table of \(largeCount) bytes") }
        filled = more.bindMemory(to: State.self, capacity: largeCount)
    }

    deinit {
        ReservedMemory.release(UnsafeMutableRawPointer(states), byteCount: count)
        ReservedMemory.release(UnsafeMutableRawPointer(filled), byteCount: largeCount)
    }

    var residentCount: Int { resident.load(ordering: .relaxed) }

    /// Notes that blocks in these chunks are used.
    /// - Parameter fill: called with a large page of which all chunks have memory now.
    func use(_ range: ClosedRange<Int>, fill: (Int) -> Void) {
        for chunk in range where chunk < count {
            switch states[chunk].word.exchange(Standing.used, ordering: .relaxed) {
            case Standing.absent:
                clock.withLock { $0.chunks.append(UInt32(chunk)) }
                resident.wrappingAdd(1, ordering: .relaxed)
                let large = chunk / Self.chunksPerLargePage
                if filled[large].word.wrappingAdd(1, ordering: .relaxed).newValue == Self.chunksPerLargePage { fill(large) }
            default: break
            }
        }
    }

    /// Turns the hand, at most twice round, until no more than so many chunks have memory. Nobody uses any meanwhile.
    func turn(until wanted: Int, cool: (Int) -> Void, drop: (Int) -> Void) {
        clock.withLock { clock in
            var left = clock.chunks.count * 2
            while clock.chunks.count > wanted, left > 0 {
                left -= 1
                if clock.hand >= clock.chunks.count { clock.hand = 0 }
                let chunk = Int(clock.chunks[clock.hand])
                if states[chunk].word.exchange(Standing.cool, ordering: .relaxed) == Standing.used {
                    cool(chunk)
                    clock.hand += 1
                } else {
                    states[chunk].word.store(Standing.absent, ordering: .relaxed)
                    filled[chunk / Self.chunksPerLargePage].word.wrappingSubtract(1, ordering: .relaxed)
                    drop(chunk)
                    clock.chunks.swapAt(clock.hand, clock.chunks.count - 1)
                    clock.chunks.removeLast()
                    resident.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
    }
}
