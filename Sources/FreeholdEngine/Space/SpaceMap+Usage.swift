extension SpaceMap {
    /// The use of the file's pages, in bytes.
    struct Usage: Equatable {
        /// Pages with blocks of this version, header pages included.
        var used: UInt64 = 0
        /// Pages that a commit may write at present.
        var free: UInt64 = 0
        /// Pages kept only because an older version is held.
        var held: UInt64 = 0
        /// Pages that values are being streamed into.
        var reserved: UInt64 = 0
    }

    /// Computes the usage from every page's mark; `held` is ascending.
    func usage(held: [UInt64]) -> Usage {
        var usage = Usage()
        for page in 0..<table.count {
            let mark = table.mark(page)
            if PageMark.isLive(mark) || mark == PageMark.header {
                usage.used += UInt64(BlockLayout.page)
            } else if mark == PageMark.dead, isHeld(table.interval(page), by: held) {
                usage.held += UInt64(BlockLayout.page)
            } else if mark == PageMark.reserved {
                usage.reserved += UInt64(BlockLayout.page)
            } else {
                usage.free += UInt64(BlockLayout.page)
            }
        }
        return usage
    }

    private func isHeld(_ interval: PageInterval, by held: [UInt64]) -> Bool {
        held.contains { $0 >= interval.birth && $0 < interval.death }
    }
}
