import DatabaseKit
import FreeholdEngine
import Glibc
import TestKit

/// A process of the tests of live answers: `write PATH SEED COMMITS`, or `watch PATH SEED ANSWERS` until a class named End is there. One of
/// the tests of sync: `lease PATH 0 CHILDREN`, which keeps the sync lease, and has so many forked children that outlive it.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = Glibc.write(1, bytes, bytes.count)
}

func write(_ path: String, _ seed: UInt64, _ commits: Int) throws {
    let database = try Database.open(path)
    var world = LiveWorld(seed: seed), random = SeededRandom(seed: seed)
    for number in 1...commits {
        try database.write(durability: random.oneIn(20) ? .full : .processCrash) { try world.change(in: $0, atMost: 3) }
        if number == 5 { say("writing") }
    }
    database.close()
    say("written")
}

func watch(_ path: String, _ seed: UInt64, _ answers: Int) throws {
    let database = try Database.open(path)
    let observer = try LiveObserver(database, seed: seed, answers: answers)
    say("watching")
    while true {
        var entry = pollfd(fd: observer.fileDescriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, -1)
        guard try observer.deliver() else { continue }
        if let complaint = observer.complaints.first { return say("complaint \(complaint.replacing("\n", with: " "))") }
        if try database.snapshot().classes.contains(where: { $0.name == "End" }) { break }
    }
    while try observer.deliver() {}
    say(observer.complaints.first.map { "complaint \($0)" } ?? "saw \(observer.version)")
}

func lease(_ path: String, children: Int) throws {
    let database = try Database.open(path)
    guard let lease = try database.takeSyncLease() else { return say("refused") }
    for _ in 0..<children where fork() == 0 {
        say("child \(getpid()) \(lease.isHeld)")
        while true { pause() }
    }
    say("held \(lease.isHeld)")
    while true { pause() }
}

/// Swift does not offer it: only one thread goes on in the child.
@_silgen_name("fork") private func fork() -> pid_t

let arguments = CommandLine.arguments
do {
    guard arguments.count == 5, let seed = UInt64(arguments[3]), let count = Int(arguments[4]) else { throw Unexpected("what to do?") }
    switch arguments[1] {
    case "write": try write(arguments[2], seed, count)
    case "lease": try lease(arguments[2], children: count)
    default: try watch(arguments[2], seed, count)
    }
} catch { say("error \(error)") }
