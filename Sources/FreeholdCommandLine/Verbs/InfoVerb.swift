import ArgumentParser
import FreeholdEngine
import FreeholdImport
import Glibc

/// `freehold info`: the file, its versions and the processes that hold them.
struct InfoVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the file's size, its versions, and which processes hold them since when.",
        discussion: """
            Held versions keep their space: "kept" is the space that could be reused if no process held a version older than \
            the newest.
            """)

    @OptionGroup var database: ReadDatabaseArgument
    @Flag(help: "Show what uses the space, by class and property. Reads the structure of the whole file.") var sizes = false
    @Flag(help: "Write JSON.") var json = false

    func run() throws {
        let database = try self.database.open()
        let information = try database.information()
        let snapshot = try database.snapshot()
        // Objects of a subclass are counted with their base class.
        let objects = try snapshot.classes.filter { $0.superclass == nil }.reduce(0) { try $0 + snapshot.table($1.name).count }
        // This process holds the version that it reads, which is not shown.
        let holders = information.holders.filter { $0.processIdentifier != getpid() }
        let schemaVersion = try snapshot.schemaVersion
        let use = sizes ? try measure(snapshot) : nil
        if json { return try writeJSON(information, holders, snapshot, objects: objects, use) }
        var lines = TextTable([.init(heading: ""), .init(heading: "")])
        lines.add(["file", database.path])
        lines.add(["version", "\(information.version)" + (information.durableVersion == information.version
            ? ", on disk" : ", of which \(information.durableVersion) is on disk")])
        if let lost = information.lostVersion {
            lines.add(["lost", "version \(lost) was durable and its root was destroyed: restore a backup, or go on without it (`freehold check --acknowledge-loss`)"])
        }
        lines.add(["content", "\(Figures.count(try snapshot.classes.count, "class", plural: "classes")), \(Figures.count(objects, "object"))"])
        for (name, written) in try StoreImporter.unfinished(in: snapshot) {
            lines.add(["import", "of \(name) is not complete: \(Figures.count(written, "object")) so far; `freehold import` continues it"])
        }
        if let schemaVersion { lines.add(["schema", "version \(schemaVersion), as programs count"]) }
        for status in try snapshot.fullTextIndexes() { lines.add(["full text", status.text]) }
        for status in try snapshot.placeIndexes() { lines.add(["places", status.text]) }
        for status in try snapshot.collationIndexes() { lines.add(["collation", status.text]) }
        for status in try snapshot.vectorIndexes() { lines.add(["vectors", status.text]) }
        if let pending = try snapshot.syncedPending() { lines.add(["sync", pending.text]) }
        lines.add(["size", "\(bytes(information.fileLength)): \(bytes(information.usedBytes)) used, \(bytes(information.freeBytes)) free, "
            + "\(bytes(information.heldBytes)) kept for older versions"])
        for holder in holders {
            lines.add(["held", "version \(holder.version) by \(holder.processName) (process \(holder.processIdentifier)), "
                + "\(Figures.count(holder.readers, "reader")), for at least \(Figures.duration(Double(holder.heldMilliseconds) / 1000)), "
                + "\(holder.isParked ? "parked" : "active"), keeps \(bytes(holder.keptBytes))"])
        }
        if holders.isEmpty { lines.add(["held", "no version, by no other process"]) }
        for line in lines.lines().dropFirst(2) { try Output.standard.write(line + "\n") }
        if let use { for line in [""] + use.table().lines() { try Output.standard.write(line + "\n") } }
    }

    private func measure(_ snapshot: Snapshot) throws -> SpaceUse {
        let bar = ProgressBar(totalBytes: nil)
        defer { bar.clear() }
        return try snapshot.spaceUse { bar.show(bytes: Int(clamping: $0), of: Int(clamping: $1)) }
    }

    private func bytes(_ count: UInt64) -> String { Figures.bytes(Int(clamping: count)) }

    private func writeJSON(
        _ information: DatabaseInformation, _ holders: [DatabaseInformation.Holder], _ snapshot: Snapshot, objects: Int,
        _ use: SpaceUse?
    ) throws {
        func number(_ value: UInt64) -> ImportedValue { .int(Int64(clamping: value)) }
        let holders = holders.map { holder in
            JSONObject([
                "version": number(holder.version.rawValue), "process": .int(Int64(holder.processIdentifier)),
                "program": .text(holder.processName), "readers": .int(Int64(holder.readers)),
                "milliseconds": number(holder.heldMilliseconds), "parked": .bool(holder.isParked), "keptBytes": number(holder.keptBytes),
            ]).value
        }
        let members: KeyValuePairs<String, ImportedValue> = [
            "version": number(information.version.rawValue), "durableVersion": number(information.durableVersion.rawValue),
            "lostVersion": information.lostVersion.map { number($0.rawValue) } ?? .null,
            "schemaVersion": try snapshot.schemaVersion.map(number) ?? .null, "classes": .int(Int64(try snapshot.classes.count)),
            "objects": .int(Int64(objects)), "fullTextIndexes": .array(try snapshot.fullTextIndexes().map(\.json)),
            "placeIndexes": .array(try snapshot.placeIndexes().map(\.json)),
            "collationIndexes": .array(try snapshot.collationIndexes().map(\.json)),
            "vectorIndexes": .array(try snapshot.vectorIndexes().map(\.json)),
            "fileBytes": number(information.fileLength),
            "usedBytes": number(information.usedBytes), "freeBytes": number(information.freeBytes),
            "keptBytes": number(information.heldBytes), "holders": .array(holders),
        ]
        var all = Array(members)
        if let pending = try snapshot.syncedPending() { all.append((key: "pending", value: pending.json)) }
        if let use { all.append((key: "space", value: use.json)) }
        try Output.standard.write(JSONObject(all).line)
    }
}
