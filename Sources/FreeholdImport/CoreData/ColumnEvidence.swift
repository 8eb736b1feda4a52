import FreeholdEngine

/// What a column holds in the rows of an attribute's entity: what is stored decides over what the model says.
struct ColumnEvidence {
    private(set) var nulls = 0
    private var ints = 0
    private var reals = 0
    private var texts = 0
    private var blobs = 0
    /// Values of the right storage that the attribute's type cannot take.
    private var misfits = 0
    private var invalidTexts = 0
    private var inline = 0
    private var files = 0
    /// Values in files that are missing.
    private(set) var missingFiles = 0
    /// Archives that are plain, as they are and after their first byte.
    private var plain = 0
    private var plainInside = 0

    var values: Int { ints + reals + texts + blobs }

    /// Whether all values begin with the byte of inline values of external storage, which may be chance.
    var looksInline: Bool { blobs > 0 && inline == blobs }

    /// Values of archives that are not known to be plain, and stay bytes. Those in files have not been read.
    func opaque(isExternal: Bool) -> Int { values - (isExternal ? plainInside + files : plain) }

    /// Takes note of the value of a row.
    @inline(__always)
    mutating func add(
        _ rows: inout SQLiteRowReader, _ column: Int, _ reading: AttributeReading, _ external: ExternalData
    ) throws(SourceError) {
        switch try rows.field(column) {
        case .null: nulls += 1
        case .int(let number): add(number, reading)
        case .real(let number): add(number, reading)
        case .text(let bytes):
            texts += 1
            if rows.encoding == .utf8, !SQLiteTextCheck.isValid(bytes) { invalidTexts += 1 }
            if reading == .decimal, Decimal128(String(decoding: bytes, as: UTF8.self)) == nil { misfits += 1 }
        case .blob(let bytes): addBlob(bytes, reading, external)
        case .spilled, .missing: try addCell(rows.cell(column), reading, external)
        }
    }

    @inline(__always)
    private mutating func add(_ number: Int64, _ reading: AttributeReading) {
        ints += 1
        if !Self.fits(number, reading) { misfits += 1 }
    }

    @inline(__always)
    private mutating func add(_ number: Double, _ reading: AttributeReading) {
        reals += 1
        if !Self.fits(number, reading) { misfits += 1 }
    }

    private mutating func addCell(_ cell: SQLiteCell, _ reading: AttributeReading, _ external: ExternalData) throws(SourceError) {
        switch cell {
        case .null: nulls += 1
        case .int(let number): add(number, reading)
        case .real(let number): add(number, reading)
        case .text(let bytes):
            texts += 1
            if reading == .decimal, Decimal128(String(decoding: bytes, as: UTF8.self)) == nil { misfits += 1 }
        // Safe: the buffer is that of the array, and is not kept.
        case .blob(let bytes): bytes.withUnsafeBytes { addBlob($0, reading, external) }
        case .long(let value) where value.isText: texts += 1
        case .long(let value):
            blobs += 1
            if reading == .uuid { misfits += 1 }
            if try value.firstByte() == 1 { inline += 1 }
        }
    }

    private mutating func addBlob(_ bytes: UnsafeRawBufferPointer, _ reading: AttributeReading, _ external: ExternalData) {
        blobs += 1
        if reading == .uuid, bytes.count != 16 { misfits += 1 }
        guard reading == .data || reading == .archive else { return }
        switch ExternalData.form(bytes) {
        case .other: break
        case .inline: inline += 1
        case .file(let name):
            files += 1
            if !external.has(name) { missingFiles += 1 }
        }
        guard reading == .archive else { return }
        if PlainValue.read(Array(bytes)) != nil { plain += 1 }
        if bytes.count > 1, bytes[0] == 1, PlainValue.read(Array(bytes.dropFirst())) != nil { plainInside += 1 }
    }

    @inline(__always)
    private static func fits(_ number: Int64, _ reading: AttributeReading) -> Bool {
        switch reading {
        case .bool: number == 0 || number == 1
        case .double: number.magnitude <= 1 << 53
        case .float: number.magnitude <= 1 << 24
        case .date: number.magnitude <= 1 << 61
        default: true
        }
    }

    @inline(__always)
    private static func fits(_ number: Double, _ reading: AttributeReading) -> Bool {
        switch reading {
        case .float: Double(Float(number)) == number
        case .date: number.magnitude < 0x1p61
        default: true
        }
    }

    /// Whether the values say where they are: they all begin as those of external storage do, and one names a file or, of
    /// an archive, is one after its first byte.
    func isExternal(_ reading: AttributeReading) -> Bool {
        guard reading == .data || reading == .archive, blobs > 0, inline + files == blobs else { return false }
        return files > 0 || reading == .archive && plain == 0 && plainInside > 0
    }

    /// How the values are read, so that none is lost.
    func reading(_ wanted: AttributeReading) -> AttributeReading {
        let numbers = reals + texts + blobs == 0
        let onlyNumbers = texts + blobs == 0
        switch wanted {
        case .int: return numbers ? .int : .any
        case .bool: return numbers ? (misfits == 0 ? .bool : .int) : .any
        case .double: return onlyNumbers && misfits == 0 ? .double : .any
        case .float: return onlyNumbers && misfits == 0 ? .float : onlyNumbers && ints == 0 ? .double : .any
        case .date: return onlyNumbers && misfits == 0 ? .date : .any
        case .decimal: return blobs == 0 && misfits == 0 && invalidTexts == 0 ? .decimal : .any
        case .string: return ints + reals + blobs == 0 && invalidTexts == 0 ? .string : .any
        case .data: return ints + reals + texts == 0 ? .data : .any
        case .uuid: return ints + reals + texts == 0 ? (misfits == 0 ? .uuid : .data) : .any
        case .archive, .any: return wanted
        }
    }
}

extension SourceBytes {
    /// The first byte; nil if there is none.
    func firstByte() throws(SourceError) -> UInt8? {
        struct Found: Error { let byte: UInt8? }
        do {
            try reader.forEachPart { throw Found(byte: $0.first) }
        } catch let found as Found {
            return found.byte
        } catch {
            throw error as? SourceError ?? SourceError(.damaged, "\(error)")
        }
        return nil
    }
}
