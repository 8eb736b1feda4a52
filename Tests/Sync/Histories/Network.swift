import TestKit
@testable import FreeholdEngine
@testable import FreeholdMerge

/// A batch, with what the judge has to know of its sender.
struct PushMessage {
    let file: Int
    let user: Int
    let push: SyncPush
    /// What the device had of the server.
    let bases: [DeviceRow?]
}

/// An answer, with all that the user sees in its snapshot, for the judge.
struct AnswerMessage {
    let file: Int
    let answer: SyncAnswer
    let visible: [StoredRow?]
    let store: any SyncStore
}

enum Message {
    case push(PushMessage)
    case pull(file: Int, user: Int, SyncPull)
    case ack(file: Int, SyncAck)
    case answer(AnswerMessage)
}

/// Messages under way: delayed, reordered, repeated and lost.
struct Network {
    private(set) var messages: [Message] = []

    mutating func send(_ message: Message) { messages.append(message) }

    mutating func nextInOrder() -> Message? { messages.isEmpty ? nil : messages.removeFirst() }

    mutating func next(_ rules: HistoryRules, _ random: inout SeededRandom) -> Message? {
        guard !messages.isEmpty else { return nil }
        let at = random.chance(rules.disorder) ? random.below(messages.count) : 0, draw = random.fraction()
        if draw < rules.repeated { return messages[at] }
        let message = messages.remove(at: at)
        return draw > 1 - rules.lost ? nil : message
    }
}

extension SeededRandom {
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
    mutating func chance(_ chance: Double) -> Bool { fraction() < chance }
    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
