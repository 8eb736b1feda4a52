// The other process in the tests of the platform seam: `PlatformHelper VERB ARGUMENT…`. It speaks line by line and, once
// it has said what it holds, holds it until it is killed or its input ends.
import Glibc
import Platform

let system = LinuxSystem.shared
let arguments = Array(CommandLine.arguments.dropFirst())

func say(_ line: String) {
    print(line)
    // Without a file all streams are flushed.
    fflush(nil)
}

func argument(_ index: Int) -> String {
    guard index < arguments.count else { fatalError("PlatformHelper: argument \(index) is missing") }
    return arguments[index]
}

func holdUntilEnd() {
    while readLine() != nil {}
}

func mapped(_ path: String) throws -> Mapping {
    try system.openFile(path, .readWrite).map(reserve: 65_536, minimum: 4096, writable: true, dontFork: true)
}

switch argument(0) {
case "hold-mutex":
    let mapping = try mapped(argument(1))
    say("\(system.lockMutex(at: mapping.base, timeoutMilliseconds: 60_000))")
    holdUntilEnd()
case "hold-byte":
    let file = try system.openFile(argument(1), argument(3) == "exclusive" ? .readWrite : .readOnly)
    guard let byte = Int(argument(2)) else { fatalError("not a byte") }
    say("\(try file.tryLock(byte: byte, exclusive: argument(3) == "exclusive"))")
    holdUntilEnd()
    file.close()
case "answer":
    try answer(argument(1))
case "tell":
    try tell(argument(1), argument(2), upTo: UInt32(argument(3)) ?? 0)
case "points":
    for count in 1...(Int(argument(1)) ?? 1) {
        point("helper.step", system)
        say("\(count)")
    }
    say("done")
case "identity":
    say("\(system.process.name) \(system.process.id == getpid())")
    say("\(String(describing: system.bootIdentity))")
    say("\(system.processNamespace) \(system.layoutTag)")
case "identity-of-a-child":
    forkAndTell()
case "descriptors":
    // What is no file on a disk, or just the listing's own, resolves to nothing.
    let open = try system.listDirectory("/proc/self/fd").compactMap { try? system.resolvePath("/proc/self/fd/\($0)") }
    say("\(open.filter { $0.hasPrefix(argument(1)) })")
case "open-as":
    guard let user = uid_t(argument(1)), setuid(user) == 0 else { fatalError("cannot become another user") }
    do throws(SystemError) {
        _ = try system.openFile(argument(2), argument(3) == "write" ? .readWrite : .readOnly)
        say("opened")
    } catch {
        say("\(error.code)")
    }
case "close-twice":
    try closeTwiceAndFork(argument(1))
case "foreign-fault":
    try foreignFault(argument(1))
case "fork":
    try forkAndLook(argument(1))
default:
    fatalError("PlatformHelper: unknown verb \(argument(0))")
}
