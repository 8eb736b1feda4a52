/// One end of a FIFO that notifies a listener in an event loop of changes.
///
/// A byte carries no meaning but "look again": whoever is woken drains the pipe, then re-reads the shared word, in this
/// order; so a byte that found the pipe full, or one for an older change, loses nothing.
public protocol NotifyPipe: AnyObject, Sendable {
    /// The descriptor to poll for reading, never to read from (in a simulation -1).
    var descriptor: Int32 { get }

    /// Makes the descriptor readable every so many nanoseconds from now on, told or not; nil: only when told. For who reads.
    func setAlarm(everyNanoseconds: UInt64?) throws(SystemError)

    /// Writes one byte, without waiting.
    func tell() throws(SystemError) -> TellOutcome

    /// Takes all bytes out, and notes that the alarm has gone off, without waiting.
    /// - Returns: whether there was any byte.
    @discardableResult
    func drain() throws(SystemError) -> Bool

    /// Waits until there is a byte to drain, or the alarm has gone off.
    /// - Returns: false after the timeout.
    func waitUntilTold(timeoutMilliseconds: Int) throws(SystemError) -> Bool

    /// Closes the descriptors. A second call does nothing.
    func close()
}

/// The result of writing a byte to a notify pipe.
public enum TellOutcome: Sendable, Equatable {
    /// It is in the pipe.
    case told
    /// The pipe is full, so the listener has been notified already.
    case full
    /// No process has the pipe open for reading.
    case nobody
}
