/// A leaf of a column of any type, read by the form that the type has. Typed readers use the forms' own readers, which are faster.
///
/// Safe throughout: as for these readers, made over validated bytes of the form and asked for rows below the count.
struct AnyLeaf {
    let body: UnsafeRawPointer
    let form: LeafForm

    @inline(__always) init(_ body: UnsafeRawPointer, _ form: LeafForm) { (self.body, self.form) = (body, form) }

    @inline(__always)
    func isNull(_ row: Int) -> Bool {
        switch form {
        // A date's nulls are those of its seconds.
        case .integers, .dates: PackedIntegers(body).isNull(row)
        case .floats, .doubles: RealLeaf(body).isNull(row)
        case .fixed: FixedLeaf(body).isNull(row)
        case .texts: TextLeaf(body).isNull(row)
        }
    }

    /// The words of the value in a row that is not null; zeros in a leaf of strings or data.
    @inline(__always)
    func words(_ row: Int) -> ValueWords {
        switch form {
        case .integers: return ValueWords(UInt64(bitPattern: PackedIntegers(body)[row]))
        case .floats: return ValueWords(UInt64(RealLeaf(body).float(row).bitPattern))
        case .doubles: return ValueWords(RealLeaf(body).double(row).bitPattern)
        case .dates:
            let date = DateLeaf(body)[row]
            return ValueWords(UInt64(bitPattern: date.seconds), UInt64(UInt32(bitPattern: date.nanoseconds)))
        case .fixed: return FixedLeaf(body).words(row)
        case .texts: return ValueWords(0)
        }
    }

    /// The first rule of its layout that the leaf breaks; nil if it breaks none.
    func problem() -> String? {
        switch form {
        case .integers: PackedIntegers(body).problem()
        case .floats, .doubles: RealLeaf(body).problem()
        case .dates: DateLeaf(body).problem()
        case .fixed: FixedLeaf(body).problem()
        case .texts: TextLeaf(body).problem()
        }
    }
}

extension FixedLeaf {
    /// The words of a row of either width.
    @inline(__always)
    func words(_ row: Int) -> ValueWords {
        if width == 12 {
            let narrow = narrow(row)
            return ValueWords(narrow.high, UInt64(narrow.low))
        }
        let wide = wide(row)
        return ValueWords(wide.high, wide.low)
    }
}
