import CShims
import Glibc

extension LinuxSystem {
    public func unmap(_ mapping: Mapping) {
        if mapping.forkGeneration != forkGeneration { return }
        // First out of the table: afterwards the addresses may be anybody's.
        if let range = OpaquePointer(bitPattern: mapping.token) { freehold_shim_range_remove(range) }
        if munmap(mapping.base, mapping.reservedLength) != 0 { stopForDefect(errno, "munmap", "") }
    }
}
