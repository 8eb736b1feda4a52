import CShims
import Glibc
import Testing

/// What the shims offer beyond the seam.
@Suite struct ShimTests {
    @Test func bytesAreOrderedAsMemoryIs() {
        let left: [UInt8] = [1, 2, 200]
        let right: [UInt8] = [1, 2, 3]
        #expect(freehold_shim_compare(left, right, 2) == 0)
        #expect(freehold_shim_compare(left, right, 3) > 0)
        #expect(freehold_shim_compare(right, left, 3) < 0)
    }

    @Test func threadsHaveIdsAndNumbersOfTheirOwn() throws {
        #expect(freehold_shim_thread_id() > 0)
        let own = freehold_shim_thread_number()
        #expect(own != 0 && freehold_shim_thread_number() == own)
        // One after the other, so mostly at the same addresses.
        var numbers: Set<UInt> = [own]
        for _ in 0..<20 {
            var thread = pthread_t()
            // A thread's result is an address; a number fits into one.
            #expect(pthread_create(&thread, nil, { _ in UnsafeMutableRawPointer(bitPattern: freehold_shim_thread_number()) }, nil) == 0)
            var number: UnsafeMutableRawPointer?
            pthread_join(thread, &number)
            numbers.insert(UInt(bitPattern: number))
        }
        #expect(numbers.count == 21)
    }

    @Test func aFileInMemoryIsOnNoDisk() {
        let descriptor = freehold_shim_memory_file("freehold-test")
        #expect(descriptor >= 0)
        var kind: UInt64 = 0
        var isReadOnly: Int32 = 1
        #expect(freehold_shim_file_system(descriptor, &kind, &isReadOnly) == 0)
        #expect(kind == 0x0102_1994)
        #expect(isReadOnly == 0)
        #expect(freehold_shim_reserve(descriptor, 0, 4096) == 0)
        close(descriptor)
    }
}
