/// One fault found by the walk.
struct SpaceProblem: Equatable {
    enum Kind: Equatable {
        /// Live in the map, but no block reaches it.
        case lost
        /// Two references reach the same granules.
        case usedTwice
        /// A block lives in the page, but the map counts it as free.
        case freeButLive
        /// The map and the reference name different versions for a page.
        case wrongBirth
        /// A reference or block that is invalid, or does not match its checksum.
        case damaged
    }

    var kind: Kind
    var page: Int
    var message: String
}

/// The result of a walk over all blocks of a version.
struct SpaceAudit {
    fileprivate(set) var blocks = 0
    fileprivate(set) var granules = 0
    fileprivate(set) var problems: [SpaceProblem] = []
    /// For each page a bit for each granule in use, and the birth of its blocks.
    fileprivate var pages: [(granules: UInt64, birth: UInt64)]

    fileprivate mutating func report(_ kind: SpaceProblem.Kind, _ page: Int, _ message: String) {
        problems.append(SpaceProblem(kind: kind, page: page, message: message))
    }
}

/// Walks over blocks without interpreting their contents.
enum SpaceWalk {
    /// Maximum depth of references in an intact file.
    private static let maximumDepth = 64

    /// Visits every block of a version once, verifies its checksum, and compares the result with `map`, which shows the
    /// same version.
    ///
    /// - Parameter progress: called from time to time with the number of granules visited.
    static func audit(top: BlockReference, access: BlockAccess, map: SpaceMap, progress: (Int) -> Void = { _ in }) -> SpaceAudit {
        var audit = SpaceAudit(pages: Array(repeating: (0, 0), count: map.table.count))
        visit(top, (), opening: { reference, _ in
            guard claim(reference, map, &audit) else { return nil }
            if audit.blocks % 1024 == 0 { progress(audit.granules) }
            _ = access.shadow?.rest()
            do throws(FreeholdError) {
                let view = try access.view(reference)
                if access.isStillIntact(reference) { return view }
                audit.report(.damaged, page(of: reference), "checksum at byte \(reference.byteOffset)")
            } catch {
                audit.report(.damaged, page(of: reference), error.message)
            }
            return nil
        }, labelling: { _, _, _ in })
        compare(&audit, with: map)
        return audit
    }

    /// Visits the blocks of a version, each after the one that refers to it. Labels say what the blocks belong to.
    ///
    /// - Parameters:
    ///   - opening: called once for each block, with its label; returns the block if its references are to be followed.
    ///   - labelling: the label of the block that a block refers to, by that block, its own label and the reference's position.
    static func visit<Label, Failure: Error>(
        _ top: BlockReference, _ label: Label, opening: (BlockReference, Label) throws(Failure) -> BlockView?,
        labelling: (BlockView, Label, Int) -> Label
    ) throws(Failure) {
        var waiting = [(top, label, 0)]
        while let (reference, label, depth) = waiting.popLast() {
            guard let view = try opening(reference, label), depth < maximumDepth else { continue }
            for slot in 0..<view.referenceCount where !view.reference(slot).isNull {
                waiting.append((view.reference(slot), labelling(view, label, slot), depth + 1))
            }
        }
    }

    private static func page(of reference: BlockReference) -> Int { Int(reference.granuleIndex >> 6) }

    /// Marks a block's granules as used; false if the block must not be followed.
    private static func claim(_ reference: BlockReference, _ map: SpaceMap, _ audit: inout SpaceAudit) -> Bool {
        let end = reference.granuleIndex + UInt64(reference.granuleCount)
        guard !reference.isPending, !reference.isNull, reference.granuleCount > 0,
              end <= UInt64(map.table.count * BlockLayout.granulesPerPage) else {
            audit.report(.damaged, 0, "a reference to granule \(reference.granuleIndex) leaves the file")
            return false
        }
        audit.blocks += 1
        audit.granules += reference.granuleCount
        var isNew = true
        let range = FreedRange(granule: reference.granuleIndex, count: reference.granuleCount)
        var firstInPage = reference.granuleIndex & 63
        map.forEachPage(of: range) { page, count in
            let bits = (~UInt64(0) >> UInt64(BlockLayout.granulesPerPage - count)) << firstInPage
            if audit.pages[page].granules & bits != 0 {
                isNew = false
                audit.report(.usedTwice, page, "granules of page \(page) are used twice")
            }
            audit.pages[page].granules |= bits
            audit.pages[page].birth = reference.birth
            firstInPage = 0
            if map.table.interval(page).birth != reference.birth, PageMark.isLive(map.table.mark(page)) {
                audit.report(.wrongBirth, page, "page \(page) was born in \(map.table.interval(page).birth), "
                    + "a reference says \(reference.birth)")
            }
            return true
        }
        return isNew
    }

    private static func compare(_ audit: inout SpaceAudit, with map: SpaceMap) {
        for page in 0..<map.table.count {
            let mark = map.table.mark(page), used = audit.pages[page].granules.nonzeroBitCount
            let live = PageMark.isLive(mark) ? Int(mark) : 0
            if used == live { continue }
            if live > used {
                audit.report(.lost, page, "page \(page) has \(live) live granules, blocks use \(used)")
            } else {
                audit.report(.freeButLive, page, "page \(page) has \(live) live granules, blocks use \(used)")
            }
        }
    }

    /// Checks all blocks below `top` that were born after `base`, and only those: a reference no younger than `base`
    /// leads to nothing younger.
    static func verify(top: BlockReference, bornAfter base: UInt64, access: BlockAccess, path: String)
        throws(FreeholdError) {
        var left = Int(clamping: access.fileLength) / BlockLayout.granule
        var open = [(top, UInt64.max, 0)]
        while let (reference, parentBirth, depth) = open.popLast() {
            if reference.isNull || reference.birth <= base { continue }
            left -= reference.granuleCount
            guard reference.birth <= parentBirth, depth <= maximumDepth, left >= 0 else {
                throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) is younger than the one that "
                    + "refers to it, or has several; restore a backup or run `freehold salvage`", path: path)
            }
            let view = try access.view(reference)
            for slot in 0..<view.referenceCount { open.append((view.reference(slot), reference.birth, depth + 1)) }
        }
    }
}
