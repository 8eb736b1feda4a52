import FreeholdEngine

/// What a store with a database keeps beside its rows, as bytes and numbers. What is equal has equal bytes.
///
/// Decoding throws `.corrupt` for bytes that no coding gives.
public struct StoreCoding: Sendable {
    private let names: SyncNames

    /// - Parameter schema: the classes whose numbers the objects have.
    public init(_ schema: SyncSchema) { names = schema.names }

    // MARK: Names

    /// The bytes of a primary key.
    public func bytes(of key: SyncKey) -> [UInt8] { Self.encoded { $0.write(key) } }
    /// The bytes of a value.
    public func bytes(of value: SyncValue) -> [UInt8] { Self.encoded { $0.write(value) } }
    /// The bytes of an object's class and key.
    public func bytes(of object: SyncObject) -> [UInt8] { Self.encoded { $0.write(object) } }

    /// The primary key that was encoded. Throws `.corrupt`.
    public func key(_ bytes: [UInt8]) throws(FreeholdError) -> SyncKey {
        try decoded(bytes) { decoder throws(FreeholdError) in try decoder.key() }
    }

    /// The value that was encoded. Throws `.corrupt`.
    public func value(_ bytes: [UInt8]) throws(FreeholdError) -> SyncValue {
        try decoded(bytes) { decoder throws(FreeholdError) in try decoder.value() }
    }

    /// The object that was encoded. Throws `.corrupt`.
    public func object(_ bytes: [UInt8]) throws(FreeholdError) -> SyncObject {
        try decoded(bytes) { decoder throws(FreeholdError) in try decoder.object() }
    }

    // MARK: Replicas

    /// A ledger without what it owes.
    public func bytes(of ledger: SyncLedger) -> [UInt8] {
        Self.encoded { encoder in
            encoder.write(ledger.epoch)
            encoder.write(ledger.clamped)
            encoder.write(ledger.replaced.sorted { $0.key < $1.key }) { given, stamp in
                encoder.write(given)
                encoder.write(stamp)
            }
            encoder.write(ledger.rejections) { transaction, rejection in
                encoder.write(transaction)
                rejection.encode(to: encoder)
                encoder.write(rejection.entry.trace)
            }
        }
    }

    /// The ledger that was encoded; it owes nothing. Throws `.corrupt`.
    public func ledger(_ bytes: [UInt8]) throws(FreeholdError) -> SyncLedger {
        try decoded(bytes) { decoder throws(FreeholdError) in
            var ledger = SyncLedger()
            (ledger.epoch, ledger.clamped) = (try decoder.number("an epoch"), try decoder.stamp())
            for _ in 0..<(try decoder.number("the number of replaced stamps")) {
                let given = try decoder.stamp()
                ledger.replaced[given] = try decoder.stamp()
            }
            for _ in 0..<(try decoder.number("the number of rejections")) {
                let transaction = try decoder.number("a transaction")
                var rejection = try SyncRejection(from: &decoder)
                rejection.entry.trace = UInt32(try decoder.number(below: 1 << 32, "a trace"))
                ledger.rejections.append((transaction, rejection))
            }
            return ledger
        }
    }

    /// The bytes of what a replica was before.
    public func bytes(of ancestors: [SyncAncestor]) -> [UInt8] {
        Self.encoded { encoder in
            encoder.write(ancestors) { one in
                encoder.write(one.replica)
                encoder.write(one.openEpoch)
                encoder.write(one.last)
            }
        }
    }

    /// The ancestors that were encoded. Throws `.corrupt`.
    public func ancestors(_ bytes: [UInt8]) throws(FreeholdError) -> [SyncAncestor] {
        try decoded(bytes) { decoder throws(FreeholdError) in
            try decoder.list("ancestors") { inner throws(FreeholdError) in
                let replica = try inner.replicaNumber(), openEpoch = try inner.number("an epoch")
                return SyncAncestor(replica: replica, openEpoch: openEpoch, last: try inner.stamp())
            }
        }
    }

    /// The bytes that name a claim.
    public func bytes(of claim: SyncClaim) -> [UInt8] {
        Self.encoded { encoder in
            encoder.write(claim.replica)
            encoder.write(claim.epoch)
            encoder.write(claim.object)
            encoder.write(claim.property)
            encoder.write(claim.began)
            encoder.write(claim.birth)
        }
    }

    /// The bytes of a claim's amount.
    public func bytes(of amount: SyncClaim.Amount) -> [UInt8] {
        Self.encoded { encoder in
            encoder.write(signed: amount.amount)
            encoder.write(amount.count)
            encoder.write(amount.trace)
        }
    }

    /// The amount that was encoded. Throws `.corrupt`.
    public func amount(_ bytes: [UInt8]) throws(FreeholdError) -> SyncClaim.Amount {
        try decoded(bytes) { decoder throws(FreeholdError) in
            let amount = try decoder.signed("an amount"), count = UInt32(try decoder.number(below: 1 << 32, "a count"))
            return SyncClaim.Amount(amount: amount, count: count, trace: UInt32(try decoder.number(below: 1 << 32, "a trace")))
        }
    }

    // MARK: Bytes

    private static func encoded(_ body: (SyncEncoder) -> Void) -> [UInt8] {
        let encoder = SyncEncoder()
        body(encoder)
        return encoder.bytes
    }

    private func decoded<Value>(_ bytes: [UInt8], _ body: (inout SyncDecoder) throws(FreeholdError) -> Value)
        throws(FreeholdError) -> Value
    {
        // Safe: the decoder reads within the bytes, and no pointer outlives the call.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FreeholdError) in
                var decoder = SyncDecoder(stored: bytes, names: names)
                let value = try body(&decoder)
                guard decoder.isAtEnd else { throw decoder.damaged("the end of what is kept") }
                return value
            }
        }
        return try result.get()
    }
}
