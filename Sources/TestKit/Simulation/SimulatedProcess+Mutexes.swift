import Platform

extension SimulatedProcess {
    public func initializeMutex(at address: UnsafeMutableRawPointer) {
        machine.mutexes[UInt(bitPattern: address)] = SimulatedMutex()
    }

    public func tryLockMutex(at address: UnsafeMutableRawPointer) -> MutexOutcome {
        step(.lockMutex)
        return take(UInt(bitPattern: address))
    }

    public func lockMutex(at address: UnsafeMutableRawPointer, timeoutMilliseconds: Int) -> MutexOutcome {
        step(.lockMutex)
        let key = UInt(bitPattern: address)
        let end = deadline(after: timeoutMilliseconds)
        while true {
            let outcome = take(key)
            if outcome != .timedOut || machine.nanoseconds >= end { return outcome }
            _ = block(.mutex(key), until: end)
        }
    }

    public func makeMutexConsistent(at address: UnsafeMutableRawPointer) {
        let key = UInt(bitPattern: address)
        precondition(owns(key), "a mutex made consistent by who does not own it")
        machine.mutexes[key]?.needsRepair = false
    }

    @discardableResult
    public func unlockMutex(at address: UnsafeMutableRawPointer) -> Bool {
        step(.unlockMutex)
        let key = UInt(bitPattern: address)
        guard owns(key), var mutex = machine.mutexes[key] else { return false }
        mutex.owner = nil
        mutex.isLost = mutex.needsRepair
        machine.mutexes[key] = mutex
        machine.scheduler.wake(.mutex(key))
        return true
    }

    /// Takes the mutex if it is free. Memory in which no mutex was made holds none.
    private func take(_ key: UInt) -> MutexOutcome {
        guard var mutex = machine.mutexes[key], !mutex.isLost else { return .unrecoverable }
        if mutex.owner != nil { return .timedOut }
        mutex.owner = machine.scheduler.current.map { .thread($0, number) } ?? .process(number)
        machine.mutexes[key] = mutex
        return mutex.needsRepair ? .ownerDied : .acquired
    }

    private func owns(_ key: UInt) -> Bool {
        switch machine.mutexes[key]?.owner {
        case .thread(let thread, _): thread === machine.scheduler.current
        case .process(let owner): owner == number
        case nil: false
        }
    }
}
