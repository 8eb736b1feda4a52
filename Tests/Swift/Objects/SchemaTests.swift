import Foundation
import Freehold
import Testing

@Suite("Schemas as values")
struct SchemaTests {
    @Test("a realm's schema has its classes, and they their properties")
    func classes() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Owner.self, Pet.self, Kennel.self, Dog.self, Person.self, Address.self]))
        let schema = realm.schema
        #expect(schema.objectSchema.map(\.className) == ["Address", "Dog", "Kennel", "Owner", "Person", "Pet"])
        #expect(schema["Nothing"] == nil)
        let person = try #require(schema["Person"])
        #expect(person.primaryKeyProperty?.name == "id" && person.objectClass == Person.self && !person.isEmbedded)
        #expect(person["name"]?.isIndexed == true && person["email"]?.isOptional == true && person["age"]?.isOptional == false)
        #expect(person["friend"]?.objectClassName == "Person" && person["friend"]?.type == .object && person["friend"]?.isOptional == true)
        #expect(schema["Address"]?.isEmbedded == true)
        let owner = try #require(schema["Owner"])
        #expect(owner["pets"]?.isArray == true && owner["tags"]?.isSet == true && owner["phones"]?.isMap == true && owner["phones"]?.type == .string)
        #expect(schema["Pet"]?["owners"]?.type == .linkingObjects && schema["Pet"]?["owners"]?.linkOriginPropertyName == "pets")
        #expect(Person().objectSchema == person)
    }

    @Test("the stored schema says the same of the file, and more of other programs' classes")
    func stored() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Person.self, Aliased.self, Cat.self]))
        #expect(realm.storedSchema["Person"] == realm.schema["Person"])
        #expect(realm.storedSchema["Cat"]?.superclassName == "Animal" && realm.schema["Cat"] == realm.storedSchema["Cat"])
        #expect(realm.schema["Aliased"]?["email"]?.columnName == "mail")
        #expect(realm.storedSchema["Aliased"]?.properties.map(\.name) == ["mail", "years"])
    }

    @Test("they read well as text")
    func described() throws {
        let folder = try Folder(), realm = try Realm(configuration: folder.configuration([Dog.self, Person.self]))
        #expect(realm.schema["Dog"]?.description == """
            Dog {
            \tname {
            \t\ttype = string;
            \t\tcolumnName = name;
            \t\tindexed = NO;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = NO;
            \t}
            \tage {
            \t\ttype = int;
            \t\tcolumnName = age;
            \t\tindexed = NO;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = NO;
            \t}
            \towner {
            \t\ttype = object;
            \t\tobjectClassName = Person;
            \t\tlinkOriginPropertyName = (null);
            \t\tcolumnName = owner;
            \t\tindexed = NO;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = YES;
            \t}
            }
            """)
        #expect(realm.schema.description.hasPrefix("Schema {\n\tDog {\n\t\tname {"))
    }
}
