import FreeholdEngine
import FreeholdMerge
import Glibc

// A server in memory for the classes of a file: `SyncServerHelper PATH`. It reads messages from standard input, each behind its length in
// four bytes (little-endian), and writes the answer to each likewise, of no bytes where there is none: for a batch of another history, and
// for one that it refuses, which it says on standard error.

func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count), done = 0
    while done < count {
        let got = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress! + done, count - done) }
        if got <= 0 { return nil }
        done += got
    }
    return bytes
}

func write(_ bytes: [UInt8]) {
    let length = UInt32(bytes.count), whole = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + bytes
    var done = 0
    while done < whole.count {
        let put = whole.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + done, whole.count - done) }
        if put <= 0 { exit(1) }
        done += put
    }
}

func milliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

func fail(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Glibc.write(2, bytes, bytes.count)
}

do {
    guard CommandLine.arguments.count == 2 else {
        fail("usage: SyncServerHelper PATH")
        exit(2)
    }
    let database = try Database.open(CommandLine.arguments[1])
    let schema = SyncSchema(declared: try database.snapshot().classes), user = SyncUser(rawValue: 1)
    database.close()
    let server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
    try server.add(user)
    while let head = read(4) {
        let length = head.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard let bytes = read(length) else { exit(1) }
        do {
            switch try SyncMessage(bytes: bytes) {
            case .push(let push):
                let ack = try server.commit(push, by: user, in: try server.begin(), now: milliseconds())
                write(ack.map { SyncMessage.ack($0).bytes } ?? [])
            case .pull(let pull): write(SyncMessage.answer(try server.answer(pull, for: user, now: milliseconds())).bytes)
            case .ack, .answer: write([])
            }
        } catch {
            fail("\(error)")
            write([])
        }
    }
} catch {
    fail("\(error)")
    exit(1)
}
