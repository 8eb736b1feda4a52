import FreeholdEngine

/// Results that show projections of objects.
final class ProjectionSource<Shown: ProjectionObservable>: ResultsSource {
    private let found: ResultsSource

    init(_ objects: ResultsSource) {
        found = objects
        super.init(in: objects.core)
    }

    override var objects: ResultsSource { found.objects }
    override func shown(_ object: Any?) -> Any? { (object as? Shown.Root).map { Shown(projecting: $0) } }

    override var count: Int { objects.count }
    override var isEmpty: Bool { objects.isEmpty }
    override var first: Any? { shown(objects.first) }
    override func element(at position: Int) -> Any? { shown(objects.element(at: position)) }
    override func position(of element: Any) -> Int? { (element as? Shown).flatMap { objects.position(of: $0.rootObject) } }
    override func cursor<Element>() -> ElementCursor<Element> { ProjectionCursor<Shown, Element>(objects.cursor()) }
    override func cursor<Element>(over positions: [Int]) -> ElementCursor<Element> { ProjectionCursor<Shown, Element>(objects.cursor(over: positions)) }
    override var subject: QuerySubject? { objects.subject }

    override func unbound() -> (RealmCore) -> ResultsSource? {
        let find = objects.unbound()
        return { core in find(core).map { ProjectionSource($0) } }
    }
}

/// A cursor that returns projections of the objects of another cursor.
private final class ProjectionCursor<Shown: ProjectionObservable, Element>: ElementCursor<Element> {
    private let objects: ElementCursor<Shown.Root>
    /// The other cursor's count of objects that can be visited without calling it; ignored, as each needs a projection.
    private var beside = 0

    init(_ objects: ElementCursor<Shown.Root>) { self.objects = objects }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? {
        objects.next(after: &object, &beside).flatMap { Shown(projecting: $0) as? Element }
    }
}

extension Projection: ObjectView {
    static var viewed: ObjectBase.Type { Root.self }
    static func source(over objects: ResultsSource) -> ResultsSource { ProjectionSource<Self>(objects) }
}

extension Projection: RealmFetchable where Root: Object {
    /// The name of the object's class in files.
    public static func className() -> String { Root.className() }
}

extension Projection: KeypathSortable {}

extension Query where T: ProjectionObservable {
    /// A property of the projection, if it shows a stored property of the object or of a linked object.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.member(member, V.self) }
}

/// Aggregates, as of the objects.
extension Results where Element: ProjectionObservable {
    private var objects: Results<Element.Root> { Results<Element.Root>(source.objects) }

    /// The minimum of a property of the object; nil if there is none.
    public func min<Value: MinMaxType>(ofProperty property: String) -> Value? { objects.min(ofProperty: property) }
    /// The maximum of a property of the object; nil if there is none.
    public func max<Value: MinMaxType>(ofProperty property: String) -> Value? { objects.max(ofProperty: property) }
    /// The sum of a property's values; 0 if there are none.
    public func sum<Value: AddableType>(ofProperty property: String) -> Value { objects.sum(ofProperty: property) }
    /// The average of a property's values; nil if there are none.
    public func average<Value: AddableType>(ofProperty property: String) -> Value? { objects.average(ofProperty: property) }
    /// The minimum of a property of the projection; nil if there is none.
    public func min<Value: MinMaxType>(of property: KeyPath<Element, Value>) -> Value? { min(ofProperty: PropertyNames.required(property)) }
    /// The maximum of a property of the projection; nil if there is none.
    public func max<Value: MinMaxType>(of property: KeyPath<Element, Value>) -> Value? { max(ofProperty: PropertyNames.required(property)) }
    /// The sum of the values of a property of the projection; 0 if there are none.
    public func sum<Value: AddableType>(of property: KeyPath<Element, Value>) -> Value { sum(ofProperty: PropertyNames.required(property)) }
    /// The average of the values of a property of the projection; nil if there are none.
    public func average<Value: AddableType>(of property: KeyPath<Element, Value>) -> Double? { average(ofProperty: PropertyNames.required(property)) }
}
