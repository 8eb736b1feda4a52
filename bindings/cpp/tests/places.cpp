// Collections by their handles: what is followed in them and among what they link to, what differs between two versions of them; and what sleeps.
#include "check.hpp"

#include <poll.h>

using Answers = std::vector<freehold_answer_t>;
using Names = std::vector<std::string>;
using Places = std::vector<std::uint64_t>;

static void set_age(const freehold::Database &database, int id, int age)
{
    database.write([&](freehold::Transaction &transaction) { transaction.find("Person", id)->set("age", age); });
}

// The answers that have changed, in their order.
static Answers told(freehold::Watch &watch)
{
    Answers answers;
    watch.deliver([&](const freehold::Delivery &delivery) { answers.push_back(delivery.answer()); });
    return answers;
}

static freehold::Collection opened(const freehold::Reader &reader, const char *property)
{
    return reader.find("Person", 1)->collection(property);
}

static void test_among(const freehold::Database &database)
{
    freehold::Watch watch = database.watch();
    const freehold::Snapshot snapshot = database.read();
    freehold_answer_t all = 0, named = 0, bare = 0;
    {
        const freehold::Collection friends = opened(snapshot, "friends");
        all = watch.query_among(friends, "age >= %@", 2);
        named = watch.query_among_observing({"name"}, friends, "age >= %@ SORT(age DESC)", 2);
        bare = watch.query_among_observing({}, friends, "age >= 2");
        CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { watch.query_among(opened(snapshot, "marks"), "age > 1"); }));
        CHECK(throws(FREEHOLD_ERROR_MALFORMED_INPUT, [&] { watch.query_among(friends, "age >"); }));
        CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { watch.query_among_observing({"nam"}, friends, "age > 1"); }));
    }
    CHECK(watch.keys(all) == (std::vector<freehold::Key>{3, 2, 3}) && watch.keys(named).front() == 3);
    // Who looks at names, or at nothing, hears of no ages.
    set_age(database, 3, 33);
    CHECK(told(watch) == Answers{all});
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 2)->set("name", "Bo"); });
    CHECK(told(watch) == (Answers{all, named}));
    set_age(database, 2, 1);
    CHECK(told(watch) == (Answers{all, named, bare}) && watch.keys(bare) == (std::vector<freehold::Key>{3, 3}));
}

static void test_within(const freehold::Database &database)
{
    freehold::Watch watch = database.watch();
    const freehold::Snapshot snapshot = database.read();
    const freehold_answer_t row = watch.collection(opened(snapshot, "grid").inner(1)), any = watch.collection(opened(snapshot, "any").inner("deep"));
    const freehold_answer_t friends = watch.collection(opened(snapshot, "friends"));
    const freehold_answer_t aged = watch.collection_observing({"age"}, opened(snapshot, "friends"));
    const freehold_answer_t bare = watch.collection_observing({}, opened(snapshot, "friends"));
    CHECK(watch.count(row) == 1 && watch.count(any) == 2 && watch.count(bare) == 3);
    database.write([](freehold::Transaction &transaction) { opened(transaction, "grid").inner(1).append(7); });
    bool whole = false;
    CHECK(watch.deliver([&](const freehold::Delivery &delivery) {
        const freehold::Collection now = opened(delivery.after(), "grid").inner(1);
        whole = delivery.answer() == row && delivery.insertions()[0] == 1 && now.at<int>(1) == 7;
    }) && whole);
    database.write([](freehold::Transaction &transaction) { opened(transaction, "any").inner("deep").set(1, "new"); });
    CHECK(told(watch) == Answers{any});
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 3)->set("name", "Cy"); });
    CHECK(told(watch) == Answers{friends});
    set_age(database, 3, 3);
    CHECK(told(watch) == (Answers{friends, aged}));
    database.write([](freehold::Transaction &transaction) { opened(transaction, "friends").remove(1); });
    CHECK(told(watch) == (Answers{friends, aged, bare}));
}

