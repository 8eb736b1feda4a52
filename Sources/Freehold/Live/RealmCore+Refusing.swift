import CShims
import FreeholdEngine

/// What stands in the way of using a realm.
extension RealmCore {
    /// Tells why the caller may not use it here.
    @inline(never)
    func refuse() -> Bool {
        if isForked {
            Misuse.report("Realm accessed in a process that was forked after it was opened.", hint: "Open it again in the child process.")
        } else if frozen != nil {
            Misuse.report("Cannot read from a frozen Realm which has been invalidated.")
        } else {
            Misuse.report(confinement.complaint, hint: "Open the realm again where it is needed, and find the object there by its key; or pass frozen objects or a ThreadSafeReference.")
        }
        return false
    }

    /// Whether this is a child of the process that opened the realm.
    ///
    /// Safe: the word is there for good.
    @inline(__always) var isForked: Bool { freehold_shim_fork_generation_word().pointee != forkGeneration }

    /// Whether what the realm shows never changes.
    @inline(__always) var isFrozen: Bool { frozen != nil }

    /// Does what may fail; what fails is told as the engine says it.
    func attempt<Result>(_ fallback: @autoclosure () -> Result, _ body: () throws -> Result) -> Result {
        do { return try body() } catch {
            Misuse.report("\(error)")
            return fallback()
        }
    }
}
