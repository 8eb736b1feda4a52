import CShims

extension PackedIntegers {
    /// The parameters for encoding rows: computed in one pass, used to encode in a second.
    struct Plan {
        let count: Int
        let nullCount: Int
        let minimum: Int64
        let maximum: Int64
        let width: Int

        var encodedLength: Int {
            headerLength + (nullCount > 0 ? Bitmap.byteCount(count) : 0) + dataBytes(count, width: width)
        }
    }

    /// Safe: the kernel reads `values.count` values and as many bits.
    static func plan(_ values: UnsafeBufferPointer<Int64>, nulls: NullBits? = nil) -> Plan {
        precondition(values.count <= LeafHead.maximumCount, "a leaf holds at most 65,535 rows")
        var minimum: Int64 = 0
        var maximum: Int64 = 0
        let present = values.isEmpty ? 0
            : freehold_kernel_bounds_of(values.baseAddress, nulls, values.count, &minimum, &maximum)
        return Plan(count: values.count, nullCount: values.count - present, minimum: minimum, maximum: maximum,
                    width: width(of: minimum, maximum))
    }

    /// The narrowest width for a range.
    static func width(of minimum: Int64, _ maximum: Int64) -> Int {
        // Safe: as an unsigned number the wrapped difference is exact.
        let range = UInt64(bitPattern: maximum &- minimum)
        let bits = 64 - range.leadingZeroBitCount
        return bits <= 2 ? bits : bits <= 4 ? 4 : bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64
    }

    static func encodedLength(_ values: UnsafeBufferPointer<Int64>, nulls: NullBits? = nil) -> Int {
        plan(values, nulls: nulls).encodedLength
    }

    /// Writes `plan.encodedLength` bytes, all of them; returns that length.
    ///
    /// Safe: the caller gives that much room, eight-byte aligned, and the values the plan was made of.
    @discardableResult
    static func encode(_ values: UnsafeBufferPointer<Int64>, nulls: NullBits? = nil, plan: Plan,
                       into start: UnsafeMutableRawPointer) -> Int {
        let hasNulls = plan.nullCount > 0
        LeafHead(count: plan.count, shape: UInt8(plan.width), flags: hasNulls ? .hasNulls : [],
                 nullCount: plan.nullCount).store(start)
        start.setLittle(minimumOffset, plan.minimum)
        start.setLittle(maximumOffset, plan.maximum)
        var data = start + headerLength
        if hasNulls, let nulls {
            copyNulls(nulls, rows: plan.count, to: data)
            data += Bitmap.byteCount(plan.count)
        }
        let base = plan.width == 64 ? 0 : plan.minimum
        freehold_kernel_pack(values.baseAddress, hasNulls ? nulls : nil, plan.count, UInt32(plan.width), base, data)
        return plan.encodedLength
    }

    /// Plans and encodes at once.
    @discardableResult
    static func encode(_ values: UnsafeBufferPointer<Int64>, nulls: NullBits? = nil,
                       into start: UnsafeMutableRawPointer) -> Int {
        encode(values, nulls: nulls, plan: plan(values, nulls: nulls), into: start)
    }

    /// Copies a null bitmap; bits past the last row become clear.
    ///
    /// Safe: both sides hold a bit for every row, in whole words.
    static func copyNulls(_ nulls: NullBits, rows: Int, to start: UnsafeMutableRawPointer) {
        let words = Bitmap.words(rows)
        for word in 0..<words {
            start.setLittle(word << 3, word == words - 1 ? nulls[word] & Bitmap.lastWordMask(rows) : nulls[word])
        }
    }
}
