import BrowserData
import Glibc
import Hummingbird
import NIOCore

/// A request's body in a file without a name, which goes when this does: a slow page must not hold the writer's turn while it
/// sends.
final class Spool: Sendable {
    let descriptor: Int32
    let count: Int

    private init(_ descriptor: Int32, _ count: Int) { (self.descriptor, self.count) = (descriptor, count) }

    deinit { close(descriptor) }

    static func receive(_ body: RequestBody, limit: Int) async throws -> Spool {
        var template = Array("/tmp/freehold-browse-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw BrowserError(.busy, "no temporary file can be created: \(String(cString: strerror(errno)))") }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var count = 0
        do {
            for try await buffer in BodyReading(body) {
                count += buffer.readableBytes
                guard count <= limit else {
                    throw BrowserError(.tooLarge, "more than \(limit) bytes; start the browser with a larger --upload-limit")
                }
                try buffer.withUnsafeReadableBytes { try write($0, to: descriptor) }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return Spool(descriptor, count)
    }

    // Safe: the bytes are used within the call that lends them.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw BrowserError(.busy, "the temporary file cannot be written: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// The pieces of a request's body; one that ends early is the sender's mistake.
struct BodyReading: AsyncSequence {
    typealias Element = ByteBuffer

    private let body: RequestBody

    init(_ body: RequestBody) { self.body = body }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: RequestBody.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            do { return try await pieces.next() } catch {
                throw Refusal(.badRequest, .malformedInput, "the request's body cannot be read: \(error)")
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator()) }
}
