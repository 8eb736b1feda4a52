import FreeholdEngine

/// Loads a package list into the tour's database, in one transaction.
struct PackageLoader {
    private(set) var sectionCount = 0
    private(set) var dependencyCount = 0
    private(set) var packageCount = 0

    /// Creates the classes and all objects.
    mutating func load(_ list: PackageList, into database: Database) throws {
        let transaction = try database.beginWrite()
        for schema in TourSchema.all { try transaction.createClass(schema) }
        let keys = try addPackages(list.packages, transaction)
        try addDependencies(list.packages, keys, transaction)
        _ = try transaction.insert(into: try transaction.table("Tally"), values: [.int(1), .int(0), .int(0)])
        try transaction.commit()
    }

    private mutating func addPackages(_ packages: [Package], _ transaction: WriteTransaction) throws -> [String: ObjectKey] {
        let sectionTable = try transaction.table("Section")
        let table = try transaction.table("Package")
        var sections: [String: ObjectKey] = [:]
        var keys: [String: ObjectKey] = [:]
        for package in packages {
            // Packages for several architectures share a name; the first is used.
            if keys[package.name] != nil { continue }
            let section = try sections[package.section] ?? transaction.insert(into: sectionTable, values: [.string(package.section)])
            sections[package.section] = section
            keys[package.name] = try transaction.insert(into: table, values: [
                .string(package.name), .string(package.version), .string(package.architecture), .string(package.summary),
                .int(package.installedKilobytes), .int(0), .link(section),
            ])
        }
        sectionCount = sections.count
        packageCount = keys.count
        return keys
    }

    private mutating func addDependencies(
        _ packages: [Package], _ keys: [String: ObjectKey], _ transaction: WriteTransaction
    ) throws {
        let table = try transaction.table("Dependency")
        for package in packages {
            guard let source = keys[package.name] else { continue }
            // A name without a package is provided by several packages; it is skipped.
            for target in package.dependencies.compactMap({ keys[$0] }) {
                _ = try transaction.insert(into: table, values: [.link(source), .link(target)])
                dependencyCount += 1
            }
        }
    }
}
