// Changes of the schema, step by step and as migrations, which may throw.
#include "check.hpp"

static freehold::PropertyDefinition property(const freehold::Reader &reader, std::string_view name)
{
    for (const freehold::PropertyDefinition &property : reader.describe("Person").properties)
        if (property.name == name) return property;
    return {"", FREEHOLD_TYPE_NULL};
}

static void test_properties(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    freehold::Object third = *transaction.find("Person", 3);
    transaction.rename_property("Person", "age", "years");
    transaction.set_indexed("Person", "years", false);
    transaction.set_nullable("Person", "years");
    CHECK(property(transaction, "age").name.empty() && property(transaction, "years").flags == FREEHOLD_PROPERTY_NULLABLE);
    third.set("years", nullptr);
    CHECK(throws(FREEHOLD_ERROR_NOT_NULLABLE, [&] { transaction.set_required("Person", "years"); }));
    transaction.set_required("Person", "years", 4);
    CHECK(third.get<int>("years") == 4 && property(transaction, "years").flags == 0);

    transaction.set_type<std::int64_t>("Person", "years", FREEHOLD_TYPE_DOUBLE, false, [](std::int64_t age) { return age / 2.0; });
    CHECK(third.get<double>("years") == 2.0 && property(transaction, "years").type == FREEHOLD_TYPE_DOUBLE);
    // New texts are longer than what a std::string has room for in itself.
    transaction.set_type<double>("Person", "years", FREEHOLD_TYPE_STRING, false,
                                 [](double age) { return "about twenty-four hundred and " + std::to_string(age); });
    CHECK(third.get<std::string>("years") == "about twenty-four hundred and 2.000000");
    int calls = 0;
    CHECK(throws(55, [&] {
        transaction.set_type<std::string>("Person", "years", FREEHOLD_TYPE_INT, false, [&](const std::string &) -> std::int64_t {
            calls++;
            throw freehold::Error(55, "no", "", 0);
        });
    }));
    CHECK(calls > 0 && property(transaction, "years").type == FREEHOLD_TYPE_STRING);
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { transaction.set_type("Person", "years", FREEHOLD_TYPE_INT); }));
    transaction.set_type<std::string_view>("Person", "years", FREEHOLD_TYPE_INT, true, [](std::string_view age) {
        return age.find("2.0") == age.npos ? std::optional<std::int64_t>() : std::optional<std::int64_t>(7);
    });
    CHECK(third.get<int>("years") == 7 && !transaction.find("Person", 2)->get<std::optional<int>>("years"));
    transaction.set_type("Person", "years", FREEHOLD_TYPE_STRING, true);
    CHECK(third.get<std::string>("years") == "7");
    transaction.drop_property("Person", "years");
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { third.get<int>("years"); }));
}

static void test_classes(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    transaction.add_property("Person", {"boss", FREEHOLD_TYPE_LINK, 0, "Person", {}, FREEHOLD_DELETE_CASCADE});
    CHECK(property(transaction, "boss").delete_rule == FREEHOLD_DELETE_CASCADE && property(transaction, "boss").target == "Person");
    freehold::Object second = *transaction.find("Person", 2);
    second.set("boss", *transaction.find("Person", 1));
    transaction.set_delete_rule("Person", "boss", FREEHOLD_DELETE_DENY);
    CHECK(throws(FREEHOLD_ERROR_DELETE_DENIED, [&] { second.remove(); }));
    transaction.add_index("Person", {"name"}, true);
    CHECK(property(transaction, "name").flags & FREEHOLD_PROPERTY_UNIQUE);
    CHECK(throws(FREEHOLD_ERROR_DUPLICATE_KEY, [&] { second.set("name", "person 1"); }));
    transaction.end_uniqueness("Person", "name");
    second.set("name", "person 1");
    CHECK(throws(FREEHOLD_ERROR_DUPLICATE_KEY, [&] { transaction.add_index("Person", {"name"}, true); }));
    transaction.add_index("Person", {"name", "age"}, true);
    CHECK(throws(FREEHOLD_ERROR_DUPLICATE_KEY, [&] { second.set("age", 1); }));
    transaction.end_primary_key("Person");
    CHECK(!(property(transaction, "id").flags & FREEHOLD_PROPERTY_PRIMARY_KEY));
    transaction.set_primary_key("Person", "id");
    CHECK(property(transaction, "id").flags & FREEHOLD_PROPERTY_PRIMARY_KEY);
    transaction.create_classes({{"Child", {{"school", FREEHOLD_TYPE_STRING}}, "Human"}, {"Human", {{"name", FREEHOLD_TYPE_STRING}}}});
    const freehold::ClassDefinition child = transaction.describe("Child");
    CHECK(child.superclass == "Human" && child.properties.size() == 1 && child.properties[0].name == "school" && !child.embedded);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.drop_class("Human"); }));
    transaction.drop_class("Child");
    transaction.rename_class("Human", "Man");
    CHECK(transaction.has_class("Man") && !transaction.has_class("Human") && !transaction.has_class("Child"));
    transaction.set_embedded("Man", true);
    CHECK(transaction.describe("Man").embedded && throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { transaction.drop_class("Human"); }));
}

