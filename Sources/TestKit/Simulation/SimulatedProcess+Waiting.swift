import Platform

extension SimulatedProcess {
    public func wait(
        on word: UnsafePointer<UInt32>, whileEqual value: UInt32, timeoutMilliseconds: Int
    ) -> WaitOutcome {
        step(.wait)
        // Safe: the caller vouches for the word, and nobody runs meanwhile.
        if word.pointee != value { return .changed }
        return block(.word(UInt(bitPattern: word)), timeoutMilliseconds) ? .woken : .timedOut
    }

    public func wake(_ word: UnsafePointer<UInt32>, count: Int) {
        step(.wake)
        machine.scheduler.wake(.word(UInt(bitPattern: word)), count: count)
    }

    public func sleep(milliseconds: Int) {
        step(.sleep)
        _ = block(.time, milliseconds)
    }

    public func startThread(
        _ name: StaticString, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        try step(.startThread, name.description)
        try machine.scheduler.add(self, body)
    }

    func block(_ target: WaitTarget, _ timeoutMilliseconds: Int) -> Bool {
        block(target, until: deadline(after: timeoutMilliseconds))
    }

    func block(_ target: WaitTarget, until deadline: UInt64) -> Bool {
        machine.scheduler.block(machine, on: target, until: deadline)
    }

    func deadline(after milliseconds: Int) -> UInt64 {
        machine.nanoseconds + UInt64(min(max(milliseconds, 0), 1_000_000_000)) * 1_000_000
    }
}
