// The C++ interface, as its users write it. Takes an empty folder; the last line is the count.
#include "check.hpp"

#include <algorithm>
#include <thread>

struct Person {
    std::int64_t id = 0;
    std::string name;
    std::optional<double> height;
    std::vector<std::string> tags;
    std::set<std::int64_t> numbers;
    std::map<std::string, std::vector<std::int64_t>> shelves;
    std::vector<std::uint8_t> picture;
    freehold::Time born{};
    bool member = false;
    std::optional<freehold::Uuid> token;

    friend bool operator==(const Person &one, const Person &other)
    {
        return one.id == other.id && one.name == other.name && one.height == other.height && one.tags == other.tags
            && one.numbers == other.numbers && one.shelves == other.shelves && one.picture == other.picture && one.born == other.born
            && one.member == other.member && one.token == other.token;
    }
};

template <> struct freehold::Mapping<Person> {
    static constexpr std::string_view name = "Person";
    static constexpr auto members = std::make_tuple(
        freehold::member("id", &Person::id, FREEHOLD_PROPERTY_PRIMARY_KEY), freehold::member("name", &Person::name, FREEHOLD_PROPERTY_INDEXED),
        freehold::member("height", &Person::height), freehold::member("tags", &Person::tags), freehold::member("numbers", &Person::numbers),
        freehold::member("shelves", &Person::shelves), freehold::member("picture", &Person::picture), freehold::member("born", &Person::born),
        freehold::member("member", &Person::member), freehold::member("token", &Person::token));
};

static Person ada()
{
    Person person;
    person.id = 1;
    person.name = "Ada";
    person.height = 1.75;
    person.tags = {"b", "a", "b"};
    person.numbers = {3, -1};
    person.shelves = {{"low", {1, 2}}, {"top", {}}};
    person.picture = {0, 255};
    person.born = freehold::Time(std::chrono::nanoseconds(-1));
    person.member = true;
    person.token = freehold::Uuid{{1, 2, 3}};
    return person;
}

static void test_structs(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        transaction.create_class<Person>();
        transaction.create_class<Person>();
        transaction.add(ada());
        Person second;
        second.id = 2;
        transaction.add(second);
        CHECK(throws(FREEHOLD_ERROR_DUPLICATE_KEY, [&] { transaction.add(second); }));
    });
    const freehold::Snapshot snapshot = database.read();
    CHECK(snapshot.find("Person", 1)->load<Person>() == ada());
    const std::vector<Person> all = snapshot.all<Person>();
    CHECK(all.size() == 2 && all[1].id == 2 && !all[1].height && all[1].tags.empty());
    CHECK(!snapshot.find("Person", 3));
    CHECK(snapshot.classes() == std::vector<std::string>{"Person"} && snapshot.has_class("Person") && !snapshot.has_class("Dog"));
}

static void test_objects(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    transaction.create_class("Dog", {{"name", FREEHOLD_TYPE_STRING}, {"age", FREEHOLD_TYPE_INT}, {"friend", FREEHOLD_TYPE_LINK, 0, "Dog"},
                                     {"any", FREEHOLD_TYPE_MIXED}, {"pack", FREEHOLD_TYPE_LINK, 0, "Dog", {FREEHOLD_TYPE_LIST}}});
    freehold::Object rex = transaction.create("Dog", {{"name", "Rex"}, {"age", 4}});
    freehold::Object fido = transaction.create("Dog", {{"name", std::string("Fido")}, {"friend", rex}});
    rex.set({{"age", 5}, {"friend", fido}, {"any", 2.5}});
    CHECK(rex.get<int>("age") == 5 && rex.get<std::string>("name") == "Rex" && *rex.link("friend") == fido);
    CHECK(fido.link("friend")->link("friend")->get<std::string_view>("name") == "Fido");
    CHECK(rex.get<double>("any") == 2.5);
    rex.set("any", std::vector<std::int64_t>{1, 2});
    CHECK(rex.get<std::vector<int>>("any") == (std::vector<int>{1, 2}));
    rex.set("any", rex);
    CHECK(rex.link("any")->key() == rex.key());
    rex.set("friend", nullptr);
    CHECK(!rex.link("friend") && rex.exists());
    freehold::Collection pack = fido.collection("pack");
    pack.append(rex);
    pack.insert(0, fido);
    pack.move(0, 1);
    CHECK(pack.size() == 2 && pack.object(0) == rex && *pack.find(fido) == 1);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { pack.object(2); }));
    pack.remove(0);
    CHECK(pack.size() == 1);
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { rex.get<std::string>("age"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { fido.get<std::string>("any"); }));
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { rex.set("age", "five"); }));
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { rex.set("agee", 5); }));
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { transaction.create("Cat"); }));
    rex.set("age", 300);
    CHECK(throws(FREEHOLD_ERROR_VALUE_TOO_LARGE, [&] { rex.get<std::uint8_t>("age"); }));
    CHECK(throws(FREEHOLD_ERROR_VALUE_TOO_LARGE, [&] { rex.set("age", UINT64_MAX); }));
    rex.set("age", std::uint64_t(INT64_MAX));
    CHECK(rex.get<std::uint64_t>("age") == INT64_MAX);
    static_assert(!std::is_constructible_v<freehold::Value, const int *> && !std::is_constructible_v<freehold::Value, void *>);
    static_assert(std::is_constructible_v<freehold::Value, char *> && std::is_constructible_v<freehold::Value, std::vector<bool>::reference>);
    CHECK(throws(99, [&] { transaction.nested([&] { rex.remove(); throw freehold::Error(99, "no", "", 0); }); }));
    CHECK(rex.exists());
    rex.remove();
    CHECK(throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { rex.get<int>("age"); }));
    CHECK(!fido.link("friend"));
    transaction.commit();
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.count("Dog"); }));
}