struct Dog {
    std::string title;
    std::int64_t age = 0;
};

template <> struct freehold::Mapping<Dog> {
    static constexpr std::string_view name = "Dog";
    static constexpr auto members = std::make_tuple(
        freehold::member("title", &Dog::title, FREEHOLD_PROPERTY_INDEXED), freehold::member("age", &Dog::age));
};

static void test_updates(const freehold::Database &database)
{
    database.update(1, {{"Dog", {{"name", FREEHOLD_TYPE_STRING}}}});
    database.write([](freehold::Transaction &transaction) {
        transaction.create("Dog", {{"name", "Rex"}});
        CHECK(throws(FREEHOLD_ERROR_SCHEMA_MISMATCH, [&] { transaction.adopt({{"Dog", {{"name", FREEHOLD_TYPE_INT}}}}); }));
        transaction.adopt({{"Cat", {{"name", FREEHOLD_TYPE_STRING}}}});
    });
    const freehold::Snapshot before = database.read();
    CHECK(before.schema_version() == 1 && before.has_class("Cat"));
    const auto migrate = [&](freehold::Transaction &transaction, std::uint64_t from, std::uint64_t to) {
        CHECK(from == 1 && to == 2);
        transaction.rename_property("Dog", "name", "title");
        transaction.adopt({freehold::definition<Dog>()});
        for (freehold::Object dog : transaction.objects("Dog")) dog.set("age", 3);
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.commit(); }));
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.commit_async(); }));
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.rollback(); }));
    };
    CHECK(throws(56, [&] {
        database.update(2, {freehold::definition<Dog>()}, [&](freehold::Transaction &transaction, std::uint64_t from, std::uint64_t to) {
            migrate(transaction, from, to);
            throw freehold::Error(56, "no", "", 0);
        });
    }));
    CHECK(database.read().version() == before.version());
    freehold::Transaction kept = [&] {
        std::optional<freehold::Transaction> kept;
        database.update(2, {freehold::definition<Dog>()}, [&](freehold::Transaction &transaction, std::uint64_t from, std::uint64_t to) {
            migrate(transaction, from, to);
            kept = std::move(transaction);
        });
        return std::move(*kept);
    }();
    CHECK(throws(FREEHOLD_ERROR_CLOSED, [&] { kept.count("Dog"); }));
    const freehold::Snapshot after = database.read();
    const Dog rex = after.all<Dog>()[0];
    CHECK(after.schema_version() == 2 && rex.title == "Rex" && rex.age == 3);
    database.update(2, {freehold::definition<Dog>()}, [](freehold::Transaction &, std::uint64_t, std::uint64_t) { CHECK(false); });
    CHECK(database.read().version() == after.version());
    CHECK(throws(FREEHOLD_ERROR_SCHEMA_MISMATCH, [&] { database.update(1, {freehold::definition<Dog>()}); }));
    database.write([](freehold::Transaction &transaction) { transaction.set_schema_version(9); });
    CHECK(database.read().schema_version() == 9);
}

void test_migrations(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/migrations", 4);
    test_properties(database);
    test_classes(database);
    test_updates(freehold::Database(folder + "/updates"));
}
