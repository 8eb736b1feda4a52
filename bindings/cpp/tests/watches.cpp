// What is followed by key paths, by keys of maps, and as a whole; and which objects differ between two versions.
#include "check.hpp"

#include <algorithm>

using Names = std::vector<std::string>;

static Names kept(const std::vector<std::string_view> &names) { return {names.begin(), names.end()}; }

static void test_key_paths(const freehold::Database &database)
{
    freehold::Watch watch = database.watch();
    const freehold_answer_t named = watch.query_observing({"name"}, "Person", "age > %@ SORT(id ASC)", 1);
    const freehold_answer_t bare = watch.query_observing({}, "Person", "age > 1");
    const freehold_answer_t friends = watch.collection_observing({"name"}, "Person", 1, "friends");
    CHECK(watch.count(named) == 2 && watch.count(friends) == 1);
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_PROPERTY, [&] { watch.query_observing({"nam"}, "Person", "age > 1"); }));
    std::vector<freehold_answer_t> told;
    const auto note = [&](const freehold::Delivery &delivery) { told.push_back(delivery.answer()); };
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 2)->set("age", 20); });
    CHECK(watch.deliver(note) && told.empty());
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 2)->set("name", "new"); });
    CHECK(watch.deliver(note) && told == std::vector<freehold_answer_t>{named, friends});
    told.clear();
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 3)->set("age", 0); });
    CHECK(watch.deliver(note) && told == std::vector<freehold_answer_t>{named, bare});
}

static void test_map_keys(const freehold::Database &database)
{
    freehold::Watch watch = database.watch();
    watch.collection("Person", 1, "marks");
    database.write([](freehold::Transaction &transaction) {
        freehold::Collection marks = transaction.find("Person", 1)->collection("marks");
        marks.erase("a");
        marks.put("b", 9);
        marks.put("c", 3);
    });
    int told = 0;
    watch.deliver([&](const freehold::Delivery &delivery) {
        told++;
        CHECK(kept(delivery.deleted_keys()) == Names{"a"} && kept(delivery.inserted_keys()) == Names{"c"});
        CHECK(kept(delivery.modified_keys()) == Names{"b"} && delivery.properties().empty() && delivery.classes().empty());
    });
    CHECK(told == 1);
}

static void test_whole_database(const freehold::Database &database)
{
    freehold::Watch watch = database.watch();
    const freehold_answer_t everything = watch.database();
    CHECK(throws(FREEHOLD_ERROR_TYPE_MISMATCH, [&] { watch.count(everything); }));
    database.write([](freehold::Transaction &transaction) {
        transaction.create_class("Dog", {{"name", FREEHOLD_TYPE_STRING}});
        transaction.find("Person", 1)->set({{"name", "Ada"}, {"age", 36}});
        transaction.create("Person", {{"id", 9}});
        transaction.find("Person", 3)->remove();
    });
    int told = 0;
    watch.deliver([&](const freehold::Delivery &delivery) {
        told++;
        Names classes = kept(delivery.classes());
        std::sort(classes.begin(), classes.end());
        CHECK(delivery.answer() == everything && classes == Names{"Dog", "Person"});
        std::map<freehold::Key, freehold_change_kind_t> kinds;
        for (const freehold::ObjectChange &change : delivery.after().changes_since(*delivery.before(), "Person")) {
            kinds[change.key] = change.kind;
            CHECK(kept(change.properties) == (change.key == 1 ? Names{"name", "age"} : Names{}));
        }
        const std::map<freehold::Key, freehold_change_kind_t> wanted = {
            {1, FREEHOLD_CHANGE_CHANGED}, {3, FREEHOLD_CHANGE_DELETED}, {9, FREEHOLD_CHANGE_INSERTED}};
        CHECK(kinds == wanted);
    });
    CHECK(told == 1);
}

static void test_changes(const freehold::Database &database)
{
    const freehold::Snapshot before = database.read();
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 2)->remove(); });
    freehold::Snapshot now = database.read();
    freehold::Changes changes = now.changes_since(before, "Person");
    const std::optional<freehold::ObjectChange> first = changes.next(), second = changes.next();
    CHECK(first && first->key == 1 && first->kind == FREEHOLD_CHANGE_CHANGED && kept(first->properties) == Names{"friends"});
    CHECK(second && second->key == 2 && second->kind == FREEHOLD_CHANGE_DELETED && !changes.next() && !changes.next());
    freehold::Changes back = before.changes_since(now, "Person");
    freehold::Changes::Iterator place = back.begin();
    CHECK((++place)->kind == FREEHOLD_CHANGE_INSERTED && ++place == back.end());
    freehold::Changes none = now.changes_since(now, "Person");
    CHECK(none.begin() == none.end());
    CHECK(throws(FREEHOLD_ERROR_UNKNOWN_CLASS, [&] { now.changes_since(before, "Cat"); }));
    freehold::Changes stale = now.changes_since(before, "Person");
    database.write([](freehold::Transaction &transaction) { transaction.find("Person", 1)->set("age", 1); });
    CHECK(now.refresh() && throws(FREEHOLD_ERROR_CLOSED, [&] { stale.next(); }));
}

void test_watches(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/watches", 3);
    database.write([](freehold::Transaction &transaction) {
        transaction.add_property("Person", {"friends", FREEHOLD_TYPE_LINK, 0, "Person", {FREEHOLD_TYPE_LIST}});
        transaction.add_property("Person", {"marks", FREEHOLD_TYPE_INT, 0, {}, {FREEHOLD_TYPE_MAP}});
        freehold::Object first = *transaction.find("Person", 1);
        first.collection("friends").append(*transaction.find("Person", 2));
        first.set("marks", std::map<std::string, std::int64_t>{{"a", 1}, {"b", 2}});
    });
    test_key_paths(database);
    test_map_keys(database);
    test_whole_database(database);
    test_changes(database);
}
