import TestKit
@testable import FreeholdEngine
@testable import FreeholdMerge

/// One history: files, a server, a network between them, true time, and what happens to them.
final class World: @unchecked Sendable {
    static let mostFiles = 5
    static let users = [1, 1, 2]

    let rules: HistoryRules
    var random: SeededRandom
    var time = 1000
    var network = Network()
    private(set) var server: SyncServer
    private(set) lazy var judge = Judge(self)
    private(set) var devices: [Device] = []
    private var agents: [Agent] = []
    /// The first thing that was wrong.
    private(set) var violation: String?
    private(set) var hasRestored = false
    var runs = Runs()
    /// Objects that were created again whole: runs of their lists are not judged.
    var createdAgain: Set<Int> = []
    /// Users who may change the restricted property.
    private(set) var admins: Set<Int> = [1, 2]
    /// Values of the merged property, by number.
    private(set) var sets: [Set<Int>] = [[]]
    private var setNumbers: [Set<Int>: Int] = [:]
    private var numbers = 0, replicas = 0
    private var holders: [Int] = [-1]
    private var running: [(transaction: UInt64, message: PushMessage)] = []
    private var memory: MemoryStore
    private var backup: (store: MemoryStore, fates: Judge.Fates, snapshots: [(time: Int, oldest: UInt64)])?
    private var snapshots: [(time: Int, oldest: UInt64)] = []
    var log: ((String) -> Void)?
    /// Called with each message that arrives.
    var inspect: ((Message) -> Void)?

    private let seed: UInt64
    /// The streams and rights as rules, which say the same.
    private(set) var ruled: RuledStreams?
    private let directory = MemoryDirectory()

    init(seed: UInt64, _ rules: HistoryRules) {
        self.rules = rules
        self.seed = seed
        random = SeededRandom(seed: seed)
        memory = MemoryStore(schema: Self.schema)
        server = SyncServer(schema: Self.schema, store: memory)
        server = makeServer(memory, history: 1)
        if let makeStore = rules.makeStore, let store = reach({ try makeStore(Self.schema) }) { server = makeServer(on: store, history: 1) }
        enterUsers()
        ruled = reach { RuledStreams(try StreamRules(Self.rules, Self.schema), Self.schema, directory) }
        for user in [1, 2] { reach { try server.add(SyncUser(rawValue: Int64(user))) } }
        for key in [Key.p1, .p2, .a] {
            reach { try server.write([], to: Self.object(key.rawValue), creates: true, now: milliseconds) }
        }
        backUp()
        devices = Self.users.enumerated().map { Device($0.offset, user: $0.element, world: self, replica: newReplica()) }
        guard rules.shadows else { return }
        for device in devices {
            do { device.shadow = try ShadowFile(device, seed: seed + UInt64(device.number)) } catch { fail("a shadow: \(error)") }
        }
    }

    private func enterUsers() {
        for user in [1, 2] {
            let claims: TextMap<Value> = ["number": .int(Int64(user)), "admin": .bool(admins.contains(user))]
            directory.enter(SyncPerson("user \(user)", claims: claims), as: SyncUser(rawValue: Int64(user)))
        }
    }

    private func makeServer(_ memory: MemoryStore, history: UInt64) -> SyncServer {
        makeServer(on: rules.codesRows ? CodedStore(memory, Self.schema) : memory, history: history)
    }

    private func makeServer(on store: any SyncStore, history: UInt64) -> SyncServer {
        let made = SyncServer(schema: Self.schema, store: store, streams: Streams(world: self), history: history)
        made.shortcuts = rules.server
        made.observer = judge
        return made
    }

    /// The world as its server has it: not owned by that, or each history would stay in memory.
    private struct Streams: SyncStreams {
        unowned let world: World
        var namesUsers: Bool { true }
        func audience(of object: SyncObject, _ row: StoredRow) throws(FreeholdError) -> SyncAudience {
            let audience = world.audience(of: object, row)
            if let ruled = world.ruled, try ruled.audience(of: object, row).users != audience.users {
                world.fail("rules see another audience")
            }
            return audience
        }

        var limitsChanges: Bool { true }
        func follows(_ property: Int32, of type: Int32) -> Bool { false }
        func allows(_ act: SyncAct, of object: SyncObject, _ row: StoredRow, by user: SyncUser) throws(FreeholdError) -> Bool {
            var allows = true
            if case .setting(let property) = act { allows = world.maySet(property, of: object, user: user) }
            if let ruled = world.ruled, try ruled.allows(act, of: object, row, by: user) != allows {
                world.fail("rules give another right")
            }
            return allows
        }
    }

    var milliseconds: Int64 { Int64(time) * millisecondsPerUnit }

    func fail(_ what: String) {
        if violation == nil { log?("VIOLATION: \(what)") }
        violation = violation ?? what
    }

    func unique() -> Int {
        numbers += 1
        return numbers
    }

    func newReplica() -> Int {
        replicas += 1
        holders.append(-1)
        return replicas
    }

