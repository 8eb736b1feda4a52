import Glibc

/// A port of 127.0.0.1. The guard has to know it before the first request, so it is chosen before the server binds it.
enum Port {
    struct Taken: Error, CustomStringConvertible {
        let description: String
    }

    /// The port asked for, or a free one; nil for a Unix socket. Both are tried first, for an error that says what to do.
    static func free(_ options: ServerOptions) throws -> Int? {
        if let path = options.socket {
            try requireFree(path)
            return nil
        }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Taken(description: "no socket: \(String(cString: strerror(errno)))") }
        defer { close(socket) }
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: options.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Safe: the address is used within the calls.
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            let what = options.port == 0 ? "no port of 127.0.0.1 is free" : "port \(options.port) of 127.0.0.1 cannot be used"
            let advice = options.port == 0 ? "" : "; choose another --port, or leave it out for a free one"
            throw Taken(description: "\(what): \(String(cString: strerror(errno)))\(advice)")
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A socket that somebody listens on is not taken over; one that a killed program left is.
    private static func requireFree(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT, folderExists(of: path) else {
                throw Taken(description: "the socket \(path) cannot be made: \(String(cString: strerror(errno)))")
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw Taken(description: "\(path) is there already and is no socket; choose another path")
        }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Taken(description: "no socket: \(String(cString: strerror(errno)))") }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw Taken(description: "a socket's path has at most \(room - 1) bytes") }
        // Safe: the path fits, and the address is used within the call.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isServed = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isServed { throw Taken(description: "another program listens on \(path); end it, or choose another path") }
    }

    private static func folderExists(of path: String) -> Bool {
        var status = stat()
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let place = path.contains("/") ? (folder.isEmpty ? "/" : folder) : "."
        return stat(place, &status) == 0
    }
}
