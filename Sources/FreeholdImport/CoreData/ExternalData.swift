import FreeholdEngine
import Glibc

/// The files beside a store that hold large values of attributes with external storage:
/// `.NAME_SUPPORT/_EXTERNAL_DATA/UUID`, where NAME is that of the store without what follows the last dot.
///
/// A value of such an attribute begins with a byte that says where it is:
///
/// ```
/// | 1 | the bytes themselves |        | 2 | the name of a file: a UUID of 36 characters | 0, or nothing |
/// ```
struct ExternalData: Sendable {
    /// What a stored value says of itself.
    enum Form: Equatable {
        case inline
        case file(String)
        /// It is not that of an attribute with external storage.
        case other
    }

    private let folders: [String]

    init(storePath: String) {
        let parts = storePath.split(separator: "/", omittingEmptySubsequences: false)
        let name = parts.last.map(String.init) ?? storePath
        let folder = storePath.dropLast(name.count)
        let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        folders = (stem.isEmpty || stem.isSame(as: name) ? [name] : [stem, name]).map { "\(folder).\($0)_SUPPORT/_EXTERNAL_DATA/" }
    }

    /// The form of a value, from its first bytes (all of them, if it has at most 38).
    static func form(_ bytes: UnsafeRawBufferPointer) -> Form {
        guard let first = bytes.first else { return .other }
        if first == 1 { return .inline }
        guard first == 2, bytes.count == 37 || bytes.count == 38 && bytes[37] == 0 else { return .other }
        let name = String(decoding: bytes[1..<37], as: UTF8.self)
        return IdentifierText.uuid(name) == nil ? .other : .file(name)
    }

    /// Whether the file of a name is there.
    func has(_ name: String) -> Bool { ((try? open(name)) ?? nil) != nil }

    /// The content of a file; nil if it is not there.
    func bytes(_ name: String) throws(SourceError) -> SourceBytes? {
        guard let file = try open(name) else { return nil }
        return SourceBytes(isText: false, count: file.count, reader: file)
    }

    /// - Parameter name: a UUID, so that it leads nowhere else.
    private func open(_ name: String) throws(SourceError) -> ExternalFile? {
        for folder in folders {
            if let file = try ExternalFile(folder + name) { return file }
        }
        return nil
    }
}

/// The file of one value, read in parts.
private final class ExternalFile: SourceBytesReader {
    let path: String
    let count: Int

    private static let partSize = 256 << 10

    /// - Returns: nil if there is no such file, or it is a folder, a link or a device.
    init?(_ path: String) throws(SourceError) {
        self.path = path
        var status = Glibc.stat()
        if lstat(path, &status) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure(path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        count = Int(status.st_size)
    }

    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor < 0 { throw Self.failure(path, errno) }
        defer { close(descriptor) }
        var part = [UInt8](repeating: 0, count: min(Self.partSize, count))
        var left = count
        while left > 0 {
            // Safe: the buffer is that of the array, and is not kept.
            let got = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, min(left, $0.count)) }
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw Self.failure(path, errno) }
            if got == 0 { throw SourceError(.changed, "the file \(path) became shorter while it was read") }
            try part.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<got])) }
            left -= got
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> SourceError {
        SourceError(.system, "\(path) cannot be read: \(String(cString: strerror(code)))", systemCode: code)
    }
}
