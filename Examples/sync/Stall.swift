// Sells at a market's stalls, at a file that an agent keeps in sync with a server: Stall DATABASE NAME LOG
//
// Each line of the input is a number of sales to make; the program ends with its input. A sale adds to a counter, and
// each tenth one writes a note. It is logged once it is committed. The agent is a process of its own, so nothing here
// knows of a network. stall.c and stall.py are the same program in C and Python, and demo.py runs all three.
import Foundation
import Freehold

/// A stall of the market, which every file has.
class Stall: Object {
    @Persisted(primaryKey: true) var id: String
    /// Pieces sold: what all files add is added up.
    @Persisted(counter: true) var sold = 0
    /// Of two notes the later one stays.
    @Persisted var note = ""

    override class func syncRules() -> SyncRules? { SyncRules() }
}

let stalls = ["apples", "bread", "cheese", "honey"]

/// A program that sells at one file.
struct Seller {
    let realm: Realm
    let name: String
    let log: FileHandle
    var sales = 0

    mutating func sell() throws {
        sales += 1
        let id = stalls.randomElement() ?? stalls[0], pieces = Int.random(in: 1...3)
        let note = sales.isMultiple(of: 10) ? "\(name), sale \(sales)" : nil
        try realm.write {
            let stall = realm.object(ofType: Stall.self, forPrimaryKey: id) ?? realm.create(Stall.self, value: ["id": id])
            try stall.increment(\.sold, by: pieces)
            if let note { stall.note = note }
        }
        log.write(Data(("sold \(id) \(pieces)\n" + (note.map { "note \(id) \($0)\n" } ?? "")).utf8))
    }
}

@main
enum Program {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            FileHandle.standardError.write(Data("usage: Stall DATABASE NAME LOG\n".utf8))
            exit(2)
        }
        guard FileManager.default.createFile(atPath: words[3], contents: nil), let log = FileHandle(forWritingAtPath: words[3]) else {
            FileHandle.standardError.write(Data("cannot write \(words[3])\n".utf8))
            exit(1)
        }
        var configuration = Realm.Configuration(path: words[1])
        configuration.objectTypes = [Stall.self]
        var seller = Seller(realm: try Realm(configuration: configuration), name: words[2], log: log)
        while let line = readLine() {
            for _ in 0..<(Int(line) ?? 0) {
                try seller.sell()
                usleep(5_000) // customers come one by one
            }
        }
    }
}
