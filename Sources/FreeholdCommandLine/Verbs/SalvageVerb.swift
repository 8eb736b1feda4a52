import ArgumentParser
import FreeholdEngine
import FreeholdImport
import FreeholdTools

/// `freehold salvage`: recovers the readable objects of a damaged file.
struct SalvageVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage", abstract: "Recover the readable objects of a damaged file into a new one, and list losses.",
        discussion: """
            The damaged file is only read; no program may have it open. Works without its header, its roots, its schema, any of \
            its blocks or its end. Of an encrypted file, only authentic blocks are read; the new file is encrypted with the \
            same key, unless told otherwise. Exit code 3 means that objects or values were lost or may be out of date.
            """)

    @Argument(help: "The damaged file.", completion: .file()) var database: String
    @Argument(help: "Path of the new file; it must not exist.", completion: .file()) var destination: String
    @Option(help: "The file with the key of an encrypted database: 64 bytes, or 128 hexadecimal digits.")
    var encryptionKeyFile: KeyFile?
    @Option(help: "Encrypt the new file with the key in this file.") var newKeyFile: KeyFile?
    @Flag(help: "Do not encrypt the new file.") var decrypt = false
    @Flag(help: "Write JSON.") var json = false

    func validate() throws {
        guard newKeyFile == nil || !decrypt else { throw ValidationError("--new-key-file and --decrypt contradict each other.") }
    }

    func run() throws {
        let key = try newKeyFile?.read()
        let report = try Database.salvage(
            from: database, to: destination, key: encryptionKeyFile?.read(), encryption: decrypt ? .none : key.map { .key($0) } ?? .same)
        if json { try writeJSON(report) } else { try writeText(report) }
        try Output.standard.flush()
        guard report.isComplete else { throw Failure("not everything could be salvaged", code: 3) }
    }

    private func writeText(_ report: SalvageReport) throws {
        for note in report.notes { try Output.standard.write(DisplayText.visible(note) + "\n") }
        for loss in report.classes {
            try Output.standard.write("\(DisplayText.visible(loss.name)): \(Self.summary(of: loss))\n")
            for range in loss.lostRanges {
                let objects = range.objects.map { $0 > 0 ? "\(Figures.count($0, "object")) lost" : "no object lost" } ?? "an unknown number lost"
                try Output.standard.write("  keys \(range.first) to \(range.last): \(objects)\n")
            }
            for (property, count) in loss.lostValues.sortedByKey {
                try Output.standard.write("  \(DisplayText.visible(property)): lost in \(Figures.count(count, "object"))\n")
            }
        }
        let version = report.version.map { ", version \($0)" } ?? ""
        try Output.standard.write("salvaged: \(Figures.count(report.objects, "object"))\(version)\n")
    }

    /// `12 objects, 3 lost, 1 perhaps out of date`.
    private static func summary(of loss: SalvagedClass) -> String {
        var parts = [Figures.count(loss.objects, "object")]
        if let lost = loss.lostObjects {
            if lost > 0 { parts.append("\(Figures.grouped(lost)) lost") }
        } else {
            parts.append("an unknown number lost")
        }
        let others = [(loss.possiblyStale, "perhaps out of date"), (loss.madeUpKeys, "with a made-up primary key"),
                      (loss.superseded, "superseded by newer ones")]
        for (count, what) in others where count > 0 { parts.append("\(Figures.grouped(count)) \(what)") }
        if loss.cutLinks > 0 { parts.append("\(Figures.count(loss.cutLinks, "link")) to lost objects made null") }
        return parts.joined(separator: ", ")
    }

    private func writeJSON(_ report: SalvageReport) throws {
        func number(_ count: Int?) -> ImportedValue { count.map { .int(Int64($0)) } ?? .null }
        let classes = report.classes.map { loss in
            let ranges = loss.lostRanges.map { range in
                JSONObject(["first": .int(range.first.rawValue), "last": .int(range.last.rawValue), "objects": number(range.objects)]).value
            }
            let values = loss.lostValues.sortedByKey.map { property, count in
                JSONObject(["property": .text(property), "objects": number(count)]).value
            }
            return JSONObject([
                "name": .text(loss.name), "objects": number(loss.objects), "lostObjects": number(loss.lostObjects),
                "lostRanges": .array(ranges), "possiblyStale": number(loss.possiblyStale), "lostValues": .array(values),
                "madeUpKeys": number(loss.madeUpKeys), "superseded": number(loss.superseded), "cutLinks": number(loss.cutLinks),
            ]).value
        }
        try Output.standard.write(JSONObject([
            "complete": .bool(report.isComplete),
            "version": report.version.map { .int(Int64(clamping: $0.rawValue)) } ?? .null,
            "objects": number(report.objects), "notes": .array(report.notes.map { .text($0) }), "classes": .array(classes),
        ]).line)
    }
}