static void test_collections(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    freehold::Object person = *transaction.find("Person", 1);
    freehold::Collection shelves = person.collection("shelves"), numbers = person.collection("numbers");
    freehold::Collection fresh = shelves.inner("new");
    fresh.append(7);
    CHECK(shelves.size() == 3 && shelves.key(1) == "new" && shelves.inner("new").at<int>(0) == 7);
    shelves.put("low", std::vector<std::int64_t>{9});
    CHECK(shelves.at<std::vector<int>>(0) == std::vector<int>{9} && shelves.erase("top") && !shelves.erase("top"));
    numbers.add(3);
    numbers.add(4);
    numbers.discard(-1);
    CHECK((person.get<std::set<int>>("numbers") == std::set<int>{3, 4}));
    numbers.clear();
    CHECK(numbers.size() == 0 && !numbers.find(3));
    transaction.rollback();
    CHECK(database.read().find("Person", 1)->load<Person>() == ada());
}

static void test_queries(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        for (int number = 10; number < 110; number++)
            transaction.create("Person", {{"id", number}, {"name", "person " + std::to_string(number)}, {"height", number / 4.0}});
    });
    freehold::Snapshot snapshot = database.read();
    std::int64_t sum = 0;
    for (const freehold::Object person : snapshot.query("Person", "id >= %@ AND name ENDSWITH %@ SORT(id DESC)", 10, "0")) sum += person.get<std::int64_t>("id");
    CHECK(sum == 10 + 20 + 30 + 40 + 50 + 60 + 70 + 80 + 90 + 100);
    const freehold::Query query = snapshot.prepare("Person", "id IN %@", std::vector<int>{10, 12, 5});
    CHECK(query.count() == 2 && query.first()->key() == 10 && query.matches(*snapshot.find("Person", 12)));
    CHECK(query.text() == "id IN {10, 12, 5}" && query.explain(true).find("found: 2") != std::string::npos);
    const freehold::Query named = snapshot.prepare(
        "Person", "id >= $least AND id < %@ AND name ENDSWITH $end", freehold::Named{"least", 20}, 50, freehold::Named{"end", std::string("0")});
    CHECK(named.count() == 3 && named.text() == "id >= 20 AND id < 50 AND name ENDSWITH \"0\"");
    CHECK(snapshot.query("Person", "id == $1 OR id == $0", 11, freehold::Value(12)).size() == 2);
    CHECK(snapshot.query("Person", "id IN $ids", freehold::Named{"ids", std::vector<int>{10, 11}}).size() == 2);
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { snapshot.query("Person", "id == $missing", freehold::Named{"least", 20}); }));
    const freehold::Results results = query.run();
    CHECK(results.size() == 2 && results.at(1).get<int>("id") == 12 && results.keys()[0] == 10);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { results.at(2); }));
    CHECK(results.column<double>("height") == (std::vector<double>{2.5, 3.0}));
    const std::vector<std::int64_t> ids = snapshot.column<std::int64_t>("Person", "id");
    CHECK(ids.size() == 102 && ids.front() == 1 && ids.back() == 109);
    const freehold::Groups groups = snapshot.prepare("Person", "id < 3 GROUP(member) SELECT(@count, id.@sum)").groups();
    CHECK(groups.size() == 2 && !groups.value<bool>(0) && groups.figure<int>(1, 1) == 1);
    CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { snapshot.query("Person", "id >"); }));
    database.write([](freehold::Transaction &transaction) { CHECK(transaction.query("Person", "id > 5").remove() == 100); });
    CHECK(snapshot.count("Person") == 102);
    const freehold::Snapshot before = snapshot.another();
    CHECK(snapshot.refresh() && snapshot.count("Person") == 2 && before.count("Person") == 102);
    CHECK(throws(FREEHOLD_ERROR_NOT_IN_WRITE, [&] { snapshot.find("Person", 1)->set("name", "x"); }));
}

