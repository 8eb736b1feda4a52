import Platform
import Synchronization

/// Reports whether a shadow has more memory than a given limit; checked between any two objects of a pass.
///
/// Safe throughout: the caller keeps the shadow alive, by its snapshot or its window.
struct ShadowGauge {
    private let chunks: Unmanaged<ShadowChunks>
    private let most: Int

    fileprivate init(_ chunks: ShadowChunks, mostBytes: Int) {
        self.chunks = Unmanaged.passUnretained(chunks)
        most = mostBytes / Shadow.chunkBytes
    }

    @inline(__always)
    var isOver: Bool { chunks._withUnsafeGuaranteedRef { $0.residentCount > most } }
}

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

    /// Nil if there is no address space for its table.
    init?(count: Int) {
        self.count = count
        largeCount = count / Self.chunksPerLargePage + 1
        guard let memory = ReservedMemory.reserve(byteCount: count + largeCount) else { return nil }
        states = memory.bindMemory(to: State.self, capacity: count + largeCount)
        filled = states + count
    }

    deinit { ReservedMemory.release(UnsafeMutableRawPointer(states), byteCount: count + largeCount) }

    /// Tells whether more than so many bytes have memory.
    func gauge(mostBytes: Int) -> ShadowGauge { ShadowGauge(self, mostBytes: mostBytes) }

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
            let counted = resident.load(ordering: .relaxed)
            assert(clock.chunks.count == counted, "the clock lists other chunks than have memory")
            assert(Set(clock.chunks).count == clock.chunks.count, "the clock lists a chunk twice")
        }
    }
}
