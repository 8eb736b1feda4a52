import FreeholdEngine
import FreeholdImport
import Glibc

/// Packages with properties of most types: links in both directions, lists, maps, dates, long strings.
struct DemoData {
    private let list: PackageList
    /// The package manager's folder, if the list is that of the installed packages.
    private let folder: String?

    static let classes = [
        ClassSchema("Section", primaryKey: "name", [PropertySchema("name", .string)]),
        ClassSchema("Maintainer", primaryKey: "email", [
            PropertySchema("email", .string), PropertySchema("name", .string, isIndexed: true),
        ]),
        ClassSchema("Package", primaryKey: "name", indexes: [IndexSchema(["priority", "kilobytes"])], [
            PropertySchema("name", .string), PropertySchema("version", .string), PropertySchema("summary", .string),
            PropertySchema("kilobytes", .int, isIndexed: true), PropertySchema("priority", .string, isIndexed: true),
            PropertySchema("architecture", .string), PropertySchema("isEssential", .bool),
            PropertySchema("installed", .date, isNullable: true), PropertySchema("homepage", .string, isNullable: true),
            PropertySchema("section", linkTo: "Section"),
            PropertySchema("maintainer", linkTo: "Maintainer"), PropertySchema("dependsOn", linkTo: "Package", collections: [.list]),
            PropertySchema("description", .string), PropertySchema("fields", .string, collections: [.map]),
        ]),
    ]
    /// Fields that have properties of their own.
    private static let known: Set<ExactText> = Set(exact: [
        "Package", "Version", "Description", "Installed-Size", "Priority", "Architecture", "Essential", "Homepage", "Section", "Maintainer",
        "Depends", "Pre-Depends", "Status", "Conffiles",
    ])

    init(_ list: PackageList) {
        self.list = list
        let path = list.path
        folder = path.hasSuffix("/status") ? path.dropLast("/status".count) + "/info" : nil
    }

    /// Creates the classes and objects in one transaction.
    /// - Returns: the number of packages.
    func write(to database: Database) throws -> Int {
        let transaction = try database.beginWrite()
        for schema in Self.classes { try transaction.createClass(schema) }
        let table = try transaction.table("Package")
        var keys: [String: ObjectKey] = [:], links = Links()
        for package in list.packages where keys[package.name] == nil {
            keys[package.name] = try transaction.insert(into: table, values: try values(package, &links, transaction))
        }
        let column = try table.column("dependsOn")
        var written: Set<String> = []
        for package in list.packages where written.insert(package.name).inserted {
            let targets = package.dependencies.compactMap { keys[$0] }
            if targets.isEmpty { continue }
            try keys[package.name].map { try transaction.set($0, in: table, column, to: .list(targets.map { .link($0) })) }
        }
        try transaction.commit()
        return keys.count
    }

    /// The sections and maintainers written so far.
    private struct Links {
        var sections: [String: ObjectKey] = [:]
        var maintainers: [String: ObjectKey] = [:]
    }

    private func values(_ package: Package, _ links: inout Links, _ transaction: WriteTransaction) throws -> [Value] {
        func field(_ name: String) -> String? { PackageList.text(package.record, name) }
        let others = package.record.shape.names.filter { !Self.known.contains($0) }
            .compactMap { name in field(name).map { (name, Value.string($0)) } }
        let description = field("Description")?.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return [
            .string(package.name), .string(package.version), .string(package.summary), .int(package.installedKilobytes),
            .string(field("Priority") ?? "unknown"), .string(package.architecture), .bool(field("Essential") == "yes"),
            installed(package).map { .date(Timestamp(seconds: $0)) } ?? .null, field("Homepage").map { .string($0) } ?? .null,
            .link(try section(package.section, &links, transaction)),
            try field("Maintainer").map { .link(try maintainer($0, &links, transaction)) } ?? .null, .list([]),
            .string(description?.dropFirst().first.map(String.init) ?? ""), .map(TextMap(others) { first, _ in first }),
        ]
    }

    private func section(_ name: String, _ links: inout Links, _ transaction: WriteTransaction) throws -> ObjectKey {
        if let key = links.sections[name] { return key }
        let key = try transaction.insert(into: try transaction.table("Section"), values: [.string(name)])
        links.sections[name] = key
        return key
    }

    /// `Ada Lovelace <ada@example.org>`
    private func maintainer(_ text: String, _ links: inout Links, _ transaction: WriteTransaction) throws -> ObjectKey {
        let parts = text.split(separator: "<", maxSplits: 1)
        let email = parts.count == 2 ? String(parts[1].prefix { $0 != ">" }) : text
        var name = parts.first ?? ""
        while name.last == " " || name.last == "\"" { name.removeLast() }
        if let key = links.maintainers[email] { return key }
        let key = try transaction.insert(into: try transaction.table("Maintainer"), values: [.string(email), .string(String(name))])
        links.maintainers[email] = key
        return key
    }

    /// When the package manager wrote its list of the package's files, in seconds since 1970.
    private func installed(_ package: Package) -> Int64? {
        guard let folder else { return nil }
        for name in [package.name, "\(package.name):\(package.architecture)"] {
            var status = stat()
            if stat("\(folder)/\(name).list", &status) == 0 { return Int64(status.st_mtim.tv_sec) }
        }
        return nil
    }
}
