// A server loop: requests are read as lines, answers are written as lines, and an actor owns the accounts.
//
//     request-server [--file PATH] <requests
//
//     deposit NAME AMOUNT
//     transfer NAME OTHER AMOUNT
//     balance NAME
//     accounts
//
// Requests on one line, separated by ';', are handled concurrently; their answers come in order. Several servers may
// use one file. Without --file it is in the folder for temporary files.
import Foundation
import Freehold

class Account: Object {
    @Persisted(primaryKey: true) var owner = ""
    @Persisted var balance = 0
}

/// An error in a request.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// A client's request.
enum Request {
    case deposit(String, Int), transfer(String, String, Int), balance(String), accounts

    init(_ text: Substring) throws {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("deposit", 3): self = .deposit(words[1], try Self.amount(words[2]))
        case ("transfer", 4): self = .transfer(words[1], words[2], try Self.amount(words[3]))
        case ("balance", 2): self = .balance(words[1])
        case ("accounts", 1): self = .accounts
        default: throw Refusal(description: "say deposit NAME AMOUNT, transfer NAME OTHER AMOUNT, balance NAME or accounts")
        }
    }

    private static func amount(_ text: String) throws -> Int {
        guard let amount = Int(text), amount > 0 else { throw Refusal(description: "'\(text)' is no amount") }
        return amount
    }
}

/// Owns the realm: the compiler keeps the realm and its objects within the actor. Only values leave it.
actor Bank {
    private let configuration: Realm.Configuration
    private var opened: Realm?

    init(path: String) { configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Account.self]) }

    /// The realm of this actor, opened without blocking other requests.
    private func realm() async throws -> Realm {
        if let opened { return opened }
        let realm = try await Realm.open(configuration: configuration)
        opened = realm
        return realm
    }

    /// Answers a request. While a write waits for the lock or for the disk, the actor handles other requests.
    func answer(_ request: Request) async throws -> String {
        let realm = try await realm()
        switch request {
        case .deposit(let owner, let amount):
            try await realm.asyncWrite { account(of: owner, in: realm).balance += amount }
            return "ok"
        case .transfer(let owner, let other, let amount):
            try await realm.asyncWrite {
                let from = account(of: owner, in: realm)
                // An error thrown in a write rolls back all of its changes, including a new account.
                if from.balance < amount { throw Refusal(description: "\(owner) has \(from.balance) only") }
                from.balance -= amount
                account(of: other, in: realm).balance += amount
            }
            return "ok"
        case .balance(let owner):
            guard let account = realm.object(ofType: Account.self, forPrimaryKey: owner) else { throw Refusal(description: "\(owner) has no account") }
            return "\(account.balance)"
        case .accounts:
            let accounts = realm.objects(Account.self)
            let names = accounts.map { "\($0.owner) \($0.balance)" }.sorted().joined(separator: ", ")
            return "\(accounts.count) accounts with \(accounts.sum(of: \.balance)) in all: \(names)"
        }
    }

    /// Within a write: finds the account of an owner, or creates it.
    private func account(of owner: String, in realm: Realm) -> Account {
        realm.create(Account.self, value: ["owner": owner], update: .modified)
    }
}

@main
enum RequestServer {
    static func main() async {
        var words = CommandLine.arguments.dropFirst(), path = NSTemporaryDirectory() + "accounts.freehold"
        if words.popFirst() == "--file", let file = words.popFirst() { path = file }
        let bank = Bank(path: path)
        while let line = readLine() {
            for answer in await answers(to: line, by: bank) { print(answer) }
            fflush(nil)
        }
    }

    /// Each request runs in its own task.
    private static func answers(to line: String, by bank: Bank) async -> [String] {
        await withTaskGroup(of: (Int, String).self) { tasks in
            let requests = line.split(separator: ";")
            for (place, text) in requests.enumerated() {
                tasks.addTask {
                    do { return (place, try await bank.answer(Request(text))) } catch { return (place, "error: \(error)") }
                }
            }
            return await tasks.reduce(into: Array(repeating: "", count: requests.count)) { $0[$1.0] = $1.1 }
        }
    }
}
