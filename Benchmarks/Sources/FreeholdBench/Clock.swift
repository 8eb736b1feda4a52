import Glibc

/// The monotonic clock, the same for all processes of the machine.
func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// How many seconds `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = nanoseconds()
    try body()
    return Double(nanoseconds() - start) * 1e-9
}

/// The median time of `times` runs of `body`, in seconds.
func medianSeconds(of times: Int, _ body: () throws -> Void) rethrows -> Double {
    var taken: [Double] = []
    for _ in 0..<times { taken.append(try seconds(body)) }
    return taken.sorted()[times / 2]
}
