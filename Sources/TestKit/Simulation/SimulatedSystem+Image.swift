import Platform

/// Whether a machine came up again after a crash, or only its processes died.
public enum Boot: Sendable, Equatable {
    case same, next
}

extension SimulatedSystem {
    /// The machine that a crash leaves.
    /// - Parameters:
    ///   - place: where in the log; nil is now.
    ///   - surviving: what becomes of writes that were not flushed. When only the processes died (`boot: .same`) all
    ///     survive, whatever is said here.
    public func image(
        at place: Int? = nil, surviving: SurvivingWrites = .none, boot: Boot = .next
    ) -> SimulatedSystem {
        if place == nil { recordMappedStoresNow() }
        let place = place ?? operationCount
        let contents = contents(at: place, surviving: boot == .same ? .all : surviving)
        return SimulatedSystem(contents, from: self, place: place, boot: boot)
    }

    /// The kernel forgets every page that needs no flush: from now on reads, also of mappings, give what the disk has.
    /// That differs only after a failed flush.
    public func dropCleanPages() {
        let contents = contents(at: operationCount, surviving: .all)
        for inode in inodes where inode.kind == .regular {
            // Pages of a shared mapping that is written to stay.
            guard inode.recorded == nil, let region = contents.files[inode.number] else { continue }
            if region.length == inode.length { inode.bytes.copyMemory(from: UnsafeRawBufferPointer(region.bytes)) }
        }
    }

    /// Ends every process at once and keeps the machine running: what they wrote stays in its memory.
    public func killAllProcesses() {
        for process in processes { process.kill() }
    }

    private func contents(at place: Int, surviving: SurvivingWrites) -> DiskContents {
        beginLog()
        guard let contents = imager?.image(of: log, at: place, surviving: surviving) else {
            fatalError("the log has no beginning")
        }
        return contents
    }

    private convenience init(_ contents: DiskContents, from old: SimulatedSystem, place: Int, boot: Boot) {
        var options = old.options
        options.seed = old.options.seed ^ UInt64(place + 1) &* 0x9E37_79B9_7F4A_7C15  // Safe: overflow only mixes.
        var random = SeededRandom(seed: options.seed)
        let next = BootIdentity(high: random.next(), low: random.next())
        self.init(options, random: random, boot: boot == .same ? old.bootIdentity : next, nonces: old.nonces)
        nanoseconds = old.nanoseconds
        let named = Set(contents.names.values)
        for inode in old.inodes {
            let region = named.contains(inode.number) ? contents.files[inode.number] : nil
            let capacity = inode.kind == .regular && named.contains(inode.number) ? options.fileCapacity : 0
            let copy = SimulatedInode(
                number: inode.number, kind: inode.kind, region: region ?? Region(capacity: capacity))
            copy.permissions = inode.permissions
            copy.userID = inode.userID
            copy.groupID = inode.groupID
            copy.linkCount = 0
            inodes.append(copy)
            storedBytes += copy.storedPages * SimulatedInode.pageSize
        }
        for (path, number) in contents.names {
            names[path] = inodes[number]
            inodes[number].linkCount += 1
        }
        if boot == .same { takeMutexes(of: old) }
    }

    /// The mutexes lie in files, and outlive their owners.
    private func takeMutexes(of old: SimulatedSystem) {
        for (address, mutex) in old.mutexes {
            let file = old.inodes.first { $0.capacity > 0 && address &- UInt(bitPattern: $0.region.memory) < UInt($0.capacity) }
            guard let file else { continue }
            var mutex = mutex
            if mutex.owner != nil { mutex.die() }
            // Safe: the difference of two addresses of one file; the subtraction wraps for lower addresses, on purpose.
            let offset = address &- UInt(bitPattern: file.region.memory)
            mutexes[UInt(bitPattern: inodes[file.number].region.memory) + offset] = mutex
        }
    }
}
