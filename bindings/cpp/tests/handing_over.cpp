// What one thread found, read by another; snapshots parked, refreshed, and of what a transaction began with.
#include "check.hpp"

#include <thread>

static void test_threads(const freehold::Database &database)
{
    freehold::Snapshot snapshot = database.read();
    const freehold::Results results = snapshot.query("Person", "age > 10");
    const freehold::Query query = snapshot.prepare("Person", "age > 10");
    const freehold::Collection tags = snapshot.find("Person", 1)->collection("tags");
    freehold::Snapshot other = snapshot.another();
    const freehold::Results same = results.another(other);
    const freehold::Query asked = query.another(other);
    const std::optional<freehold::Collection> words = tags.another(other);

    // Later changes are not in it, and what it came from may go.
    database.write([&](freehold::Transaction &transaction) {
        tags.another(transaction)->append("c");
        CHECK(snapshot.find("Person", 1)->another(transaction)->get<std::vector<std::string>>("tags").size() == 3);
        transaction.find("Person", 1)->remove();
        CHECK(!tags.another(transaction) && !snapshot.find("Person", 1)->another(transaction));
        transaction.find("Person", 20)->remove();
        CHECK(results.another(transaction).size() == 10 && query.another(transaction).count() == 9);
    });
    snapshot = database.read();
    std::int64_t ages = 0;
    std::thread([&] {
        for (const std::int64_t age : same.column<std::int64_t>("age")) ages += age;
        CHECK(asked.count() == 10 && words->size() == 2 && same[0].get<std::string>("name") == "person 11");
    }).join();
    // A snapshot without a name ends before the loop begins.
    CHECK(throws(FREEHOLD_ERROR_CLOSED, [&] {
        for (const freehold::Object person : database.read().query("Person", "age > 10")) ages += person.get<int>("age");
    }));
    CHECK(ages == 155 && throws(FREEHOLD_ERROR_CLOSED, [&] { query.count(); }));
    CHECK(snapshot.prepare("Person", "age > 10 SORT(id DESC)").run_among({3, 12, 999, 15}).column<std::int64_t>("id")
          == (std::vector<std::int64_t>{15, 12}));
}

// Classes have other numbers in a version from before one was dropped.
static void test_numbers(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        transaction.create_class("Cat", {{"name", FREEHOLD_TYPE_STRING}});
        transaction.create_class("Dog", {{"name", FREEHOLD_TYPE_STRING}});
        transaction.create("Dog", {{"name", "Rex"}});
    });
    const freehold::Snapshot before = database.read();
    const freehold::Results dogs = before.objects("Dog");
    database.write([](freehold::Transaction &transaction) { transaction.drop_class("Cat"); });
    const freehold::Snapshot now = database.read();
    CHECK(dogs.another(now)[0].get<std::string>("name") == "Rex" && dogs[0].another(now)->get<std::string>("name") == "Rex");
    CHECK(before.prepare("Dog", "name = 'Rex'").another(now).first()->get<std::string>("name") == "Rex");
    database.write([](freehold::Transaction &transaction) { transaction.drop_class("Dog"); });
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { dogs.another(database.read()); }));
}

static void test_parking(const std::string &folder)
{
    freehold::Options options;
    options.parked_bytes_limit = 1 << 20;
    const freehold::Database database(folder + "/handing_over", options);
    freehold::Snapshot snapshot = database.read();
    const std::uint64_t count = snapshot.count("Person");
    freehold::Transaction transaction = database.write();
    transaction.find("Person", 2)->remove();
    const freehold::Snapshot before = transaction.before();
    transaction.commit();
    CHECK(before.count("Person") == count && before.version() == snapshot.version());
    snapshot.park();
    CHECK(snapshot.count("Person") == count);
    snapshot.park();
    database.write([](freehold::Transaction &transaction) { CHECK(transaction.query("Person", "TRUEPREDICATE").remove() > 0); });
    CHECK(snapshot.count("Person") == count && snapshot.refresh() && snapshot.count("Person") == 0);
}

void test_handing_over(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/handing_over", 20);
    database.write([](freehold::Transaction &transaction) {
        transaction.add_property("Person", {"tags", FREEHOLD_TYPE_STRING, 0, {}, {FREEHOLD_TYPE_LIST}});
        transaction.find("Person", 1)->set("tags", std::vector<std::string>{"a", "b"});
    });
    test_threads(database);
    test_numbers(database);
    test_parking(folder);
}
