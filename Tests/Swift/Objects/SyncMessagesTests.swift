import Foundation
@testable import Freehold
@testable import FreeholdEngine
import FreeholdMerge
import Testing

/// Two realms and a server in memory, whose messages a program carries.
@Suite struct SyncMessagesTests {
    private let realms: [Realm]
    private let folders: [Folder]
    private let server: SyncServer
    private let user = SyncUser(rawValue: 1)

    init() throws {
        folders = try (0..<2).map { _ in try Folder() }
        realms = try folders.map { try Realm(configuration: $0.configuration([Parcel.self, Carton.self, ParcelStamp.self])) }
        let schema = SyncSchema(declared: try Database.open(folders[0].path).snapshot().classes)
        server = SyncServer(schema: schema, store: MemoryStore(schema: schema))
        try server.add(user)
        for realm in realms { _ = try pull(realm) }
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private func push(_ realm: Realm) throws -> Bool {
        guard let message = try realm.syncMessages.push() else { return false }
        guard case .push(let batch) = try SyncMessage(bytes: [UInt8](message)) else { return false }
        let acknowledged = try #require(try server.commit(batch, by: user, in: try server.begin(), now: now))
        #expect(try realm.syncMessages.apply(Data(SyncMessage.ack(acknowledged).bytes)) == nil)
        return true
    }

    private func answer(_ realm: Realm) throws -> Data {
        guard case .pull(let pull) = try SyncMessage(bytes: [UInt8](realm.syncMessages.pull())) else { return Data() }
        return Data(SyncMessage.answer(try server.answer(pull, for: user, now: now)).bytes)
    }

    private func pull(_ realm: Realm, merge: ((SyncConflictCase) throws -> Value)? = nil) throws -> Freehold.SyncReport {
        try #require(try realm.syncMessages.apply(answer(realm), merge: merge))
    }

    private func change(_ realm: Realm, _ amount: Int, _ note: String) throws {
        realm.refresh()
        try realm.write {
            let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: "p"))
            try parcel.increment(\.stock, by: amount)
            parcel.note = note
        }
    }

    private func start() throws {
        try realms[0].write { realms[0].create(Parcel.self, value: ["id": "p", "stock": 10, "note": "first"]) }
        #expect(try push(realms[0]))
        #expect(try pull(realms[0]).losses.isEmpty)
        #expect(try pull(realms[1]).changedObjects == 1)
        #expect(try !push(realms[0]))
    }

    @Test("counters add up, the program merges a property, and observers see what an answer brings")
    func merging() throws {
        try start()
        try change(realms[0], -2, "ann")
        try change(realms[1], -3, "ben")
        #expect(try push(realms[0]))
        _ = try pull(realms[0])
        #expect(try push(realms[1]))
        var seen: [SyncConflictCase] = []
        let report = try pull(realms[1]) { conflict in
            seen.append(conflict)
            guard case .string(let mine) = conflict.mine, case .string(let theirs) = conflict.theirs else { return .null }
            return .string("\(theirs), \(mine)")
        }
        #expect(seen.count == 1 && seen[0].property == "remark" && seen[0].className == "Parcel" && seen[0].primaryKey == .string("p"))
        #expect(report.losses.map(\.reason) == [.conflict])
        #expect(try push(realms[1]))
        for realm in realms { _ = try pull(realm) }
        for realm in realms {
            realm.refresh()
            let parcel = try #require(realm.objects(Parcel.self).first)
            #expect(parcel.stock == 5 && parcel.note == "ann, ben")
            #expect(try !push(realm))
        }
    }

    @Test("a merge that throws changes nothing, and so does a message that no server writes")
    func failures() throws {
        struct Refusal: Error {}
        try start()
        try change(realms[0], 0, "ann")
        try change(realms[1], 0, "ben")
        for realm in realms { #expect(try push(realm)) }
        let answer = try answer(realms[1]), database = try Database.open(folders[1].path), version = try database.snapshot().version
        #expect(throws: Refusal.self) { try realms[1].syncMessages.apply(answer) { _ in throw Refusal() } }
        #expect(throws: RealmError.self) { try realms[1].syncMessages.apply(answer) { _ in .int(5) } }
        #expect(throws: RealmError.self) { try realms[1].syncMessages.apply(Data([1, 2, 3])) }
        #expect(throws: RealmError.self) { try realms[1].syncMessages.apply(realms[1].syncMessages.pull()) }
        try realms[1].write {
            #expect(throws: RealmError.self) { try realms[1].syncMessages.apply(answer) }
            #expect(throws: RealmError.self) { try realms[1].syncMessages.push() }
        }
        #expect(try database.snapshot().version == version)
        #expect(try realms[1].syncMessages.apply(answer)?.losses.map(\.reason) == [.conflict])
        #expect(try realms[1].syncMessages.apply(answer) == nil)
        realms[1].refresh()
        #expect(realms[1].objects(Parcel.self).first?.note == "ann")
    }
}
