import Glibc
import Platform
import Synchronization

/// A thread that hardly ever is outside of a call that encrypts.
///
/// Safe throughout: the sealer and the memory belong to the thread from `start` until `stop` has joined it.
final class BusySealer: @unchecked Sendable {
    private static let length = 8 << 20

    private let sealer: any Sealer
    private let text = UnsafeMutableRawBufferPointer.allocate(byteCount: BusySealer.length, alignment: 16)
    private let rounds = Atomic<Int>(0), isOver = Atomic<Bool>(false)
    private var thread = pthread_t()

    init(_ sealer: any Sealer) { self.sealer = sealer }

    deinit { text.deallocate() }

    /// Returns when the thread has sealed for the first time.
    func start() {
        let result = pthread_create(&thread, nil, { busy in
            Unmanaged<BusySealer>.fromOpaque(busy!).takeUnretainedValue().run()
            return nil
        }, Unmanaged.passUnretained(self).toOpaque())
        precondition(result == 0, "no thread")
        while rounds.load(ordering: .acquiring) == 0 { sched_yield() }
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        pthread_join(thread, nil)
    }

    private func run() {
        text.initializeMemory(as: UInt8.self, repeating: 7)
        let tag = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
        defer { tag.deallocate() }
        var round: UInt64 = 0
        while !isOver.load(ordering: .acquiring) {
            round += 1
            let bytes = UnsafeRawBufferPointer(text)
            sealer.seal(
                bytes, to: text.baseAddress!, Nonce(counter: round), associated: UnsafeRawBufferPointer(rebasing: bytes[..<1]), tag: tag)
            rounds.store(Int(round), ordering: .releasing)
        }
    }
}
