import Platform
import Synchronization
import TestKit
import Testing

@Suite struct MutexTests {
    let system = LinuxSystem.shared
    let folder: TemporaryFolder
    let mapping: Mapping
    var mutex: UnsafeMutableRawPointer { mapping.base }

    init() throws {
        folder = try TemporaryFolder()
        mapping = try sharedFile(folder)
        system.initializeMutex(at: mapping.base)
    }

    @Test func theMutexOfAKilledProcessIsHandedOnWithWordOfIt() throws {
        for _ in 0..<20 {
            let holder = try SpawnedProcess("PlatformHelper", ["hold-mutex", folder.file("shared")])
            try holder.expect("acquired")
            #expect(system.tryLockMutex(at: mutex) == .timedOut)
            #expect(system.lockMutex(at: mutex, timeoutMilliseconds: 1) == .timedOut)
            holder.signal(9)
            #expect(system.lockMutex(at: mutex, timeoutMilliseconds: 60_000) == .ownerDied)
            system.makeMutexConsistent(at: mutex)
            #expect(system.unlockMutex(at: mutex))
        }
        #expect(system.tryLockMutex(at: mutex) == .acquired)
        #expect(system.unlockMutex(at: mutex))
    }

    @Test func aThreadThatEndsHoldingItCountsAsDead() throws {
        let done = word(mapping, 128)
        try system.startThread("holder") { [system, mapping] in
            let done = word(mapping, 128)
            _ = system.tryLockMutex(at: mapping.base)
            done.pointee.store(1, ordering: .releasing)
            system.wake(plain(done), count: 1)
        }
        while done.pointee.load(ordering: .acquiring) == 0 {
            _ = system.wait(on: plain(done), whileEqual: 0, timeoutMilliseconds: 60_000)
        }
        #expect(system.lockMutex(at: mutex, timeoutMilliseconds: 60_000) == .ownerDied)
        system.makeMutexConsistent(at: mutex)
        #expect(system.unlockMutex(at: mutex))
    }

    @Test func unlockedWithoutRepairItIsLostUntilMadeAnew() throws {
        let holder = try SpawnedProcess("PlatformHelper", ["hold-mutex", folder.file("shared")])
        try holder.expect("acquired")
        holder.killNow()
        #expect(system.tryLockMutex(at: mutex) == .ownerDied)
        #expect(system.unlockMutex(at: mutex))
        #expect(system.tryLockMutex(at: mutex) == .unrecoverable)
        system.initializeMutex(at: mutex)
        #expect(system.tryLockMutex(at: mutex) == .acquired)
        #expect(system.unlockMutex(at: mutex))
    }

    @Test func whoDoesNotOwnItIsToldSo() throws {
        let holder = try SpawnedProcess("PlatformHelper", ["hold-mutex", folder.file("shared")])
        try holder.expect("acquired")
        #expect(!system.unlockMutex(at: mutex))
    }
}
