import CShims

/// The operating system the process runs on.
///
/// Its only state is cached facts about this process; everything that lasts belongs to the kernel, or to the shims'
/// table of mapped ranges.
public final class LinuxSystem: System {
    public static let shared = LinuxSystem()

    private init() {
        precondition(freehold_shim_mutex_size() <= RobustMutex.size, "this C library's mutex needs more room")
        freehold_shim_watch_forks()
    }

    public func point(_ name: StaticString) {
        PointTriggers.shared.pass(name)
    }
}
