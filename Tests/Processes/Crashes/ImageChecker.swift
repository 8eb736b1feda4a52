import CShims
@testable import FreeholdEngine
import Platform
import TestKit

/// Opens the images that crashes of one simulated history leave, counts the distinct ones and checks their content.
///
/// 1. Two images are distinct if recovery finds another version, or if a record of the header pages differs: a durable slot, V, `confirmed`,
///    "in use" or poison. Records are compared whole: all torn ones count as one. What pages hold that the version does not reach is dead
///    and counts for nothing; neither do images under a record of bytes that a writer never completed.
/// 2. An image with records of header pages that three others have is opened only once in four times; every other one is, if it differs in
///    any byte from those before. The one that first shows a version is checked completely by the caller; of the others with that root,
///    all bytes that the root reaches are compared with the checked ones. One in 32 is checked again.
/// 3. A difference in reached bytes is an error: committed blocks never change while a version that reaches them can be found.
final class ImageChecker {
    /// How many images were made, how many differed from all others in some byte, and how many are distinct.
    private(set) var made = 0, opened = 0
    var distinct: Int { keys.count }

    private let machine: SimulatedSystem
    private let paths: [String]
    private let options: OpenOptions
    private var seen: Set<UInt64> = []
    private var keys: Set<[UInt64]> = []
    /// How many images had these records.
    private var headers: [[UInt64]: Int] = [:]
    /// By root: where its blocks stand, and the checksum over them.
    private var known: [[UInt64]: (reached: [Range<Int>], checksum: UInt64)] = [:]
    /// Of each record in the header pages: its length, and the checksums of those that were written whole.
    private var records: [(offset: Int, length: Int, whole: Set<UInt64>)] = []

    /// - Parameters:
    ///   - paths: the names that the file may have; the first one that an image has is opened.
    ///   - place: where in the log the history begins.
    init(_ machine: SimulatedSystem, paths: [String], from place: Int, _ options: OpenOptions) {
        self.machine = machine
        self.paths = paths
        self.options = options
        guard let path = machine.firstExisting(of: paths) else { return }
        let beginning = machine.image(at: place, surviving: .all)
        defer { beginning.discard() }
        let offsets = FileLayout.durableSlots + FileLayout.volatileSlots + [FileLayout.confirmed, FileLayout.inUse, FileLayout.poison, FileLayout.lost]
        for offset in offsets {
            let writes = machine.writes(to: path, at: offset, from: place)
            // The halves of a record are written first where named points are compiled in.
            let length = writes.map(\.count).max() ?? 0
            var whole = Set(writes.filter { $0.count == length }.map { freehold_shim_checksum($0, $0.count) })
            if let name = beginning.firstExisting(of: paths) { whole.insert(Self.checksum(beginning, name, offset..<offset + length)) }
            records.append((offset, length, whole))
        }
    }

    /// What opening an image showed.
    struct Finding {
        let database: Database
        let snapshot: Snapshot
        /// Whether the caller has to check the content.
        let isNew: Bool
    }

    /// Opens what a crash left, unless the same bytes were opened before. Throws what opening throws.
    /// - Parameter body: checks; what it returns is wrong.
    /// - Returns: what is wrong.
    func judge(_ crash: CrashCase, boot: Boot = .next, _ body: (Finding) throws -> [String]) throws -> [String] {
        let image = machine.image(at: crash.place, surviving: crash.surviving, boot: boot)
        defer { image.discard() }
        guard let path = image.firstExisting(of: paths) else { return ["no file is left"] }
        made += 1
        let bytes = image.withBytes(of: path) { freehold_shim_checksum($0.baseAddress!, $0.count) ^ UInt64($0.count) << 32 } ?? 0
        // The same bytes after a reboot and without one are opened differently.
        guard seen.insert(boot == .next ? bytes : ~bytes).inserted else { return [] }
        var key = records.map { record in
            let checksum = Self.checksum(image, path, record.offset..<record.offset + record.length)
            return record.whole.contains(checksum) ? checksum : 0
        }
        headers[key, default: 0] += 1
        guard headers[key]! <= 3 || headers[key]! % 4 == 0 else { return [] }
        opened += 1
        let database = try Database.open(path, options, on: image.makeProcess())
        defer { database.close() }
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        // No crash destroys what `confirmed` names.
        if let lost = snapshot.core.session.lostVersion { return ["version \(lost) is said to be lost, at \(crash)"] }
        let root = snapshot.root, words = [root.version, root.length, root.lastFull, root.top.location, root.top.check]
        key += words
        if boot == .next { keys.insert(key) }
        guard let checked = known[words] else {
            let found = try body(Finding(database: database, snapshot: snapshot, isNew: true))
            let reached = try Self.reached(snapshot)
            known[words] = (reached, Self.checksum(image, path, reached))
            return found
        }
        var found = try body(Finding(database: database, snapshot: snapshot, isNew: opened % 32 == 0))
        if Self.checksum(image, path, checked.reached) != checked.checksum { found.append("blocks of version \(root.version) differ from those checked") }
        return found
    }

    private static func checksum(_ image: SimulatedSystem, _ path: String, _ range: Range<Int>) -> UInt64 { checksum(image, path, [range]) }

    private static func checksum(_ image: SimulatedSystem, _ path: String, _ ranges: [Range<Int>]) -> UInt64 {
        image.withBytes(of: path) { bytes in
            var sum: UInt64 = 0
            for range in ranges {
                let range = range.clamped(to: 0..<bytes.count)
                // Safe: within the file; overflow only mixes.
                sum = sum &* 0x9E37_79B9_7F4A_7C15 ^ freehold_shim_checksum(bytes.baseAddress! + range.lowerBound, range.count)
            }
            return sum
        } ?? 0
    }

    /// Where the blocks stand that a version reaches.
    private static func reached(_ snapshot: Snapshot) throws -> [Range<Int>] {
        var found: [Range<Int>] = [], open = [snapshot.root.top]
        while let reference = open.popLast() {
            if reference.isNull { continue }
            let start = Int(reference.byteOffset)
            found.append(start..<start + reference.byteLength)
            let view = try snapshot.core.access.view(reference)
            for slot in 0..<view.referenceCount { open.append(view.reference(slot)) }
        }
        var joined: [Range<Int>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound >= range.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
