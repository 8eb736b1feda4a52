import Platform

/// A mistake of the program that uses the library: it touched a deleted object, wrote outside a transaction, used an object on the
/// wrong thread.
///
/// Such a mistake stops the program, with a message that says what and why, unless somebody listens:
///
/// ```swift
/// Misuse.listen({ misuse in log(misuse.message) }) {
///     handle(request)
/// }
/// ```
/// Then the call that was wrong changes nothing and returns nothing of use: 0, an empty text, nil.
public struct Misuse: Error, Sendable, CustomStringConvertible {
    /// What was wrong, in the words that users of object databases know.
    public let message: String
    /// What to do about it.
    public let hint: String

    /// The message and the hint, each a sentence.
    public var description: String {
        if hint.isEmpty { return message }
        // Many messages are Realm's word for word, which have no full stop.
        let isSentence = message.last.map { ".!?…:".contains($0) } ?? true
        return "\(message)\(isSentence ? "" : ".") \(hint)"
    }

    /// What listens to mistakes made while a task or thread runs `listen`.
    @TaskLocal private static var listener: (@Sendable (Misuse) -> Void)?

    private static let everywhere = Published<(@Sendable (Misuse) -> Void)?>()

    /// Calls `listener` instead of stopping the program for mistakes within `body`.
    public static func listen<Result>(_ listener: @escaping @Sendable (Misuse) -> Void, while body: () throws -> Result) rethrows -> Result {
        try $listener.withValue(listener, operation: body)
    }

    /// Calls `listener` instead of stopping the program for mistakes anywhere in it; nil ends that.
    public static func listenEverywhere(_ listener: (@Sendable (Misuse) -> Void)?) { everywhere.set(listener) }

    /// The one way in which mistakes are told. Returns if somebody listens.
    static func report(_ message: String, hint: String = "") {
        if !tell(message, hint: hint) { fatalError("Freehold: \(Misuse(message: message, hint: hint))") }
    }

    /// Tells whoever listens; false if nobody does.
    static func tell(_ message: String, hint: String = "") -> Bool {
        guard let listener = listener ?? everywhere.value ?? nil else { return false }
        listener(Misuse(message: message, hint: hint))
        return true
    }
}
