import RealmSwift

class Strange: Object {
    @objc dynamic var first = 1, second = 2
    @objc dynamic var born: NSDate?
    @objc(otherName) dynamic var named = 0
    @objc dynamic lazy var late = 0
    @objc dynamic var plain = 0
    @objc func act() {}

    static let skipped = ["plain"]
    override class func ignoredProperties() -> [String] { skipped }
}
