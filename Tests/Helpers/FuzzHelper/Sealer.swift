import CShims
@testable import FreeholdEngine

/// Computes checksums from the leaves up.
struct Sealer {
    private(set) var bytes: [UInt8]
    private var checks: [UInt64: UInt64] = [:]
    private var open: Set<UInt64> = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Computes everything anew from now on.
    mutating func forget() { checks = [:] }

    /// The reference with the checksum that its block has once all below it is sealed. A block within itself stays as it is.
    mutating func seal(_ reference: BlockReference) -> BlockReference {
        var sealed = reference
        guard !reference.isNull, !reference.isPending, (1...BlockLayout.maximumGranules).contains(reference.granuleCount),
              reference.granuleIndex < 1 << 32, Int(reference.byteOffset) + reference.byteLength <= bytes.count else { return reference }
        if let known = checks[reference.location] {
            sealed.check = known
            return sealed
        }
        guard open.insert(reference.location).inserted else { return reference }
        let offset = Int(reference.byteOffset)
        let room = (reference.byteLength - BlockLayout.references) / BlockReference.byteCount
        for index in 0..<min(room, Int(bytes.integer(UInt16.self, at: offset + BlockLayout.referenceCount))) {
            let place = offset + BlockLayout.references + index * BlockReference.byteCount
            let child = bytes.reference(at: place)
            bytes.set(seal(child), at: place)
        }
        // Safe: the range was compared with the file's length.
        sealed.check = bytes.withUnsafeBytes { freehold_shim_checksum($0.baseAddress! + offset, reference.byteLength) }
        checks[reference.location] = sealed.check
        open.remove(reference.location)
        return sealed
    }

    mutating func put(_ record: some HeaderRecord, at offset: Int) {
        record.withBytes { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
}
