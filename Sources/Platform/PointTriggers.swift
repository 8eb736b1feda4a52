import Glibc
import Synchronization

/// The action of a real process at a named point.
///
/// The environment may order a signal: `FREEHOLD_KILL_AT=name:count` raises SIGKILL the count-th time that the process
/// passes the point, `FREEHOLD_STOP_AT` SIGSTOP. It is read once. A test may also set a hook.
public final class PointTriggers: Sendable {
    public static let shared = PointTriggers()

    private let orders: [Order]
    private let hook = Published<(@Sendable (StaticString) -> Void)?>()

    private init() {
        orders = [Order("FREEHOLD_KILL_AT", SIGKILL), Order("FREEHOLD_STOP_AT", SIGSTOP)].compactMap { $0 }
    }

    /// Calls `hook` at every point of this process from now on, on the thread that passes it; nil removes it.
    // Allowed: tests act at named points.
    public func setHook(_ hook: (@Sendable (StaticString) -> Void)?) {
        self.hook.set(hook)
    }

    func pass(_ name: StaticString) {
        for order in orders { order.pass(name) }
        (hook.value ?? nil)?(name)
    }

    /// A signal to raise the n-th time that a point is passed.
    private final class Order: Sendable {
        let name: String
        let count: Int
        let signal: Int32
        private let passed = Atomic(0)

        init?(_ variable: String, _ signal: Int32) {
            // Safe: nothing of ours changes the environment, and the text is copied at once.
            guard let value = getenv(variable).map({ String(cString: $0) }),
                let colon = value.lastIndex(of: ":"), let count = Int(value[value.index(after: colon)...])
            else { return nil }
            name = String(value[..<colon])
            self.count = count
            self.signal = signal
        }

        func pass(_ passing: StaticString) {
            guard passing.description == name else { return }
            if passed.wrappingAdd(1, ordering: .relaxed).newValue == count { raise(signal) }
        }
    }
}
