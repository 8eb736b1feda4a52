// Opens a file with the classes of Models.swift, which `freehold schema --format swift` printed for it: `ModelHelper FILE`.
//
// Prints what opening would change, and what it counts and reads through the models.
import Foundation
import Freehold

let configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: CommandLine.arguments[1]))
let plan = try Realm.migrationPlan(for: configuration)
print("\(plan.outcome)", plan.differences, plan.otherClasses.sorted())
let realm = try Realm(configuration: configuration)
try realm.write {
    let all = realm.create(Everything.self, value: ["id": 1, "decimals": [1, 2], "texts": ["a": ["b", nil]]])
    all.home = HomeAddress(value: ["street": "Main", "floor": 3])
    all.animals.append(realm.create(Puppy.self, value: ["name": "Rex", "tricks": ["sit"]]))
    all.friends["me"] = all
}
for all in realm.objects(Everything.self) {
    print(all.decimals.count, all.texts["a"]?.count ?? 0, all.home?.street ?? "", Array(all.animals.map(\.name)), all.friends.count)
}
print(realm.objects(Animal.self).count, realm.objects(Dog.self).count, realm.objects(Object_.self).count)
