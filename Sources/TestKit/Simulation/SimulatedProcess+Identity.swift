import Platform

extension SimulatedProcess {
    public var monotonicNanoseconds: UInt64 {
        machine.nanoseconds += 100
        return machine.nanoseconds
    }

    public var wallClockNanoseconds: Int64 { machine.wallClockNanoseconds ?? 1_700_000_000_000_000_000 + Int64(machine.nanoseconds) }

    public func fillRandom(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = UInt8.random(in: 0...255, using: &machine.secrets) }
    }

    public var bootIdentity: BootIdentity? { machine.options.knowsBoot ? machine.bootIdentity : nil }

    public var processNamespace: UInt64 { namespace }

    public var layoutTag: UInt32 { LinuxSystem.shared.layoutTag }

    public var process: ProcessIdentity { ProcessIdentity(id: Int32(1000 + number), name: name) }

    /// 1 outside a run: no thread of a run is taken for the one that calls there.
    public var threadIdentity: UInt { machine.scheduler.current.map { UInt(2 + $0.number) } ?? 1 }
}
