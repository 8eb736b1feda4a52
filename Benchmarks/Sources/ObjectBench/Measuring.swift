import Foundation

enum Names {
    static let first = ["Alice", "Albert", "Bob", "Carol", "David", "Emma", "Frank", "Grace"]
    static let cities = (0..<1000).map { "city-\($0)" }
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let taken = ContinuousClock.now - start
    return Double(taken.components.seconds) + Double(taken.components.attoseconds) * 1e-18
}

/// The median of three.
func median(_ body: () throws -> Double) rethrows -> Double { try [body(), body(), body()].sorted()[1] }

func shown(_ number: Double) -> String { String(format: "%.3f", number) }

func expect(_ isTrue: Bool) {
    if !isTrue { print("skip a sum is wrong") }
}

/// Bytes of memory that are the process's own, not a file's.
func ownBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}

/// Something that the compiler does not look into, so that what is around it is done each time.
@inline(never) func opaque() { counter &+= 1 }

// Safe: one thread runs the benchmark.
nonisolated(unsafe) private var counter = 0
