extension Realm.Configuration: StrangerSettings {
    var strangers: ObjectBase.Type { DynamicObject.self }
}
