import Glibc

/// A port of 127.0.0.1. The guard has to know it before the first request, so it is chosen before the server binds it.
enum Port {
    struct Taken: Error, CustomStringConvertible {
        let description: String
    }

    /// The port asked for, or a free one; nil for a Unix socket.
    static func free(_ options: ServerOptions) async throws -> Int? {
        if options.socket != nil { return nil }
        if options.port != 0 { return options.port }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Taken(description: "no socket: \(String(cString: strerror(errno)))") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Safe: the address is used within the calls.
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw Taken(description: "no port of 127.0.0.1 is free: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
