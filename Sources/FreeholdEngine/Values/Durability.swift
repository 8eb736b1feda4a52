/// The guarantee that a commit gives when it returns.
public enum Durability: Sendable {
    /// The changes survive a power cut: they have been flushed, together with those of every process that committed
    /// at that moment.
    case full
    /// The changes survive the death of any process; a power cut may lose them but never damages anything. The next
    /// `.full` commit of any process makes them durable too.
    case processCrash
}
