// One of the other processes of the contract tests.
//
//     ContractHelper obey                           does what each line of its input says, and answers each with a line
//     ContractHelper seal PATH KEY                  writes to an encrypted database as each line of its input says (see Sealing)
//     ContractHelper ROLE PATH NUMBER ROUNDS        plays a role until told `stop` (see Role)
import FreeholdEngine
import Glibc

let words = Array(CommandLine.arguments.dropFirst())
do {
    if words.first == "obey" {
        Obedient().run()
    } else if words.first == "seal", words.count == 3, let key = UInt8(words[2]) {
        var sealing = try Sealing(path: words[1], key: key)
        try sealing.run()
    } else if words.count == 4, let role = Role(rawValue: words[0]), let number = Int64(words[2]), let rounds = Int(words[3]) {
        try Member(role, path: words[1], number: number, roundsPerLife: rounds).run()
    } else {
        Console.say("E unknown arguments \(words)")
    }
} catch {
    Console.say("E \(error)")
    exit(1)
}
