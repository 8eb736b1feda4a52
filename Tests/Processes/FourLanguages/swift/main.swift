// The Swift program of the bank that four languages keep in one file; README.md beside this folder tells the rules. member DATABASE NAME SEED
import Foundation
import Freehold

class Account: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var balance = 0
}

class Counter: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var count = 0
}

class Move: Object {
    @Persisted(indexed: true) var by = ""
    @Persisted var number = 0
    @Persisted var amount = 0
    @Persisted var source = 0
    @Persisted var target = 0
}

class Control: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var stopped = false
}

let accountCount = 12, total = accountCount * 1000

func end(_ complaint: String) -> Never {
    FileHandle.standardError.write(Data((complaint + "\n").utf8))
    exit(1)
}

func require(_ holds: Bool, _ what: String) { if !holds { end("not so: \(what)") } }

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// A sequence of numbers by a seed.
struct Chance {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 // Safe: a generator that is to wrap.
        return Int(state >> 33) % bound
    }
}

/// Keeps a copy of the accounts' order by what it is told, by places, and shows what others commit by an event loop of its own.
final class Observer {
    private let realm: Realm
    private let loop: HostLoop
    private let order: Results<Account>
    private let stop: Results<Control>
    private var copy: [Int] = []
    private var isStopped = false
    private var moves = 0
    private var tokens: [NotificationToken] = []

    init(_ realm: Realm) throws {
        self.realm = realm
        loop = try HostLoop()
        realm.attach(to: loop)
        order = realm.objects(Account.self).sorted(by: [SortDescriptor(keyPath: "balance", ascending: false), SortDescriptor(keyPath: "id")])
        stop = realm.objects(Control.self).filter("stopped = true")
        tokens = [order.observe { [unowned self] in note($0) }, stop.observe { [unowned self] in noteStop($0) }]
    }

    private func note(_ change: RealmCollectionChange<Results<Account>>) {
        switch change {
        case .initial(let accounts): copy = accounts.map(\.id)
        case .update(let accounts, let deletions, let insertions, _):
            for place in deletions.reversed() { copy.remove(at: place) }
            for place in insertions { copy.insert(accounts[place].id, at: place) }
            require(accounts.map(\.id) == copy, "the copy by places is what there is")
        case .error(let error): end("\(error)")
        }
    }

    private func noteStop(_ change: RealmCollectionChange<Results<Control>>) {
        if case .error(let error) = change { end("\(error)") }
        isStopped = !stop.isEmpty
        moves = realm.objects(Move.self).count
    }

    func observe() {
        realm.refresh()
        check(realm)
    }

    /// How many moves there were in the version that closed the bank.
    func last() -> Int {
        while !isStopped {
            var entry = pollfd(fd: loop.fileDescriptor, events: Int16(POLLIN), revents: 0)
            require(poll(&entry, 1, 60_000) == 1, "the loop is told")
            loop.deliver()
        }
        return moves
    }
}

func check(_ realm: Realm) {
    let accounts = realm.objects(Account.self)
    require(accounts.count == accountCount && accounts.sum(ofProperty: "balance") == total, "the balances add up")
}

func look(_ realm: Realm, _ name: String) {
    let seen = realm.freeze()
    check(seen)
    let counted = seen.object(ofType: Counter.self, forPrimaryKey: name)?.count
    require(seen.objects(Move.self).filter("by = %@", name).count == counted, "the moves are as many as counted")
}

/// Nil when the bank is closed.
func moveAmount(_ realm: Realm, _ name: String, _ chance: inout Chance) throws -> Int? {
    let source = chance.below(accountCount), target = (source + 1 + chance.below(accountCount - 1)) % accountCount
    let amount = 1 + chance.below(10)
    realm.beginWrite()
    guard let counter = realm.object(ofType: Counter.self, forPrimaryKey: name),
          let control = realm.object(ofType: Control.self, forPrimaryKey: 1), !control.stopped else {
        realm.cancelWrite()
        return nil
    }
    realm.object(ofType: Account.self, forPrimaryKey: source)?.balance -= amount
    realm.object(ofType: Account.self, forPrimaryKey: target)?.balance += amount
    counter.count += 1
    let number = counter.count
    realm.create(Move.self, value: ["by": name, "number": number, "amount": amount, "source": source, "target": target])
    try realm.commitWrite()
    return number
}

func run(_ path: String, _ name: String, _ seed: UInt64) throws {
    var chance = Chance(state: seed)
    let types: [ObjectBase.Type] = [Account.self, Counter.self, Move.self, Control.self]
    let realm = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: types))
    try realm.write { _ = realm.create(Counter.self, value: ["name": name]) }
    let observer = try Observer(realm)
    while let number = try moveAmount(realm, name, &chance) {
        say("\(number)")
        if chance.below(4) == 0 { observer.observe() }
        if chance.below(8) == 0 { look(realm, name) }
    }
    let last = observer.last()
    look(realm, name)
    say("saw \(last)")
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[3]) else { end("usage: member DATABASE NAME SEED") }
do { try run(arguments[1], arguments[2], seed) } catch { end("\(error)") }
