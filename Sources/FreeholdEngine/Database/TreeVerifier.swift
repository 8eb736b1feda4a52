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
        let opener = file.cipher.map { ShadowOpener($0) }
        // Every block has one parent: a walk that meets more than the file holds follows blocks that share children.
        var left = Int(clamping: root.length) / BlockLayout.granule
        var waiting = [(root.top, root.version, 0)]
        while let (reference, parentBirth, depth) = waiting.popLast() {
            if reference.isNull || reference.birth <= birth { continue }
            guard reference.birth <= parentBirth, depth < Self.maximumDepth,
                  let view = intact(reference, in: file, length: root.length, opener) else { return false }
            left -= reference.granuleCount
            guard left >= 0 else { return false }
            visit(reference)
            for index in 0..<view.referenceCount { waiting.append((view.reference(index), reference.birth, depth + 1)) }
        }
        return true
    }

    /// The block, if it is what was written; decrypted, it is overwritten by the next one.
    private func intact(
        _ reference: BlockReference, in file: DataFile, length: UInt64, _ opener: ShadowOpener?
    ) -> BlockView? {
        let end = reference.byteOffset + UInt64(reference.byteLength)
        guard !reference.isPending, (1...BlockLayout.maximumGranules(isEncrypted: opener != nil)).contains(reference.granuleCount),
              reference.byteOffset >= UInt64(FileLayout.firstData), end <= length else { return nil }
        let start = file.base + Int(reference.byteOffset)
        var view = BlockView(start: start), length = reference.byteLength
        if let opener {
            let block = UnsafeRawBufferPointer(start: start, count: length)
            guard let opened = try? opener.view(block, reference) else { return nil }
            view = opened
            length -= FileCipher.prefixLength
        } else {
            guard freehold_shim_checksum(start, length) == reference.check else { return nil }
        }
        let complaint = BlockVerifier.complaint(about: view, byteLength: length) ?? BlockStructure.complaint(about: view)
        return complaint == nil ? view : nil
    }
}
