// Runs fuzz cases one by one, telling each before it begins: `FuzzHelper KIND FIRST COUNT`.
import Glibc
import TestKit

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let kind = FuzzCase.Kind(rawValue: arguments[1]), let first = UInt64(arguments[2]),
      let count = UInt64(arguments[3]) else {
    say("usage: FuzzHelper damage|forgery|sharing|index|lock FIRST COUNT")
    exit(64)
}
/// A forged length must not make the machine run out of memory before the allocation fails.
var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)

/// Cases of one database; making it costs as much as several of them.
let casesPerBase: UInt64 = 40
var base: (seed: UInt64, base: Base)?
var errors = 0, answers = 0
for number in first..<(first + count) {
    say("at \(number)")
    let seed = number / casesPerBase
    if base?.seed != seed {
        base?.base.machine.discard()
        base = (seed, kind == .index ? try Base(textOf: seed) : try Base(seed: seed, mayBeEncrypted: kind == .damage || kind == .lock))
    }
    let one = FuzzCase(kind, number, base!.base)
    one.run()
    errors += one.errors
    answers += one.answers
    for complaint in one.complaints.prefix(3) { say("wrong \(number): \(complaint.split(separator: "\n").joined(separator: " "))") }
}
say("done \(errors) \(answers)")
