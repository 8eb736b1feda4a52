/// Where a link that a collection holds leads: to an object of the class that the property names, or from a mixed value to one of any class.
struct LinkTarget: Hashable, Comparable {
    /// The number of the class, in a mixed value; else `declared`.
    let classNumber: Int
    let key: Int64

    /// Stands for the class that the property names.
    static let declared = -1

    /// An object of the class that the property names.
    @inline(__always)
    init(_ key: Int64) {
        classNumber = Self.declared
        self.key = key
    }

    init(_ object: ObjectReference) {
        classNumber = object.classNumber
        key = object.key.rawValue
    }

    /// The link to it as its property has it.
    var value: Value {
        if classNumber == Self.declared { return .link(ObjectKey(key)) }
        return .object(ObjectReference(classNumber: classNumber, key: ObjectKey(key)))
    }

    static func < (left: LinkTarget, right: LinkTarget) -> Bool { (left.classNumber, left.key) < (right.classNumber, right.key) }
}

extension Value {
    /// Calls `body` with the target of the link that it is, or of each that it holds.
    func forEachLink(_ body: (LinkTarget) -> Void) {
        switch self {
        case .link(let target): body(LinkTarget(target.rawValue))
        case .object(let object): body(LinkTarget(object))
        case .list(let values), .set(let values): for value in values { value.forEachLink(body) }
        case .map(let entries): for value in entries.values { value.forEachLink(body) }
        default: break
        }
    }

    /// The targets of all links that it holds, each once.
    var linkTargets: Set<LinkTarget> {
        var targets: Set<LinkTarget> = []
        forEachLink { targets.insert($0) }
        return targets
    }
}
