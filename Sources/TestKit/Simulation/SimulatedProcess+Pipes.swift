import Platform

extension SimulatedProcess {
    public func makeNotifyPipe(_ path: String, permissions: UInt32) throws(SystemError) -> Bool {
        try step(.makePipe, path)
        if machine.names[path] != nil { return false }
        _ = try create(path, .fifo, permissions: permissions, .makePipe)
        return true
    }

    public func openNotifyPipeForReading(_ path: String) throws(SystemError) -> any NotifyPipe {
        try step(.openPipe, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .openPipe, path) }
        if !mayAccess(inode, writing: true) { throw error(ErrorNumber.accessDenied, .openPipe, path) }
        return try SimulatedPipe(self, path, inode, reads: true)
    }

    public func openNotifyPipeForWriting(_ path: String) throws(SystemError) -> (any NotifyPipe)? {
        try step(.openPipe, path)
        guard let inode = machine.names[path] else { return nil }
        if !mayAccess(inode, writing: true) { throw error(ErrorNumber.accessDenied, .openPipe, path) }
        if inode.pipeReaders.isEmpty { return nil }
        return try SimulatedPipe(self, path, inode, reads: false)
    }
}
