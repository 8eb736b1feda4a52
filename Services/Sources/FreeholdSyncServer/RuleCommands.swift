import ArgumentParser
import Foundation
import FreeholdEngine
import FreeholdMerge
import SyncPostgres

/// `freehold-sync-server rules …`
struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say who sees what and who may change what.",
        discussion: "Without rules, all users see and change everything.",
        subcommands: [SetRules.self, CheckRules.self, ShowRules.self, RemoveRules.self])
}

struct SetRules: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Give a database other rules; servers take them at once.",
        discussion: "What all users see is made anew in one transaction. Batches wait for it.")

    @OptionGroup var place: DatabaseOption
    @Argument(help: "The file with the rules.", completion: .file()) var file: String

    func run() throws {
        try reporting { print(try RuleFile.set(file, on: PostgresConnection(place.address()))) }
    }
}

struct CheckRules: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say whether rules can be read, and change nothing.")

    @OptionGroup var place: DatabaseOption
    @Option(help: ArgumentHelp("A Freehold file whose synced classes the rules are for, in place of a database's.", valueName: "file"),
            completion: .file(extensions: ["freehold"]))
    var classes: String?
    @Argument(help: "The file with the rules.", completion: .file()) var file: String

    func run() throws {
        try reporting {
            let schema: SyncSchema
            if let classes {
                schema = try ClassFile.schema(classes)
            } else {
                schema = try PostgresCatalog(PostgresConnection(place.address())).schema
            }
            let rules = try StreamRules(RuleFile.text(file), schema), unseen = rules.unnamedClasses(of: schema)
            let names = rules.streamNames.isEmpty ? "no streams" : "streams \(rules.streamNames.joined(separator: ", "))"
            print("\(file) can be read: \(names)")
            if !unseen.isEmpty { print("no stream names \(unseen.joined(separator: ", ")): seen only by links that a stream follows") }
        }
    }
}

struct ShowRules: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the rules of a database.")

    @OptionGroup var place: DatabaseOption

    func run() throws {
        try reporting {
            guard let (number, text) = try PostgresCatalog(PostgresConnection(place.address())).rules else {
                print("-- no rules: all users see and change everything")
                return
            }
            print("-- number \(number)\n\(text)", terminator: text.hasSuffix("\n") ? "" : "\n")
        }
    }
}

struct RemoveRules: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Let all users see and change everything.")

    @OptionGroup var place: DatabaseOption

    func run() throws {
        try reporting {
            try PostgresRules.remove(from: PostgresConnection(place.address()))
            print("removed: all users see and change everything")
        }
    }
}

/// Files with rules.
enum RuleFile {
    static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else { throw Failure("\(path) cannot be read; name a file with rules") }
        guard let text = String(validating: data, as: UTF8.self) else { throw Failure("\(path) is not UTF-8") }
        return text
    }

    /// Sets the rules of a file, and returns what it has done.
    static func set(_ path: String, on connection: PostgresConnection) throws -> String {
        let (number, isNew) = try PostgresRules.set(text(path), on: connection)
        return isNew ? "\(path): set as rules \(number)" : "\(path): nothing new, these are rules \(number)"
    }
}

/// Files with classes.
enum ClassFile {
    /// The synced classes that a file declares.
    static func schema(_ path: String) throws -> SyncSchema {
        var options = OpenOptions()
        options.createIfMissing = false
        let database = try Database.open(path, options)
        defer { database.close() }
        let schema = SyncSchema(declared: try database.snapshot().classes)
        guard !schema.classes.isEmpty else { throw Failure("\(path) has no synced class") }
        return schema
    }
}
