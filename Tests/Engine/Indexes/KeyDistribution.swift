import TestKit

/// Kinds of keys that stress different parts of a tree.
enum KeyDistribution: CaseIterable {
    case fewKeys, allDistinct, bigEndianTargets, sharedPrefixes, tinyAlphabet, longKeys, hugeKeysAlike, ascending

    /// A key and an object key; `step` counts the draws.
    func posting(_ generator: inout SeededRandom, step: Int) -> Posting {
        switch self {
        case .fewKeys:
            Posting(key: Array("city-\(Int.random(in: 0..<5, using: &generator))".utf8), object: .random(in: -3000...3000, using: &generator))
        case .allDistinct:
            Posting(key: bytes(8, &generator), object: .random(in: .min ... .max, using: &generator))
        case .bigEndianTargets:
            Posting(key: bigEndian(.random(in: 0..<700, using: &generator)), object: .random(in: 0..<20, using: &generator))
        case .sharedPrefixes:
            Posting(key: Array("a common beginning of every key/\(Int.random(in: 0..<4000, using: &generator))".utf8), object: 1)
        case .tinyAlphabet:
            Posting(key: (0..<Int.random(in: 0...7, using: &generator)).map { _ in [0, 0, 1, 255].randomElement(using: &generator)! },
                    object: [.min, -1, 0, 1, .max].randomElement(using: &generator)!)
        case .longKeys:
            Posting(key: [UInt8](repeating: 7, count: .random(in: 0...3, using: &generator) * 900) + bytes(1, &generator),
                    object: .random(in: 0..<4, using: &generator))
        case .hugeKeysAlike:
            Posting(key: [UInt8](repeating: 9, count: 4090 + .random(in: 0...10, using: &generator)) + bytes(1, &generator).map { $0 & 3 }
                        + (Bool.random(using: &generator) ? [UInt8](repeating: 1, count: 2_000) : []),
                    object: .random(in: 0..<400, using: &generator))
        case .ascending:
            Posting(key: bigEndian(UInt64(step)), object: Int64(step))
        }
    }

    private func bytes(_ count: Int, _ generator: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }

    func bigEndian(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