static void test_sharing(const freehold::Database &database)
{
    freehold::Listener listener = database.listen();
    CHECK(listener.descriptor() >= 0 && !listener.wait(std::chrono::milliseconds(0)));
    {
        const freehold::Transaction held = database.write();
        std::thread([&] {
            try {
                database.write(std::chrono::milliseconds(0));
                CHECK(false);
            } catch (const freehold::BusyError &error) {
                CHECK(error.code() == FREEHOLD_ERROR_BUSY);
            }
        }).join();
    }
    database.write(std::chrono::minutes(1)).rollback();
    const freehold_version_t made = database.write([](freehold::Transaction &transaction) { transaction.find("Person", 2)->set("name", "new"); });
    CHECK(*listener.wait(std::chrono::minutes(1)) == made && listener.acknowledge() == made);
    CHECK(!database.wait(made, std::chrono::milliseconds(0)));
    CHECK(throws(9, [&] { database.write([](freehold::Transaction &transaction) {
        transaction.find("Person", 2)->remove();
        throw freehold::Error(9, "no", "", 0);
    }); }));
    CHECK(database.read().find("Person", 2)->get<std::string>("name") == "new");
}

static std::vector<std::uint64_t> listed(freehold::Positions positions) { return {positions.begin(), positions.end()}; }

static void set_height(const freehold::Database &database, int id, double height)
{
    database.write([&](freehold::Transaction &transaction) { transaction.find("Person", id)->set("height", height); });
}

static void test_watching(const freehold::Database &database)
{
    using Places = std::vector<std::uint64_t>;
    database.write([](freehold::Transaction &transaction) {
        for (int id = 201; id < 206; id++) transaction.create("Person", {{"id", id}, {"height", id - 200.0}});
    });
    freehold::Watch watch = database.watch();
    CHECK(watch.descriptor() >= 0 && watch.version() == database.read().version());
    const freehold_answer_t tall = watch.query("Person", "id > %@ AND height >= %@ SORT(height DESC)", 200, 3.0);
    const freehold_answer_t tags = watch.collection("Person", 201, "tags");
    CHECK(watch.keys(tall) == (std::vector<freehold::Key>{205, 204, 203}) && watch.keys(tall, 1, 1) == std::vector<freehold::Key>{204});
    CHECK(watch.keys(tall, 9).empty() && watch.count(tall) == 3 && watch.count(tags) == 0);
    int told = 0;
    CHECK(!watch.deliver([&](const freehold::Delivery &) { told++; }) && told == 0);
    // Woken though there is nothing new: the time is up all the same.
    CHECK(!watch.deliver(std::chrono::milliseconds(0), [&](const freehold::Delivery &) { told++; }) && told == 0);

    std::thread other([&] { set_height(database, 202, 4.5); });
    CHECK(watch.deliver(std::chrono::minutes(1), [&](const freehold::Delivery &delivery) {
        told++;
        CHECK(delivery.answer() == tall && delivery.code() == FREEHOLD_OK && !delivery.gone());
        CHECK(listed(delivery.insertions()) == Places{1} && delivery.deletions().empty() && delivery.modifications().size() == 0);
        CHECK(delivery.before()->find("Person", 202)->get<double>("height") == 2.0);
        CHECK(delivery.after().find("Person", watch.keys(tall, 1, 1)[0])->get<double>("height") == 4.5);
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { watch.deliver([](const freehold::Delivery &) {}); }));
    }));
    other.join();
    CHECK(told == 1);

    database.write([](freehold::Transaction &transaction) {
        transaction.find("Person", 205)->set("name", "changed");
        transaction.find("Person", 203)->remove();
        transaction.find("Person", 201)->collection("tags").append("first");
    });
    Places places;
    // What one call throws keeps the others from nothing.
    CHECK(throws(77, [&] {
        watch.deliver([&](const freehold::Delivery &delivery) {
            if (delivery.answer() == tags) {
                places = listed(delivery.insertions());
                return;
            }
            CHECK(listed(delivery.deletions()) == Places{3} && listed(delivery.modifications()) == Places{0} && delivery.modified()[0] == 0);
            throw freehold::Error(77, "no", "", 0);
        });
    }));
    CHECK(places == Places{0} && watch.version() == database.read().version());

    watch.stop(tall);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { watch.count(tall); }));
    database.write([](freehold::Transaction &transaction) { transaction.query("Person", "id > 200").remove(); });
    bool gone = false;
    CHECK(watch.deliver([&](const freehold::Delivery &delivery) { gone = delivery.answer() == tags && delivery.gone(); }) && gone);
    const freehold_answer_t groups = watch.query("Person", "TRUEPREDICATE GROUP(member) SELECT(@count)");
    CHECK(watch.count(groups) == 2 && throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { watch.keys(groups); }));
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { watch.query("Cat", "TRUEPREDICATE"); }));
    const freehold::Watch moved = std::move(watch);
    CHECK(moved.count(groups) == 2 && watch.descriptor() == -1);
}

