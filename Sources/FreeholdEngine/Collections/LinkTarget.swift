/// The target of a link in a collection: an object of the property's declared class or, in a mixed value, of any class.
struct LinkTarget: Hashable, Comparable {
    /// The class's number, in a mixed value; else `declared`.
    let classNumber: Int
    let key: Int64

    /// Stands for the declared class of the property.
    static let declared = -1

    /// A target of the declared class of the property.
    @inline(__always)
    init(_ key: Int64) {
        classNumber = Self.declared
        self.key = key
    }

    init(_ object: ObjectReference) {
        classNumber = object.classNumber
        key = object.key.rawValue
    }

    /// The link to it in the form of its property.
    var value: Value {
        if classNumber == Self.declared { return .link(ObjectKey(key)) }
        return .object(ObjectReference(classNumber: classNumber, key: ObjectKey(key)))
    }

    static func < (left: LinkTarget, right: LinkTarget) -> Bool { (left.classNumber, left.key) < (right.classNumber, right.key) }
}

extension Value {
    /// Calls `body` with the target of a link, or of each link in a collection.
    func forEachLink(_ body: (LinkTarget) -> Void) {
        switch self {
        case .link(let target): body(LinkTarget(target.rawValue))
        case .object(let object): body(LinkTarget(object))
        case .list(let values), .set(let values): for value in values { value.forEachLink(body) }
        case .map(let entries): for value in entries.values { value.forEachLink(body) }
        default: break
        }
    }

    /// The distinct targets of all links in the collection.
    var linkTargets: Set<LinkTarget> {
        var targets: Set<LinkTarget> = []
        forEachLink { targets.insert($0) }
        return targets
    }
}
