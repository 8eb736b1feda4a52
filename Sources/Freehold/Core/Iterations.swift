import Synchronization

/// An iteration that can keep the elements that it has still to visit.
protocol Detachable: AnyObject {
    /// Keeps the elements still to come.
    func detach()
}

/// The iterations of one realm that read by position. An iteration removes itself before it is deallocated, on whatever thread.
final class Iterations: Sendable {
    private let all = Mutex<[ObjectIdentifier: RegisteredReference<AnyObject>]>([:])

    func add(_ iteration: any Detachable) {
        let entry = RegisteredReference(iteration as AnyObject)
        all.withLock { $0[entry.identity] = entry }
    }

    func remove(_ iteration: any Detachable) {
        let identity = ObjectIdentifier(iteration)
        all.withLock { _ = $0.removeValue(forKey: identity) }
    }

    /// Makes each iteration keep its remaining elements, before the realm shows another version.
    func detach() {
        let found = all.withLock { all in
            defer { all = [:] }
            return all.values.compactMap { $0.kept() }
        }
        for entry in found { (entry.object as? any Detachable)?.detach() }
    }
}
