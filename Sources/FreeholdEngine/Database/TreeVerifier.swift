import CShims

/// Checks whether everything that a root added is intact: it walks the blocks born after a version, from their bytes
/// alone.
///
/// Safe throughout: every reference is compared with the file's length before its bytes are read.
struct TreeVerifier: RootVerifier {
    /// The maximum depth of a tree of trees; more is a loop.
    private static let maximumDepth = 64

    func verify(
        _ root: Root, bornAfter birth: UInt64, in file: DataFile, visit: ((BlockReference, UnsafeRawBufferPointer) -> Void)?
    ) -> Bool {
        guard let length = try? file.length(), root.length <= UInt64(length), root.length <= UInt64(file.mappedLength) else {
            return false
        }
        let opener = file.cipher.map { ShadowOpener($0) }
        let longest = BlockLayout.maximumBytes(isEncrypted: opener != nil)
        let copy = visit == nil ? nil : UnsafeMutableRawPointer.allocate(byteCount: longest, alignment: BlockLayout.granule)
        defer { copy?.deallocate() }
        // Every block has one parent: a walk that meets more than the file holds follows blocks that share children.
        var left = Int(clamping: root.length) / BlockLayout.granule
        var waiting = [(root.top, root.version, 0)]
        while let (reference, parentBirth, depth) = waiting.popLast() {
            if reference.isNull || reference.birth <= birth { continue }
            guard reference.birth <= parentBirth, depth < Self.maximumDepth,
                  let bytes = bytes(of: reference, in: file, length: root.length, copiedTo: copy, longest),
                  let view = intact(reference, bytes, opener) else { return false }
            left -= reference.granuleCount
            guard left >= 0 else { return false }
            visit?(reference, bytes)
            for index in 0..<view.referenceCount { waiting.append((view.reference(index), reference.birth, depth + 1)) }
        }
        return true
    }

    /// The bytes of a reference, or a copy of them; nil if the reference is invalid.
    private func bytes(
        of reference: BlockReference, in file: DataFile, length: UInt64, copiedTo copy: UnsafeMutableRawPointer?, _ longest: Int
    ) -> UnsafeRawBufferPointer? {
        let end = reference.byteOffset + UInt64(reference.byteLength)
        guard !reference.isPending, (BlockLayout.granule...longest).contains(reference.byteLength),
              reference.byteOffset >= UInt64(FileLayout.firstData), end <= length else { return nil }
        let start = file.base + Int(reference.byteOffset)
        copy?.copyMemory(from: start, byteCount: reference.byteLength)
        return UnsafeRawBufferPointer(start: copy.map { UnsafeRawPointer($0) } ?? start, count: reference.byteLength)
    }

    /// The block, if it is intact. A decrypted block is overwritten by the next one.
    private func intact(_ reference: BlockReference, _ block: UnsafeRawBufferPointer, _ opener: ShadowOpener?) -> BlockView? {
        guard let start = block.baseAddress else { return nil }
        var view = BlockView(start: start), length = reference.byteLength
        if let opener {
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