static void test_changes_within(const freehold::Database &database)
{
    const freehold::Snapshot before = database.read();
    database.write([](freehold::Transaction &transaction) {
        opened(transaction, "labels").discard("a");
        opened(transaction, "labels").add("b");
        freehold::Collection marks = opened(transaction, "marks");
        marks.erase("gone");
        marks.put("new", 1);
        marks.put("other", 2);
        freehold::Collection row = opened(transaction, "grid").inner(0);
        row.set(1, 9);
        row.insert(0, 9);
    });
    const freehold::Snapshot now = database.read();
    const freehold::Collection labels = opened(now, "labels"), marks = opened(now, "marks"), grid = opened(now, "grid");
    freehold::CollectionChanges changes = labels.changes_since(opened(before, "labels"));
    CHECK(changes.deletions == Places{0} && changes.insertions == Places{0} && changes.modified.empty() && !changes.empty());
    // What was told is kept, also when more is told.
    CHECK(labels.changes_since(labels).empty() && changes.insertions == Places{0});
    changes = marks.changes_since(*marks.another(before));
    CHECK(changes.deleted_keys == Names{"gone"} && changes.inserted_keys == Names{"new"} && changes.modified_keys == Names{"other"});
    CHECK(changes.deletions.empty() && changes.insertions.empty());
    changes = opened(before, "marks").changes_since(marks);
    CHECK(changes.deleted_keys == Names{"new"} && changes.inserted_keys == Names{"gone"});
    changes = grid.changes_since(opened(before, "grid"));
    CHECK(changes.modifications == Places{0} && changes.modified == Places{0} && changes.insertions.empty());
    changes = grid.inner(0).changes_since(opened(before, "grid").inner(0));
    CHECK(changes.insertions == Places{0} && changes.modifications == Places{1} && changes.modified == Places{2} && changes.deletions.empty());
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { labels.changes_since(opened(before, "marks")); }));
    const freehold::Collection kept = opened(now, "labels");
    database.write([](freehold::Transaction &transaction) {
        const freehold::Collection labels = opened(transaction, "labels");
        transaction.find("Person", 1)->remove();
        CHECK(throws(FREEHOLD_ERROR_OBJECT_DELETED, [&] { labels.changes_since(labels); }));
    });
    CHECK(kept.size() == 2);
}

// A watch that sleeps over more versions than it may, and a listener that nothing wakes but commits.
static void test_sleeping(const std::string &folder)
{
    for (const std::uint64_t limit : {0, 2}) {
        freehold::Options options;
        options.parked_versions_limit = limit;
        const std::string path = folder + "/sleeping" + std::to_string(limit);
        with_people(path, 3);
        const freehold::Database database(path, options);
        freehold::Watch watch = database.watch();
        watch.query("Person", "age > 1");
        for (int age = 20; age < 26; age++) set_age(database, 1, age);
        int calls = 0;
        CHECK(watch.deliver([&](const freehold::Delivery &delivery) { calls++; CHECK(delivery.before().has_value() == (limit == 0)); }));
        CHECK(calls == 1);

        freehold::Listener listener = database.listen();
        listener.reread(false);
        const freehold_version_t version = listener.acknowledge();
        set_age(database, 2, 21);
        pollfd entry{listener.descriptor(), POLLIN, 0};
        CHECK(poll(&entry, 1, 60000) == 1 && listener.acknowledge() > version);
        freehold::Listener moved = std::move(listener);
        moved.reread(true);
        CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { listener.reread(true); }));
    }
}

void test_places(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/places", 5);
    database.write([](freehold::Transaction &transaction) {
        transaction.add_property("Person", {"friends", FREEHOLD_TYPE_LINK, 0, "Person", {FREEHOLD_TYPE_LIST}});
        transaction.add_property("Person", {"grid", FREEHOLD_TYPE_INT, 0, {}, {FREEHOLD_TYPE_LIST, FREEHOLD_TYPE_LIST}});
        transaction.add_property("Person", {"labels", FREEHOLD_TYPE_STRING, 0, {}, {FREEHOLD_TYPE_SET}});
        transaction.add_property("Person", {"marks", FREEHOLD_TYPE_INT, 0, {}, {FREEHOLD_TYPE_MAP}});
        transaction.add_property("Person", {"any", FREEHOLD_TYPE_MIXED});
        freehold::Object first = *transaction.find("Person", 1);
        for (const int id : {3, 2, 3}) first.collection("friends").append(*transaction.find("Person", id));
        first.set({{"grid", std::vector<std::vector<int>>{{1, 2}, {3}}}, {"labels", std::set<std::string>{"a", "c"}},
                   {"marks", std::map<std::string, int>{{"gone", 1}, {"other", 1}, {"same", 1}}},
                   {"any", std::map<std::string, std::vector<std::string>>{{"deep", {"x", "y"}}}}});
    });
    test_among(database);
    test_within(database);
    test_changes_within(database);
    test_sleeping(folder);
}