static void test_json_and_one_object(const freehold::Database &database)
{
    database.write([](freehold::Transaction &transaction) {
        CHECK(transaction.import_json("Note", "{\"key\": 7, \"words\": \"a\"} {\"key\": 8, \"words\": \"b\"}", "key") == 2);
        CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { transaction.import_json("Note", "{\"key\":"); }));
    });
    const freehold::Snapshot snapshot = database.read();
    CHECK(snapshot.find("Note", 7)->json().find("\"words\":") != std::string::npos);
    const std::string lines = snapshot.objects("Note").json(true);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 2 && snapshot.objects("Note").json()[0] == '[');
    freehold::Watch watch = database.watch();
    const freehold_answer_t note = watch.object("Note", 7);
    database.write([](freehold::Transaction &transaction) { transaction.find("Note", 7)->set("words", "new"); });
    std::vector<std::string> names;
    bool gone = false;
    const auto note_changes = [&](const freehold::Delivery &delivery) {
        for (const std::string_view name : delivery.properties()) names.emplace_back(name);
        gone = delivery.answer() == note && delivery.gone();
    };
    CHECK(watch.deliver(note_changes) && !gone && names == std::vector<std::string>{"words"});
    database.write([](freehold::Transaction &transaction) { transaction.find("Note", 7)->remove(); });
    CHECK(watch.deliver(note_changes) && gone && watch.count(note) == 0);
    CHECK(throws(FREEHOLD_ERROR_NOT_FOUND, [&] { watch.object("Note", 7); }));
}

static void test_files(const std::string &folder, const freehold::Database &database)
{
    database.flush();
    database.copy(folder + "/copy");
    database.backup(folder + "/backup");
    database.compact();
    CHECK(database.check() == 0 && database.path().size() > 4);
    freehold::Options options;
    options.read_only = true;
    CHECK(freehold::Database(folder + "/copy", options).read().count("Person") == 2);
    CHECK(throws(FREEHOLD_ERROR_READ_ONLY, [&] { freehold::Database(folder + "/copy", options).write(); }));
    options.read_only = false;
    options.must_exist = true;
    CHECK(throws(FREEHOLD_ERROR_NOT_FOUND, [&] { freehold::Database none(folder + "/none", options); }));
    options.must_exist = false;
    options.encryption_key = freehold::generate_key();
    { freehold::Database secret(folder + "/secret", options); }
    CHECK(throws(FREEHOLD_ERROR_KEY_MISSING, [&] { freehold::Database secret(folder + "/secret"); }));
    CHECK(freehold::Database::remove(folder + "/copy") && !freehold::Database::remove(folder + "/copy"));
}

int main(int count, char **arguments)
{
    if (count != 2) return 2;
    const std::string folder = arguments[1];
    try {
        const freehold::Database database(folder + "/cpp");
        test_structs(database);
        test_objects(database);
        test_collections(database);
        test_queries(database);
        test_sharing(database);
        test_watching(database);
        test_json_and_one_object(database);
        test_files(folder, database);
        test_pending(folder);
        test_columns(folder);
        test_derived_indexes(folder);
        test_embedding(folder);
        test_synced(folder);
        test_handing_over(folder);
        test_indexes(folder);
        test_importing(folder);
        test_inspecting(folder);
        test_json(folder);
        test_large_values(folder);
        test_migrations(folder);
        test_places(folder);
        test_texts(folder);
        test_watches(folder);
    } catch (const freehold::Error &error) {
        std::fprintf(stderr, "%s: %s\n", error.name(), error.what());
        failed++;
    }
    std::printf("%d checks passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
