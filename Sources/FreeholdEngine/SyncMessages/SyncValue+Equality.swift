/// Keys and values are equal if their bytes are, as in files. Swift's `String` equals every other spelling of its characters, so a server
/// that compared those would take two objects for one.
extension SyncKey: Hashable {
    public static func == (one: SyncKey, other: SyncKey) -> Bool {
        switch (one, other) {
        case (.int(let one), .int(let other)): one == other
        case (.string(let one), .string(let other)): one.isSame(as: other)
        case (.uuid(let high, let low), .uuid(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
        case (.objectID(let high, let low), .objectID(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .int(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .uuid(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
        case .objectID(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
        }
    }
}

extension SyncValue: Hashable {
    public static func == (one: SyncValue, other: SyncValue) -> Bool {
        switch (one, other) {
        case (.null, .null), (.absent, .absent): true
        case (.bool(let one), .bool(let other)): one == other
        case (.int(let one), .int(let other)): one == other
        case (.float(let one), .float(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.decimal(let high, let low), .decimal(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
        case (.timestamp(let one, let part), .timestamp(let other, let otherPart)): one == other && part == otherPart
        case (.uuid(let high, let low), .uuid(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
        case (.objectID(let high, let low), .objectID(let otherHigh, let otherLow)): high == otherHigh && low == otherLow
        case (.string(let one), .string(let other)): one.isSame(as: other)
        case (.data(let one), .data(let other)): one == other
        case (.link(let one), .link(let other)): one == other
        case (.embedded(let one), .embedded(let other)): one == other
        case (.list(let one), .list(let other)), (.set(let one), .set(let other)): one == other
        case (.map(let one), .map(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .absent: hasher.combine(1)
        case .bool(let truth): hasher.combine(truth)
        case .int(let number): hasher.combine(number)
        case .float(let bits): hasher.combine(bits)
        case .double(let bits): hasher.combine(bits)
        case .decimal(let high, let low), .uuid(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
        case .timestamp(let seconds, let nanoseconds):
            hasher.combine(seconds)
            hasher.combine(nanoseconds)
        case .objectID(let high, let low):
            hasher.combine(high)
            hasher.combine(low)
        case .string(let text): hasher.combine(ExactText(text))
        case .data(let bytes): hasher.combine(bytes)
        case .link(let target): hasher.combine(target)
        case .embedded(let identity): hasher.combine(identity)
        case .list(let values), .set(let values): hasher.combine(values)
        case .map(let entries): hasher.combine(entries)
        }
    }
}

extension SyncValue.Entry: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.key.isSame(as: other.key) && one.value == other.value }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(key))
        hasher.combine(value)
    }
}
