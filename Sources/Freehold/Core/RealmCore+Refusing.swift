import CShims
import FreeholdEngine

/// Errors and misuse when a realm is used.
extension RealmCore {
    /// Reports why the caller may not use the realm here.
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
    /// Safe: the word is never freed.
    @inline(__always) var isForked: Bool { freehold_shim_fork_generation_word().pointee != forkGeneration }

    /// Whether what the realm shows never changes.
    @inline(__always) var isFrozen: Bool { frozen != nil }

    /// Runs a body that may throw; reports its error and returns the fallback.
    func attempt<Result>(_ fallback: @autoclosure () -> Result, _ body: () throws -> Result) -> Result {
        do { return try body() } catch {
            report(error)
            return fallback()
        }
    }

    /// Reports an error with the engine's message.
    func report(_ error: any Error) {
        if let error = error as? FreeholdError { refuse(error, "\(error)") } else { Misuse.report("\(error)") }
    }

    /// Refuses an operation because of the data, the disk or the machine. That is no misuse, and the program may catch
    /// it.
    ///
    /// Within a write transaction the call changes nothing, and the transaction ends with this error instead of a
    /// commit, whether or not the program listens to `Misuse`. Elsewhere no call can throw the error, and it is
    /// reported as misuse. An error that is misuse is reported to a listener, and the transaction goes on; without a
    /// listener it ends the transaction too.
    func refuse(_ error: FreeholdError, _ message: String, hint: String = "") {
        if !error.isRefusal, isRefused || Misuse.tell(message, hint: hint) { return }
        guard transaction != nil else { return Misuse.report(message, hint: hint) }
        writing.refuse(error)
    }

    /// Whether a write transaction is open; reports misuse if not.
    func requireWrite() -> Bool {
        if transaction != nil { return true }
        if isFrozen {
            Misuse.report("Can't perform transactions on a frozen Realm", hint: "Call thaw on it first.")
            return false
        }
        Misuse.report("Can only add, remove, or create objects in a Realm in a write transaction - call beginWrite on a Realm instance first.")
        return false
    }

    /// Refuses an operation because another object has the primary key.
    func refuseTakenKey(_ key: Value, of live: LiveClass) {
        let message = "Attempting to create an object of type '\(live.model.name)' with an existing primary key value '\(key.plain)'."
        let hint = "Use add(_:update:) with .modified or .all to change the one that is there."
        refuse(FreeholdError(.duplicateKey, "\(message) \(hint)"), message, hint: hint)
    }

    /// The write transaction under way. If an operation in it was refused, it is cancelled, and the refusal is thrown.
    func acceptedTransaction() throws -> WriteTransaction? {
        guard let refused = writing.refused else { return transaction }
        cancelWrite()
        throw refused
    }
}

extension FreeholdError {
    /// Whether the data, the disk or the machine is the cause, and not misuse.
    var isRefusal: Bool {
        switch code {
        case .duplicateKey, .deleteDenied, .busy, .leaseLost, .notYetDurable, .revoked: true
        default: code.band != .argument && code.band != .state
        }
    }
}
