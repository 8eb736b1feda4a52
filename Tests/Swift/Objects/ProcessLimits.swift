import Foundation
import FreeholdEngine

/// What tests do to a process of their own, to see what files do then.

/// Is another user from now on, if it was root; any other user is kept from the paths by their permissions.
func becomeNobody(owning paths: String...) {
    if geteuid() == 0 {
        guard setegid(65534) == 0, seteuid(65534) == 0 else { fatalError("could not be nobody") }
    } else {
        for path in paths { chmod(path, 0o000) }
    }
}

/// Lets no file grow longer than so many bytes: what a full disk is to a program.
func limitFiles(to bytes: rlim_t) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = min(bytes, limit.rlim_max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { fatalError("could not limit files") }
}

/// Leaves the process the address space that it has, and a little.
func limitAddressSpace() {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
    var limit = rlimit(rlim_cur: pages * 4096 + 1 << 20, rlim_max: .max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { fatalError("could not limit the address space") }
}
