@testable import FreeholdEngine
import TestKit

/// Damage whose checksums are all right: blocks and roots are changed, then sealed anew up to the roots, so that only
/// the checks of what blocks say stand between the bytes and the code.
struct Forgery {
    var random: SeededRandom
    var bytes: [UInt8]
    let map: BlockMap
    private(set) var description = ""
    private var rootChange: (field: Int, value: UInt64)?

    init(_ base: Base, random: SeededRandom) {
        self.random = random
        bytes = base.bytes
        map = base.blocks
    }

    mutating func strike() {
        for _ in 0..<Int.random(in: 1...3, using: &random) { strike(map.blocks.randomElement(using: &random)!) }
        seal()
    }

    /// Changes blocks of derived indexes, one time of three their roots; and sometimes others, the schema's among them.
    mutating func strikeIndexes() {
        let (all, roots) = map.derived(bytes)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let blocks = random.oneIn(3) ? roots : random.oneIn(8) ? map.blocks : all
            if let block = blocks.randomElement(using: &random) { strike(block) }
        }
        seal()
    }

    private mutating func strike(_ block: BlockMap.Block) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4: changeHeader(block)
        case 4..<11: changeBody(block)
        case 11..<14: changeReference(block)
        case 14: fillBody(block)
        default: rootChange = (Int.random(in: 0..<9, using: &random) * 8, number())
        }
    }

    /// Makes the roots say that the file has so many bytes, when they are sealed.
    mutating func setRootLength(_ length: Int) { rootChange = (16, UInt64(length)) }

    mutating func note(_ text: String) { description += text }

    private mutating func number() -> UInt64 {
        let shift = UInt64.random(in: 0..<64, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return [0, 1, .max, 1 << 63, (1 << 63) - 1, 0xffff_ffff, 0x7fff_ffff, 0xffff, 255, 256].randomElement(using: &random)!
        case 1: return (1 << shift) &- 1  // Safe: wraps to all ones by intent.
        case 2: return 1 << shift
        case 3: return UInt64.random(in: 0..<300, using: &random)
        default: return random.next() >> shift
        }
    }

    private mutating func put(_ value: UInt64, at place: Int, bytes count: Int) {
        switch count {
        case 1: bytes.set(UInt8(truncatingIfNeeded: value), at: place)
        case 2: bytes.set(UInt16(truncatingIfNeeded: value), at: place)
        case 4: bytes.set(UInt32(truncatingIfNeeded: value), at: place)
        default: bytes.set(value, at: place)
        }
        description += "\(count) bytes at \(place) set to \(value); "
    }

    private mutating func changeHeader(_ block: BlockMap.Block) {
        let fields = [(0, 1), (1, 1), (2, 2), (4, 4), (8, 4), (12, 4), (16, 8)]
        let (field, count) = fields.randomElement(using: &random)!
        let old = bytes.integer(UInt32.self, at: block.offset + field)
        let value = random.oneIn(3) ? UInt64(old &+ (random.oneIn(2) ? 1 : .max)) : field == 0 ? UInt64.random(in: 0..<24, using: &random) : number()
        put(value, at: block.offset + field, bytes: count)
    }

    private mutating func changeBody(_ block: BlockMap.Block) {
        let start = block.offset + min(block.length, BlockLayout.references + block.references * BlockReference.byteCount)
        let count = [1, 2, 4, 8].randomElement(using: &random)!
        // The front of a body says what the rest is.
        let reach = random.oneIn(2) ? min(block.offset + block.length, start + 32) : block.offset + block.length
        guard start + count <= reach else { return }
        let place = Int.random(in: start...(reach - count), using: &random) / count * count
        guard place >= start, place + count <= block.offset + block.length else { return }
        let old = bytes.integer(UInt8.self, at: place)
        put(random.oneIn(4) ? UInt64(old &+ (random.oneIn(2) ? 1 : .max)) : number(), at: place, bytes: count)
    }

    private mutating func fillBody(_ block: BlockMap.Block) {
        let start = block.offset + min(block.length - 1, BlockLayout.references + block.references * BlockReference.byteCount)
        let end = min(block.offset + block.length, start + Int.random(in: 1...100, using: &random))
        for index in start..<end { bytes[index] = UInt8.random(in: .min ... .max, using: &random) }
        description += "bytes \(start)..<\(end) overwritten; "
    }

    private mutating func changeReference(_ block: BlockMap.Block) {
        guard block.references > 0 else { return }
        let place = block.offset + BlockLayout.references + Int.random(in: 0..<block.references, using: &random) * BlockReference.byteCount
        guard place + BlockReference.byteCount <= block.offset + block.length else { return }
        var reference = bytes.reference(at: place)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: reference = .null
        case 1: reference.location = number()
        case 2: reference.birth = number()
        default: reference = map.references.randomElement(using: &random)!
        }
        bytes.set(reference, at: place)
        description += "the reference at byte \(place) set to \(reference.location >> 16), \(reference.granuleCount) granules, birth \(reference.birth); "
    }

    /// Makes every checksum right again; the newest root's last, because older ones may lead into pages used again since.
    mutating func seal() {
        var sealer = Sealer(bytes)
        let versions = map.volatile.values.map(\.root.version) + map.durable.values.map(\.root.version)
        for version in Set(versions).sorted() {
            sealer.forget()
            for (offset, record) in map.volatile where record.root.version == version {
                var record = record
                record.root = changed(record.root, &sealer)
                sealer.put(record, at: offset)
            }
            for (offset, record) in map.durable where record.root.version == version {
                let isConfirmed = map.confirmed?.confirms(record) ?? false
                var record = record
                record.root = changed(record.root, &sealer)
                sealer.put(record, at: offset)
                if isConfirmed { sealer.put(ConfirmedRecord(record), at: FileLayout.confirmed) }
            }
        }
        bytes = sealer.bytes
        if let rootChange { description += "word \(rootChange.field) of the roots set to \(rootChange.value); " }
    }

    private func changed(_ root: Root, _ sealer: inout Sealer) -> Root {
        var root = root
        switch rootChange?.field {
        case 0: root.version = rootChange!.value
        case 8: root.lastFull = rootChange!.value
        case 16: root.length = rootChange!.value / 4096 * 4096
        case 24: root.top.location = rootChange!.value
        case 32: root.top.birth = rootChange!.value
        case 40: root.top = map.references[Int(rootChange!.value % UInt64(map.references.count))]
        case 56: root.readFeatures = rootChange!.value
        case 64: root.writeFeatures = rootChange!.value
        default: break
        }
        root.top = sealer.seal(root.top)
        return root
    }
}
