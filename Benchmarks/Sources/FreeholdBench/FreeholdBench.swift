import Glibc

/// `freehold-bench --n N --dir DIR [WORKLOAD…]`: Freehold's driver of the benchmark.
///
/// Prints the same lines as the drivers of the rivals; `Benchmarks/README.md` tells what they mean.
@main
struct FreeholdBench {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if let child = arguments.child {
                try ChildRoles.run(child, arguments)
            } else {
                try run(arguments)
            }
        } catch {
            let message = "freehold-bench: \(error)\n"
            _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) throws {
        let bench = Bench(arguments)
        Output.line("# Freehold, n=\(arguments.count)")
        for name in arguments.workloads where Bench.workloads.allSatisfy({ $0.name != name }) {
            Output.skip(name, "not a workload of this driver; Benchmarks/README.md lists them")
        }
        for workload in Bench.workloads where arguments.workloads.isEmpty || arguments.workloads.contains(workload.name) {
            try bench.makeFileIfMissing(unless: workload.name == "bulk_insert")
            try workload.run(bench)
        }
    }
}
