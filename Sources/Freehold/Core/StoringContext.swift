/// How values are stored: in which realm, and what holds for the objects that they bring along. Each passes it on to what it holds itself.
public struct StoringContext {
    let core: RealmCore
    /// What adding an object does if there is one with its key.
    let policy: UpdatePolicy
    /// The properties named by the values that the objects are created from; nil if all count.
    let given: GivenValues?
    /// Whether the object that is added is linked by another one that is added.
    private(set) var isWithinObject = false
    /// How deep the value is nested in lists and dictionaries of mixed values.
    private var depth: Int32 = 0

    init(_ core: RealmCore, _ policy: UpdatePolicy = .error, given: GivenValues? = nil) {
        self.core = core
        self.policy = policy
        self.given = given
    }

    /// The context for what an object links to.
    var withinObject: StoringContext {
        var inner = self
        inner.isWithinObject = true
        return inner
    }

    /// The context for the elements of a list or dictionary that is a mixed value; nil if it is too deep, which has been
    /// reported: a list may contain itself.
    func withinCollection() -> StoringContext? {
        guard depth < Self.mostNested else {
            Misuse.report("Lists and dictionaries can be nested at most \(Self.mostNested) levels deep.", hint: "A collection may contain itself.")
            return nil
        }
        var inner = self
        inner.depth += 1
        return inner
    }

    private static let mostNested = 100
}
