import Testing

@testable import FreeholdImport

/// Any bytes give records or errors, and the same ones however the bytes come.
@Suite struct FuzzTests {
    private static let samples: [(RecordFormat, String)] = [
        (.json, #"[{"a":1,"b":[true,null,-1.5e3],"c":{"d":"x\n\u00e4\ud83d\ude00"}}, {"a":"é"}]"#),
        (.jsonl, "{\"a\":1,\"b\":\"x\"}\n{\"a\":{\"b\":{\"c\":[]}}}\n{\"a\":\"\\\\\"}\n"),
        (.csv, "a,b,c\n1,\"x\"\"y\",2024-05-01\r\n,\"\",\"two\nlines\"\n"),
        (.tsv, "a\tb\n1\t\"x\ty\"\n\t\n"),
        (.control, "Package: a\nDescription: first\n second\n .\n\nPackage: b\n"),
    ]

    @Test(arguments: 0..<samples.count)
    func anyBytesGiveRecordsOrErrors(index: Int) {
        let (format, sample) = Self.samples[index]
        for round in 0..<4_000 {
            let seed = UInt64(index * 1_000_000 + round + 1)
            var random = Random(seed: seed)
            let text = mutated(Array(sample.utf8), &random)
            let whole = Reading(text, as: format, blockLength: 4096)
            let blockLength = 1 + Int(random.next() % 16)
            #expect(Reading(text, as: format, blockLength: blockLength) == whole, "seed \(seed)")
        }
    }

    private func mutated(_ sample: [UInt8], _ random: inout Random) -> [UInt8] {
        var text = sample
        for _ in 0...(random.next() % 6) {
            let place = text.isEmpty ? 0 : Int(random.next() % UInt64(text.count))
            let byte = random.next() % 4 == 0 ? UInt8(truncatingIfNeeded: random.next()) : Self.likely[Int(random.next() % UInt64(Self.likely.count))]
            switch random.next() % 5 {
            case 0 where !text.isEmpty: text[place] = byte
            case 1 where !text.isEmpty: text.remove(at: place)
            case 2: text.insert(byte, at: place)
            case 3: text.insert(contentsOf: text[place...].prefix(Int(random.next() % 20)), at: place)
            default: text.removeSubrange(place..<min(text.count, place + Int(random.next() % 8)))
            }
        }
        return text
    }

    private static let likely = Array("\"\\{}[],:\n\r\t .0-9eEu#\0ntf".utf8)
}

/// SplitMix64: small, and the same on every run.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
