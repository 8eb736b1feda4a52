@testable import FreeholdEngine
import TestKit
import Testing

/// The states of a queue's write requests against a naive model.
@Suite struct AsyncWriteRequestsTests {
    @Test("random steps leave every request in the state that the model has", arguments: TestScale.seeds(200, long: 4000))
    func randomSteps(seed: UInt64) {
        var both = Both(seed: seed)
        for step in 0..<300 {
            let what = both.step()
            let differences = both.differences()
            #expect(differences.isEmpty, "seed \(seed), step \(step), \(what): \(differences.joined(separator: "; "))")
            if !differences.isEmpty { return }
        }
    }

    @Test("all that requesters and the writer thread do, in every order of four steps, leaves what the model has")
    func everyOrder() {
        let steps = Both.Step.allCases
        var order = [Int](repeating: 0, count: 4), count = 0
        repeat {
            var both = Both(seed: 1)
            for step in order {
                both.perform(steps[step])
                let differences = both.differences()
                #expect(differences.isEmpty, "\(order.map { steps[$0] }): \(differences.joined(separator: "; "))")
                if !differences.isEmpty { return }
            }
            count += 1
        } while advance(&order, steps.count)
        #expect(count == steps.count * steps.count * steps.count * steps.count)
    }

    /// The next combination; false after the last one.
    private func advance(_ order: inout [Int], _ choices: Int) -> Bool {
        for place in order.indices {
            order[place] += 1
            if order[place] < choices { return true }
            order[place] = 0
        }
        return false
    }
}

/// The requests of a queue and the model of them, led through the same steps.
private struct Both {
    enum Step: CaseIterable {
        case add, addWithTimeout, addAtPlace, readd, take, cancel, serve, passTime, block, unblock, close
    }

    private static let places = (0..<2).map { WriterPlace(kind: 1, number: $0) }
    private static let gone = FreeholdError(.closed, "closed")
    private static let late = FreeholdError(.busy, "late")
    private static let refused = FreeholdError(.io, "refused")

    private var real = AsyncWriteRequests()
    private var requests: [AsyncWriteRequest] = []
    private var model = NaiveRequests()
    private var random: SeededRandom
    private var now: UInt64 = 1
    private var notices: (real: [Int], model: [Int]) = ([], [])
    private var answers: (real: Bool, model: Bool) = (false, false)

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Performs a random step; returns what it was.
    mutating func step() -> Step {
        let steps: [Step] = [
            .add, .addWithTimeout, .addAtPlace, .readd, .take, .take, .cancel, .serve, .serve, .serve, .passTime, .block, .unblock,
        ]
        let step = random.oneIn(200) ? Step.close : steps[random.below(steps.count)]
        perform(step)
        return step
    }

    mutating func perform(_ step: Step) {
        switch step {
        case .add: add(place: nil, timeout: nil)
        case .addWithTimeout: add(place: nil, timeout: random.below(4) * 100)
        case .addAtPlace: add(place: random.below(2), timeout: random.oneIn(2) ? 500 : nil)
        case .readd: withRequest { both, number in
            both.real.readd(both.requests[number], at: both.now)
            both.model.readd(number, at: both.now)
        }
        case .take: withRequest { both, number in both.answers = (both.real.take(both.requests[number]), both.model.take(number)) }
        case .cancel: withRequest { both, number in both.answers = (both.real.cancel(both.requests[number]), both.model.cancel(number)) }
        case .serve: serve()
        case .passTime: now += UInt64(random.below(300)) * 1_000_000
        case .block, .unblock: block(random.below(2), step == .block)
        case .close:
            real.close(Self.gone)
            model.close()
        }
        notices.real += real.takeNotices().compactMap { notice in requests.firstIndex { $0 === notice } }
        notices.model += model.notices
        model.notices = []
    }

    private mutating func add(place: Int?, timeout: Int?) {
        let request = AsyncWriteRequest(nil, at: place.map { Self.places[$0] }, timeoutMilliseconds: timeout) {}
        requests.append(request)
        real.add(request, at: now)
        model.add(place: place, timeout: timeout, at: now)
    }

    private mutating func withRequest(_ body: (inout Both, Int) -> Void) {
        if requests.isEmpty { return }
        // Mostly one of the last ones: the others are over.
        let number = random.oneIn(4) ? random.below(requests.count) : max(0, requests.count - 1 - random.below(4))
        body(&self, number)
    }

    private mutating func block(_ place: Int, _ isBlocked: Bool) {
        // A caller that no longer blocks has blocked before.
        if !isBlocked, !model.blocked.contains(place) { return }
        if isBlocked { real.block(Self.places[place]) } else { real.unblock(Self.places[place]) }
        model.block(place, isBlocked)
    }

    /// A step of the writer thread.
    private mutating func serve() {
        if model.releasing != nil {
            real.endRelease()
            model.releasing = nil
        } else if let holder = model.holder {
            if model.requests[holder].state == .taken, random.oneIn(2) {
                real.finish()
                model.finish()
            } else {
                real.withdraw(at: now)
                model.withdraw(at: now)
                expire()
            }
        } else if random.oneIn(4) {
            if let first = real.waiting.first { real.fail(first, Self.refused) }
            model.failFirst()
        } else if random.oneIn(4) {
            expire()
        } else {
            answers = (real.grant(at: now) != nil, model.grant(at: now))
        }
    }

