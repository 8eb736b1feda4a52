/// `--n`, `--dir` and workload names; `--child`, `--shared` and `--index` are given to the helper processes only.
struct Arguments {
    var count = 1_000_000
    var folder = "."
    var workloads: [String] = []
    var child: String?
    var shared = ""
    var index = 0

    init(_ words: some Sequence<String>) throws {
        var rest = Array(words)[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
            return value
        }
        func number(of option: String) throws -> Int {
            let text = try value(of: option)
            guard let number = Int(text), number >= 0 else { throw BenchmarkError("\(option) takes a number, not '\(text)'") }
            return number
        }
        while let word = rest.popFirst() {
            switch word {
            case "--n": count = try number(of: word)
            case "--dir": folder = try value(of: word)
            case "--child": child = try value(of: word)
            case "--shared": shared = try value(of: word)
            case "--index": index = try number(of: word)
            case _ where word.hasPrefix("--"): throw BenchmarkError("unknown option \(word); there are --n and --dir")
            default: workloads.append(word)
            }
        }
        guard count > 0 else { throw BenchmarkError("--n starts at 1") }
    }

    func path(_ name: String) -> String { "\(folder)/\(name).freehold" }
}
