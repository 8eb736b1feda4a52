@testable import FreeholdEngine
import TestKit

/// Damage that knows nothing of checksums, as disks and strangers do it.
struct Damage {
    var random: SeededRandom
    var bytes: [UInt8]
    let blocks: [BlockMap.Block]
    private(set) var description = ""

    init(_ base: Base, random: SeededRandom) {
        self.random = random
        bytes = base.bytes
        blocks = base.blocks.blocks
    }

    mutating func strike() {
        // Little is left to damage of a file cut short.
        guard bytes.count > FileLayout.firstData + 512 else { return }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: flipBits()
        case 2: fillRun()
        case 3: zeroPage()
        case 4: swapPages()
        case 5: truncate()
        case 6: append()
        default: disturbHeader()
        }
    }

    private mutating func place() -> Int {
        if random.oneIn(4) { return Int.random(in: 0..<FileLayout.firstData, using: &random) }
        if random.oneIn(8) { return Int.random(in: 0..<bytes.count, using: &random) }
        let block = blocks.randomElement(using: &random)!
        return min(bytes.count - 1, block.offset + Int.random(in: 0..<block.length, using: &random))
    }

    private mutating func flipBits() {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = place()
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            description += "a bit of byte \(place) flipped; "
        }
    }

    private mutating func fillRun() {
        let start = place()
        let end = min(bytes.count, start + Int.random(in: 1...600, using: &random))
        let value: UInt8? = random.oneIn(2) ? [0, 0xff, 1, 0x80].randomElement(using: &random) : nil
        for index in start..<end { bytes[index] = value ?? UInt8.random(in: .min ... .max, using: &random) }
        description += "bytes \(start)..<\(end) overwritten; "
    }

    private mutating func zeroPage() {
        let start = place() / FileLayout.page * FileLayout.page
        for index in start..<min(start + FileLayout.page, bytes.count) { bytes[index] = 0 }
        description += "the page at byte \(start) zeroed; "
    }

    private mutating func swapPages() {
        let first = place() / FileLayout.page * FileLayout.page, second = place() / FileLayout.page * FileLayout.page
        guard max(first, second) + FileLayout.page <= bytes.count else { return }
        for index in 0..<FileLayout.page { bytes.swapAt(first + index, second + index) }
        description += "the pages at bytes \(first) and \(second) swapped; "
    }

    private mutating func truncate() {
        let length = random.oneIn(3) ? place() / FileLayout.page * FileLayout.page : place()
        bytes.removeSubrange(length...)
        description += "cut to \(length) bytes; "
    }

    private mutating func append() {
        let count = Int.random(in: 1...10_000, using: &random)
        for _ in 0..<count { bytes.append(UInt8.random(in: .min ... .max, using: &random)) }
        description += "\(count) bytes appended; "
    }

    /// Bytes of the records themselves, which are few among the header pages' many.
    private mutating func disturbHeader() {
        let records = FileLayout.headerCopies + FileLayout.durableSlots + FileLayout.volatileSlots
            + [FileLayout.confirmed, FileLayout.inUse, FileLayout.poison, FileLayout.lost]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = records.randomElement(using: &random)! + Int.random(in: 0..<152, using: &random)
            bytes[place] = UInt8.random(in: .min ... .max, using: &random)
            description += "byte \(place) of a record overwritten; "
        }
    }
}
