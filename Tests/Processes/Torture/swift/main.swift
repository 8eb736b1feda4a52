// The Swift program of the torture; README.md beside this folder tells the protocol.
import Foundation
import Freehold

let accountCount = 16

func end(_ complaint: String) -> Never {
    FileHandle.standardError.write(Data((complaint + "\n").utf8))
    exit(2)
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

struct Failure: Error { let text: String }

func described(_ error: any Error) -> String {
    let text: String
    switch error {
    case let failure as Failure: text = "0 \(failure.text)"
    case let error as Realm.Error: text = "\(9000 + error.errorCode) \(error.localizedDescription)"
    default: text = "1 \(error)"
    }
    return "E " + text.replacingOccurrences(of: "\n", with: " ")
}

let member = Member()
while let line = readLine() {
    let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    if let answer = member.answer(words) { say(answer) }
}
