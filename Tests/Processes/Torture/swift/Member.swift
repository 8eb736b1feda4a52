import Foundation
import Freehold

/// What obeys the commands.
final class Member {
    private var configuration = Realm.Configuration()
    private var realm: Realm?
    /// The operations of the transaction that `commit` is to make.
    private var operations: [[String]] = []
    private var held: (realm: Realm, digest: [String])?

    func answer(_ words: [String]) -> String? {
        switch words[0] {
        case "begin": operations = []
        case "new", "del", "set", "ins", "rep", "rem", "clr", "sin", "sre", "mse", "mde", "nes", "box", "bxa", "cnt", "mov": operations.append(words)
        default:
            do { return words[0] == "commit" ? try commit() : try look(words) } catch { return described(error) }
        }
        return nil
    }

    private func commit() throws -> String {
        defer { operations = [] }
        // `write` throws where a transaction cannot begin; `beginWrite` cannot.
        try opened().write { for words in operations { try operate(words) } }
        return "A 0"
    }

    private func open(_ words: [String]) throws -> String {
        configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: words[1]), readOnly: words[3] == "ro")
        configuration.objectTypes = [Thing.self, Special.self, Box.self, Account.self, Counter.self, Move.self]
        guard words[0] == "make" || FileManager.default.fileExists(atPath: words[1]) else { throw Failure(text: "there is no file") }
        if words[2] != "-" { configuration.encryptionKey = Data(bytes(words[2])) }
        let realm = try Realm(configuration: configuration)
        self.realm = realm
        if words[0] == "make" { try realm.write { for id in 0..<accountCount { realm.create(Account.self, value: ["id": id]) } } }
        return "ok \(ProcessInfo.processInfo.processIdentifier)"
    }

    private func close() -> String {
        held = nil
        realm?.invalidate()
        realm = nil
        return "ok"
    }

    private func opened() throws -> Realm {
        guard let realm else { throw Failure(text: "nothing is open") }
        return realm
    }

    // MARK: - transactions

    private func thing(_ words: [String]) throws -> Thing {
        let realm = try opened(), id = Int(words[2])
        let found = words[1] == "Special" ? realm.object(ofType: Special.self, forPrimaryKey: id) : realm.object(ofType: Thing.self, forPrimaryKey: id)
        guard let found else { throw Failure(text: "there is no \(words[1]) \(words[2])") }
        return found
    }

    private func operate(_ words: [String]) throws {
        let realm = try opened()
        switch words[0] {
        case "new":
            let values: [String: Any] = ["id": Int(words[2])!, "slot": Int(words[3])!]
            realm.create(words[1] == "Special" ? Special.self : Thing.self, value: values)
        case "del": realm.delete(try thing(words))
        case "set": try thing(words).set(words[3], Word(words[4]), in: realm)
        case "box": try thing(words).inner = Box(value: ["label": text(words[4]), "size": Int(words[5])!])
        case "bxa": try thing(words).boxes.append(Box(value: ["label": text(words[4]), "size": Int(words[5])!]))
        case "cnt": Self.count(words[1], in: realm)
        case "mov": Self.move(Int(words[1])!, Int(words[2])!, Int(words[3])!, words[4], in: realm)
        case "sin", "sre", "mse", "mde", "nes": changeKeyed(try thing(words), words)
        case "clr": clear(try thing(words), words[3])
        default: changeList(try thing(words), words, in: realm)
        }
    }

    private func changeList(_ thing: Thing, _ words: [String], in realm: Realm) {
        let index = Int(words[4]) ?? 0, word = words.count > 5 ? Word(words[5]) : Word("n")
        func change<Element>(_ list: List<Element>, _ value: @autoclosure () -> Element) {
            switch words[0] {
            case "ins": list.insert(value(), at: index)
            case "rep": list[index] = value()
            default: list.remove(at: index)
            }
        }
        switch words[3] {
        case "ints": change(thing.ints, word.int)
        case "words": change(thing.words, word.string)
        case "maybe": change(thing.maybe, word.kind == "n" ? nil : word.double)
        case "boxes": thing.boxes.remove(at: index)
        default: change(thing.things, word.thing(in: realm)!)
        }
    }

    private func changeKeyed(_ thing: Thing, _ words: [String]) {
        switch (words[0], words[3]) {
        case ("sin", "tags"): thing.tags.insert(Word(words[4]).string)
        case ("sre", "tags"): thing.tags.remove(Word(words[4]).string)
        case ("sin", _): thing.marks.insert(Word(words[4]).int)
        case ("sre", _): thing.marks.remove(Word(words[4]).int)
        case ("mse", "table"): thing.table[text(words[4])] = Word(words[5]).int
        case ("mse", _): thing.names[text(words[4])] = Word(words[5]).string
        case ("mde", "table"): thing.table.removeObject(for: text(words[4]))
        case ("mde", "lists"): thing.lists.removeObject(for: text(words[4]))
        case ("mde", _): thing.names.removeObject(for: text(words[4]))
        default:
            let list = List<String>()
            list.append(objectsIn: words[6...].map { Word($0).string })
            thing.lists[text(words[4])] = list
        }
    }

    private func clear(_ thing: Thing, _ name: String) {
        switch name {
        case "ints": thing.ints.removeAll()
        case "words": thing.words.removeAll()
        case "maybe": thing.maybe.removeAll()
        case "things": thing.things.removeAll()
        case "boxes": thing.boxes.removeAll()
        case "tags": thing.tags.removeAll()
        case "marks": thing.marks.removeAll()
        case "table": thing.table.removeAll()
        case "lists": thing.lists.removeAll()
        default: thing.names.removeAll()
        }
    }

    private static func count(_ name: String, in realm: Realm) {
        let counter = realm.object(ofType: Counter.self, forPrimaryKey: name) ?? realm.create(Counter.self, value: ["name": name])
        counter.count += 1
    }

    private static func move(_ source: Int, _ target: Int, _ amount: Int, _ name: String, in realm: Realm) {
        realm.object(ofType: Account.self, forPrimaryKey: source)?.balance -= amount
        realm.object(ofType: Account.self, forPrimaryKey: target)?.balance += amount
        realm.create(Move.self, value: ["by": name, "amount": amount, "source": source, "target": target])
    }

    // MARK: - looking

    private func look(_ words: [String]) throws -> String {
        switch words[0] {
        case "open", "make": return try open(words)
        case "close": return close()
        case "drop":
            held = nil
            return "ok"
        case "closefrom":
            closeDescriptors()
            return "ok"
        default: break
        }
        let realm = try opened()
        realm.refresh()
        switch words[0] {
        case "get":
            guard let found = try? thing(words) else { return "V -" }
            return "V " + found.word(words[3])
        case "keys":
            return "V " + realm.objects(Thing.self).filter("slot = %@", Int(words[1])!).sorted(byKeyPath: "id").map { "\($0.id)" }.joined(separator: " ")
        case "count":
            let isSpecial = words[1] == "Special"
            return "V \(isSpecial ? realm.objects(Special.self).filter(words[2]).count : realm.objects(Thing.self).filter(words[2]).count)"
        case "counter": return "V " + (realm.object(ofType: Counter.self, forPrimaryKey: words[1]).map { "\($0.count)" } ?? "-")
        case "bank":
            let balance: Int = realm.objects(Account.self).sum(ofProperty: "balance"), count: Int = realm.objects(Counter.self).sum(ofProperty: "count")
            return "V \(balance) \(count) \(realm.objects(Move.self).count)"
        default: return try doToOthers(words, realm)
        }
    }

    private func doToOthers(_ words: [String], _ realm: Realm) throws -> String {
        switch words[0] {
        case "hold":
            let frozen = realm.freeze()
            held = (frozen, Self.digest(frozen))
            return "ok"
        case "same": return held.map { Self.digest($0.realm) == $0.digest ? "V same" : "V different" } ?? "V none"
        case "storm": return storm(words[1], threads: Int(words[2])!, rounds: Int(words[3])!)
        case "compact":
            try realm.compact()
            return "ok"
        case "backup":
            try realm.backup(toFile: URL(fileURLWithPath: words[1]))
            return "ok"
        default: throw Failure(text: "not in Swift: \(words[0])")
        }
    }

    private static let names = [
        "slot", "flag", "number", "real", "single", "north", "east", "text", "note", "bytes", "moment", "mark", "oid", "amount", "any",
        "next", "ints", "words", "maybe", "things", "tags", "marks", "table", "names", "lists", "inner", "boxes",
    ]

    private static func digest(_ realm: Realm) -> [String] {
        realm.objects(Thing.self).map { thing in "\(thing.id) " + names.map { thing.word($0) }.joined(separator: ",") }
            + realm.objects(Account.self).map { "\($0.id)=\($0.balance)" } + realm.objects(Counter.self).map { "\($0.name)=\($0.count)" }
    }

    private func storm(_ name: String, threads: Int, rounds: Int) -> String {
        let group = DispatchGroup(), lock = NSLock()
        // Safe: guarded by the lock.
        nonisolated(unsafe) var made = 0
        let configuration = configuration
        for _ in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                guard let realm = try? Realm(configuration: configuration) else { return }
                for _ in 0..<rounds {
                    let source = Int.random(in: 0..<accountCount), target = (source + Int.random(in: 1..<accountCount)) % accountCount
                    do {
                        try realm.write {
                            Self.move(source, target, Int.random(in: 1...9), name, in: realm)
                            Self.count(name, in: realm)
                        }
                    } catch { return }
                    lock.withLock { made += 1 }
                }
            }
        }
        group.wait()
        return "ok \(made)"
    }
}

private func closeDescriptors() {
    for descriptor in Int32(3)..<4096 { close(descriptor) }
}
