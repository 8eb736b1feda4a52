import Platform
import TestKit
import Testing

@Suite struct IdentityTests {
    let system = LinuxSystem.shared

    @Test func allProcessesOfOneBootSeeTheSameBootNamespaceAndLayout() throws {
        let helper = try SpawnedProcess("PlatformHelper", ["identity"])
        try helper.expect("PlatformHelper true")
        try helper.expect("\(String(describing: system.bootIdentity))")
        try helper.expect("\(system.processNamespace) \(system.layoutTag)")
        #expect(system.processNamespace != 0)
    }

    @Test func anotherPidNamespaceIsToldApart() throws {
        guard let helper = try SpawnedProcess.inNewProcessNamespace("PlatformHelper", ["identity"]) else { return }
        try helper.expect("PlatformHelper true")
        try helper.expect("\(String(describing: system.bootIdentity))")
        let line = try #require(try helper.readLine())
        let words = line.split(separator: " ")
        #expect(words.last == "\(system.layoutTag)")
        #expect(words.first != "\(system.processNamespace)")
    }

    /// As container managers do; the kernel's own file is not to be had then, and what it would say is unknown.
    @Test func aBootIdentityThatIsMountedOverIsNone() throws {
        let folder = try TemporaryFolder(), file = folder.file("boot_id")
        let written = try system.openFile(file, .createExclusive(permissions: 0o644))
        try Array("6ba7b810-9dad-11d1-80b4-00c04fd430c8\n".utf8).withUnsafeBytes { try written.write($0, at: 0) }
        written.close()
        guard let helper = try SpawnedProcess.withMountedOver("/proc/sys/kernel/random/boot_id", by: file, "PlatformHelper", ["identity"]) else { return }
        try helper.expect("PlatformHelper true")
        try helper.expect("nil")
    }

    @Test func aForkedChildIsNotTakenForItsParent() throws {
        let helper = try SpawnedProcess("PlatformHelper", ["identity-of-a-child"])
        try helper.expect("true false")
    }

    @Test func theMonotonicClockNeverGoesBack() {
        var last = system.monotonicNanoseconds
        for _ in 0..<10_000 {
            let now = system.monotonicNanoseconds
            #expect(now >= last)
            last = now
        }
        #expect(system.wallClockNanoseconds > 1_700_000_000_000_000_000)
    }

    @Test func randomBytesDiffer() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
        defer { buffer.deallocate() }
        let draws = (0..<100).map { _ in
            system.fillRandom(buffer)
            return Array(buffer)
        }
        #expect(Set(draws).count == 100)
    }

    #if FREEHOLD_POINTS
        @Test func aProcessDiesAtThePointAndCountOrdered() throws {
            let helper = try SpawnedProcess(
                "PlatformHelper", ["points", "5"], environment: ["FREEHOLD_KILL_AT": "helper.step:3"])
            try helper.expect("1")
            try helper.expect("2")
            #expect(try helper.readLine() == nil)
            #expect(helper.wait() == .signalled(9))
        }

        @Test func aProcessStopsAtThePointOrderedAndGoesOnWhenContinued() throws {
            let helper = try SpawnedProcess(
                "PlatformHelper", ["points", "2"], environment: ["FREEHOLD_STOP_AT": "helper.step:2"])
            try helper.expect("1")
            #expect(helper.waitUntilStopped())
            helper.signal(18)
            try helper.expect("2")
            try helper.expect("done")
            #expect(helper.wait() == .exited(0))
        }
    #endif
}
