/// Many values at once: how columns of strings and data are read.
extension RealmTexts {
    /// Values one after another.
    struct Many {
        var bytes: [UInt8] = []
        /// The end of each value.
        var ends: [Int] = []
        /// The places among the ends of the values that are null.
        var nulls: [Int] = []
    }

    /// Appends the values at some places.
    /// - Returns: false if one of them is long; then some have been appended.
    func append(_ places: Range<Int>, to many: inout Many) throws(SourceError) -> Bool {
        switch form {
        case .small(let node) where node.width > 0:
            try appendSmall(node, places, to: &many)
            return true
        case .medium(let ends, let blob, let nulls) where !places.isEmpty && blob.count <= SourceLimits.shortBytes:
            try appendMedium(ends, blob, nulls, places, to: &many)
            return true
        default:
            for place in places {
                guard try append(place, to: &many) else { return false }
            }
            return true
        }
    }

    private func append(_ place: Int, to many: inout Many) throws(SourceError) -> Bool {
        let found = try self.place(place)
        guard found.count <= SourceLimits.shortBytes else { return false }
        switch found {
        case .null: many.nulls.append(many.ends.count)
        case .memory(let span): span.append(to: &many.bytes)
        case .file(let range): try pages.span(at: range.lowerBound, count: range.count).append(to: &many.bytes)
        case .parts(let ranges):
            for range in ranges { try pages.span(at: range.lowerBound, count: range.count).append(to: &many.bytes) }
        }
        many.ends.append(many.bytes.count)
        return true
    }

    private func appendSmall(_ node: RealmNode, _ places: Range<Int>, to many: inout Many) throws(SourceError) {
        let width = node.width
        precondition(places.upperBound * width <= node.elements.count, "a read beyond a leaf")
        let isWhole = node.elements.withBytes { bytes in
            for place in places {
                let zeros = Int(bytes[place * width + width - 1])
                if zeros > width { return false }
                if zeros == width {
                    many.nulls.append(many.ends.count)
                } else {
                    // Safe: the value lies before the byte that counts its zeros.
                    many.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[place * width..<(place + 1) * width - 1 - zeros]))
                }
                many.ends.append(many.bytes.count)
            }
            return true
        }
        if !isWhole { throw .damaged("a short string is longer than its place", node.reference) }
    }

    private func appendMedium(
        _ ends: RealmNode, _ blob: Range<Int>, _ nulls: RealmNode?, _ places: Range<Int>, to many: inout Many
    ) throws(SourceError) {
        let whole = try pages.span(at: blob.lowerBound, count: blob.count), ending = isTerminated ? 1 : 0
        var start = places.lowerBound == 0 ? 0 : ends.integer(places.lowerBound - 1)
        for place in places {
            let end = ends.integer(place)
            guard start >= 0, start <= end, end <= Int64(blob.count) else {
                throw .damaged("the ends of values do not ascend", ends.reference)
            }
            if let nulls, try nulls.required(place) != 0 {
                many.nulls.append(many.ends.count)
            } else {
                let range = Int(start)..<Int(end)
                guard !isTerminated || !range.isEmpty && whole.load(range.upperBound - 1, as: UInt8.self) == 0 else {
                    throw .damaged("a string does not end with a zero", blob.lowerBound + range.upperBound)
                }
                whole.append(range.lowerBound..<range.upperBound - ending, to: &many.bytes)
            }
            many.ends.append(many.bytes.count)
            start = end
        }
    }
}
