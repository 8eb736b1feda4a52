@testable import FreeholdEngine
@testable import FreeholdMerge

/// Knows each write, what the server made of it, and what each device shows.
///
/// Convergence alone is too weak a test: counters may all be wrong alike, and a write may vanish and come back.
final class Judge {
    unowned let world: World
    /// By token; number 0 is no write.
    private var writes = [Write()]
    private var reported = [false]
    /// What a backup brings back.
    var fates = Fates()
    /// What servers had made of writes before a backup of them was restored: their answers may still be under way.
    private var former: [UInt64: Fates] = [:]
    /// The sums of batches, by trace: the increments they are of.
    private var sums: [[Token]] = [[]]
    private var refused: [Token] = []
    /// The batch that is merged.
    var batch: PushMessage?
    /// Writes of the batch that rights forbid, and that are not refused so far.
    var forbidden: Set<UInt32> = []

    struct Write {
        var stamp = SyncStamp.none
        var replica = 0
        /// What its writer saw there.
        var after: (Token, Token) = (0, 0)
        var time = 0
        /// Whether the server had told the writer the time, and whether it knew it.
        var isTold = false
        var isRight = false
        var file = -1
        var arrived: Int?
    }

    /// What became of each write, at the server.
    struct Fates {
        var fates: [MergeFate?] = [nil]
        var refusers: [Token: Int] = [:]
        /// The increments in each counter.
        var increments = [Set<Token>](repeating: [], count: Key.count)

        subscript(_ token: Token) -> MergeFate? { Int(token) < fates.count ? fates[Int(token)] : nil }
    }

    /// Units of time by which an earlier write may win: clocks are wrong by up to the limit before they are clamped.
    let tolerance = 70

    init(_ world: World) { self.world = world }

    // MARK: Writes

    func newToken() -> Token {
        writes.append(Write())
        reported.append(false)
        return Token(writes.count - 1)
    }

    func note(_ tokens: [Token]) -> UInt32 {
        sums.append(tokens)
        return UInt32(sums.count - 1)
    }

    func written(_ item: Item, _ device: Device, _ key: Int, _ path: Path?, after: Token = 0) {
        let shown = path.flatMap { $0.isRegister ? device.now.objects[key]?.registers[$0]?.token : nil } ?? 0
        let isRight = abs(Int64(device.skew) * millisecondsPerUnit + device.now.clock.offset) < 50 * millisecondsPerUnit
        writes[Int(item.token)] = Write(stamp: item.stamp, replica: item.replica, after: (after, shown), time: world.time,
                                        isTold: device.now.isTold, isRight: isRight, file: device.number)
        let ahead = item.stamp.milliseconds - Int64(world.time) * millisecondsPerUnit
        if device.now.isTold, abs(ahead) > 2 * Int64(limitUnits) * millisecondsPerUnit {
            world.fail("a device that knows the time stamps far from it")
        }
    }

    func stamped(_ item: Item) { writes[Int(item.token)].stamp = item.stamp }

    /// The same file has replaced or removed what was written.
    func excuse(_ token: Token) { reported[Int(token)] = true }
    func excuse(_ tokens: [Token]) { for token in tokens { reported[Int(token)] = true } }
    func report(_ token: Token, _ reason: SyncRejection.Reason) { reported[Int(token)] = true }
    func report(_ tokens: [Token], _ reason: SyncRejection.Reason) { excuse(tokens) }

    func fate(_ token: Token) -> MergeFate? { fates[token] }

    /// The server has been restored from a backup.
    func restore(_ backup: Fates, history: UInt64) {
        former[history] = fates
        fates = backup
    }

    func write(_ token: Token) -> Write { writes[Int(token)] }
    func arrive(_ token: Token) { writes[Int(token)].arrived = world.time }
    func increments(of trace: UInt32) -> [Token] { sums[Int(trace)] }

    /// Whether a writer had seen another write there, itself or through what it saw.
    func ancestorsInclude(_ token: Token, _ other: Token) -> Bool {
        var next = [token], found: Set<Token> = []
        while let one = next.popLast(), found.count < 60 {
            let (a, b) = writes[Int(one)].after
            if a == other || b == other { return other != 0 }
            for older in [a, b] where older != 0 && found.insert(older).inserted { next.append(older) }
        }
        return false
    }

    // MARK: Devices

    func cleared(_ tokens: [Token], _ device: Device) {
        for token in tokens {
            if fate(token) == nil, !reported[Int(token)], !world.hasRestored {
                world.fail("pending was cleared, and the server does not have it")
            }
            if fate(token) == .refused, let refuser = fates.refusers[token], world.holder(of: refuser) == device.number {
                refused.append(token)
            }
        }
    }

    func applied(_ device: Device, _ message: AnswerMessage, _ before: [DeviceObject?], isOtherHistory: Bool) {
        check(device, all: true)
        let now = device.now
        for key in 0..<Key.count {
            let sees = message.visible[key] != nil, has = now.objects[key] != nil
            if has, !sees, now.pending[key]?.new == nil { world.fail("a device shows what its user may not see, or what is deleted") }
            if !has, sees, now.pending[key]?.gone == nil { world.fail("a device lacks an object that its user sees") }
            guard let row = message.visible[key], let base = now.base[key], !world.rules.server.contains(.endsAtWatermark) else { continue }
            device.now.base[key]!.birth = row.birth
            if !base.object.shows(row.asDeviceRow(message.store).object) {
                world.fail("a device has another state than the answer's snapshot")
            }
        }
        if isOtherHistory { return }
        if refused.contains(where: { !reported[Int($0)] }) { world.fail("a refused change is not reported") }
        refused.removeAll()
        for key in 0..<Key.count {
            guard let old = before[key], let here = now.objects[key] else { continue }
            for entry in old.registers.entries where here.registers[entry.path]?.token != entry.token {
                // It goes with its embedded object, which is judged by itself: what replaced that may be earlier.
                if entry.path.isInner, entry.path.identity != here.registers.instance { continue }
                checkVanished(device, entry, now.base[key]?.write(entry.path), former[message.answer.history] ?? fates)
            }
        }
    }

    private func checkVanished(_ device: Device, _ entry: Registers.Entry, _ winner: DeviceRow.Write?, _ fates: Fates) {
        let write = writes[Int(entry.token)]
        if write.file != device.number || reported[Int(entry.token)] { return }
        if let fate = fates[entry.token], fate != .won { return }
        if let winner, (winner.stamp, winner.replica) > (write.stamp, write.replica) { return }
        world.fail("an own write vanished")
    }

    func check(_ device: Device, all: Bool) {
        let objects = device.now.objects
        if all, (0..<Key.count).contains(where: { !device.isConsistent($0) }) {
            world.fail("pending on the server's state is not the local state")
        }
        if let one = objects[Key.p1.rawValue]?.registers, let other = objects[Key.p2.rawValue]?.registers {
            if one.value(.pair) != other.value(.pair) { world.fail("half of a transaction shows") }
            for writer in 0..<Property.boundedReplicas
            where one.value(.property(Property.low(writer))) > other.value(.property(Property.high(writer))) {
                world.fail("half of a transaction shows")
            }
        }
        for type in 0..<Int32(2) {
            let names = (0..<Key.count).filter { Key(rawValue: $0)!.type == type }.compactMap { objects[$0]?.registers.value(.name) }
                .filter { $0 != 0 }
            if Set(names).count != names.count { world.fail("a unique value twice on a device") }
        }
    }
}
