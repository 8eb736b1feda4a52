/// The space root of one version, copied from its block: fold, chunks and open chunk.
///
/// ```
/// space root block: references [0] fold (null: none yet), [1…] chunks, oldest first
///                   variant 1: this version is shorter than the fold's file, so the next commit must fold
///                   first key: version of the open chunk's first record
/// body       0   8  fold version: the fold holds the state after this version
///            8   8  log base: the log has every record of a version above it
///           16   8  version of the last record
///           24   …  open chunk: records
/// chunk block:      first key: version of its first record; body: records
/// ```
///
/// Safe throughout: `image` is a private copy of a whole block, zeros if there is none.
final class SpaceLog {
    static let foldVersionOffset = 0
    static let baseOffset = 8
    static let lastVersionOffset = 16
    static let recordsOffset = 24

    /// The space root block, null before the first commit.
    // Safe: only the writer's thread uses the log.
    @exclusivity(unchecked) private(set) var reference = BlockReference.null
    @exclusivity(unchecked) private var image: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity = 4096

    init() {
        image = .allocate(byteCount: 4096, alignment: 64)
        image.initializeMemory(as: UInt8.self, repeating: 0, count: 4096)
        let block = MutableBlock(start: image)
        block.setBodyLength(Self.recordsOffset)
        image.storeBytes(of: 1, toByteOffset: BlockLayout.referenceCount, as: UInt16.self)
    }

    deinit { image.deallocate() }

    /// Copies a sealed or verified space root block.
    func copy(_ view: BlockView, as reference: BlockReference) {
        assert(view.kind == .spaceRoot && view.referenceCount >= 1 && view.bodyLength >= Self.recordsOffset, "a log is copied from a space root")
        assert(!reference.isPending && !reference.isNull, "a space root without a place in the file")
        if reference.byteLength > capacity {
            image.deallocate()
            capacity = reference.byteLength
            image = .allocate(byteCount: capacity, alignment: 64)
        }
        image.copyMemory(from: view.start, byteCount: min(view.usedLength, reference.byteLength))
        self.reference = reference
    }

    private var view: BlockView { BlockView(start: UnsafeRawPointer(image)) }
    private func word(_ offset: Int) -> UInt64 { view.body.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }

    var fold: BlockReference { view.reference(0) }
    var chunkCount: Int { view.referenceCount - 1 }
    func chunk(_ index: Int) -> BlockReference {
        assert(index >= 0 && index < chunkCount, "a chunk of the log")
        return view.reference(1 + index)
    }
    var isTrimmed: Bool { view.variant == 1 }
    var foldVersion: UInt64 { word(Self.foldVersionOffset) }
    var base: UInt64 { word(Self.baseOffset) }
    var lastVersion: UInt64 { word(Self.lastVersionOffset) }
    var openFirstVersion: UInt64 { UInt64(bitPattern: view.firstKey) }
    var openRecords: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: view.body + Self.recordsOffset, count: view.bodyLength - Self.recordsOffset)
    }

    /// The fault of the space root block of a version, or nil.
    static func complaint(about view: BlockView, of version: UInt64) -> String? {
        guard view.kind == .spaceRoot else { return "it is not a space root" }
        guard view.referenceCount >= 1, view.bodyLength >= recordsOffset else { return "its space root is too short" }
        let first = UInt64(bitPattern: view.firstKey)
        let last = view.body.load(fromByteOffset: lastVersionOffset, as: UInt64.self)
        let fold = view.body.load(fromByteOffset: foldVersionOffset, as: UInt64.self)
        let base = view.body.load(fromByteOffset: baseOffset, as: UInt64.self)
        return first <= last && last <= version && fold <= version && base <= version ? nil
            : "its space root names versions that are yet to come"
    }
}
