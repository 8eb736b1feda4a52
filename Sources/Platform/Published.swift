import Synchronization

/// A value that is rarely set, and read without a lock: also in a forked child, which could find a lock held forever.
///
/// Earlier values are kept, because another thread may be reading them.
public final class Published<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        let before: Box?
        init(_ value: Value, _ before: Box?) { (self.value, self.before) = (value, before) }
    }

    /// The address of the newest box, or 0.
    private let newest = Atomic<UInt>(0)

    public init() {}

    private func box(at address: UInt) -> Box? {
        // Safe: what stands there was retained for good.
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<Box>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The last value set; nil before the first.
    public var value: Value? { box(at: newest.load(ordering: .acquiring))?.value }

    /// Sets the value for every thread.
    public func set(_ value: Value) {
        while true {
            let address = newest.load(ordering: .acquiring)
            // Safe: given back only if it comes to stand nowhere.
            let made = Unmanaged.passRetained(Box(value, box(at: address)))
            let isDone = newest.compareExchange(expected: address, desired: UInt(bitPattern: made.toOpaque()), ordering: .acquiringAndReleasing).exchanged
            if isDone { return }
            made.release()
        }
    }
}
