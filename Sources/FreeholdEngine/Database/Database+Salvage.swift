import Platform

extension Database {
    /// Copies what is still readable of a damaged file into a new one, and reports what was lost.
    ///
    /// The damaged file is only read, and must not be open anywhere. It may lack its header, its roots, its schema, any of
    /// its blocks, or its end: whole objects are found as long as the blocks that hold them are intact, single properties as
    /// long as theirs are. The new file is made under another name and renamed when it is whole and flushed.
    ///
    /// Of an encrypted file what its key vouches for is read, and nothing else.
    ///
    /// Throws `.notADatabase` if nothing in the file looks like a part of a database; then no file is created.
    /// Throws `.notFound`, `.inUse`, `.alreadyExists`, `.diskFull` and the other errors of opening and writing files.
    /// Damage is never thrown, but listed in the report. An encrypted file throws `.keyMissing` without its key,
    /// `.wrongKey` with another, and `.corrupt` if all three copies of its header, or of the wrapped key, are
    /// destroyed: nothing can be decrypted then.
    ///
    /// - Parameters:
    ///   - key: the key of an encrypted file.
    ///   - encryption: the encryption of the new file.
    @discardableResult
    public static func salvage(
        from damaged: String, to path: String, key: EncryptionKey? = nil, encryption: CopyEncryption = .same
    ) throws -> SalvageReport {
        var options = OpenOptions()
        options.encryptionKey = key
        return try salvage(from: damaged, to: path, options, encryption: encryption, on: LinuxSystem.shared)
    }

    /// - Parameter options: how to open both files, with the key of the damaged one.
    static func salvage(
        from damaged: String, to path: String, _ options: OpenOptions, encryption: CopyEncryption = .same, on system: any System
    ) throws -> SalvageReport {
        try requireFile(damaged, on: system)
        let file = try DamagedFile(damaged, key: options.encryptionKey, decryptedBytesLimit: options.decryptedBytesLimit, system)
        var options = options
        switch encryption {
        case .same: break
        case .key(let other): options.encryptionKey = other
        case .none: options.encryptionKey = nil
        }
        var salvage = Salvage(file)
        try NewFile(path: path, what: "a salvaged database", system: system).make { temporary in
            let target = try Database.open(temporary, options, on: system)
            defer { target.close() }
            let schema = try salvage.run { try target.beginWrite() }
            for stored in schema.presentTables {
                let cut = try target.cutDanglingLinks(of: stored)
                salvage.note(cutLinks: cut, of: Int(stored.number))
            }
            // Only now every link has a target.
            try target.write(durability: .full) { try $0.derived.adopt(schema) }
            try target.buildIndexes()
        }
        return salvage.report
    }

    /// Sets links to objects that do not exist to null, and removes them from collections. Returns how many.
    private func cutDanglingLinks(of stored: StoredClass) throws -> Int {
        let links = stored.properties.indices.filter { stored.properties[$0].type.mayLink }.map { stored.column($0) }
        if links.isEmpty { return 0 }
        let snapshot = try snapshot()
        defer { snapshot.end() }
        let names = try snapshot.schema().classes.map(\.name)
        var waiting: [(ObjectKey, Column, LinkTarget)] = [], cut = 0
        func cutWaiting() throws {
            if waiting.isEmpty { return }
            try write { transaction in
                let table = try transaction.table(stored.name)
                for (key, column, target) in waiting { try transaction.cutLinks(to: target, of: key, in: table, column) }
            }
            cut += waiting.count
            waiting.removeAll()
        }
        let mixed = links.filter { $0.type == .mixed }, plain = links.filter { $0.type == .link }
        let targets = try plain.map { try snapshot.table(names[Int(stored.properties[$0.index].linkTarget ?? 0)]) }
        try snapshot.table(stored.name).forEach { row in
            for (column, target) in zip(plain, targets) {
                try row.forEachTarget(column) { link throws(FreeholdError) in
                    if try !target.contains(ObjectKey(link.key)) { waiting.append((row.key, column, link)) }
                }
            }
            for column in mixed {
                try row.forEachTarget(column) { link throws(FreeholdError) in
                    guard case .object(let object) = link.value else { return }
                    if names.indices.contains(object.classNumber), try snapshot.table(of: object).contains(object.key) { return }
                    waiting.append((row.key, column, link))
                }
            }
            if waiting.count >= 50_000 { try cutWaiting() }
            return true
        }
        try cutWaiting()
        return cut
    }
}
