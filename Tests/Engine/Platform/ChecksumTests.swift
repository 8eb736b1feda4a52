import CShims
import TestKit
import Testing

@Suite struct ChecksumTests {
    private func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { freehold_shim_checksum($0.baseAddress, $0.count) }
    }

    private func randomBytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test func theProcessorAndTheTablesAgreeAtEveryLengthAndAlignment() {
        var random = SeededRandom(seed: 1)
        let bytes = randomBytes(700, &random)
        bytes.withUnsafeBytes { bytes in
            for start in 0..<9 {
                for count in 0...600 {
                    let part = bytes.baseAddress.unsafelyUnwrapped + start
                    #expect(freehold_shim_checksum(part, count) == freehold_shim_checksum_portable(part, count))
                }
            }
        }
    }

    @Test func itsValuesAreThoseOfTheFileFormat() {
        #expect(checksum([]) == golden[0])
        #expect(checksum([0]) == golden[1])
        #expect(checksum(Array("The quick brown fox jumps over the lazy dog".utf8)) == golden[2])
        #expect(checksum((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) }) == golden[3])
    }

    private let golden: [UInt64] = [0x0f57_d977_0ac0_b4e1, 0x4072_605a_e026_c775, 0xd8f2_2478_b74b_d899, 0x4eb9_8f32_f7f0_f1c4]

    @Test func everySingleBitCounts() {
        var random = SeededRandom(seed: 2)
        var bytes = randomBytes(4096, &random)
        let before = checksum(bytes)
        var seen: Set<UInt64> = [before]
        for bit in 0..<4096 * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            seen.insert(checksum(bytes))
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(seen.count == 4096 * 8 + 1)
        #expect(checksum(bytes) == before)
    }

    @Test func aWordChangedWithinOneLaneAlwaysChangesIt() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<20_000 {
            let original = randomBytes(256, &random)
            var changed = original
            let word = Int.random(in: 0..<32, using: &random)
            for byte in word * 8..<word * 8 + 4 { changed[byte] = UInt8.random(in: 0...255, using: &random) }
            if changed != original { #expect(checksum(changed) != checksum(original)) }
        }
    }

    @Test func zerosAtTheEndAndMovedWordsCount() {
        var random = SeededRandom(seed: 4)
        let bytes = randomBytes(256, &random)
        let lengthened = (0...64).map { checksum(bytes + [UInt8](repeating: 0, count: $0)) }
        #expect(Set(lengthened).count == 65)
        let zeros = (0...4096).map { checksum([UInt8](repeating: 0, count: $0)) }
        #expect(Set(zeros).count == 4097)
        var swapped = bytes
        for byte in 0..<8 { swapped.swapAt(byte, byte + 8) }
        #expect(checksum(swapped) != checksum(bytes))
    }
}