    func hold(_ replica: Int, by file: Int) { holders[replica] = file }
    func holder(of replica: Int) -> Int { holders[replica] }

    func number(of set: Set<Int>) -> Int {
        if set.isEmpty { return 0 }
        if let number = setNumbers[set] { return number }
        sets.append(set)
        setNumbers[set] = sets.count - 1
        return sets.count - 1
    }

    // MARK: Events

    /// The weights of what can happen.
    private var weights: [Double] {
        [34, 40, 26, 14, 1 + rules.rights, 3 * rules.kills, 1.2 * rules.kills, rules.kills, 0.7 * rules.copies, 0.7 * rules.copies,
         1.5 * rules.clocks, rules.rights, rules.offline, rules.absences, 1.5, rules.prunes, 0.4 * rules.restores, 0.4 * rules.restores]
    }

    /// Runs the history to its end, and returns what was wrong.
    func run() -> String? {
        let weights = weights, sum = weights.reduce(0, +)
        for _ in 0..<rules.steps where violation == nil {
            time += [0, 0, 1, 2][random.below(4)]
            var draw = random.fraction() * sum, event = 0
            while event < weights.count - 1, draw >= weights[event] {
                draw -= weights[event]
                event += 1
            }
            act(event)
        }
        if violation == nil { settle() }
        if violation == nil { judge.checkEnd() }
        return violation
    }

    private func act(_ event: Int) {
        switch event {
        case 0: commit()
        case 1: stepAgent()
        case 2: if let message = network.next(rules, &random) { deliver(message) }
        case 3: if !running.isEmpty { finish(random.oneIn(2) ? 0 : random.below(running.count)) }
        case 4: writeSQL()
        case 5: if !agents.isEmpty { agents.remove(at: random.below(agents.count)) }
        case 6: powerCut()
        case 7: crashServer()
        case 8: copyFile()
        case 9: putBack()
        case 10: setSkew()
        case 11:
            admins = Set([1, 2].filter { _ in random.chance(0.6) })
            enterUsers()
        case 12: random.pick(devices).offlineUntil = time + random.pick([20, 60, 150])
        case 13: longAbsence()
        case 14: time += random.pick([30, 80, 200])
        case 15: prune()
        case 16: backUp()
        default: restore()
        }
    }

    private func commit() {
        let device = random.pick(devices)
        log?("\(time) commit of file \(device.number)")
        var program = Program(device)
        program.run()
        judge.check(device, all: false)
    }

    private func stepAgent() {
        let device = random.pick(devices)
        guard device.offlineUntil <= time else { return }
        var own = agents.filter { $0.device === device }
        if own.isEmpty || (rules.agents > own.count && random.chance(0.1)) {
            own.append(Agent(device))
            agents.append(own.last!)
        }
        for _ in 0..<[1, 1, 2, 4][random.below(4)] { random.pick(own).step() }
    }

    // MARK: Messages

    private func deliver(_ message: Message) {
        inspect?(message)
        switch message {
        case .push(let push): reach { running.append((try server.begin(), push)) }
        case .pull(let file, let user, let pull):
            let answer = reach { try self.answer(pull, for: SyncUser(rawValue: Int64(user))) }
            guard let answer else { return }
            network.send(.answer(AnswerMessage(file: file, answer: answer, visible: visible(to: user), store: server.store)))
        case .ack(let file, _): receive(file, message)
        case .answer(let answer): receive(answer.file, message)
        }
    }

    private func answer(_ pull: SyncPull, for user: SyncUser) throws -> SyncAnswer {
        guard let store = server.store as? any SnapshotStore else { return try made(pull, for: user) }
        return try store.reading(pull) { () throws(FreeholdError) in try made(pull, for: user) }
    }

    /// The answer; some are made in parts as well, and must be the same.
    private func made(_ pull: SyncPull, for user: SyncUser) throws(FreeholdError) -> SyncAnswer {
        var parts: [[UInt8]] = []
        let isNew = time % 8 != 0 ? false : try server.answer(pull, for: user, now: milliseconds) { parts.append($0) }
        let answer = try server.answer(pull, for: user, now: milliseconds)
        // A row that is read twice has its entries in another order.
        if isNew, server.store is MemoryStore, Array(parts.joined()) != SyncMessage.answer(answer).bytes {
            fail("an answer in parts is another one: \(answer)")
        }
        let tellsSomething = answer.isReset || !answer.rows.isEmpty || !answer.gone.isEmpty || !answer.rejections.isEmpty
        if time % 8 == 0, !isNew, tellsSomething || !parts.isEmpty { fail("an answer is said to have nothing new: \(answer)") }
        return answer
    }

    private func receive(_ file: Int, _ message: Message) {
        let own = agents.filter { $0.device.number == file }
        if !own.isEmpty { random.pick(own).inbox.append(message) }
    }

