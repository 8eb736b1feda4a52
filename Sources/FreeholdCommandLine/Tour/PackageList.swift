import FreeholdImport
import Glibc

/// One package of a Debian package list.
struct Package {
    var name: String
    var version: String
    var architecture: String
    var section: String
    var summary: String
    var installedKilobytes: Int64
    /// The names of its dependencies; of alternatives the first.
    var dependencies: [String]
    /// All fields.
    var record: ImportedObject
}

/// The package list of this machine.
struct PackageList {
    /// The file it was read from.
    let path: String
    let packages: [Package]
    /// The text's length in bytes.
    let byteCount: Int

    /// Reads the list of installed packages, or else one that apt has downloaded.
    init(path: String? = nil) throws {
        guard let path = path ?? Self.candidates().first(where: { access($0, R_OK) == 0 }) else {
            throw Failure("this machine has no Debian package list (/var/lib/dpkg/status); name a control file with --data")
        }
        let reader = ControlReader(try ByteInput.open(path))
        var packages: [Package] = []
        while let record = try reader.next() {
            if let package = Self.package(record.object) { packages.append(package) }
        }
        guard !packages.isEmpty else { throw Failure("\(path) lists no package") }
        self.path = path
        self.packages = packages
        byteCount = reader.bytesRead
    }

    private static func candidates() -> [String] {
        let lists = "/var/lib/apt/lists"
        var found = ["/var/lib/dpkg/status"]
        if let folder = opendir(lists) {
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                // Safe: the system ends the name with a zero within the entry, which lives until the next call.
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
                }
                if name.hasSuffix("_Packages") { found.append("\(lists)/\(name)") }
            }
        }
        return found
    }

    private static func package(_ object: ImportedObject) -> Package? {
        guard let name = text(object, "Package"), let version = text(object, "Version") else { return nil }
        let asked = [text(object, "Pre-Depends"), text(object, "Depends")].compactMap { $0 }
        return Package(
            name: name, version: version, architecture: text(object, "Architecture") ?? "all",
            section: text(object, "Section") ?? "unknown",
            summary: text(object, "Description")?.split(separator: "\n").first.map(String.init) ?? "",
            installedKilobytes: text(object, "Installed-Size").flatMap { Int64($0) } ?? 0,
            dependencies: asked.flatMap { $0.split(separator: ",") }.compactMap(dependency), record: object)
    }

    /// `libc6 (>= 2.36) | libc6-udeb` depends on libc6.
    private static func dependency(_ text: Substring) -> String? {
        text.split(whereSeparator: { " \n\t|(:[".contains($0) }).first.map(String.init)
    }

    /// A field's text; nil if there is none.
    static func text(_ object: ImportedObject, _ name: String) -> String? {
        if case .text(let text)? = object[name] { return text }
        return nil
    }
}
