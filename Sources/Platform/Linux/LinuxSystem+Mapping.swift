import CShims
import Glibc

extension LinuxSystem {
    public func unmap(_ mapping: Mapping) {
        if mapping.forkGeneration != forkGeneration { return }
        // Removed from the table first: afterwards the addresses may be reused.
        if let range = OpaquePointer(bitPattern: mapping.token) { freehold_shim_range_remove(range) }
        if munmap(mapping.base, mapping.reservedLength) != 0 { stopForDefect(errno, "munmap", "") }
    }
}
