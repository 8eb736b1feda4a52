import Platform

extension SimulatedProcess {
    public func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> any File {
        onOpen?(path, mode)
        try step(.open, path)
        if case .createExclusive(let permissions) = mode {
            let inode = try create(path, .regular, permissions: permissions, .open)
            return SimulatedFile(self, path, inode, isWritable: true)
        }
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .open, path) }
        let writes = mode == .readWrite || mode == .readWriteUnlinked
        if writes && inode.kind == .directory { throw error(ErrorNumber.isADirectory, .open, path) }
        if writes { try requireWritableDisk(.open, path) }
        if !mayAccess(inode, writing: writes) { throw error(ErrorNumber.accessDenied, .open, path) }
        return SimulatedFile(self, path, inode, isWritable: writes)
    }

    public func removeFile(_ path: String) throws(SystemError) {
        try step(.remove, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .remove, path) }
        if inode.kind == .directory { throw error(ErrorNumber.isADirectory, .remove, path) }
        try requireChangeableFolder(of: path, .remove)
        machine.append(.unlink(path: path))
        machine.names[path] = nil
        inode.linkCount -= 1
    }

    public func removeDirectory(_ path: String) throws(SystemError) {
        try step(.remove, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .remove, path) }
        if inode.kind != .directory { throw error(ErrorNumber.notADirectory, .remove, path) }
        if machine.names.keys.contains(where: { parentFolder(of: $0) == path && $0 != path }) {
            throw error(ErrorNumber.notEmpty, .remove, path)
        }
        try requireChangeableFolder(of: path, .remove)
        machine.append(.unlink(path: path))
        machine.names[path] = nil
    }

    public func renameFile(_ source: String, to destination: String) throws(SystemError) {
        try step(.rename, source)
        guard let inode = machine.names[source] else { throw error(ErrorNumber.notFound, .rename, source) }
        try requireChangeableFolder(of: source, .rename)
        try requireChangeableFolder(of: destination, .rename)
        if inode === machine.names[destination] { return }
        machine.append(.rename(source: source, destination: destination))
        machine.names[destination]?.linkCount -= 1
        machine.names[destination] = machine.names.removeValue(forKey: source)
        if inode.kind == .directory {
            for path in machine.names.keys.sorted() where path.hasPrefix(source + "/") {
                machine.names[destination + path.dropFirst(source.count)] = machine.names.removeValue(forKey: path)
            }
        }
    }

    public func renameFile(_ source: String, toNew destination: String) throws(SystemError) {
        try step(.rename, source)
        guard let inode = machine.names[source] else { throw error(ErrorNumber.notFound, .rename, source) }
        try requireChangeableFolder(of: source, .rename)
        try requireChangeableFolder(of: destination, .rename)
        if machine.names[destination] != nil { throw error(ErrorNumber.exists, .rename, destination) }
        precondition(inode.kind != .directory, "a directory is never given a new name so")
        machine.append(.rename(source: source, destination: destination))
        machine.names[destination] = machine.names.removeValue(forKey: source)
    }

    /// Gives a file another name (a hard link). For tests; the engine never does it.
    public func link(_ source: String, as path: String) throws(SystemError) {
        guard let inode = machine.names[source] else { throw error(ErrorNumber.notFound, .rename, source) }
        try requireChangeableFolder(of: path, .rename)
        if machine.names[path] != nil { throw error(ErrorNumber.exists, .rename, path) }
        machine.append(.link(path: path, inode: inode.number))
        inode.linkCount += 1
        machine.names[path] = inode
    }

    public func status(of path: String) throws(SystemError) -> FileStatus? {
        try step(.status, path)
        return machine.names[path]?.status
    }

    public func resolvePath(_ path: String) throws(SystemError) -> String {
        try step(.status, path)
        if machine.names[path] == nil { throw error(ErrorNumber.notFound, .status, path) }
        return path
    }

    /// There are no symbolic links.
    public func linkTarget(of path: String) throws(SystemError) -> String? {
        try step(.status, path)
        return nil
    }

    public func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) -> Bool {
        try step(.makeDirectory, path)
        if machine.names[path] != nil { return false }
        _ = try create(path, .directory, permissions: permissions, .makeDirectory)
        return true
    }

    public func listDirectory(_ path: String) throws(SystemError) -> [String] {
        try step(.list, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .list, path) }
        if inode.kind != .directory { throw error(ErrorNumber.notADirectory, .list, path) }
        if !mayAccess(inode, writing: false) { throw error(ErrorNumber.accessDenied, .list, path) }
        let inside = machine.names.keys.filter { parentFolder(of: $0) == path && $0 != path }
        return inside.map { String($0.split(separator: "/").last ?? "") }.sorted()
    }

    public func synchronizeDirectory(_ path: String) throws(SystemError) {
        try step(.synchronizeDirectory, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .synchronizeDirectory, path) }
        if !mayAccess(inode, writing: false) { throw error(ErrorNumber.accessDenied, .synchronizeDirectory, path) }
        machine.append(.synchronizeNames(directory: path))
    }

    public func setPermissions(of path: String, like status: FileStatus) throws(SystemError) {
        try step(.setPermissions, path)
        guard let inode = machine.names[path] else { throw error(ErrorNumber.notFound, .setPermissions, path) }
        try setPermissions(of: inode, like: status, path)
    }

    public func fileSystem(of path: String) throws(SystemError) -> FileSystemStatus {
        try step(.fileSystem, path)
        if machine.names[path] == nil { throw error(ErrorNumber.notFound, .fileSystem, path) }
        return machine.options.fileSystem
    }

    public func unmap(_ mapping: Mapping) {}
}
