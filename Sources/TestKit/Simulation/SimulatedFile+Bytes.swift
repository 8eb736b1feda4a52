import Platform

extension SimulatedFile {
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        try begin(.read)
        let count = min(buffer.count, max(inode.length - offset, 0))
        guard count > 0 else { return 0 }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(inode.bytes)[offset..<offset + count]))
        return count
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        requireOpen(.write, changing: true)
        // A process killed within a write has written some of its pages.
        process.step(.write, dying: { _ = try? store(part(of: buffer, at: offset), at: offset) })
        if let fault = machine.fault(.write, path) {
            if fault.writesPart { try store(part(of: buffer, at: offset), at: offset) }
            throw process.error(fault.code, .write, path)
        }
        try store(buffer, at: offset)
    }

    func writeInShortCalls(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) { try write(buffer, at: offset) }

    /// The bytes up to some page boundary.
    private func part(of buffer: UnsafeRawBufferPointer, at offset: Int) -> UnsafeRawBufferPointer {
        let page = SimulatedInode.pageSize
        let pages = (offset + buffer.count) / page - offset / page
        let whole = Int.random(in: 0...pages, using: &machine.random)
        let count = whole == 0 ? 0 : (offset / page + whole) * page - offset
        return UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
    }

    private func store(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        precondition(offset >= 0, "a write before the start of \(path)")
        if buffer.isEmpty { return }
        if offset + buffer.count > inode.capacity { throw process.error(ErrorNumber.noSpace, .write, path) }
        let added = inode.pagesMissing(offset, buffer.count) * SimulatedInode.pageSize
        if let capacity = machine.options.diskCapacity, machine.storedBytes + added > capacity {
            throw process.error(ErrorNumber.noSpace, .write, path)
        }
        let bytes = Array(buffer)
        machine.append(.write(inode: inode.number, offset: offset, bytes: bytes))
        inode.store(buffer, at: offset)
        machine.storedBytes += added
    }

    func synchronizeData() throws(SystemError) {
        let covered = try flush(.synchronize)
        machine.append(.synchronize(inode: inode.number, upTo: covered))
    }

    func synchronizeFileSystem() throws(SystemError) {
        _ = try flush(.synchronizeDirectory)
        for directory in Set(machine.names.keys.map { parentFolder(of: $0) }).sorted() { machine.append(.synchronizeNames(directory: directory)) }
    }

    /// Without effect unless it fails: the simulated disk may have written any page at any time.
    func writeBack(offset: Int, length: Int) throws(SystemError) { _ = try flush(.writeBack) }

    /// Waits for the disk; returns which operations it has, if it has not failed.
    private func flush(_ call: SimulatedCall) throws(SystemError) -> Int {
        requireOpen(call)
        // What others write while the flush is under way it need not cover.
        let covered = machine.operationCount
        process.step(call)
        if let fault = machine.fault(call, path) {
            machine.append(.synchronizeFailed(inode: inode.number, upTo: covered))
            throw process.error(fault.code, call, path)
        }
        return covered
    }

    func length() throws(SystemError) -> Int {
        try begin(.status)
        return inode.length
    }

    func setLength(_ length: Int) throws(SystemError) {
        try begin(.setLength, changing: true)
        precondition(length >= 0, "a negative length for \(path)")
        if length > inode.capacity { throw process.error(ErrorNumber.fileTooLarge, .setLength, path) }
        machine.append(.setLength(inode: inode.number, length: length))
        changingStorage { inode.setLength(length) }
    }

    func extend(to length: Int) throws(SystemError) {
        try begin(.setLength, changing: true)
        guard length > inode.length else { return }
        if length > inode.capacity { throw process.error(ErrorNumber.fileTooLarge, .setLength, path) }
        machine.append(.setLength(inode: inode.number, length: length))
        changingStorage { inode.setLength(length) }
    }

    func allocate(offset: Int, length: Int) throws(SystemError) {
        try begin(.allocate, changing: true)
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        try store(UnsafeRawBufferPointer(zeros), at: offset)
    }

    func punchHole(offset: Int, length: Int) throws(SystemError) -> Bool {
        try begin(.punchHole, changing: true)
        machine.append(.punch(inode: inode.number, offset: offset, length: length))
        changingStorage { inode.punch(offset, length) }
        return true
    }

    func advise(_ advice: AccessAdvice, offset: Int, length: Int) {}

    private func changingStorage(_ change: () -> Void) {
        let before = inode.storedPages
        change()
        machine.storedBytes += (inode.storedPages - before) * SimulatedInode.pageSize
    }
}
