/// One end of a FIFO that notifies a listener in an event loop of changes.
///
/// A byte means only "look again". The reader drains the pipe and then re-reads the shared word, in this order, so no
/// change is lost if the pipe is full or the byte is for an older change.
public protocol NotifyPipe: AnyObject, Sendable {
    /// The descriptor to poll for reading; never read from it (in a simulation -1).
    var descriptor: Int32 { get }

    /// Makes the descriptor readable every given number of nanoseconds from now on, even without a notification; nil:
    /// only with one. For the reading end.
    func setAlarm(everyNanoseconds: UInt64?) throws(SystemError)

    /// Writes one byte, without waiting.
    func tell() throws(SystemError) -> TellOutcome

    /// Reads all bytes and acknowledges the alarm, without waiting.
    /// - Returns: whether there was a byte.
    @discardableResult
    func drain() throws(SystemError) -> Bool

    /// Waits until there is a byte to drain, or the alarm has expired.
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