    private mutating func expire() {
        for request in real.expired(at: now) { real.fail(request, Self.late) }
        model.expire(at: now)
    }

    /// Where the requests and the model differ.
    func differences() -> [String] {
        var found: [String] = []
        func compare<Value: Equatable>(_ what: String, _ real: Value, _ model: Value) {
            if real != model { found.append("\(what) is \(real), not \(model)") }
        }
        func number(_ request: AsyncWriteRequest?) -> Int? { request.flatMap { wanted in requests.firstIndex { $0 === wanted } } }
        for (index, request) in requests.enumerated() {
            compare("request \(index)", request.state, model.requests[index].state)
            compare("the failure of \(index)", request.failure?.code, model.requests[index].failure)
            compare("whether \(index) may pass", real.mayPass(request), model.mayPass(index))
        }
        compare("the queue", real.waiting.compactMap(number), model.waiting)
        compare("the holder", number(real.holder), model.holder)
        compare("what is released", number(real.releasing), model.releasing)
        compare("lateness", real.isLate(at: now), model.isLate(at: now))
        compare("the next time", real.nextTime, model.nextTime)
        compare("what was notified", notices.real, notices.model)
        compare("the answer", answers.real, answers.model)
        _ = real.checkInvariants()
        return found
    }
}

/// The rules of the README in their plainest form: every question looks at all requests.
private struct NaiveRequests {
    struct Request {
        var state = AsyncWriteRequest.State.waiting
        var failure: FreeholdError.Code?
        var place: Int?
        var timeout: Int?
        var waitsUntil = UInt64.max
        var heldUntil: UInt64 = 0
    }

    var requests: [Request] = []
    var releasing: Int?
    /// A place, as often as callers block it.
    var blocked: [Int] = []
    var notices: [Int] = []
    private var isClosed = false

    var waiting: [Int] { requests.indices.filter { requests[$0].state == .waiting } }
    var holder: Int? { requests.indices.first { requests[$0].state == .granted || requests[$0].state == .taken } }

    mutating func add(place: Int?, timeout: Int?, at now: UInt64) {
        requests.append(Request(place: place, timeout: timeout))
        wait(requests.count - 1, at: now)
    }

    mutating func readd(_ number: Int, at now: UInt64) {
        guard [.granted, .withdrawn].contains(requests[number].state) else { return }
        let later = holder.flatMap { $0 > number && requests[$0].state == .granted ? $0 : nil }
        if requests[number].state == .granted { releasing = number }
        wait(number, at: now)
        guard let later else { return }
        wait(later, at: now)
        give(to: number, at: now)
    }

    private mutating func give(to number: Int, at now: UInt64) {
        requests[number].state = .granted
        requests[number].heldUntil = now + 250_000_000
        notices.append(number)
    }

    private mutating func wait(_ number: Int, at now: UInt64) {
        requests[number].state = .waiting
        requests[number].waitsUntil = requests[number].timeout.map { now + UInt64($0) * 1_000_000 } ?? .max
        if isClosed { fail(number, .closed) }
    }

    private mutating func fail(_ number: Int, _ code: FreeholdError.Code) {
        requests[number].state = .over
        requests[number].failure = code
        notices.append(number)
    }

    mutating func take(_ number: Int) -> Bool {
        guard requests[number].state == .granted else { return false }
        requests[number].state = .taken
        return true
    }

    mutating func cancel(_ number: Int) -> Bool {
        guard ![.taken, .over].contains(requests[number].state) else { return false }
        if requests[number].state == .granted { releasing = number }
        requests[number].state = .over
        return true
    }

    func mayPass(_ number: Int) -> Bool { requests[number].state == .withdrawn && !(waiting + [holder ?? number]).contains { $0 < number } }

    mutating func grant(at now: UInt64) -> Bool {
        guard let first = waiting.first else { return false }
        give(to: first, at: now)
        return true
    }

    func isLate(at now: UInt64) -> Bool {
        guard let holder, requests[holder].state == .granted else { return false }
        return now >= requests[holder].heldUntil || requests[holder].place.map(blocked.contains) ?? false
    }

    mutating func withdraw(at now: UInt64) {
        guard isLate(at: now), let late = holder else { return }
        requests[late].state = .withdrawn
        releasing = late
    }

    mutating func finish() { if let holder { requests[holder].state = .over } }
    mutating func failFirst() { if let first = waiting.first { fail(first, .io) } }
    mutating func expire(at now: UInt64) { for number in waiting where requests[number].waitsUntil <= now { fail(number, .busy) } }

    mutating func block(_ place: Int, _ isBlocked: Bool) {
        if isBlocked { blocked.append(place) } else if let index = blocked.firstIndex(of: place) { blocked.remove(at: index) }
    }

    mutating func close() {
        if isClosed { return }
        isClosed = true
        for number in waiting { fail(number, .closed) }
        for number in requests.indices where requests[number].state == .granted {
            releasing = number
            fail(number, .closed)
        }
    }

    var nextTime: UInt64 {
        requests.map { request in
            switch request.state {
            case .waiting: request.waitsUntil
            case .granted: request.heldUntil
            case .taken, .withdrawn, .over: UInt64.max
            }
        }.min() ?? .max
    }
}
