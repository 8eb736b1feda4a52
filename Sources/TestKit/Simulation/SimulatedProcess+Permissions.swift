import Platform

extension SimulatedProcess {
    func create(
        _ path: String, _ kind: FileKind, permissions: UInt32, _ call: SimulatedCall
    ) throws(SystemError) -> SimulatedInode {
        if machine.names[path] != nil { throw error(ErrorNumber.exists, call, path) }
        try requireChangeableFolder(of: path, call)
        let inode = machine.addInode(kind, permissions: permissions & ~0o022, userID: userID, groupID: groupID)
        machine.append(.link(path: path, inode: inode.number))
        machine.names[path] = inode
        return inode
    }

    func setPermissions(of inode: SimulatedInode, like status: FileStatus, _ path: String) throws(SystemError) {
        try requireWritableDisk(.setPermissions, path)
        if userID != 0 && userID != inode.userID { throw error(ErrorNumber.notPermitted, .setPermissions, path) }
        inode.permissions = status.permissions
        if userID == 0 || groupID == status.groupID { inode.groupID = status.groupID }
    }

    func mayAccess(_ inode: SimulatedInode, writing: Bool) -> Bool {
        if userID == 0 { return true }
        let bits =
            userID == inode.userID
            ? inode.permissions >> 6 : groupID == inode.groupID ? inode.permissions >> 3 : inode.permissions
        // To change the names in a folder takes no right to read them.
        let needed: UInt32 = inode.kind == .directory && writing ? 0o3 : writing ? 0o6 : 0o4
        return bits & needed == needed
    }

    func requireWritableDisk(_ call: SimulatedCall, _ path: String) throws(SystemError) {
        if machine.options.fileSystem.isReadOnly { throw error(ErrorNumber.readOnlyFileSystem, call, path) }
    }

    func requireChangeableFolder(of path: String, _ call: SimulatedCall) throws(SystemError) {
        guard let folder = machine.names[parentFolder(of: path)] else {
            throw error(ErrorNumber.notFound, call, path)
        }
        if folder.kind != .directory { throw error(ErrorNumber.notADirectory, call, path) }
        try requireWritableDisk(call, path)
        if !mayAccess(folder, writing: true) { throw error(ErrorNumber.accessDenied, call, path) }
    }
}

extension SimulatedInode {
    var status: FileStatus {
        FileStatus(
            identity: FileIdentity(device: 1, inode: UInt64(number) + 1), linkCount: linkCount, length: length,
            permissions: permissions, userID: userID, groupID: groupID, kind: kind,
            storedLength: storedPages * Self.pageSize)
    }
}
