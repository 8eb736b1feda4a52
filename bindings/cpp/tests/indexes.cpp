// Ranges of indexes of any size, values looked up, and links followed backwards.
#include "check.hpp"

using Keys = std::vector<freehold::Key>;

template <typename Objects>
static Keys keys(Objects &&objects)
{
    Keys keys;
    for (const freehold::Object &object : objects) keys.push_back(object.key());
    return keys;
}

static void test_ranges(const freehold::Database &database)
{
    freehold::Snapshot snapshot = database.read();
    CHECK(keys(snapshot.index("Person", "age", 3, 6)) == (Keys{3, 4, 5}));
    CHECK(keys(snapshot.index("Person", "age", 3, 6, true)) == (Keys{5, 4, 3}));
    CHECK(keys(snapshot.index("Person", "age", nullptr, 3)) == (Keys{1, 2}));
    CHECK(keys(snapshot.index("Person", "age", 599)) == (Keys{599, 600}) && keys(snapshot.index("Person", "age", 9, 2)).empty());
    CHECK(keys(snapshot.index("Person", "id", 2, 4)) == (Keys{2, 3}));
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { snapshot.index("Person", "name"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { snapshot.index("Person", "age", "three"); }));

    // More than is fetched at a time, and as much as is fetched at two times.
    const Keys all = keys(snapshot.index("Person", "age"));
    CHECK(all.size() == 600 && all.front() == 1 && all.back() == 600);
    CHECK(keys(snapshot.index("Person", "age", nullptr, 513)).size() == 512);
    freehold::IndexRange range = snapshot.index("Person", "age", 600);
    CHECK(range.next()->get<std::string>("name") == "person 600" && !range.next() && !range.next());
    freehold::IndexRange three = snapshot.index("Person", "age", 1, 4);
    freehold::IndexRange::Iterator place = three.begin();
    CHECK((place++)->key() == 1 && (*place++).key() == 2 && place->key() == 3 && ++place == three.end());

    // Refreshed, it goes on behind its last object.
    freehold::IndexRange moving = snapshot.index("Person", "age", nullptr, nullptr);
    for (int count = 0; count < 256; count++) moving.next();
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 257)->set("age", 2); });
    CHECK(snapshot.refresh() && moving.next()->key() == 258);
    CHECK(snapshot.index_count("Person", "age", 2) == 2 && keys(snapshot.index_equal("Person", "age", 2)) == (Keys{2, 257}));
    CHECK(snapshot.index_equal("Person", "age", 257).empty());
}

static void test_scans(const freehold::Database &database)
{
    freehold::Snapshot snapshot = database.read();
    const Keys all = keys(snapshot.scan("Person"));
    CHECK(all.size() == 600 && all.front() == 1 && all.back() == 600);
    CHECK(keys(snapshot.scan("Person", 345)).size() == 256 && keys(snapshot.scan("Person", 601)).empty());
    freehold::Scan scan = snapshot.scan("Person", 599);
    CHECK(scan.next()->key() == 599 && scan.next()->get<std::string>("name") == "person 600" && !scan.next());
    scan.seek(2);
    CHECK(scan.next()->key() == 2 && scan.next()->key() == 3);
    scan.seek(-5);
    CHECK(scan.begin()->key() == 1);
    scan.seek(INT64_MAX);
    CHECK(!scan.next() && throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { snapshot.scan("Cat"); }));

    // Changed while it is gone through: what is behind what was found is seen.
    freehold::Transaction transaction = database.write();
    for (freehold::Object person : transaction.scan("Person")) {
        if (person.key() == 1) transaction.create("Person", {{"id", 601}});
        person.remove();
    }
    CHECK(transaction.count("Person") == 0);
}

static void test_backlinks(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    transaction.create_class("Dog", {{"owner", FREEHOLD_TYPE_LINK, 0, "Person"}});
    freehold::Object ada = *transaction.find("Person", 1);
    CHECK(ada.backlinks("Dog", "owner").empty());
    Keys dogs;
    for (int count = 0; count < 100; count++) dogs.push_back(transaction.create("Dog", {{"owner", ada}}).key());
    CHECK(keys(ada.backlinks("Dog", "owner")) == dogs && transaction.find("Person", 2)->backlinks("Dog", "owner").empty());
    ada.backlinks("Dog", "owner")[99].set("owner", nullptr);
    dogs.pop_back();
    CHECK(keys(ada.backlinks("Dog", "owner")) == dogs);
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { ada.backlinks("Dog", "friend"); }));
}

void test_indexes(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/indexes", 600);
    test_ranges(database);
    test_scans(database);
    test_backlinks(database);
}
