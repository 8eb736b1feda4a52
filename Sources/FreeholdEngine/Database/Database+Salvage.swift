import Platform

extension Database {
    /// Brings what is still readable of a damaged file into a new one, and tells what was lost.
    ///
    /// The damaged file is only read, and must not be open anywhere. It may lack its header, its roots, its schema, any of
    /// its blocks, or its end: whole objects are found as long as the blocks that hold them are intact, single properties as
    /// long as theirs are. The new file is made under another name and renamed when it is whole and flushed.
    ///
    /// Throws `.notFound`, `.inUse`, `.alreadyExists`, `.diskFull` and what else opening and writing files may throw; damage
    /// is never thrown but told in the report.
    @discardableResult
    public static func salvage(from damaged: String, to path: String) throws -> SalvageReport {
        try salvage(from: damaged, to: path, OpenOptions(), on: LinuxSystem.shared)
    }

    static func salvage(from damaged: String, to path: String, _ options: OpenOptions, on system: any System) throws -> SalvageReport {
        let file = try DamagedFile(damaged, system)
        try file.requirePlain()
        var salvage = Salvage(file)
        try NewFile(path: path, what: "a salvaged database", system: system).make { temporary in
            let target = try Database.open(temporary, options, on: system)
            defer { target.close() }
            let schema = try salvage.run { try target.beginWrite() }
            for stored in schema.present {
                let cut = try target.cutDanglingLinks(of: stored)
                salvage.note(cutLinks: cut, of: Int(stored.number))
            }
        }
        return salvage.report
    }

    /// Makes links to objects that do not exist null, and takes them out of collections. Returns how many.
    private func cutDanglingLinks(of stored: StoredClass) throws -> Int {
        let links = stored.properties.indices.filter { stored.properties[$0].linkTarget != nil }.map { stored.column($0) }
        if links.isEmpty { return 0 }
        let snapshot = try snapshot()
        defer { snapshot.end() }
        let names = try snapshot.schema().classes.map(\.name)
        var waiting: [(ObjectKey, Column, Int64)] = [], cut = 0
        func cutWaiting() throws {
            if waiting.isEmpty { return }
            try write { transaction in
                let table = try transaction.table(stored.name)
                for (key, column, target) in waiting { try transaction.cutLinks(to: target, of: key, in: table, column) }
            }
            cut += waiting.count
            waiting.removeAll()
        }
        let targets = try links.map { try snapshot.table(names[Int(stored.properties[$0.index].linkTarget ?? 0)]) }
        try snapshot.table(stored.name).forEach { row in
            for (column, target) in zip(links, targets) {
                try row.forEachTarget(column) { link throws(FreeholdError) in
                    if try !target.contains(ObjectKey(link)) { waiting.append((row.key, column, link)) }
                }
            }
            if waiting.count >= 50_000 { try cutWaiting() }
            return true
        }
        try cutWaiting()
        return cut
    }
}
