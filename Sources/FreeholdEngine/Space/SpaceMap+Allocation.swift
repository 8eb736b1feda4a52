extension SpaceMap {
    /// Starts the overlay of the commit that makes `version`; `held` is ascending. An overlay left open is dropped.
    func begin(version: UInt64, held: [UInt64]) {
        precondition(version > self.version, "a commit makes a version newer than the one it was made from")
        discard()
        waiting.settle(held: held)
        nextVersion = version
        committedPages = table.count
        checkInvariants()
    }

    /// Takes one run of `need` pages: a reusable one, or new pages at the end if few are reusable. Nil if the caller
    /// has to take several runs.
    func takeWhole(_ need: Int) throws(FreeholdError) -> Int? {
        assert(nextVersion != 0 && need > 0, "only a commit takes pages")
        if compactingBelow != nil {
            if let start = runs.takeLowest(need, looks: 4096) { return start }
            if runs.pageCount > need { return nil }
        }
        if shrinkLine < Int.max, let start = runs.takeLowest(need, looks: 64) { return start }
        if let start = runs.take(need) { return start }
        if runs.pageCount >= need + table.count / 32 { return nil }
        return try growAndTake(need)
    }

    /// Takes one of several runs for `most` pages, of which the longest block needs `least`: the shortest run that
    /// holds a block longer than a page, else the longest run. Grows if there is none, or `mayShare` is false.
    func takePart(atMost most: Int, atLeast least: Int, mayShare: Bool) throws(FreeholdError)
        -> (start: Int, length: Int) {
        assert(nextVersion != 0 && least > 0 && least <= most, "a part holds a block, and at most all of them")
        if !mayShare { return (try growAndTake(most), most) }
        if compactingBelow != nil, let run = runs.allRuns().first(where: { $0.count >= least }) {
            let length = min(most, run.count)
            runs.remove(run.lowerBound, length)
            return (run.lowerBound, length)
        }
        if least == 1, let part = runs.takeLargest(atMost: most) { return part }
        if least > 1, let start = runs.take(least) { return (start, least) }
        return (try growAndTake(least), least)
    }

    /// Releases pages that a taken run does not need.
    func giveBack(_ start: Int, _ length: Int) {
        if length > 0 { runs.insert(start, length) }
    }

    /// Records that the commit wrote `granules` granules from the start of `page` on.
    func recordTaken(page: Int, granules: Int) {
        assert(nextVersion != 0 && granules > 0, "only a commit takes granules")
        assert(page >= Self.headerPages && page + TakenRun(page: page, granules: granules).pageCount <= table.count, "a taken run exceeds the file")
        taken.append(TakenRun(page: page, granules: granules))
    }

    /// Makes the file longer by the missing pages and a little more, and takes `need` pages that end it. Nothing is
    /// missing where one run is to be taken because no more may be, and it fits.
    ///
    /// - Parameter slack: whether to make the file a little longer than that.
    func growAndTake(_ need: Int, slack wantsSlack: Bool = true) throws(FreeholdError) -> Int {
        let missing = need - (runs.lastRun()?.length ?? 0)
        if missing <= 0, let start = runs.take(need) { return start }
        // A file with many holes gets no more slack: its small blocks should fill the holes.
        let slack = !wantsSlack || runs.pageCount > table.count / 16 ? 0 : max(8, (table.count + missing) / 40)
        if missing + slack <= 0, let last = runs.lastRun() {
            // `take` looks at a few runs of the size only; the last one is long enough.
            runs.remove(last.start, need)
            return last.start
        }
        try grow(by: missing + slack)
        guard let start = runs.take(need) else { throw damaged("no run of \(need) pages after growing by \(missing)") }
        return start
    }

    func grow(by pages: Int) throws(FreeholdError) {
        assert(pages > 0, "a file grows by whole pages, one at least")
        let old = table.count
        guard old + pages <= PageTable.maximumPages else {
            throw FreeholdError(.diskFull, "the file cannot grow past 16 TiB", path: path)
        }
        table.extend(to: old + pages)
        runs.insert(old, pages)
    }
}
