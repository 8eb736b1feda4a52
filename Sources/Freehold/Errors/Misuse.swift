import Platform

/// A mistake of the program in its use of the library: it accessed a deleted object, wrote outside a transaction, used
/// an object on the wrong thread.
///
/// Misuse stops the program, with a message that says what and why, unless a listener is set:
///
/// ```swift
/// Misuse.listen({ misuse in log(misuse.message) }) {
///     handle(request)
/// }
/// ```
/// With a listener the wrong call changes nothing, and returns an empty result: 0, an empty string, nil.
public struct Misuse: Error, Sendable, CustomStringConvertible {
    /// What was wrong, in the terms that users of object databases know.
    public let message: String
    /// What to do about it.
    public let hint: String

    /// The message and the hint, each a sentence.
    public var description: String {
        if hint.isEmpty { return message }
        // Many messages are Realm's word for word, and have no full stop.
        let isSentence = message.last.map { ".!?…:".contains($0) } ?? true
        return "\(message)\(isSentence ? "" : ".") \(hint)"
    }

    /// The listener for misuse while a task or thread runs `listen`.
    @TaskLocal private static var listener: (@Sendable (Misuse) -> Void)?

    private static let everywhere = Published<(@Sendable (Misuse) -> Void)?>()

    /// Calls `listener` for misuse within `body` instead of stopping the program.
    public static func listen<Result>(_ listener: @escaping @Sendable (Misuse) -> Void, while body: () throws -> Result) rethrows -> Result {
        try $listener.withValue(listener, operation: body)
    }

    /// Calls `listener` for misuse anywhere in the program instead of stopping it; nil removes the listener.
    public static func listenEverywhere(_ listener: (@Sendable (Misuse) -> Void)?) { everywhere.set(listener) }

    /// Reports misuse; every report passes through here. Returns only if there is a listener.
    static func report(_ message: String, hint: String = "") {
        if !tell(message, hint: hint) { fatalError("Freehold: \(Misuse(message: message, hint: hint))") }
    }

    /// Calls the listener; false if there is none.
    static func tell(_ message: String, hint: String = "") -> Bool {
        guard let listener = listener ?? everywhere.value ?? nil else { return false }
        listener(Misuse(message: message, hint: hint))
        return true
    }
}
