import Glibc

/// A pipe with a name, beside the shared page, by which a helper process answers: so the parent can rest until then, where looking at the
/// page again and again would take the processor from the one that is to answer.
struct AnswerPipe {
    private let descriptor: Int32
    private let path: String

    /// Makes the pipe for the parent; it is open for writing too, so reading waits whether or not a child has opened it.
    init(besideNew page: String) throws {
        path = page + "-answers"
        unlink(path)
        guard mkfifo(path, 0o600) == 0 else { throw BenchmarkError("cannot make \(path)") }
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("cannot open \(path)") }
    }

    /// Joins the pipe that the parent made.
    init(beside page: String) throws {
        path = page + "-answers"
        descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BenchmarkError("cannot open \(path)") }
    }

    func remove() {
        close(descriptor)
        unlink(path)
    }

    func answer() {
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
    }

    func waitForOne() {
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
    }
}
