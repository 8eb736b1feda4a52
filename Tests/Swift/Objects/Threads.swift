import Foundation
import Synchronization

/// What the body returned on a thread of its own, which has ended by then.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let result = Mutex<Result?>(nil)
    try onThreads(1) { _ in
        let value = try body()
        result.withLock { $0 = value }
    }
    return result.withLock { $0! }
}

private protocol Running { func run() }

private final class Work: Sendable, Running {
    let body: @Sendable () throws -> Void
    let result = Mutex<Result<Void, any Error>?>(nil)
    init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    func run() {
        let value = Result(catching: body)
        result.withLock { $0 = value }
    }
}

/// Runs the body on so many threads at once, numbered from 0, and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let work = (0..<count).map { number in Work { try body(number) } }
    var threads: [pthread_t] = []
    for work in work {
        var thread = pthread_t(), attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 << 10)
        let code = pthread_create(&thread, &attributes, { context in
            (Unmanaged<AnyObject>.fromOpaque(context!).takeRetainedValue() as? any Running).map { $0.run() }
            return nil
        }, Unmanaged.passRetained(work as AnyObject).toOpaque())
        precondition(code == 0, "no thread can be started")
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    for work in work { try work.result.withLock { $0! }.get() }
}

/// Takes something across threads that the compiler would not let pass: to test that the library notices.
struct Smuggled<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