    private func finish(_ index: Int) {
        let (transaction, message) = running.remove(at: index)
        log?("\(time) commits \(transaction) of file \(message.file), epoch \(message.push.epoch) of \(message.push.replicas.map(\.low))")
        judge.batch = message
        let ack: SyncAck?
        do {
            ack = try server.commit(message.push, by: SyncUser(rawValue: Int64(message.user)), in: transaction, now: milliseconds)
        } catch {
            fail("a batch is malformed: \(error)")
            return
        }
        judge.batch = nil
        judge.checkServer()
        if let ack { network.send(.ack(file: message.file, ack)) }
    }

    func row(_ key: Int) -> StoredRow? { reach { try server.store.row(Self.object(key)) } ?? nil }

    func visible(to user: Int) -> [StoredRow?] {
        (0..<Key.count).map { key in
            let object = Self.object(key), user = SyncUser(rawValue: Int64(user))
            return reach { try server.sees(object, user) ? server.store.row(object) : nil } ?? nil
        }
    }

    // MARK: The server

    /// Calls the server; if its store fails, so does the history.
    @discardableResult
    func reach<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            fail("the server fails: \(error)")
            return nil
        }
    }

    private func writeSQL() {
        let key = random.pick([Key.a, .b, .u1]).rawValue, property = random.pick([Property.x, Property.y, Property.owner])
        let value = property == Property.owner ? random.pick([0, 1, 2]) : unique()
        let token = judge.newToken()
        reach {
            try server.write([(property, value == 0 ? .null : .int(Int64(value)), token)], to: Self.object(key), creates: false,
                             now: milliseconds)
        }
    }

    /// Transactions that have begun never were; what answers were sent stays.
    private func crashServer() {
        for (transaction, _) in running { server.store.cancel(transaction) }
        running = []
    }

    private func prune() {
        reach {
            let store = server.store as? any PruningStore ?? memory
            while snapshots.first.map({ $0.time < time - rules.retention }) ?? false {
                try store.prune(below: snapshots.removeFirst().oldest)
            }
            snapshots.append((time, try store.snapshot.oldest))
        }
    }

    private func backUp() { backup = (memory.backup(), judge.fates, snapshots) }

    /// Later transactions never were, and their numbers come again.
    private func restore() {
        log?("\(time) server restored")
        running = []
        judge.restore(backup!.fates, history: server.history)
        memory = backup!.store.backup()
        server = makeServer(memory, history: server.history + 1)
        snapshots = backup!.snapshots
        hasRestored = true
    }

    // MARK: Files

    private func stopAgents(_ device: Device) { agents.removeAll { $0.device === device } }

    private func powerCut() {
        let device = random.pick(devices)
        log?("\(time) power cut of file \(device.number)")
        stopAgents(device)
        device.powerCut()
    }

    private func copyFile() {
        guard devices.count < Self.mostFiles else { return }
        let source = random.pick(devices), copy = Device(devices.count, user: source.user, world: self, replica: 0)
        copy.take(copyOf: source, withSidecar: random.oneIn(2), seed: seed + UInt64(copy.number))
        log?("\(time) file \(source.number) copied to \(copy.number)")
        devices.append(copy)
    }

    /// A file's own copy is put back in its place, or is made.
    private func putBack() {
        let device = random.pick(devices)
        guard device.copy != nil, !random.chance(0.3) else { return device.keepCopy() }
        log?("\(time) file \(device.number) put back")
        stopAgents(device)
        device.putBack()
    }

    private func setSkew() {
        let device = random.pick(devices)
        device.skew = random.pick(rules.skews)
        device.now.isTold = false
        log?("\(time) clock of file \(device.number) is \(device.skew) ahead")
    }

    /// A device is away for longer than the server keeps tombstones, of one object that is deleted meanwhile.
    private func longAbsence() {
        let away = random.pick(devices), other = random.pick(devices)
        guard away !== other else { return }
        let keys = (2..<Key.count).filter { away.now.objects[$0] != nil && other.now.objects[$0] != nil }
        guard !keys.isEmpty else { return }
        away.offlineUntil = time + 4 * rules.retention
        other.open()
        other.commit([(random.pick(keys), nil)], isDurable: true)
        exchange(other)
        for _ in 0..<3 {
            time += rules.retention + 1
            prune()
        }
    }

    // MARK: The end: everything is delivered

    private func settle() {
        log?("settling")
        agents = []
        for _ in 0..<rules.rounds {
            for device in devices { exchange(device) }
            if !devices.contains(where: \.now.isPending) { break }
        }
        for device in devices { exchange(device) }          // what the last ones have pushed
    }

    /// An agent of one file pushes and pulls, and nothing is lost.
    private func exchange(_ device: Device) {
        stopAgents(device)
        let agent = Agent(device)
        agents.append(agent)
        for _ in 0..<(rules.device.contains(.setsCursorApart) ? 10 : 6) where violation == nil {
            agent.step()
            deliverAll()
        }
    }

    private func deliverAll() {
        while !network.messages.isEmpty || !running.isEmpty, violation == nil {
            if let message = network.nextInOrder() { deliver(message) }
            while !running.isEmpty, violation == nil { finish(0) }
        }
    }
}
