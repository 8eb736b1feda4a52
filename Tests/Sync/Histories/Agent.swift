@testable import FreeholdEngine

/// The process that has the file's sync lease. It can die between any two steps; the next one takes over from what the file says.
final class Agent {
    let device: Device
    var inbox: [Message] = []
    private var state = State.begins
    private var waits = 0

    private enum State {
        case begins, opened
        case sealed(UInt64, PushMessage)
        case sent, waiting, applied
        case received(AnswerMessage)
        case cursorSet(AnswerMessage)
    }

    init(_ device: Device) { self.device = device }

    private var world: World { device.world }

    func step() {
        switch state {
        case .begins:
            device.open()
            state = .opened
        case .opened: turn()
        case .sealed(let epoch, let message): send(epoch, message)
        case .sent: pull()
        case .waiting, .applied: receive()
        case .received(let message): apply(message)
        case .cursorSet(let message): finish(message)
        }
    }

    private func turn() {
        guard device.now.isPending else { return pull() }
        let epoch = device.seal()
        state = .sealed(epoch, message(epoch))
    }

    private func message(_ epoch: UInt64) -> PushMessage {
        PushMessage(file: device.number, user: device.user, push: device.batch(epoch), bases: device.now.base)
    }

    private func send(_ epoch: UInt64, _ message: PushMessage) {
        world.network.send(.push(device.shortcuts.contains(.readsBatchLater) ? self.message(epoch) : message))
        state = .sent
    }

    private func pull() {
        if !device.shortcuts.contains(.sendsCursorThatIsNotDurable) {
            device.flush()
            device.follow(isCompared: false) { try $0.pull(device) }
        }
        let now = device.now, inherited = now.copied.map { ReplicaIdentity(high: 0, low: UInt64($0.replica)) }
        let pull = SyncPull(replica: ReplicaIdentity(high: 0, low: UInt64(now.replica)), history: now.history, cursor: now.cursor,
                            inherited: inherited, sent: UInt64(world.time))
        world.network.send(.pull(file: device.number, user: device.user, pull))
        waits = 2 + world.random.below(6)
        state = .waiting
    }

    private func receive() {
        while !inbox.isEmpty {
            switch inbox.removeFirst() {
            case .ack(_, let ack):
                guard device.shortcuts.contains(.ackClears), ack.replica.low == UInt64(device.now.replica) else { continue }
                device.clearByAck(ack.epoch)
            case .answer(let message):
                state = .received(message)
                return
            case .push, .pull: continue
            }
        }
        waits -= 1
        state = .waiting
        if waits <= 0 { turn() }
    }

    private func apply(_ message: AnswerMessage) {
        guard Application(device, message).isDue else { return receive() }
        if device.shortcuts.contains(.setsCursorApart) {
            device.now.history = message.answer.history
            device.now.cursor = message.answer.cursor
            state = .cursorSet(message)
        } else {
            finish(message)
        }
    }

    private func finish(_ message: AnswerMessage) {
        var application = Application(device, message)
        application.apply()
        state = .applied
    }
}

extension Device {
    /// The shortcut that an acknowledgement clears what is pending.
    func clearByAck(_ epoch: UInt64) {
        let answer = SyncAnswer(replica: ReplicaIdentity(high: 0, low: UInt64(now.replica)), askedHistory: 0, askedCursor: .never,
                                history: 0, cursor: .never, isReset: false, known: epoch, time: 0, sent: 0, names: SyncNames())
        var application = Application(self, AnswerMessage(file: number, answer: answer, visible: [], store: world.server.store))
        application.clear(epoch)
    }
}
