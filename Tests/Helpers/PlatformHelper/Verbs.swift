import Glibc
import Platform
import Synchronization

/// The word at an offset of a mapping.
///
/// Safe: the mappings outlive the process's use of them, and all processes use the word as an atomic only.
func word(_ mapping: Mapping, _ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (mapping.base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
}

func plain(_ word: UnsafeMutablePointer<Atomic<UInt32>>) -> UnsafePointer<UInt32> {
    // Safe: an atomic has the representation of its value; only the futex looks at it so.
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self)
}

/// Copies every new value of the question to the answer, until it is 0 again.
func answer(_ path: String) throws {
    let system = LinuxSystem.shared
    let mapping = try mapped(path)
    let question = word(mapping, 0)
    let reply = word(mapping, 64)
    var seen: UInt32 = 0
    say("ready")
    while true {
        let now = question.pointee.load(ordering: .acquiring)
        if now == seen {
            _ = system.wait(on: plain(question), whileEqual: seen, timeoutMilliseconds: 60_000)
            continue
        }
        if now == 0 { return }
        seen = now
        reply.pointee.store(now, ordering: .releasing)
        system.wake(plain(reply), count: 1)
    }
}

/// Raises the word step by step and tells the pipe whenever its listener has armed it.
func tell(_ path: String, _ pipePath: String, upTo last: UInt32) throws {
    let system = LinuxSystem.shared
    let mapping = try mapped(path)
    guard let pipe = try system.openNotifyPipeForWriting(pipePath) else { fatalError("nobody listens") }
    let sequence = word(mapping, 0)
    let armed = word(mapping, 64)
    for value in 1...last {
        sequence.pointee.store(value, ordering: .sequentiallyConsistent)
        if armed.pointee.exchange(0, ordering: .sequentiallyConsistent) == 1 { _ = try pipe.tell() }
    }
    say("done")
}

/// Has a bus error of its own, outside any mapping of the seam, with a handler set before the seam's.
func foreignFault(_ path: String) throws {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
        // Safe: write and _exit may be called in a handler.
        _ = Glibc.write(1, "own handler\n", 12)
        _exit(7)
    }
    sigaction(SIGBUS, &action, nil)
    let guarded = try mapped(path)
    let descriptor = open(path, O_RDWR)
    let own = mmap(nil, 4096, PROT_READ, MAP_SHARED, descriptor, 1 << 20)
    // Both lie beyond the file's end: the first is answered with zeros, the second is not ours.
    say("\(guarded.base.load(fromByteOffset: 32_768, as: UInt8.self)) \(guarded.hasFaulted)")
    if let own, own != MAP_FAILED { say("\(own.load(as: UInt8.self))") }
}

@_silgen_name("fork")
private func forkProcess() -> pid_t

/// Asks who it is, forks, and lets the child ask again.
func forkAndTell() {
    let parent = LinuxSystem.shared.process.id
    let child = forkProcess()
    if child == 0 {
        let own = LinuxSystem.shared.process.id
        say("\(own == getpid()) \(own == parent)")
        _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
}

/// Forks with a mapping, a byte lock and a mutex in hand; the child says what it sees.
func forkAndLook(_ path: String) throws {
    let system = LinuxSystem.shared
    let mapping = try mapped(path)
    let file = try system.openFile(path, .readWrite)
    guard try file.tryLock(byte: 1 << 62, exclusive: true) else { fatalError("the byte is taken") }
    let child = forkProcess()
    if child == 0 {
        // The kernel answers for the address without a fault of ours.
        let null = open("/dev/null", O_WRONLY)
        var pipeEnds: [Int32] = [0, 0]
        pipe(&pipeEnds)
        let readable = write(pipeEnds[1], mapping.base, 1) == 1
        Glibc.close(null)
        system.unmap(mapping)
        try file.unlock(byte: 1 << 62)
        file.close()
        say("child generation \(system.forkGeneration) readable \(readable)")
        _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    let other = try system.openFile(path, .readWrite)
    say("parent generation \(system.forkGeneration) locked \(try other.isLocked(byte: 1 << 62))")
}

/// Closes a file twice, with another one opened in between, and forks: the child must have closed what carries the other's locks.
func closeTwiceAndFork(_ path: String) throws {
    let system = LinuxSystem.shared
    let first = try system.openFile(path, .readWrite)
    guard try first.tryLock(byte: 1 << 62, exclusive: true) else { fatalError("the byte is taken") }
    first.close()
    let second = try system.openFile(path, .readWrite)
    guard try second.tryLock(byte: 1 << 62, exclusive: true) else { fatalError("the byte was kept") }
    first.close()
    let child = forkProcess()
    if child == 0 {
        let open = (3..<64 as Range<Int32>).filter { number in
            var status = stat()
            return fstat(number, &status) == 0 && (try? system.resolvePath("/proc/self/fd/\(number)")) == path
        }
        say("the child has \(open.count)")
        _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    say("locked \(try system.openFile(path, .readWrite).isLocked(byte: 1 << 62))")
    second.close()
}
