import Foundation
import Freehold
import Testing

/// What the compiler says, in the language mode 6, of programs that send live objects elsewhere. Each line of a program that ends with
/// `// refused` has to be an error, and no other.
@Suite("What may go to other threads, by the compiler's word", .enabled(if: Compiler.isOfUse, "a sanitizer has nothing to say of it"))
struct SendabilityTests {
    @Test("realms, live objects and collections are not Sendable")
    func types() throws {
        try Compiler.check("""
            import Freehold
            final class Cat: Object {
                @Persisted var kittens: List<Cat>
                @Persisted var toys: MutableSet<String>
                @Persisted var owners: Map<String, String>
                @Persisted(originProperty: "kittens") var parents: LinkingObjects<Cat>
            }
            func send<Value: Sendable>(_ value: Value) {}
            func all(_ realm: Realm, _ cat: Cat) {
                send(realm) // refused
                send(cat) // refused
                send(cat.kittens) // refused
                send(cat.toys) // refused
                send(cat.owners) // refused
                send(cat.parents) // refused
                send(realm.objects(Cat.self)) // refused
                let work: @Sendable () -> Void = { realm.invalidate() } // refused
                work()
            }
            let shared = Cat() // refused
            """)
    }

    @Test("they do not leave their thread or actor by tasks, nor as results")
    func regions() throws {
        try Compiler.check("""
            import Freehold
            final class Cat: Object { @Persisted var name = "" }
            func detach(_ realm: Realm) {
                Task.detached { realm.refresh() } // refused
            }
            func detach(_ cat: Cat) {
                Task.detached { print(cat.name) } // refused
            }
            actor Store {
                private var realm: Realm?
                func open() async throws {
                    let realm = try await Realm.open()
                    self.realm = realm
                    let cats = realm.objects(Cat.self)
                    Task.detached { print(cats.count) } // refused
                }
                func cats() -> Results<Cat>? { realm?.objects(Cat.self) }
            }
            func reach(_ store: Store) async {
                _ = await store.cats() // refused
            }
            """)
    }

    @Test("what is frozen, references, configurations and @ThreadSafe go anywhere; actors and the main actor have realms")
    func free() throws {
        try Compiler.check("""
            import Dispatch
            import Freehold
            final class Cat: Object { @Persisted var name = "" }
            func send<Value: Sendable>(_ value: Value) {}
            struct Kept: Sendable { @ThreadSafe var cat: Cat? }
            func all(_ realm: Realm, _ cat: Cat) {
                let frozen = Frozen(cat), snapshot = Frozen(realm), results = Frozen(realm.objects(Cat.self))
                let reference = ThreadSafeReference(to: cat), configuration = realm.configuration
                send(frozen)
                send(reference)
                Task.detached {
                    let own = try Realm(configuration: configuration)
                    print(frozen.name, results.value.count, snapshot.value.isEmpty, own.resolve(reference)?.name ?? "")
                }
                DispatchQueue.main.async { print(frozen.thaw()?.name ?? "") }
            }
            actor Store {
                private var realm: Realm?
                func count() async throws -> Int {
                    let realm = try await Realm.open()
                    self.realm = realm
                    let name = try await realm.asyncWrite { realm.create(Cat.self).name }
                    await realm.asyncRefresh()
                    return realm.objects(Cat.self).count + name.count
                }
            }
            @MainActor func main() async throws -> Int {
                let realm = try Realm()
                try await realm.asyncWrite { realm.create(Cat.self) }
                return realm.objects(Cat.self).count
            }
            """)
    }
}

/// The compiler that the tests were built with, as it sees the module that they use.
private enum Compiler {
    static let isOfUse = ProcessInfo.processInfo.environment["FREEHOLD_SANITIZER"] == nil

    static func check(_ source: String) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let program = Process(), output = Pipe()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // What tasks may take along is found out behind the types, so checking those is not enough.
        program.arguments = ["swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6", "-I", products + "/Modules",
                             "-Xcc", "-fmodule-map-file=\(products)/CShims.build/module.modulemap", file.path]
        program.standardOutput = FileHandle.nullDevice
        program.standardError = output
        try program.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        let wanted = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { $1.hasSuffix("// refused") }.map { $0.offset + 1 }
        let told = said.split(separator: "\n").compactMap { line -> Int? in
            guard line.hasPrefix(file.path + ":"), line.contains(": error: ") else { return nil }
            return Int(line.dropFirst(file.path.count + 1).prefix { $0 != ":" })
        }
        #expect(Set(told) == Set(wanted), "\(said)")
        #expect((program.terminationStatus == 0) == wanted.isEmpty, "\(said)")
    }
}
