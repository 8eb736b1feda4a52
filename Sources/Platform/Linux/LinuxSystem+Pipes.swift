import CShims
import Glibc

extension LinuxSystem {
    public func makeNotifyPipe(_ path: String, permissions: UInt32) throws(SystemError) -> Bool {
        let result = uninterrupted { mkfifo(path, mode_t(permissions)) }
        if result == -EEXIST { return false }
        if result < 0 { throw failure(-result, "mkfifo", path) }
        return true
    }

    public func openNotifyPipeForReading(_ path: String) throws(SystemError) -> any NotifyPipe {
        // Opened for writing too, so that it never reads as ended, and is readable only while it holds a byte.
        let descriptor = uninterrupted { freehold_shim_above_standard(open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        return try LinuxNotifyPipe(path: path, descriptor: descriptor, reads: true)
    }

    public func openNotifyPipeForWriting(_ path: String) throws(SystemError) -> (any NotifyPipe)? {
        let descriptor = uninterrupted { freehold_shim_above_standard(open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) }
        if descriptor == -ENXIO || descriptor == -ENOENT { return nil }
        if descriptor < 0 { throw failure(-descriptor, "open", path) }
        return try LinuxNotifyPipe(path: path, descriptor: descriptor, reads: false)
    }
}
