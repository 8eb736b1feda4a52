import CShims

/// Tells an opener whether everything a root added is intact: it walks the blocks born after a version, from their
/// bytes alone.
///
/// Safe throughout: every reference is compared with the file's length before its bytes are read.
struct TreeVerifier: RootVerifier {
    /// No tree of trees is deeper; more is a loop.
    private static let maximumDepth = 64

    func verify(_ root: Root, bornAfter birth: UInt64, in file: DataFile, visit: (BlockReference) -> Void) -> Bool {
        guard let length = try? file.length(), root.length <= UInt64(length), root.length <= UInt64(file.mappedLength) else {
            return false
        }
        // Every block has one parent: a walk that meets more than the file holds follows blocks that share children.
        var left = Int(clamping: root.length) / BlockLayout.granule
        var waiting = [(root.top, root.version, 0)]
        while let (reference, parentBirth, depth) = waiting.popLast() {
            if reference.isNull || reference.birth <= birth { continue }
            guard reference.birth <= parentBirth, depth < Self.maximumDepth,
                  let view = intact(reference, in: file, length: root.length) else { return false }
            left -= reference.granuleCount
            guard left >= 0 else { return false }
            visit(reference)
            for index in 0..<view.referenceCount { waiting.append((view.reference(index), reference.birth, depth + 1)) }
        }
        return true
    }

    private func intact(_ reference: BlockReference, in file: DataFile, length: UInt64) -> BlockView? {
        let end = reference.byteOffset + UInt64(reference.byteLength)
        guard !reference.isPending, (1...BlockLayout.maximumGranules).contains(reference.granuleCount),
              reference.byteOffset >= UInt64(FileLayout.firstData), end <= length else { return nil }
        let start = file.base + Int(reference.byteOffset)
        guard freehold_shim_checksum(start, reference.byteLength) == reference.check else { return nil }
        let view = BlockView(start: start)
        let complaint = BlockVerifier.complaint(about: view, byteLength: reference.byteLength) ?? BlockStructure.complaint(about: view)
        return complaint == nil ? view : nil
    }
}
