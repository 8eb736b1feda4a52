import Glibc

/// A file that appears under its name only when it is complete.
struct OutputFile {
    private let path: String
    private let partialPath: String
    private let descriptor: Int32
    /// Where to write.
    let output: Output

    /// Begins a file beside its final place.
    init(_ path: String) throws {
        self.path = path
        partialPath = "\(path).partial-\(getpid())"
        descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        output = Output(descriptor: descriptor, name: path)
    }

    /// Gives the complete file its name.
    func finish() throws {
        do {
            try output.flush()
        } catch {
            discard()
            throw error
        }
        close(descriptor)
        guard rename(partialPath, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(partialPath)
            throw Failure("\(path) cannot be written: \(reason)")
        }
    }

    /// Takes the incomplete file away.
    func discard() {
        close(descriptor)
        unlink(partialPath)
    }
}
