import Foundation
import Freehold

/// `freehold-object-bench --n N --dir DIR`: live Swift objects, used from a module of their own.
@main
struct ObjectBench {
    let count: Int
    let folder: String

    let chosen: Set<String>

    static func main() throws {
        var count = 1_000_000, folder = ".", chosen: Set<String> = []
        var words = CommandLine.arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "--n": count = words.popFirst().flatMap { Int($0) } ?? count
            case "--dir": folder = words.popFirst() ?? folder
            default: chosen.insert(word)
            }
        }
        try ObjectBench(count: count, folder: folder, chosen: chosen).run()
    }

    private func run() throws {
        print("# Freehold, live Swift objects, n=\(count)")
        let workloads: [(String, () throws -> Void)] = [
            ("object_create", create), ("object_create_values", createFromDictionaries), ("object_read", readOne), ("object_traverse", traverse),
            ("object_lookup", lookUp), ("object_update", change),
        ]
        for (name, workload) in workloads where chosen.isEmpty || chosen.contains(name) { try workload() }
    }

    private func open(_ name: String) throws -> Realm {
        let file = URL(fileURLWithPath: folder).appendingPathComponent(name + ".freehold")
        return try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: [Person.self]))
    }

    private func create() throws {
        try? FileManager.default.removeItem(atPath: "\(folder)/objects.freehold")
        let realm = try open("objects"), first = Names.first.count
        let taken = try seconds {
            try realm.write {
                for id in 0..<count {
                    let person = Person()
                    person.id = id
                    person.age = (id &* 7919) % 100
                    person.active = id & 1 == 1
                    person.score = Double(id % 1000)
                    person.created = Date(timeIntervalSince1970: 1_600_000_000 + Double(id))
                    person.city = Names.cities[id % 1000]
                    person.name = Names.first[id % first]
                    person.visits = id % 10
                    realm.add(person)
                }
            }
        }
        print("object_create \(Int(Double(count) / taken)) objects/s")
    }

    private func createFromDictionaries() throws {
        try? FileManager.default.removeItem(atPath: "\(folder)/dictionaries.freehold")
        let realm = try open("dictionaries"), count = count / 5
        var values: [[String: Any]] = []
        for id in 0..<count {
            let isActive = id & 1 == 1, created = Date(timeIntervalSince1970: Double(id)), city = Names.cities[id % 1000]
            values.append(["id": id, "age": id % 100, "active": isActive, "score": Double(id), "created": created, "city": city,
                           "name": "somebody", "visits": 1])
        }
        let taken = try seconds {
            try realm.write { for value in values { realm.create(Person.self, value: value) } }
        }
        print("object_create_values \(Int(Double(count) / taken)) objects/s")
    }

    private func readOne() throws {
        let realm = try open("objects")
        guard let person = realm.object(ofType: Person.self, forPrimaryKey: count / 2) else { return print("skip object_read no person") }
        let plain = PlainPerson(), reads = 100_000_000
        plain.age = person.age
        let one = median { seconds { expect(sumOfAges(person, reads) == person.age &* reads) } }
        let other = median { seconds { expect(sumOfAges(plain, reads) == plain.age &* reads) } }
        print("object_read \(shown(one / Double(reads) * 1e9)) ns")
        print("object_read_ratio \(shown(one / other)) times a stored property")
    }

    private func traverse() throws {
        let realm = try open("objects")
        let before = ownBytes()
        var ages = 0, scores = 0.0
        let taken = median {
            seconds {
                (ages, scores) = (0, 0)
                for person in realm.objects(Person.self) {
                    ages += person.age
                    scores += person.score
                }
            }
        }
        print("object_traverse \(Int(Double(count) / taken)) objects/s")
        print("check object_traverse_age \(ages)")
        print("object_traverse_memory \(ownBytes() - before) bytes")
    }

    private func lookUp() throws {
        let realm = try open("objects")
        let lookUps = 1_000_000
        var sum = 0, state: UInt64 = 7
        let taken = seconds {
            for _ in 0..<lookUps {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let id = Int((state >> 33) % UInt64(count))
                sum += realm.object(ofType: Person.self, forPrimaryKey: id)?.age ?? 0
            }
        }
        print("object_lookup \(Int(Double(lookUps) / taken)) ops/s")
        print("check object_lookup \(sum)")
    }

    private func change() throws {
        let realm = try open("objects")
        let changes = min(count, 100_000)
        let taken = try seconds {
            try realm.write {
                for id in 0..<changes { realm.object(ofType: Person.self, forPrimaryKey: (id &* 7919) % count)?.age = id % 100 }
            }
        }
        print("object_update \(Int(Double(changes) / taken)) objects/s")
    }
}

@inline(never) func sumOfAges(_ person: Person, _ times: Int) -> Int {
    var sum = 0
    for _ in 0..<times {
        sum &+= person.age
        opaque()
    }
    return sum
}

@inline(never) func sumOfAges(_ person: PlainPerson, _ times: Int) -> Int {
    var sum = 0
    for _ in 0..<times {
        sum &+= person.age
        opaque()
    }
    return sum
}
