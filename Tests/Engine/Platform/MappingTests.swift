import Platform
import TestKit
import Testing

@Suite struct MappingTests {
    let system = LinuxSystem.shared
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func growthOfTheFileShowsInAMappingMadeBefore() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.setLength(4096)
        let mapping = try file.map(reserve: 1 << 30, minimum: 1 << 20, writable: false, dontFork: true)
        #expect(mapping.reservedLength == 1 << 30)
        try file.write([42], at: 1 << 20)
        #expect(mapping.base.load(fromByteOffset: 1 << 20, as: UInt8.self) == 42)
        #expect(!mapping.hasFaulted)
        system.unmap(mapping)
    }

    @Test func aPageTheFileCannotGiveReadsAsZerosAndIsTold() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.write([UInt8](repeating: 9, count: 16_384), at: 0)
        let mapping = try file.map(reserve: 1 << 20, minimum: 1 << 20, writable: false, dontFork: false)
        let other = try file.map(reserve: 1 << 20, minimum: 1 << 20, writable: true, dontFork: true)
        #expect(mapping.base.load(fromByteOffset: 8192, as: UInt8.self) == 9)
        try file.setLength(4096)
        #expect(!mapping.hasFaulted)
        #expect(mapping.base.load(fromByteOffset: 8192, as: UInt8.self) == 0)
        #expect(mapping.hasFaulted)
        #expect(!other.hasFaulted)
        other.base.storeBytes(of: 1, toByteOffset: 12_288, as: UInt8.self)
        #expect(other.hasFaulted)
        // What is written by several is lost as a whole; the file keeps what it has.
        #expect(other.base.load(fromByteOffset: 0, as: UInt8.self) == 0)
        other.base.storeBytes(of: 2, toByteOffset: 0, as: UInt8.self)
        #expect(mapping.base.load(fromByteOffset: 0, as: UInt8.self) == 9)
        system.unmap(mapping)
        system.unmap(other)
    }

    @Test func manyMappingsAreGuardedAtOnce() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.setLength(4096)
        let mappings = try (0..<200).map { _ throws(SystemError) in
            try file.map(reserve: 8192, minimum: 8192, writable: false, dontFork: true)
        }
        for mapping in mappings {
            #expect(mapping.base.load(fromByteOffset: 4096, as: UInt8.self) == 0)
            #expect(mapping.hasFaulted)
        }
        mappings.forEach(system.unmap)
    }

    @Test func lessIsMappedWhereTheWishIsTooGreat() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        let mapping = try file.map(reserve: 1 << 50, minimum: 1 << 20, writable: false, dontFork: true)
        #expect(mapping.reservedLength < 1 << 50)
        #expect(mapping.reservedLength >= 1 << 20)
        system.unmap(mapping)
        #expect(
            code { () throws(SystemError) in
                _ = try file.map(reserve: 1 << 50, minimum: 1 << 50, writable: false, dontFork: true)
            } == ErrorNumber.outOfMemory)
    }

    @Test func aBusErrorOutsideOurMappingsGoesToTheProgramsOwnHandler() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.setLength(4096)
        let helper = try SpawnedProcess("PlatformHelper", ["foreign-fault", folder.file("a")])
        try helper.expect("0 true")
        try helper.expect("own handler")
        #expect(helper.wait() == .exited(7))
    }

    @Test func aForkedChildCanNeitherReadTheMappingNorFreeTheLock() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.setLength(4096)
        let helper = try SpawnedProcess("PlatformHelper", ["fork", folder.file("a")])
        try helper.expect("child generation 1 readable false")
        try helper.expect("parent generation 0 locked true")
        #expect(helper.wait() == .exited(0))
    }
}
